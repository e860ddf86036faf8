#include "models/training/matching.h"

#include "models/purpose.h"
#include "sim/stream.h"

void matching_draw(uint64_t seed, uint32_t replication, int64_t round, int64_t number, int64_t learners,
                   int32_t *partner, int32_t *scratch)
{
    struct sim_stream stream;
    sim_stream_open(&stream, seed, replication, PURPOSE_MATCHING, (uint64_t)(2 * round + number));
    for (int32_t i = 0; i < learners; i++) {
        scratch[i] = i;
        partner[i] = -1;
    }
    /* Fisher–Yates; neighbours in the shuffled order are partners. */
    for (int64_t i = learners - 1; i > 0; i--) {
        int64_t j = (int64_t)sim_stream_below(&stream, (uint64_t)i + 1);
        int32_t swap = scratch[i];
        scratch[i] = scratch[j];
        scratch[j] = swap;
    }
    for (int64_t i = 0; i + 1 < learners; i += 2) {
        partner[scratch[i]] = scratch[i + 1];
        partner[scratch[i + 1]] = scratch[i];
    }
}
