/*
 * The options of gossip, and what of them does not go together.
 */
#include "models/training/gossip_internal.h"

#include "models/training/topology.h"
#include <math.h>
#include <stddef.h>

#define MOST_PEERS 2
#define MOST_LEARNERS 1024 /* of a complete graph: half a million exchanges a round */

static const char *const algorithm_names[] = {"gasloc", "gasloc-literal", "noloco",
                                              "d-psgd", "ad-psgd",        NULL};

static const char *const topology_names[] = {"matching", "ring", "exponential", "complete", NULL};

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "algorithm",
     .type = PARAMETER_CHOICE,
     .choices = algorithm_names,
     .fallback = "gasloc",
     .sentence = "How models are mixed: gasloc mixes the momentum too and is stable, gasloc-literal is the "
                 "update as printed; read by replays only.",
     .source = "ours: the literal form does not reach consensus on the complete graph with momentum",
     .offset = offsetof(struct learner_options, rule.algorithm)},
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Local steps in a round.",
     .source = "ours: as for DiLoCo; none published",
     .offset = offsetof(struct gossip_options, inner_steps)},
    {.path = "peers",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = MOST_PEERS,
     .sentence = "Partners that a learner meets in a round, each from a random matching.",
     .source = "arXiv 2606.11081",
     .offset = offsetof(struct gossip_options, peers)},
    {.path = "topology",
     .type = PARAMETER_CHOICE,
     .choices = topology_names,
     .fallback = "matching",
     .sentence =
         "Whom a learner meets in a round: partners of random matchings, its neighbours on a ring, those at "
         "distances that are powers of two, or everybody.",
     .source = "arXiv 2606.11081",
     .offset = offsetof(struct gossip_options, topology)},
    {.path = "mixing",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "Mixing weight α, 1 averaging a pair or neighbourhood; where left out 1, but 0.5 with two "
                 "peers at once, as all but ad-psgd have them, and 0.7 for noloco; read by replays only.",
     .source = "noloco's: arXiv 2506.10911; else ours: no value is published, and two peers diverge at 1",
     .offset = offsetof(struct learner_options, rule.mixing)},
    {.path = "timeout",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Longest that a learner waits at the end of a round for its partners and their models; then "
                 "it goes on without. It waits for ever where left out.",
     .source = "ours",
     .offset = offsetof(struct gossip_options, timeout)},
    {.path = "outer_rate",
     .type = PARAMETER_REAL,
     .fallback = "0.7",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Learning rate of the outer optimiser; read by replays only.",
     .source = "arXiv 2506.10911; no value published for GASLoC",
     .offset = offsetof(struct learner_options, rule.outer_rate)},
    {.path = "outer_momentum",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 0.999999,
     .sentence = "Momentum of the outer optimiser; where left out 0.9, but 0.5 for noloco, which diverges at "
                 "0.9; read by replays only.",
     .source = "arXiv 2311.08105, noloco's 2506.10911; no value published for GASLoC",
     .offset = offsetof(struct learner_options, rule.outer_momentum)},
};

const struct parameter_variant gossip_variant = {
    .name = "gossip",
    .sentence = "rounds of local steps, then an exchange with partners; no barrier",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct gossip_options),
};

bool gossip_check(const void *options, const char **path, const char **reason)
{
    const struct gossip_options *gossip = options;
    if (gossip->topology == TOPOLOGY_COMPLETE && gossip->learner.learners > MOST_LEARNERS) {
        *path = "topology";
        *reason = "a complete graph of so many learners has too many edges, each a meeting a round: 1024 "
                  "learners at most";
        return false;
    }
    return true;
}
