/*
 * What the tests of models/ share: a scenario as structs, small and without any trouble until a test adds
 * some, and runs of it that never leave unchecked what holds for every run.
 */
#ifndef TESTS_MODELS_FIXTURE_H
#define TESTS_MODELS_FIXTURE_H

#include "models/training/simulation.h"

/* A strategy on a configuration. The strategy's options are those of its kind; `learner` begins them all. */
struct fixture {
    struct simulation_config config;
    int64_t kind; /* enum strategy_kind */
    union {
        struct learner_options learner;
        struct all_reduce_options all_reduce;
        struct diloco_options diloco;
        struct decoupled_options decoupled;
        struct streaming_options streaming;
        struct gossip_options gossip;
        struct gpu_overlap_options gpu_overlap;
    } options;
};

/* 256 chips in slices of 16, steps of 10 s for 10⁶ tokens, a model of 10⁹ bits on links of 1 Gbit/s without
 * latency, 1000 s; nothing fails or straggles, every delay is 0, a failed step is lost, restarts absorb, no
 * checkpoint is older than a step. Learners: 4 (all-reduce: one), elastic but for all-reduce; H = 4; P = 4,
 * τ = 0, K = all, no grace; one peer. */
struct fixture fixture_of(int64_t kind);

/* Laws. */
struct sim_law_spec fixture_law(enum sim_law law, double mean);
struct sim_law_spec fixture_shaped(enum sim_law law, double mean, double shape);
struct sim_law_spec fixture_spread(enum sim_law law, double mean, double sigma); /* deviation or sigma */

/* Runs it and checks that simulation_check accepts it, that the ledger sums exactly and no category is
 * negative, and that the shares are shares. */
struct run_result fixture_run(const struct fixture *fixture, uint64_t seed, uint32_t replication);

/* The message and path of simulation_check, which must refuse. */
struct simulation_fault fixture_fault(const struct fixture *fixture);

/* Chip time of a category in chip-seconds, exactly: fails when there are nanoseconds left over. */
int64_t fixture_chip_seconds(const struct run_result *result, enum budget_category category);

/* Fails unless the categories named have just these chip-seconds, and all others none. */
struct fixture_share {
    enum budget_category category;
    int64_t chip_seconds;
};
#define FIXTURE_BUDGET(result, ...)                                                                          \
    fixture_assert_budget(result, (const struct fixture_share[]){__VA_ARGS__},                               \
                          sizeof((const struct fixture_share[]){__VA_ARGS__}) /                              \
                              sizeof(struct fixture_share))
void fixture_assert_budget(const struct run_result *result, const struct fixture_share *shares, size_t count);

/* Mean of METRIC over COUNT replications of seed 1, and the standard error of that mean. */
struct fixture_mean {
    double mean, error;
};
struct fixture_mean fixture_mean_of(const struct fixture *fixture, enum run_metric metric, uint32_t count);

/* Fails unless WANTED is within 5 standard errors, or within TOLERANCE where that is more. */
void fixture_assert_near(struct fixture_mean got, double wanted, double tolerance);

#endif
