/*
 * Many Philox blocks at a time. The blocks of a batch share key and entity and don't depend on each
 * other, so that each round runs over all of them at once: a loop over lanes anywhere, four lanes to a
 * register with AVX2, chosen when the program runs. All arithmetic is on integers: the roads agree to
 * the bit.
 */
#include "sim/philox.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_ROAD 1
#include <immintrin.h>
#else
#define HAVE_AVX2_ROAD 0
#endif

enum { ROUNDS = 10, LANES = SIM_PHILOX_BATCH };

struct lanes {
    uint32_t word[4][LANES];
};

static void portable_round(struct lanes *lanes, uint32_t key_low, uint32_t key_high)
{
    for (int i = 0; i < LANES; i++) {
        uint64_t first = (uint64_t)lanes->word[0][i] * PHILOX_M4x32_0;
        uint64_t second = (uint64_t)lanes->word[2][i] * PHILOX_M4x32_1;
        lanes->word[0][i] = (uint32_t)(second >> 32) ^ lanes->word[1][i] ^ key_low;
        lanes->word[1][i] = (uint32_t)second;
        lanes->word[2][i] = (uint32_t)(first >> 32) ^ lanes->word[3][i] ^ key_high;
        lanes->word[3][i] = (uint32_t)first;
    }
}

void sim_philox_batch_portable(uint64_t key, uint64_t entity, uint64_t block,
                               uint64_t words[2 * SIM_PHILOX_BATCH])
{
    struct lanes lanes;
    for (unsigned i = 0; i < LANES; i++) {
        lanes.word[0][i] = (uint32_t)(block + i);
        lanes.word[1][i] = (uint32_t)((block + i) >> 32);
        lanes.word[2][i] = (uint32_t)entity;
        lanes.word[3][i] = (uint32_t)(entity >> 32);
    }
    uint32_t key_low = (uint32_t)key, key_high = (uint32_t)(key >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        portable_round(&lanes, key_low, key_high);
        key_low += PHILOX_W32_0;
        key_high += PHILOX_W32_1;
    }
    for (int i = 0; i < LANES; i++) {
        words[2 * i] = lanes.word[0][i] | (uint64_t)lanes.word[1][i] << 32;
        words[2 * i + 1] = lanes.word[2][i] | (uint64_t)lanes.word[3][i] << 32;
    }
}

#if HAVE_AVX2_ROAD

#define AVX2 __attribute__((target("avx2")))

enum { PER_REGISTER = 4, GROUP = 2 }; /* two registers a word keep the multipliers busy */

/* A word of four counters in the low halves of 64-bit lanes; the high halves hold leftovers that no
 * multiplication reads. */
struct wide {
    __m256i word[4];
};

AVX2 static inline void wide_open(struct wide *wide, uint64_t entity, uint64_t block)
{
    __m256i counters = _mm256_set1_epi64x((long long)block);
    wide->word[0] = _mm256_add_epi64(counters, _mm256_set_epi64x(3, 2, 1, 0));
    wide->word[1] = _mm256_srli_epi64(wide->word[0], 32);
    wide->word[2] = _mm256_set1_epi64x((long long)entity);
    wide->word[3] = _mm256_srli_epi64(wide->word[2], 32);
}

AVX2 static inline void wide_round(struct wide *wide, __m256i key_low, __m256i key_high)
{
    __m256i first = _mm256_mul_epu32(wide->word[0], _mm256_set1_epi64x(PHILOX_M4x32_0));
    __m256i second = _mm256_mul_epu32(wide->word[2], _mm256_set1_epi64x(PHILOX_M4x32_1));
    wide->word[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(second, 32), wide->word[1]), key_low);
    wide->word[1] = second;
    wide->word[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(first, 32), wide->word[3]), key_high);
    wide->word[3] = first;
}

/* Joins the halves of the 64-bit words and puts each block's two side by side. */
AVX2 static inline void wide_store(const struct wide *wide, uint64_t *words)
{
    enum { HIGH_HALVES = 0xaa, LOW_BLOCKS = 0x20, HIGH_BLOCKS = 0x31 };
    __m256i even = _mm256_blend_epi32(wide->word[0], _mm256_slli_epi64(wide->word[1], 32), HIGH_HALVES);
    __m256i odd = _mm256_blend_epi32(wide->word[2], _mm256_slli_epi64(wide->word[3], 32), HIGH_HALVES);
    __m256i blocks_0_2 = _mm256_unpacklo_epi64(even, odd);
    __m256i blocks_1_3 = _mm256_unpackhi_epi64(even, odd);
    _mm256_storeu_si256((__m256i *)words, _mm256_permute2x128_si256(blocks_0_2, blocks_1_3, LOW_BLOCKS));
    _mm256_storeu_si256((__m256i *)(words + 4),
                        _mm256_permute2x128_si256(blocks_0_2, blocks_1_3, HIGH_BLOCKS));
}

AVX2 static inline void wide_group(uint64_t key, uint64_t entity, uint64_t block, uint64_t *words)
{
    struct wide a, b;
    wide_open(&a, entity, block);
    wide_open(&b, entity, block + PER_REGISTER);
    __m256i key_low = _mm256_set1_epi64x((long long)(uint32_t)key);
    __m256i key_high = _mm256_set1_epi64x((long long)(key >> 32));
#pragma GCC unroll 10
    for (int round = 0; round < ROUNDS; round++) {
        wide_round(&a, key_low, key_high);
        wide_round(&b, key_low, key_high);
        key_low = _mm256_add_epi64(key_low, _mm256_set1_epi64x(PHILOX_W32_0));
        key_high = _mm256_add_epi64(key_high, _mm256_set1_epi64x(PHILOX_W32_1));
    }
    wide_store(&a, words);
    wide_store(&b, words + 2 * PER_REGISTER);
}

AVX2 static void batch_avx2(uint64_t key, uint64_t entity, uint64_t block,
                            uint64_t words[2 * SIM_PHILOX_BATCH])
{
    for (unsigned i = 0; i < SIM_PHILOX_BATCH; i += GROUP * PER_REGISTER)
        wide_group(key, entity, block + i, words + 2 * i);
}

#endif

void sim_philox_batch(uint64_t key, uint64_t entity, uint64_t block, uint64_t words[2 * SIM_PHILOX_BATCH])
{
#if HAVE_AVX2_ROAD
    if (__builtin_cpu_supports("avx2")) {
        batch_avx2(key, entity, block, words);
        return;
    }
#endif
    sim_philox_batch_portable(key, entity, block, words);
}
