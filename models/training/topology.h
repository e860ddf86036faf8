/*
 * Graphs of gossip: whom a learner meets in a round. Random matchings are drawn anew each round (matching.h);
 * the others are the same in every round.
 */
#ifndef MODELS_TRAINING_TOPOLOGY_H
#define MODELS_TRAINING_TOPOLOGY_H

#include <stdint.h>

enum topology {
    TOPOLOGY_MATCHING,    /* as many random matchings as there are peers */
    TOPOLOGY_RING,        /* both neighbours */
    TOPOLOGY_EXPONENTIAL, /* those at distances 1, 2, 4, … both ways */
    TOPOLOGY_COMPLETE,    /* everybody */
};

/* Partners of a learner; PEERS counts for matchings alone. */
int64_t topology_degree(int64_t topology, int64_t learners, int64_t peers);

/* Partner NUMBER, 0 … degree − 1, of LEARNER in a graph that doesn't change. The relation is symmetric. */
int64_t topology_partner(int64_t topology, int64_t learners, int64_t learner, int64_t number);

/* The number of LEARNER among the partners of its partner NUMBER. */
int64_t topology_mirror(int64_t topology, int64_t learners, int64_t learner, int64_t number);

#endif
