/*
 * What a run costs: money for chips and bytes, and energy by what the chips were doing.
 *
 * Chips cost as long as they are allocated, whatever they do; those that come and go not while they are gone.
 * They take their busy power in steps, those that count and those that are lost, and their idle power
 * otherwise, failed ones too: a host stays on until it is repaired. Learners are told apart by the kinds of
 * their chips, so that each kind's waiting is charged at its own power. In a learner of several kinds useful
 * time is charged by how long each kind is at work in a step, the wait for stragglers by how long it waits
 * for the slowest, and all else at the mean of its chips.
 */
#ifndef MODELS_TRAINING_COST_H
#define MODELS_TRAINING_COST_H

#include "models/training/layout.h"
#include "models/training/result.h"
#include "sim/ledger.h"

/* Classes of learners with a ledger each; and that of LEARNER. */
size_t cost_class_count(const struct cluster_config *cluster);
size_t cost_class_of(const struct cluster_config *cluster, const struct layout *layout, int64_t learner);

/* What all learners did. */
struct sim_ledger cost_sum(const struct sim_ledger *ledgers, size_t count);

/* Whether bytes cost anything anywhere. */
bool cost_has_priced_links(const struct network_config *network);

struct cost_usage {
    const struct sim_ledger
        *ledgers;          /* by class, chip-nanoseconds; the warm-up is left out of every figure */
    sim_time since, until; /* the warm-up's end and the run's */
    double tokens;
    double network; /* price of all bytes; NAN: none has one */
};

/* Sets the metrics of cost and energy in METRICS: NAN where a price or power that they need is not known. */
void cost_measure(const struct simulation_config *config, const struct layout *layout,
                  const struct cost_usage *usage, double metrics[RUN_METRICS]);

#endif
