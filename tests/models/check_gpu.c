#include "models/hardware/gpu_kernel.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct gpu *gpu_of(const char *name)
{
    for (size_t i = 0; i < gpu_catalogue_count; i++)
        if (strcmp(gpu_catalogue[i].name, name) == 0)
            return &gpu_catalogue[i];
    ck_abort_msg("no GPU %s", name);
}

START_TEST(test_choices_are_none_and_the_catalogue)
{
    ck_assert_str_eq(gpu_choices[0], "none");
    for (size_t i = 0; i < gpu_catalogue_count; i++)
        ck_assert_str_eq(gpu_choices[i + 1], gpu_catalogue[i].name);
    ck_assert_ptr_null(gpu_choices[gpu_catalogue_count + 1]);
}
END_TEST

/* Worked out by hand: blocks that shared memory, threads and registers leave room for, then the least of
 * them. An NVIDIA block has 1,024 bytes on top and 128-byte units, a warp of r registers ⌈32r/256⌉·256 of a
 * quarter's 16,384; an AMD block has 512-byte units, a wave of r ⌈64r/512⌉·512 of 32,768. */
static const struct {
    const char *gpu;
    int64_t rows, columns, depth, bits, threads, registers;
    int64_t shared_allows, threads_allow, registers_allow, blocks;
} tiles[] = {
    {"a40", 64, 64, 32, 16, 256, 40, 11, 6, 6, 6},   /* 9,216 of 102,400 bytes; 12 warps a quarter */
    {"a40", 64, 64, 64, 16, 256, 40, 5, 6, 6, 5},    /* 17,408 */
    {"a40", 64, 64, 64, 32, 256, 40, 3, 6, 6, 3},    /* 33,792 */
    {"a40", 128, 64, 32, 16, 256, 40, 7, 6, 6, 6},   /* 13,312 */
    {"a40", 128, 128, 32, 16, 256, 40, 5, 6, 6, 5},  /* 17,408 */
    {"a40", 128, 128, 64, 16, 256, 40, 3, 6, 6, 3},  /* 33,792 */
    {"a40", 256, 128, 64, 16, 256, 40, 2, 6, 6, 2},  /* 50,176 */
    {"a40", 256, 256, 64, 16, 256, 40, 1, 6, 6, 1},  /* 66,560 */
    {"a40", 256, 256, 128, 16, 256, 40, 0, 6, 6, 0}, /* 131,072 is more than a block may have */
    {"a40", 64, 64, 32, 16, 256, 64, 11, 6, 4, 4},   /* 8 warps a quarter */
    {"a40", 64, 64, 32, 16, 256, 128, 11, 6, 2, 2},  /* 4 */
    {"a40", 64, 64, 32, 16, 128, 40, 11, 12, 12, 11},
    {"a40", 64, 64, 32, 16, 512, 40, 11, 3, 3, 3},
    {"a40", 64, 64, 32, 16, 1024, 40, 11, 1, 1, 1},
    {"a40", 64, 64, 32, 16, 1024, 72, 11, 1, 0, 0}, /* 7 a quarter: 28 warps of 32 */
    {"a100", 64, 64, 32, 16, 256, 40, 18, 8, 6, 6}, /* of 167,936 bytes */
    {"a100", 64, 64, 64, 16, 256, 40, 9, 8, 6, 6},
    {"a100", 64, 64, 32, 16, 256, 32, 18, 8, 8, 8}, /* 16 warps a quarter */
    {"a100", 64, 64, 64, 16, 256, 33, 9, 8, 6, 6},  /* rounded up to 40 registers */
    {"a100", 128, 128, 64, 16, 256, 40, 4, 8, 6, 4},
    {"a100", 256, 128, 64, 16, 256, 40, 3, 8, 6, 3},
    {"a100", 256, 256, 64, 16, 256, 40, 2, 8, 6, 2},
    {"a100", 256, 256, 128, 16, 256, 40, 1, 8, 6, 1}, /* 132,096 */
    {"a100", 64, 64, 32, 16, 64, 40, 18, 32, 24, 18},
    {"a100", 32, 32, 32, 16, 32, 32, 32, 64, 64, 32}, /* 5,120; no more than 32 blocks */
    {"h100", 64, 64, 32, 16, 256, 40, 25, 8, 6, 6},   /* of 233,472 bytes */
    {"h100", 128, 128, 64, 16, 256, 40, 6, 8, 6, 6},
    {"h100", 256, 128, 64, 16, 256, 40, 4, 8, 6, 4},
    {"h100", 256, 256, 64, 16, 256, 40, 3, 8, 6, 3},
    {"h100", 256, 256, 128, 16, 256, 40, 1, 8, 6, 1},
    {"h100", 128, 128, 64, 16, 384, 168, 6, 5, 1, 1},     /* 3 a quarter: 12 warps of 12 */
    {"mi250x-gcd", 64, 64, 32, 16, 256, 40, 8, 8, 12, 8}, /* of 65,536 bytes; 12 waves a quarter */
    {"mi250x-gcd", 64, 64, 64, 16, 256, 40, 4, 8, 12, 4},
    {"mi250x-gcd", 128, 64, 32, 16, 256, 40, 5, 8, 12, 5},
    {"mi250x-gcd", 128, 128, 32, 16, 256, 40, 4, 8, 12, 4},
    {"mi250x-gcd", 128, 128, 64, 16, 256, 40, 2, 8, 12, 2},
    {"mi250x-gcd", 256, 128, 64, 16, 256, 40, 1, 8, 12, 1},
    {"mi250x-gcd", 256, 256, 64, 16, 256, 40, 1, 8, 12, 1}, /* all of it */
    {"mi250x-gcd", 256, 256, 128, 16, 256, 40, 0, 8, 12, 0},
    {"mi250x-gcd", 64, 64, 32, 16, 256, 128, 8, 8, 4, 4},
    {"mi250x-gcd", 64, 64, 32, 16, 256, 256, 8, 8, 2, 2},
};

START_TEST(test_occupancy_is_the_vendors)
{
    struct gpu_product product = {.tile_rows = tiles[_i].rows,
                                  .tile_columns = tiles[_i].columns,
                                  .tile_depth = tiles[_i].depth,
                                  .bits = tiles[_i].bits,
                                  .threads = tiles[_i].threads,
                                  .registers = tiles[_i].registers};
    const struct gpu *gpu = gpu_of(tiles[_i].gpu);
    struct gpu_block block = gpu_product_block(&product);
    int64_t least = tiles[_i].shared_allows;
    least = tiles[_i].threads_allow < least ? tiles[_i].threads_allow : least;
    least = tiles[_i].registers_allow < least ? tiles[_i].registers_allow : least;
    ck_assert_int_eq(tiles[_i].blocks, least);
    ck_assert_int_eq(gpu_resident(gpu, &block), tiles[_i].blocks);
    ck_assert_int_eq(gpu_refusal(gpu, &block) == NULL, tiles[_i].blocks > 0);
}
END_TEST

/* 83,264 bytes with the reserve, in units of 128: 83,328; 20 warps of 3,072 registers fill 5 of a quarter. */
START_TEST(test_collectives_have_an_sm_of_nvidia_to_themselves)
{
    const char *const names[] = {"a40", "a100", "h100"};
    for (int i = 0; i < 3; i++) {
        const struct gpu *gpu = gpu_of(names[i]);
        ck_assert_int_eq(gpu_block_shared(gpu, &gpu->collective), 83328);
        ck_assert_int_eq(gpu_block_registers(gpu, &gpu->collective), 61440);
        ck_assert_int_eq(gpu_resident(gpu, &gpu->collective), 1);
    }
    const struct gpu *amd = gpu_of("mi250x-gcd");
    ck_assert_int_eq(gpu_block_shared(amd, &amd->collective), 16896);
    ck_assert_int_eq(gpu_resident(amd, &amd->collective), 3);
}
END_TEST

START_TEST(test_a_refusal_says_what_is_too_much)
{
    const struct gpu *gpu = gpu_of("a40");
    struct gpu_block threads = {2048, 32, 1024}, shared = {256, 32, 100 * 1024}, registers = {1024, 72, 1024},
                     nothing = {32, 0, 0};
    ck_assert_ptr_nonnull(strstr(gpu_refusal(gpu, &threads), "threads"));
    ck_assert_ptr_nonnull(strstr(gpu_refusal(gpu, &shared), "shared memory"));
    ck_assert_ptr_nonnull(strstr(gpu_refusal(gpu, &registers), "registers"));
    ck_assert_ptr_null(gpu_refusal(gpu, &nothing));
    ck_assert_int_eq(gpu_resident(gpu, &nothing), 16);
}
END_TEST

/* Whatever the block, shaping leaves as many as wanted or as there were, and a byte less would leave more. */
START_TEST(test_shaping_leaves_as_many_as_wanted)
{
    for (size_t i = 0; i < gpu_catalogue_count; i++)
        for (int64_t shared = 0; shared <= 32 * 1024; shared += 1000)
            for (int64_t wanted = 1; wanted <= 8; wanted++) {
                const struct gpu *gpu = &gpu_catalogue[i];
                struct gpu_block block = {256, 32, shared};
                int64_t before = gpu_resident(gpu, &block);
                block.shared = gpu_shaped_shared(gpu, &block, wanted);
                ck_assert_int_eq(gpu_resident(gpu, &block), before < wanted ? before : wanted);
                if (block.shared == shared)
                    continue;
                block.shared -= gpu->shared_unit;
                ck_assert_int_gt(gpu_resident(gpu, &block), wanted);
            }
}
END_TEST

/* Kernels. */

static double work_of(const struct gpu_kernel *kernel)
{
    double work = 0;
    for (size_t i = 0; i < kernel->group_count; i++)
        work += (double)kernel->groups[i].count * kernel->groups[i].work;
    return work;
}

static struct gpu_product product_of(int64_t grid)
{
    return (struct gpu_product){.rows = 8192,
                                .columns = 57344,
                                .depth = 8192,
                                .tile_rows = 64,
                                .tile_columns = 64,
                                .tile_depth = 64,
                                .bits = 16,
                                .grid = grid,
                                .threads = 256,
                                .registers = 40,
                                .flops = 1e14};
}

/* 128 tiles by 896. Every block costs 0.25 µs of its SM, too. */
START_TEST(test_every_grid_does_all_the_work)
{
    const int64_t grids[] = {0, 1, 2, 3, 100, 128, 129, 500, 896, 897, 1024};
    const struct gpu *gpu = gpu_of("a40");
    struct gpu_product product = product_of(grids[_i]);
    struct gpu_kernel kernel = gpu_product_kernel(gpu, &product);
    int64_t blocks = grids[_i] ? grids[_i] * grids[_i] : 128 * 896;
    double starts = (double)blocks * GPU_BLOCK_START * kernel.sm_rate;
    ck_assert_int_eq(gpu_kernel_blocks(&kernel), blocks);
    ck_assert_double_eq_tol(work_of(&kernel), 2.0 * 8192 * 57344 * 8192 + starts, 1e6);
}
END_TEST

/* 1,024 a side: 128 rows have a tile in each of 896 columns, all other blocks none. */
START_TEST(test_blocks_beyond_the_tiles_only_start)
{
    struct gpu_product product = product_of(1024);
    struct gpu_kernel kernel = gpu_product_kernel(gpu_of("a40"), &product);
    double start = GPU_BLOCK_START * kernel.sm_rate;
    ck_assert_uint_gt(kernel.group_count, 1);
    ck_assert_int_eq(kernel.groups[0].count, 128 * 896);
    ck_assert_double_eq_tol(kernel.groups[0].work, 2.0 * 64 * 64 * 8192 + start, 1);
    for (size_t i = 1; i < kernel.group_count; i++)
        ck_assert_double_eq_tol(kernel.groups[i].work, start, 1e-6);
}
END_TEST

/* Five blocks of 84 SMs are 420 abreast. In a grid 128 wide these are 128 columns and 420/128 rows, that read
 * (128 + 3.28) / 840 of their operands; in one 512 wide 420 columns of one row read 421 / 840. */
START_TEST(test_blocks_abreast_share_rows_and_columns)
{
    const struct gpu *gpu = gpu_of("a40");
    struct gpu_product narrow = product_of(128), wide = product_of(512);
    double operands = 128.0 * 8192 * 16, result = 64 * 64 * 16, tile = 2.0 * 64 * 64 * 8192;
    ck_assert_double_eq_tol(gpu_product_kernel(gpu, &narrow).memory_bits,
                            (operands * (128 + 420.0 / 128) / 840 + result) / tile, 1e-9);
    ck_assert_double_eq_tol(gpu_product_kernel(gpu, &wide).memory_bits,
                            (operands * 421 / 840 + result) / tile, 1e-9);
}
END_TEST

/* Eight warps of 32 threads are two for each of four schedulers; four waves of 64 are one. */
START_TEST(test_one_block_hides_latencies_on_nvidia_alone)
{
    struct gpu_product product = product_of(64);
    product.flops = 1e13; /* so that memory is no limit */
    product.padding = gpu_of("a40")->block_shared - 16384;
    ck_assert_double_eq_tol(gpu_product_kernel(gpu_of("a40"), &product).sm_rate, 1e13 / 84, 1);
    product.padding = gpu_of("mi250x-gcd")->block_shared - 16384;
    ck_assert_double_eq_tol(gpu_product_kernel(gpu_of("mi250x-gcd"), &product).sm_rate, 0.5e13 / 110, 1);
}
END_TEST

/* With one block an SM 84 are abreast, in a row of a grid 512 wide: they read 85 / 168 of their operands. */
START_TEST(test_an_sm_has_its_share_of_the_memory)
{
    const struct gpu *gpu = gpu_of("a40");
    struct gpu_product product = product_of(512);
    product.padding = gpu->block_shared - 16384;
    double tile = 2.0 * 64 * 64 * 8192, bits = (128.0 * 8192 * 16 * 85 / 168 + 64 * 64 * 16) / tile;
    ck_assert_double_eq_tol(gpu_product_kernel(gpu, &product).sm_rate, 0.696e12 * 8 / bits / 84, 1e3);
}
END_TEST

START_TEST(test_collectives_send_what_rings_and_exchanges_do)
{
    const struct gpu *gpu = gpu_of("a100");
    struct gpu_transfer transfer = {GPU_ALL_REDUCE, 8e9, 4, gpu->link_rate, 100e9};
    struct gpu_kernel kernel = gpu_collective_kernel(gpu, &transfer);
    ck_assert_int_eq(gpu_kernel_blocks(&kernel), 24); /* 300 GB/s by 12.5 */
    ck_assert_double_eq_tol(work_of(&kernel), 2 * 0.75 * 8e9, 1);
    transfer.link_rate = 1e30;
    kernel = gpu_collective_kernel(gpu, &transfer);
    ck_assert_int_eq(gpu_kernel_blocks(&kernel), 108); /* no more than one for each SM find room */
    transfer.link_rate = gpu->link_rate;
    transfer.collective = GPU_ALL_TO_ALL;
    kernel = gpu_collective_kernel(gpu, &transfer);
    ck_assert_double_eq_tol(work_of(&kernel), 0.75 * 8e9, 1);
    transfer.ranks = 1;
    kernel = gpu_collective_kernel(gpu, &transfer);
    ck_assert_double_eq(work_of(&kernel), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu");
    TCase *occupancy = tcase_create("occupancy"), *kernels = tcase_create("kernels");
    tcase_add_test(occupancy, test_choices_are_none_and_the_catalogue);
    tcase_add_loop_test(occupancy, test_occupancy_is_the_vendors, 0, sizeof tiles / sizeof *tiles);
    tcase_add_test(occupancy, test_collectives_have_an_sm_of_nvidia_to_themselves);
    tcase_add_test(occupancy, test_a_refusal_says_what_is_too_much);
    tcase_add_test(occupancy, test_shaping_leaves_as_many_as_wanted);
    tcase_add_loop_test(kernels, test_every_grid_does_all_the_work, 0, 11);
    tcase_add_test(kernels, test_blocks_beyond_the_tiles_only_start);
    tcase_add_test(kernels, test_blocks_abreast_share_rows_and_columns);
    tcase_add_test(kernels, test_one_block_hides_latencies_on_nvidia_alone);
    tcase_add_test(kernels, test_an_sm_has_its_share_of_the_memory);
    tcase_add_test(kernels, test_collectives_send_what_rings_and_exchanges_do);
    suite_add_tcase(suite, occupancy);
    suite_add_tcase(suite, kernels);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
