#include "sim/queue_sort.h"

#include "sim/queue_key.h"
#include <assert.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86_VECTORS 1
#include <immintrin.h>
#endif

enum { PLACE_BITS = 6, TIME_BITS = 63 - PLACE_BITS };
static_assert(1 << PLACE_BITS >= SIM_RUN_LIMIT, "a place fits");

/* Four numbers stay in registers while each number in turn is held against them. */
static void rank_portable(const int64_t *number, size_t count, int64_t *rank)
{
    for (size_t i = 0; i < count; i += 4) {
        const int64_t a = number[i], b = number[i + 1], c = number[i + 2], d = number[i + 3];
        int64_t below_a = 0, below_b = 0, below_c = 0, below_d = 0;
        for (size_t j = 0; j < count; j++) {
            below_a += number[j] < a;
            below_b += number[j] < b;
            below_c += number[j] < c;
            below_d += number[j] < d;
        }
        rank[i] = below_a;
        rank[i + 1] = below_b;
        rank[i + 2] = below_c;
        rank[i + 3] = below_d;
    }
}

static bool always(void)
{
    return true;
}

#ifdef HAVE_X86_VECTORS

/* The same with sixteen. A comparison gives -1 where it holds. */
__attribute__((target("avx2"))) static void rank_avx2(const int64_t *number, size_t count, int64_t *rank)
{
    for (size_t i = 0; i < count; i += SIM_RANK_BLOCK) {
        const __m256i *mine = (const __m256i *)(number + i);
        __m256i a = _mm256_loadu_si256(mine), b = _mm256_loadu_si256(mine + 1);
        __m256i c = _mm256_loadu_si256(mine + 2), d = _mm256_loadu_si256(mine + 3);
        __m256i below_a = _mm256_setzero_si256(), below_b = below_a, below_c = below_a, below_d = below_a;
        for (size_t j = 0; j < count; j++) {
            __m256i other = _mm256_set1_epi64x(number[j]);
            below_a = _mm256_sub_epi64(below_a, _mm256_cmpgt_epi64(a, other));
            below_b = _mm256_sub_epi64(below_b, _mm256_cmpgt_epi64(b, other));
            below_c = _mm256_sub_epi64(below_c, _mm256_cmpgt_epi64(c, other));
            below_d = _mm256_sub_epi64(below_d, _mm256_cmpgt_epi64(d, other));
        }
        __m256i *result = (__m256i *)(rank + i);
        _mm256_storeu_si256(result, below_a);
        _mm256_storeu_si256(result + 1, below_b);
        _mm256_storeu_si256(result + 2, below_c);
        _mm256_storeu_si256(result + 3, below_d);
    }
}

__attribute__((target("avx512f"))) static void rank_avx512(const int64_t *number, size_t count, int64_t *rank)
{
    const __m512i one = _mm512_set1_epi64(1);
    for (size_t i = 0; i < count; i += SIM_RANK_BLOCK) {
        __m512i a = _mm512_loadu_si512(number + i), b = _mm512_loadu_si512(number + i + 8);
        __m512i below_a = _mm512_setzero_si512(), below_b = below_a;
        for (size_t j = 0; j < count; j++) {
            __m512i other = _mm512_set1_epi64(number[j]);
            below_a = _mm512_mask_add_epi64(below_a, _mm512_cmpgt_epi64_mask(a, other), below_a, one);
            below_b = _mm512_mask_add_epi64(below_b, _mm512_cmpgt_epi64_mask(b, other), below_b, one);
        }
        _mm512_storeu_si512(rank + i, below_a);
        _mm512_storeu_si512(rank + i + 8, below_b);
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

/* For what the ranks left out of order: events of one time that did not arrive in their order, and times so
 * far apart that their lowest bits were dropped. Nearly everything is in place. */
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

/* Numbers for times whose highest bits are in use: they count from the earliest, in coarser units. */
static void number_large(const struct sim_event *event, size_t count, int64_t *number)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t time = (uint64_t)event[i].time;
        least = time < least ? time : least;
        most = time > most ? time : most;
    }
    int drop = 0;
    while ((most - least) >> drop >> TIME_BITS)
        drop++;
    for (size_t i = 0; i < count; i++)
        number[i] = (int64_t)(((uint64_t)event[i].time - least) >> drop << PLACE_BITS | i);
}

static void number_events(const struct sim_event *event, size_t count, int64_t *number)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (uint64_t)event[i].time;
        number[i] = (int64_t)((uint64_t)event[i].time << PLACE_BITS | i);
    }
    if (bits >> TIME_BITS)
        number_large(event, count, number);
    for (size_t i = 0; i < SIM_RANK_BLOCK; i++)
        number[count + i] = INT64_MAX;
}

void sim_run_sort(sim_rank *rank, const struct sim_event *event, size_t count, struct sim_event *sorted)
{
    assert(0 < count && count <= SIM_RUN_LIMIT);
    int64_t number[SIM_RUN_LIMIT + SIM_RANK_BLOCK], ranks[SIM_RUN_LIMIT + SIM_RANK_BLOCK];
    number_events(event, count, number);
    rank(number, count, ranks);
    for (size_t i = 0; i < count; i++)
        sorted[ranks[i]] = event[i];
    if (!in_order(sorted, count))
        insertion_sort(sorted, count);
}
