/*
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC '11; Random123): a
 * bijection of a 128-bit counter under a 64-bit key. Here the counter is (block, entity), low words
 * first, and its image is read as two 64-bit words, low words first. Private to the streams.
 */
#ifndef SIM_PHILOX_H
#define SIM_PHILOX_H

#include <Random123/philox.h>
#include <stdint.h>

enum { SIM_PHILOX_BATCH = 16 }; /* blocks of a batch */

/* The image of one counter. */
static inline void sim_philox_block(uint64_t key, uint64_t entity, uint64_t block, uint64_t words[2])
{
    philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)entity, (uint32_t)(entity >> 32)}};
    philox4x32_key_t schedule = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    philox4x32_ctr_t image = philox4x32(counter, schedule);
    words[0] = image.v[0] | (uint64_t)image.v[1] << 32;
    words[1] = image.v[2] | (uint64_t)image.v[3] << 32;
}

/* The images of the SIM_PHILOX_BATCH counters from BLOCK on, one after the other: the same words that
 * sim_philox_block makes, several at a time where the processor can. */
void sim_philox_batch(uint64_t key, uint64_t entity, uint64_t block, uint64_t words[2 * SIM_PHILOX_BATCH]);

/* The same by the road that every processor has; for tests. */
void sim_philox_batch_portable(uint64_t key, uint64_t entity, uint64_t block,
                               uint64_t words[2 * SIM_PHILOX_BATCH]);

#endif
