#include "models/hardware/gpu_device.h"
#include "models/hardware/gpu_pairs.h"
#include "sim/stream.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By hand: ten SMs of four blocks, 10 work a second each; nothing else is scarce. */
static const struct gpu small = {.name = "small",
                                 .sms = 10,
                                 .warp = 32,
                                 .shared = 65536,
                                 .block_shared = 65536,
                                 .shared_unit = 1,
                                 .registers = 65536,
                                 .register_unit = 256,
                                 .threads = 1024,
                                 .block_threads = 1024,
                                 .blocks = 4,
                                 .flops = 100,
                                 .memory = 1e12,
                                 .memory_rate = 1e12,
                                 .link_rate = 100,
                                 .ranks = 2,
                                 .collective = {.threads = 512, .registers = 32}};

static struct gpu_kernel kernel_of(int64_t blocks, double work)
{
    return (struct gpu_kernel){.kind = GPU_PRODUCT,
                               .block = {.threads = 256, .registers = 32},
                               .resident = 4,
                               .groups = {{blocks, work}},
                               .group_count = 1,
                               .block_rate = INFINITY,
                               .sm_rate = 10};
}

static double seconds_of(const struct gpu *gpu, const struct gpu_launch *launches, size_t count,
                         struct gpu_span *spans)
{
    struct gpu_work work = {.gpu = gpu, .launches = launches, .count = count, .spans = spans};
    struct gpu_outcome outcome;
    ck_assert(gpu_run(&work, &outcome, NULL));
    return sim_time_to_seconds(outcome.end);
}

static const double launch_seconds = 5e-6, event_seconds = 2e-6;

/* A block alone takes 1 s; four of an SM share it, and 45 are four on each and five more. */
START_TEST(test_waves_and_their_tail)
{
    static const struct {
        int64_t blocks;
        double seconds;
    } cases[] = {{0, 0}, {1, 1}, {10, 1}, {11, 2}, {40, 4}, {45, 5}, {400, 40}, {405, 41}, {4000000, 400000}};
    struct gpu_kernel kernel = kernel_of(cases[_i].blocks, 10);
    struct gpu_launch launch = {&kernel, 0, 0, GPU_NO_EVENT};
    ck_assert_double_eq_tol(seconds_of(&small, &launch, 1, NULL), cases[_i].seconds + launch_seconds, 1e-6);
}
END_TEST

START_TEST(test_one_sm_works_block_by_block)
{
    struct gpu one = small;
    one.sms = 1;
    struct gpu_kernel kernel = kernel_of(7, 10);
    struct gpu_launch launch = {&kernel, 0, 0, GPU_NO_EVENT};
    ck_assert_double_eq_tol(seconds_of(&one, &launch, 1, NULL), 7 + launch_seconds, 1e-6);
}
END_TEST

START_TEST(test_nothing_takes_no_time)
{
    ck_assert_double_eq(seconds_of(&small, NULL, 0, NULL), 0);
    struct gpu_kernel none = kernel_of(0, 10), idle = kernel_of(100, 0),
                      empty = {.kind = GPU_COLLECTIVE, .resident = 1};
    struct gpu_launch launches[] = {
        {&none, 0, 0, GPU_NO_EVENT}, {&idle, 0, 0, GPU_NO_EVENT}, {&empty, 0, 0, GPU_NO_EVENT}};
    ck_assert_double_eq_tol(seconds_of(&small, launches, 3, NULL), 3 * launch_seconds, 1e-9);
}
END_TEST

START_TEST(what_lasts_longer_than_time_is_an_error)
{
    struct gpu_kernel kernel = kernel_of(4, 1e12);
    struct gpu_launch launch = {&kernel, 0, 0, GPU_NO_EVENT};
    struct gpu_work work = {.gpu = &small, .launches = &launch, .count = 1};
    struct gpu_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    ck_assert(!gpu_run(&work, &outcome, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "longer than the clock"));
}
END_TEST

/* Memory for 20 work a second where 100 are asked for. */
START_TEST(test_memory_is_shared)
{
    struct gpu narrow = small;
    narrow.memory_rate = 20;
    struct gpu_kernel kernel = kernel_of(10, 10);
    kernel.memory_bits = 1;
    struct gpu_launch launches[] = {{&kernel, 0, 0, GPU_NO_EVENT}};
    ck_assert_double_eq_tol(seconds_of(&narrow, launches, 1, NULL), 5 + launch_seconds, 1e-6);
}
END_TEST

/* Blocks of 30 bit/s on a link of 100: two fill 60 of it, eight all of it. */
START_TEST(test_a_collective_grows_up_to_its_link)
{
    struct gpu_kernel kernel = {.kind = GPU_COLLECTIVE,
                                .block = small.collective,
                                .resident = 2,
                                .groups = {{2, 60}},
                                .group_count = 1,
                                .block_rate = 30,
                                .sm_rate = INFINITY,
                                .link_bits = 1};
    struct gpu_launch launch = {&kernel, 0, 0, GPU_NO_EVENT};
    ck_assert_double_eq_tol(seconds_of(&small, &launch, 1, NULL), 2 + launch_seconds, 1e-6);
    kernel.groups[0] = (struct gpu_blocks){8, 60};
    ck_assert_double_eq_tol(seconds_of(&small, &launch, 1, NULL), 4.8 + launch_seconds, 1e-6);
    /* And on one SM by twos. */
    struct gpu one = small;
    one.sms = 1;
    ck_assert_double_eq_tol(seconds_of(&one, &launch, 1, NULL), 8 + launch_seconds, 1e-6);
}
END_TEST

/* Two kernels of five blocks: beside each other on two streams, in turn on one or with an event between. */
START_TEST(test_streams_and_events)
{
    struct gpu_kernel kernel = kernel_of(5, 10);
    struct gpu_launch beside[] = {{&kernel, 0, 0, GPU_NO_EVENT}, {&kernel, 1, 0, GPU_NO_EVENT}},
                      in_turn[] = {{&kernel, 0, 0, GPU_NO_EVENT}, {&kernel, 0, 0, GPU_NO_EVENT}},
                      after[] = {{&kernel, 0, 0, GPU_NO_EVENT}, {&kernel, 1, 0, 0}};
    struct gpu_span spans[2];
    ck_assert_double_eq_tol(seconds_of(&small, beside, 2, spans), 1 + 2 * launch_seconds, 1e-6);
    ck_assert_int_eq(spans[0].begin, GPU_LAUNCH_TIME);
    ck_assert_int_eq(spans[1].begin, 2 * GPU_LAUNCH_TIME);
    ck_assert_double_eq_tol(seconds_of(&small, in_turn, 2, NULL), 2 + 2 * launch_seconds, 1e-6);
    ck_assert_double_eq_tol(seconds_of(&small, after, 2, spans), 2 + 2 * launch_seconds + event_seconds,
                            1e-6);
    ck_assert_int_eq(spans[1].begin, spans[0].end + GPU_LAUNCH_TIME + GPU_EVENT_TIME);
}
END_TEST

/* 80 blocks are two waves of 4 s. A second kernel finds room when the last of the first one's blocks have
 * theirs, or, with priority, after the first wave; it never interrupts a block. */
START_TEST(test_who_came_first_is_served_first_unless_priority_says_else)
{
    struct gpu_kernel first = kernel_of(80, 10), second = kernel_of(10, 10);
    struct gpu_launch launches[] = {{&first, 0, 0, GPU_NO_EVENT}, {&second, 1, 0, GPU_NO_EVENT}};
    struct gpu_span spans[2];
    seconds_of(&small, launches, 2, spans);
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[1].begin), 8, 1e-3);
    launches[1].priority = 1;
    seconds_of(&small, launches, 2, spans);
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[1].begin), 4, 1e-3);
    launches[1].priority = -1;
    seconds_of(&small, launches, 2, spans);
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[1].begin), 8, 1e-3);
}
END_TEST

/* A block that wants an SM for itself: with priority nothing else begins until it has one. */
START_TEST(test_lower_priority_is_held_back_until_there_is_room)
{
    struct gpu one = small;
    one.sms = 1;
    struct gpu_kernel first = kernel_of(6, 10), large = kernel_of(1, 10);
    first.groups[0] = (struct gpu_blocks){2, 10}; /* 2 s and 6 s beside each other, then the rest */
    first.groups[1] = (struct gpu_blocks){4, 30};
    first.group_count = 2;
    large.block.threads = 1024;
    large.resident = 1;
    struct gpu_launch launches[] = {{&first, 0, 0, GPU_NO_EVENT}, {&large, 1, 1, GPU_NO_EVENT}};
    struct gpu_span spans[2];
    seconds_of(&one, launches, 2, spans);
    /* Four begin: two of 10 and two of 30; these end at 4 s and 8 s, the large one takes 1 s, and two of 30 6
     * s. */
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[1].begin), 8, 1e-3);
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[1].end), 9, 1e-3);
    ck_assert_double_eq_tol(sim_time_to_seconds(spans[0].end), 15, 1e-3);
}
END_TEST

START_TEST(test_history_counts_sms_and_blocks)
{
    struct gpu_kernel first = kernel_of(25, 10), second = kernel_of(2, 10);
    second.kind = GPU_COLLECTIVE;
    struct gpu_launch launches[] = {{&first, 0, 0, GPU_NO_EVENT}, {&second, 1, 0, GPU_NO_EVENT}};
    struct gpu_history history = {0};
    struct gpu_work work = {.gpu = &small, .launches = launches, .count = 2, .history = &history};
    struct gpu_outcome outcome;
    ck_assert(gpu_run(&work, &outcome, NULL));
    ck_assert_uint_gt(history.count, 3);
    ck_assert_int_eq(history.states[0].since, GPU_LAUNCH_TIME);
    ck_assert_int_eq(history.states[0].sms[GPU_PRODUCT], 10);
    ck_assert_int_eq(history.states[0].blocks[GPU_PRODUCT], 25);
    ck_assert_int_eq(history.states[1].blocks[GPU_COLLECTIVE], 2);
    const struct gpu_state *last = &history.states[history.count - 1];
    ck_assert_int_eq(last->since, outcome.end);
    ck_assert_int_eq(last->blocks[GPU_PRODUCT] + last->blocks[GPU_COLLECTIVE], 0);
    for (size_t i = 1; i < history.count; i++)
        ck_assert_int_gt(history.states[i].since, history.states[i - 1].since);
    free(history.states);
}
END_TEST

/* Random pairs. */

static double draw(struct sim_stream *stream, double low, double high)
{
    return low + (high - low) * sim_stream_uniform(stream);
}

static int64_t pick(struct sim_stream *stream, int64_t low, int64_t high)
{
    return low + (int64_t)(sim_stream_uniform(stream) * (double)(high - low + 1));
}

/* Pairs that fit their GPU; false: these don't. */
static bool random_pairs(struct sim_stream *stream, struct gpu *gpu, struct gpu_pairs *pairs)
{
    static const int64_t sides[] = {32, 64, 128};
    *gpu = gpu_catalogue[pick(stream, 0, (int64_t)gpu_catalogue_count - 1)];
    if (pick(stream, 0, 2) == 0)
        gpu->sms = pick(stream, 1, 40);
    gpu->link_rate *= draw(stream, 0.05, 2);
    gpu->memory_rate *= draw(stream, 0.1, 2);
    *pairs = (struct gpu_pairs){.gpu = gpu, .count = pick(stream, 1, 5), .shaped = pick(stream, 1, 3)};
    pairs->product = (struct gpu_product){.rows = draw(stream, 1, 9000),
                                          .columns = draw(stream, 1, 9000),
                                          .depth = draw(stream, 1, 9000),
                                          .tile_rows = sides[pick(stream, 0, 2)],
                                          .tile_columns = sides[pick(stream, 0, 2)],
                                          .tile_depth = sides[pick(stream, 0, 1)],
                                          .bits = 16,
                                          .grid = pick(stream, 0, 3) ? (int64_t)exp2(draw(stream, 0, 9)) : 0,
                                          .threads = 64 * pick(stream, 1, 8),
                                          .registers = pick(stream, 16, 96),
                                          .flops = gpu->flops * draw(stream, 0.05, 1)};
    pairs->transfer =
        (struct gpu_transfer){.collective = pick(stream, 0, 1) ? GPU_ALL_REDUCE : GPU_ALL_TO_ALL,
                              .bits = 8 * exp2(draw(stream, 10, 30)),
                              .ranks = pick(stream, 1, 16),
                              .link_rate = gpu->link_rate,
                              .block_rate = draw(stream, 1e9, 200e9)};
    enum gpu_pairs_part part;
    return !gpu_pairs_refusal(pairs, &part);
}

/* The longest a block may take: with all the others that its SM holds, and with memory shared with a
 * collective. */
static double longest_block(const struct gpu_pairs *pairs, bool shaped)
{
    struct gpu_product product = pairs->product;
    struct gpu_block block = gpu_product_block(&product);
    if (shaped)
        product.padding = gpu_shaped_shared(pairs->gpu, &block, pairs->shaped) - block.shared;
    struct gpu_kernel kernel = gpu_product_kernel(pairs->gpu, &product);
    double alone = kernel.groups[0].work * (double)kernel.resident / kernel.sm_rate;
    double asked = kernel.sm_rate * (double)pairs->gpu->sms * kernel.memory_bits;
    return alone * (1 + asked / pairs->gpu->memory_rate);
}

enum { RANDOM_PAIRS = 400, RANDOM_LOOPS = 5 };

/* No mode is faster than the longer of both kinds of kernels alone, nor slower than both one after another
 * and what launches and events cost; with priority each collective may add a block's time, while which it
 * keeps others off. */
START_TEST(test_time_is_between_the_longer_and_the_sum)
{
    struct sim_stream stream;
    int tried = 0;
    sim_stream_open(&stream, 7, (uint32_t)_i, 0, 0);
    while (tried < RANDOM_PAIRS) {
        struct gpu gpu;
        struct gpu_pairs pairs;
        struct gpu_pairs_times times;
        enum gpu_mode mode = (enum gpu_mode)pick(&stream, 0, GPU_MODES - 1);
        if (!random_pairs(&stream, &gpu, &pairs))
            continue;
        tried++;
        ck_assert(gpu_pairs_run(&pairs, mode, NULL, NULL, &times, NULL));
        sim_time longer = times.product > times.collective ? times.product : times.collective;
        bool priority = mode == GPU_PRIORITY || mode == GPU_BOTH;
        double block = priority ? longest_block(&pairs, mode == GPU_BOTH) : 0;
        double costs = 2 * (double)pairs.count * 2e-6 + (double)pairs.count * block;
        double sum = sim_time_to_seconds(times.product + times.collective);
        /* A nanosecond an event, and what is left of a block when it is taken to have ended. */
        double rounding = 1e-9 * (double)times.events + 1e-8 * sum;
        ck_assert_double_ge(sim_time_to_seconds(times.time) + rounding, sim_time_to_seconds(longer));
        ck_assert_double_le(sim_time_to_seconds(times.time), sum + costs + rounding);
        ck_assert_double_le(gpu_pairs_overlap_rate(&times), 1 + 1e-6);
        ck_assert_int_le(times.product + times.collective,
                         times.sequential + times.product - times.unshaped + 1);
    }
}
END_TEST

/* Series of blocks come to what one block at a time does, to within a block or two. */
START_TEST(test_series_are_as_good_as_single_blocks)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 8, (uint32_t)_i, 0, 0);
    for (int tried = 0; tried < 40;) {
        struct gpu gpu;
        struct gpu_pairs pairs;
        if (!random_pairs(&stream, &gpu, &pairs))
            continue;
        tried++;
        struct gpu_kernel product = gpu_product_kernel(&gpu, &pairs.product),
                          collective = gpu_collective_kernel(&gpu, &pairs.transfer);
        struct gpu_launch launches[] = {{&product, 0, 0, GPU_NO_EVENT},
                                        {&collective, 1, (int)pick(&stream, 0, 1), GPU_NO_EVENT},
                                        {&product, 0, 0, GPU_NO_EVENT}};
        struct gpu_work work = {.gpu = &gpu, .launches = launches, .count = 3};
        struct gpu_outcome series, single;
        ck_assert(gpu_run(&work, &series, NULL));
        work.one_by_one = true;
        ck_assert(gpu_run(&work, &single, NULL));
        ck_assert_double_eq_tol(sim_time_to_seconds(series.end), sim_time_to_seconds(single.end),
                                2 * longest_block(&pairs, false) + 1e-6);
        ck_assert_uint_le(series.events, single.events + 50);
    }
}
END_TEST

/* 1,048,576 blocks, of which a million are empty. */
START_TEST(test_a_large_grid_costs_waves_not_blocks)
{
    const struct gpu *gpu = &gpu_catalogue[0];
    struct gpu_product product = {8192, 8192, 8192, 64, 64, 64, 16, 1024, 256, 40, 0, 5e13};
    struct gpu_kernel kernel = gpu_product_kernel(gpu, &product);
    struct gpu_launch launch = {&kernel, 0, 0, GPU_NO_EVENT};
    struct gpu_work work = {.gpu = gpu, .launches = &launch, .count = 1};
    struct gpu_outcome outcome;
    ck_assert(gpu_run(&work, &outcome, NULL));
    ck_assert_int_eq(gpu_kernel_blocks(&kernel), 1 << 20);
    ck_assert_uint_lt(outcome.events, 200);
}
END_TEST

START_TEST(test_the_same_again)
{
    struct sim_stream stream;
    struct gpu gpu;
    struct gpu_pairs pairs;
    struct gpu_pairs_times once, again;
    sim_stream_open(&stream, 9, 0, 0, 0);
    while (!random_pairs(&stream, &gpu, &pairs))
        ;
    ck_assert(gpu_pairs_run(&pairs, GPU_BOTH, NULL, NULL, &once, NULL));
    ck_assert(gpu_pairs_run(&pairs, GPU_BOTH, NULL, NULL, &again, NULL));
    ck_assert_int_eq(once.time, again.time);
    ck_assert_uint_eq(once.events, again.events);
}
END_TEST

/* The published experiment (arXiv 2606.09200). */

static struct gpu_pairs published(size_t gpu, int64_t grid)
{
    return (struct gpu_pairs){
        .gpu = &gpu_catalogue[gpu],
        .product = {8192, 8192, 8192, 64, 64, 32, 16, grid, 256, 40, 0, 0.33 * gpu_catalogue[gpu].flops},
        .transfer = {GPU_ALL_REDUCE, 896e6 * 8, gpu_catalogue[gpu].ranks, gpu_catalogue[gpu].link_rate,
                     12.5e9 * 8},
        .count = 10,
        .shaped = 1};
}

static void assert_refused(const struct gpu_pairs *pairs, enum gpu_pairs_part wanted, const char *words)
{
    enum gpu_pairs_part part;
    const char *refusal = gpu_pairs_refusal(pairs, &part);
    ck_assert_msg(refusal && strstr(refusal, words), "%s", refusal ? refusal : "nothing");
    ck_assert_int_eq(part, wanted);
}

/* Two buffers of 23.5 GB fit an A40 beside the factors, 0.27 GB; two of 24 GB don't, nor does one of 49. */
START_TEST(test_what_does_not_fit_is_refused)
{
    struct gpu_pairs pairs = published(0, 64);
    enum gpu_pairs_part part;
    ck_assert_ptr_null(gpu_pairs_refusal(&pairs, &part));
    pairs.transfer.bits = 8 * 23.5e9;
    ck_assert_ptr_null(gpu_pairs_refusal(&pairs, &part));
    pairs.transfer.bits = 8 * 24e9;
    assert_refused(&pairs, GPU_PAIRS_DATA, "vector");
    pairs.count = 1;
    ck_assert_ptr_null(gpu_pairs_refusal(&pairs, &part));
    pairs.transfer.bits = 8 * 49e9;
    assert_refused(&pairs, GPU_PAIRS_DATA, "vector");
    pairs = published(0, 64);
    pairs.product.rows = 1e7;
    assert_refused(&pairs, GPU_PAIRS_MATRICES, "matrices");
    pairs = published(0, 64);
    pairs.product.tile_depth = 1024;
    assert_refused(&pairs, GPU_PAIRS_BLOCK, "shared memory");
    pairs = published(0, 64);
    pairs.product.flops = 1;
    assert_refused(&pairs, GPU_PAIRS_FLOPS, "a product takes longer");
    pairs = published(0, 64);
    pairs.transfer.block_rate = 1;
    assert_refused(&pairs, GPU_PAIRS_BLOCK_RATE, "a collective takes longer");
    pairs.transfer.link_rate = 1;
    assert_refused(&pairs, GPU_PAIRS_LINK_RATE, "a collective takes longer");
}
END_TEST

/* Few blocks leave room, many don't, and with priority the collective gets it all the same. */
START_TEST(test_few_blocks_overlap_and_many_need_priority)
{
    struct gpu_pairs few = published(0, 4), many = published(0, 256);
    struct gpu_pairs_times times;
    ck_assert(gpu_pairs_run(&few, GPU_BASELINE, NULL, NULL, &times, NULL));
    ck_assert_double_eq_tol(gpu_pairs_overlap_rate(&times), 0.9, 0.01);
    ck_assert(gpu_pairs_run(&many, GPU_BASELINE, NULL, NULL, &times, NULL));
    ck_assert_double_lt(gpu_pairs_overlap_rate(&times), 0.02);
    ck_assert(gpu_pairs_run(&many, GPU_PRIORITY, NULL, NULL, &times, NULL));
    ck_assert_double_eq_tol(gpu_pairs_overlap_rate(&times), 0.88, 0.02);
}
END_TEST

/* 256 blocks are one wave, which priority can't break; shaped to one an SM they are four. */
START_TEST(test_shaping_lets_priority_into_a_single_wave)
{
    struct gpu_pairs pairs = published(0, 16);
    struct gpu_pairs_times priority, both;
    ck_assert(gpu_pairs_run(&pairs, GPU_PRIORITY, NULL, NULL, &priority, NULL));
    ck_assert(gpu_pairs_run(&pairs, GPU_BOTH, NULL, NULL, &both, NULL));
    ck_assert_int_eq(priority.resident, 6);
    ck_assert_int_eq(both.resident, 1);
    ck_assert_double_lt(gpu_pairs_overlap_rate(&priority), 0.3);
    ck_assert_double_gt(gpu_pairs_overlap_rate(&both), 0.6);
}
END_TEST

START_TEST(test_one_wave_a_simd_makes_shaping_dear_on_the_mi250x)
{
    struct gpu_pairs pairs = published(3, 128);
    struct gpu_pairs_times times;
    ck_assert(gpu_pairs_run(&pairs, GPU_BOTH, NULL, NULL, &times, NULL));
    ck_assert_double_eq_tol((double)times.product / (double)times.unshaped, 2, 0.1);
    ck_assert_int_gt(times.time, times.baseline);
}
END_TEST

static TCase *device_tests(void)
{
    TCase *tests = tcase_create("device");
    tcase_add_loop_test(tests, test_waves_and_their_tail, 0, 9);
    tcase_add_test(tests, test_one_sm_works_block_by_block);
    tcase_add_test(tests, test_nothing_takes_no_time);
    tcase_add_test(tests, what_lasts_longer_than_time_is_an_error);
    tcase_add_test(tests, test_memory_is_shared);
    tcase_add_test(tests, test_a_collective_grows_up_to_its_link);
    tcase_add_test(tests, test_streams_and_events);
    tcase_add_test(tests, test_who_came_first_is_served_first_unless_priority_says_else);
    tcase_add_test(tests, test_lower_priority_is_held_back_until_there_is_room);
    tcase_add_test(tests, test_history_counts_sms_and_blocks);
    return tests;
}

static TCase *pairs_tests(void)
{
    TCase *tests = tcase_create("pairs");
    tcase_add_loop_test(tests, test_time_is_between_the_longer_and_the_sum, 0, RANDOM_LOOPS);
    tcase_add_loop_test(tests, test_series_are_as_good_as_single_blocks, 0, RANDOM_LOOPS);
    tcase_add_test(tests, test_a_large_grid_costs_waves_not_blocks);
    tcase_add_test(tests, test_the_same_again);
    tcase_add_test(tests, test_what_does_not_fit_is_refused);
    tcase_add_test(tests, test_few_blocks_overlap_and_many_need_priority);
    tcase_add_test(tests, test_shaping_lets_priority_into_a_single_wave);
    tcase_add_test(tests, test_one_wave_a_simd_makes_shaping_dear_on_the_mi250x);
    return tests;
}

int main(void)
{
    Suite *suite = suite_create("gpu_device");
    suite_add_tcase(suite, device_tests());
    suite_add_tcase(suite, pairs_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
