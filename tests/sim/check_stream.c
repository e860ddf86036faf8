/*
 * Streams: known answers of Philox, words independent of how many are made at a time, names that share
 * nothing, and the draws made of them.
 */
#include "sim/philox.h"
#include "sim/stream.h"
#include "sim/ziggurat_tables.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 400000 };

static double sample[SAMPLE], other[SAMPLE];

/* Random123's kat_vectors: counter, key, image, for philox4x32 with 10 rounds. */
static const struct {
    uint32_t counter[4], key[2], image[4];
} known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static uint64_t join(const uint32_t half[2])
{
    return half[0] | (uint64_t)half[1] << 32;
}

START_TEST(philox_gives_the_published_answers)
{
    const uint32_t *counter = known_answers[_i].counter, *image = known_answers[_i].image;
    uint64_t key = join(known_answers[_i].key), batch[2 * SIM_PHILOX_BATCH], words[2];
    sim_philox_block(key, join(counter + 2), join(counter), words);
    ck_assert_uint_eq(words[0], join(image));
    ck_assert_uint_eq(words[1], join(image + 2));
    sim_philox_batch(key, join(counter + 2), join(counter), batch);
    ck_assert_mem_eq(batch, words, sizeof words);
    sim_philox_batch_portable(key, join(counter + 2), join(counter), batch);
    ck_assert_mem_eq(batch, words, sizeof words);
}
END_TEST

/* Carries from the low half of the counter to the high one, and around. */
static const uint64_t first_blocks[] = {0, 1, 5, 0xfffffff0, 0xfffffffe, UINT64_MAX - 7};

START_TEST(batches_are_blocks_one_after_the_other)
{
    uint64_t key = UINT64_C(0xfedcba9876543210), entity = UINT64_C(0x123456789abcdef0);
    uint64_t single[2 * SIM_PHILOX_BATCH], batch[2 * SIM_PHILOX_BATCH], portable[2 * SIM_PHILOX_BATCH];
    uint64_t first = first_blocks[_i];
    for (unsigned i = 0; i < SIM_PHILOX_BATCH; i++)
        sim_philox_block(key, entity, first + i, single + 2 * i);
    sim_philox_batch(key, entity, first, batch);
    sim_philox_batch_portable(key, entity, first, portable);
    ck_assert_mem_eq(batch, single, sizeof single);
    ck_assert_mem_eq(portable, single, sizeof single);
}
END_TEST

START_TEST(a_stream_reads_its_blocks_in_order)
{
    struct sim_stream stream;
    uint64_t key = sim_stream_key(7, 8, 9), words[2];
    sim_stream_open(&stream, 7, 8, 9, 10);
    for (uint64_t block = 0; block < 200; block++) {
        sim_philox_block(key, 10, block, words);
        ck_assert_uint_eq(sim_stream_bits(&stream), words[0]);
        ck_assert_uint_eq(sim_stream_bits(&stream), words[1]);
    }
}
END_TEST

START_TEST(a_copy_of_a_stream_goes_on_alike)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 2, 3, 4);
    for (int i = 0; i < 37; i++)
        sim_stream_bits(&stream);
    struct sim_stream copy = stream;
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(sim_stream_bits(&copy), sim_stream_bits(&stream));
}
END_TEST

/* Kept from the first version: results that change between versions should be noticed. */
START_TEST(draws_after_ten_thousand_are_known)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, 0);
    for (int i = 0; i < 10000; i++)
        sim_stream_bits(&stream);
    ck_assert_uint_eq(sim_stream_bits(&stream), UINT64_C(0x5f4df7f23faafaa0));
    ck_assert_double_eq_tol(sim_stream_uniform(&stream), 0.82032083265026445, 1e-15);
    ck_assert_double_eq_tol(sim_stream_exponential(&stream), 0.71483271910389068, 1e-14);
    ck_assert_double_eq_tol(sim_stream_normal(&stream), 0.22693933746656464, 1e-14);
    ck_assert_uint_eq(sim_stream_below(&stream, 1000000), 334466);
}
END_TEST

/* First words of streams whose names differ in one piece alone. */
enum piece { SEED, REPLICATION, PURPOSE, ENTITY, PIECES };

static uint64_t first_word(enum piece piece, uint64_t value)
{
    struct sim_stream stream;
    sim_stream_open(&stream, piece == SEED ? value : 1, piece == REPLICATION ? (uint32_t)value : 1,
                    piece == PURPOSE ? (uint32_t)value : 1, piece == ENTITY ? value : 1);
    return sim_stream_bits(&stream);
}

START_TEST(each_piece_of_a_name_names_another_stream)
{
    enum piece piece = (enum piece)_i;
    enum { BINS = 256 };
    uint64_t high[BINS] = {0}, low[BINS] = {0}, changed = 0;
    for (uint64_t value = 0; value < SAMPLE; value++) {
        uint64_t word = first_word(piece, value), next = first_word(piece, value + 1);
        high[word >> 56]++;
        low[word % BINS]++;
        sample[value] = (double)word;
        other[value] = (double)next;
        changed += (uint64_t)__builtin_popcountll(word ^ next);
    }
    ck_assert_double_lt(fabs(chi_square_sigmas(high, BINS)), SIGMAS);
    ck_assert_double_lt(fabs(chi_square_sigmas(low, BINS)), SIGMAS);
    ck_assert_double_lt(fabs(correlation_sigmas(sample, other, SAMPLE)), SIGMAS);
    /* half of 64 bits, each with deviation 1/2 */
    ck_assert_double_lt(fabs((double)changed - 32.0 * SAMPLE), SIGMAS * 4 * sqrt(SAMPLE));
}
END_TEST

START_TEST(large_pieces_count_whole)
{
    for (enum piece piece = 0; piece < PIECES; piece++) {
        uint64_t step = piece == SEED || piece == ENTITY ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        ck_assert_uint_ne(first_word(piece, 5), first_word(piece, 5 + step));
    }
    ck_assert_uint_ne(first_word(REPLICATION, 2), first_word(PURPOSE, 2));
    ck_assert_uint_ne(first_word(SEED, 2), first_word(ENTITY, 2));
}
END_TEST

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(no_two_keys_are_alike)
{
    enum { SIDE = 64, COUNT = SIDE * SIDE * SIDE };
    uint64_t *keys = malloc(COUNT * sizeof *keys);
    ck_assert_ptr_nonnull(keys);
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = sim_stream_key(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
    qsort(keys, COUNT, sizeof *keys, compare_words);
    for (int i = 1; i < COUNT; i++)
        ck_assert_uint_ne(keys[i - 1], keys[i]);
    free(keys);
}
END_TEST

/* Streams of neighbouring entities, drawn in step: no draw of one tells of the other. */
START_TEST(neighbours_are_not_correlated)
{
    struct sim_stream a, b;
    sim_stream_open(&a, 3, 0, 0, 41);
    sim_stream_open(&b, 3, 0, 0, 42);
    for (int i = 0; i < SAMPLE; i++) {
        sample[i] = sim_stream_uniform(&a);
        other[i] = sim_stream_uniform(&b);
    }
    ck_assert_double_lt(fabs(correlation_sigmas(sample, other, SAMPLE)), SIGMAS);
    ck_assert_double_lt(fabs(correlation_sigmas(sample, sample + 1, SAMPLE - 1)), SIGMAS);
    ck_assert_double_lt(fabs(correlation_sigmas(sample, sample + 2, SAMPLE - 2)), SIGMAS);
}
END_TEST

static double uniform_survival(const void *law, double x)
{
    (void)law;
    return fmax(0, fmin(1, 1 - x));
}

START_TEST(uniforms_fill_the_open_interval)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, 0);
    for (int i = 0; i < SAMPLE; i++) {
        sample[i] = sim_stream_uniform(&stream);
        ck_assert(sample[i] > 0 && sample[i] < 1);
    }
    ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE, uniform_survival, NULL), KS_LIMIT);
}
END_TEST

static double exponential_survival(const void *law, double x)
{
    (void)law;
    return x < 0 ? 1 : exp(-x);
}

static double normal_survival(const void *law, double x)
{
    (void)law;
    return gsl_cdf_ugaussian_Q(x);
}

static void draw(double (*sampler)(struct sim_stream *), uint64_t seed)
{
    struct sim_stream stream;
    sim_stream_open(&stream, seed, 0, 0, 0);
    for (int i = 0; i < SAMPLE; i++)
        sample[i] = sampler(&stream);
}

START_TEST(exponentials_follow_their_law)
{
    draw(sim_stream_exponential, (uint64_t)_i);
    ck_assert_double_lt(fabs(mean_error(sample, SAMPLE, 1, 1)), SIGMAS);
    ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE, exponential_survival, NULL), KS_LIMIT);
    ck_assert_double_gt(sample[0], 0);
}
END_TEST

START_TEST(normals_follow_their_law)
{
    draw(sim_stream_normal, (uint64_t)_i);
    ck_assert_double_lt(fabs(mean_error(sample, SAMPLE, 0, 1)), SIGMAS);
    ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE, normal_survival, NULL), KS_LIMIT);
    for (int i = 0; i < SAMPLE; i++)
        sample[i] *= sample[i];
    ck_assert_double_lt(fabs(mean_error(sample, SAMPLE, 1, sqrt(2))), SIGMAS);
}
END_TEST

/* Layers, wedges and tails of the ziggurats at a finer scale than a sample's: MANY draws, by their own
 * survival uniform on (0, 1), counted in bins; what lies beyond the last layer comes from code of its own
 * and is held against the law's tail once more. */
enum { MANY = 60000000, FINE_BINS = 512 };

static void check_closely(double (*survival_of_draw)(struct sim_stream *), double beyond)
{
    static uint64_t counts[FINE_BINS];
    struct sim_stream stream;
    sim_stream_open(&stream, 11, 0, 0, 0);
    size_t tail = 0;
    for (int i = 0; i < MANY; i++) {
        double u = survival_of_draw(&stream);
        counts[(size_t)(u * FINE_BINS) % FINE_BINS]++;
        if (u < beyond)
            sample[tail++] = u / beyond;
    }
    double expected = MANY * beyond;
    ck_assert_double_lt(fabs((double)tail - expected), SIGMAS * sqrt(expected));
    ck_assert_double_lt(kolmogorov_smirnov(sample, tail, uniform_survival, NULL), KS_LIMIT);
    ck_assert_double_lt(fabs(chi_square_sigmas(counts, FINE_BINS)), SIGMAS);
}

static double exponential_u(struct sim_stream *stream)
{
    return exp(-sim_stream_exponential(stream));
}

START_TEST(exponentials_follow_their_law_closely)
{
    check_closely(exponential_u, exp(-exponential_tail));
}
END_TEST

static double normal_u(struct sim_stream *stream)
{
    return erfc(fabs(sim_stream_normal(stream)) * M_SQRT1_2);
}

START_TEST(normals_follow_their_law_closely)
{
    check_closely(normal_u, erfc(normal_tail * M_SQRT1_2));
}
END_TEST

/* Every layer has the same area, and the places that count as inside are those under the next layer. */
static void check_layers(const struct ziggurat_layer *layers, double tail_area, double (*density)(double))
{
    double r = layers[1].width * 0x1p53, area = r * density(r) + tail_area;
    ck_assert_double_eq_tol(layers[0].width * 0x1p53 * density(r), area, 1e-15);
    for (int i = 1; i < ZIGGURAT_LAYERS; i++) {
        double x = layers[i].width * 0x1p53, next = layers[i + 1].width * 0x1p53;
        ck_assert_double_eq_tol(layers[i].height, density(x), 1e-15);
        ck_assert_double_eq_tol(x * (layers[i + 1].height - layers[i].height), area, 1e-14);
        ck_assert_double_eq_tol((double)layers[i].inside * 0x1p-53, next / x, 1e-14);
    }
    ck_assert_double_eq_tol((double)layers[0].inside * layers[0].width, r, 1e-14);
    ck_assert_double_eq(layers[ZIGGURAT_LAYERS].height, 1);
}

static double exponential_density(double x)
{
    return exp(-x);
}

static double normal_density(double x)
{
    return exp(-0.5 * x * x);
}

START_TEST(ziggurat_layers_have_equal_areas)
{
    check_layers(exponential_layers, exp(-exponential_tail), exponential_density);
    check_layers(normal_layers, sqrt(M_PI_2) * erfc(normal_tail * M_SQRT1_2), normal_density);
}
END_TEST

START_TEST(below_is_unbiased)
{
    enum { BINS = 10 };
    struct sim_stream stream;
    sim_stream_open(&stream, 5, 0, 0, 0);
    uint64_t counts[BINS] = {0}, thirds[3] = {0};
    const uint64_t large = UINT64_C(3) << 62; /* a product's high half alone would favour two of three */
    for (int i = 0; i < SAMPLE; i++) {
        ck_assert_uint_eq(sim_stream_below(&stream, 1), 0);
        counts[sim_stream_below(&stream, BINS)]++;
        uint64_t value = sim_stream_below(&stream, large);
        ck_assert_uint_lt(value, large);
        thirds[value % 3]++;
    }
    ck_assert_double_lt(fabs(chi_square_sigmas(counts, BINS)), SIGMAS);
    ck_assert_double_lt(fabs(chi_square_sigmas(thirds, 3)), SIGMAS);
}
END_TEST

START_TEST(gsl_reads_the_stream)
{
    struct sim_stream stream, same;
    sim_stream_open(&stream, 1, 2, 3, 4);
    same = stream;
    gsl_rng generator = sim_stream_as_gsl(&stream);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(gsl_rng_get(&generator), (unsigned long)sim_stream_bits(&same));
    for (int i = 0; i < SAMPLE; i++) {
        sample[i] = gsl_ran_gaussian_ratio_method(&generator, 1);
        other[i] = gsl_rng_uniform(&generator);
    }
    ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE, normal_survival, NULL), KS_LIMIT);
    ck_assert_double_lt(kolmogorov_smirnov(other, SAMPLE, uniform_survival, NULL), KS_LIMIT);
}
END_TEST

START_TEST(gsl_seeds_a_stream)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 17, 0, 0, 0);
    gsl_rng *generator = gsl_rng_alloc(sim_stream_type);
    gsl_rng_set(generator, 17);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(gsl_rng_get(generator), (unsigned long)sim_stream_bits(&stream));
    gsl_rng_free(generator);
}
END_TEST

static Suite *stream_suite(void)
{
    Suite *suite = suite_create("stream");
    TCase *words = tcase_create("words");
    tcase_add_loop_test(words, philox_gives_the_published_answers, 0,
                        sizeof known_answers / sizeof known_answers[0]);
    tcase_add_loop_test(words, batches_are_blocks_one_after_the_other, 0,
                        sizeof first_blocks / sizeof first_blocks[0]);
    tcase_add_test(words, a_stream_reads_its_blocks_in_order);
    tcase_add_test(words, a_copy_of_a_stream_goes_on_alike);
    tcase_add_test(words, draws_after_ten_thousand_are_known);
    suite_add_tcase(suite, words);

    TCase *names = tcase_create("names");
    tcase_set_timeout(names, 60);
    tcase_add_loop_test(names, each_piece_of_a_name_names_another_stream, 0, PIECES);
    tcase_add_test(names, large_pieces_count_whole);
    tcase_add_test(names, no_two_keys_are_alike);
    tcase_add_test(names, neighbours_are_not_correlated);
    suite_add_tcase(suite, names);

    TCase *draws = tcase_create("draws");
    tcase_set_timeout(draws, 300);
    tcase_add_test(draws, uniforms_fill_the_open_interval);
    tcase_add_loop_test(draws, exponentials_follow_their_law, 0, 3);
    tcase_add_loop_test(draws, normals_follow_their_law, 0, 3);
    tcase_add_test(draws, exponentials_follow_their_law_closely);
    tcase_add_test(draws, normals_follow_their_law_closely);
    tcase_add_test(draws, ziggurat_layers_have_equal_areas);
    tcase_add_test(draws, below_is_unbiased);
    suite_add_tcase(suite, draws);

    TCase *gsl = tcase_create("gsl");
    tcase_add_test(gsl, gsl_reads_the_stream);
    tcase_add_test(gsl, gsl_seeds_a_stream);
    suite_add_tcase(suite, gsl);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(stream_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
