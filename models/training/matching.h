/*
 * Who meets whom in a round of gossip: random matchings, drawn by the round's number alone, so that all
 * learners know them without asking.
 */
#ifndef MODELS_TRAINING_MATCHING_H
#define MODELS_TRAINING_MATCHING_H

#include <stdint.h>

/* Fills PARTNER[i] of LEARNERS learners with whom i meets in matching NUMBER (0 or 1) of ROUND, or -1: with
 * an odd number of learners one is alone. SCRATCH holds LEARNERS numbers. */
void matching_draw(uint64_t seed, uint32_t replication, int64_t round, int64_t number, int64_t learners,
                   int32_t *partner, int32_t *scratch);

#endif
