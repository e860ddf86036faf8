#include "sim/queue_sort.h"

#include "sim/queue_key.h"
#include <assert.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86_VECTORS 1
#include <immintrin.h>
#endif

enum { PLACE_BITS = 7, NUMBER_BITS = 63 };
static_assert(1 << PLACE_BITS == SIM_RUN_LIMIT, "a place fits");

static size_t whole_blocks(size_t count)
{
    return (count + SIM_RANK_BLOCK - 1) / SIM_RANK_BLOCK * SIM_RANK_BLOCK;
}

static void rank_portable(const int64_t *number, size_t count, int64_t *rank)
{
    for (size_t i = 0; i < count; i++) {
        int64_t below = 0;
        for (size_t j = 0; j < count; j++)
            below += number[j] < number[i];
        rank[i] = below;
    }
}

static bool always(void)
{
    return true;
}

#ifdef HAVE_X86_VECTORS

/* A block's numbers stay in registers while each number in turn is held against them. A comparison
 * gives -1 where it holds. */
__attribute__((target("avx2"))) static void rank_avx2(const int64_t *number, size_t count, int64_t *rank)
{
    for (size_t i = 0; i < count; i += SIM_RANK_BLOCK) {
        __m256i mine[4], below[4];
        for (int v = 0; v < 4; v++) {
            mine[v] = _mm256_loadu_si256((const __m256i *)(number + i) + v);
            below[v] = _mm256_setzero_si256();
        }
        for (size_t j = 0; j < count; j++) {
            __m256i other = _mm256_set1_epi64x(number[j]);
            for (int v = 0; v < 4; v++)
                below[v] = _mm256_sub_epi64(below[v], _mm256_cmpgt_epi64(mine[v], other));
        }
        for (int v = 0; v < 4; v++)
            _mm256_storeu_si256((__m256i *)(rank + i) + v, below[v]);
    }
}

__attribute__((target("avx512f"))) static void rank_avx512(const int64_t *number, size_t count, int64_t *rank)
{
    const __m512i one = _mm512_set1_epi64(1);
    for (size_t i = 0; i < count; i += SIM_RANK_BLOCK) {
        __m512i mine[2], below[2];
        for (int v = 0; v < 2; v++) {
            mine[v] = _mm512_loadu_si512(number + i + 8 * v);
            below[v] = _mm512_setzero_si512();
        }
        for (size_t j = 0; j < count; j++) {
            __m512i other = _mm512_set1_epi64(number[j]);
            for (int v = 0; v < 2; v++)
                below[v] =
                    _mm512_mask_add_epi64(below[v], _mm512_cmpgt_epi64_mask(mine[v], other), below[v], one);
        }
        for (int v = 0; v < 2; v++)
            _mm512_storeu_si512(rank + i + 8 * v, below[v]);
    }
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

#endif

const struct sim_ranking sim_rankings[] = {
#ifdef HAVE_X86_VECTORS
    {"AVX-512", rank_avx512, has_avx512},
    {"AVX2", rank_avx2, has_avx2},
#endif
    {"portable", rank_portable, always},
    {NULL, NULL, NULL},
};

sim_rank *sim_rank_choose(void)
{
    const struct sim_ranking *ranking = sim_rankings;
    while (!ranking->supported())
        ranking++;
    return ranking->rank;
}

static bool in_order(const struct sim_event *event, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (sim_key_of(&event[i - 1]) > sim_key_of(&event[i]))
            return false;
    return true;
}

/* For what the ranks left out of order: events of one time whose order of arrival is not their order,
 * and times so far apart that their lowest bits were dropped. Nearly everything is in place. */
static void insertion_sort(struct sim_event *event, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct sim_event moving = event[i];
        size_t place = i;
        for (; place > 0 && sim_key_of(&event[place - 1]) > sim_key_of(&moving); place--)
            event[place] = event[place - 1];
        event[place] = moving;
    }
}

/* The word of the key that tells the events apart: the time, or among equal times the order. */
static void number_events(const struct sim_event *event, size_t count, int64_t *number)
{
    uint64_t least = (uint64_t)event[0].time, most = least;
    for (size_t i = 0; i < count; i++) {
        uint64_t time = (uint64_t)event[i].time;
        number[i] = event[i].time;
        least = time < least ? time : least;
        most = time > most ? time : most;
    }
    int bits = most == least ? 0 : 64 - __builtin_clzll(most - least);
    int drop = bits > NUMBER_BITS - PLACE_BITS ? bits - (NUMBER_BITS - PLACE_BITS) : 0;
    for (size_t i = 0; i < count; i++)
        number[i] = (int64_t)(((uint64_t)number[i] - least) >> drop << PLACE_BITS | i);
    for (size_t i = count; i < whole_blocks(count); i++)
        number[i] = INT64_MAX;
}

void sim_run_sort(sim_rank *rank, const struct sim_event *event, size_t count, struct sim_event *sorted)
{
    assert(0 < count && count <= SIM_RUN_LIMIT);
    if (in_order(event, count)) {
        memcpy(sorted, event, count * sizeof *event);
        return;
    }
    int64_t number[SIM_RUN_LIMIT], ranks[SIM_RUN_LIMIT];
    number_events(event, count, number);
    rank(number, count, ranks);
    for (size_t i = 0; i < count; i++)
        sorted[ranks[i]] = event[i];
    if (!in_order(sorted, count))
        insertion_sort(sorted, count);
}
