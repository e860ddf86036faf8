#include "models/hardware/gpu.h"

#include <assert.h>

#define TERA 1e12
#define BYTES 8
#define GIGABYTES (1e9 * BYTES)
#define TERABYTES (1e12 * BYTES)
#define KIB 1024

/* Limits of an SM: the CUDA programming guide and AMD's documentation of CDNA 2, of which a GCD is a GPU of
 * its own. Rates are those of the chip catalogue, but for the links of two: four A40 without bridges talk
 * over PCIe 4.0 x16, about 25 GB/s; a GCD has half of its card's links. */
#define GPUS(ROW)                                                                                            \
    ROW("a40", 84, 100, 99, 1536, 16, 149.7, 48, 0.696, 25, 4, NVIDIA)                                       \
    ROW("a100", 108, 164, 163, 2048, 32, 312, 80, 2.0, 300, 4, NVIDIA)                                       \
    ROW("h100", 132, 228, 227, 2048, 32, 989, 80, 3.35, 450, 4, NVIDIA)                                      \
    ROW("mi250x-gcd", 110, 64, 64, 2048, 32, 191.5, 64, 1.64, 175, 8, AMD)

/* The runtime reserves 1 KiB a block. The library's block is one channel of NCCL: up to 640 threads of 96
 * registers, so that it shares its SM with nobody (NVIDIA/nccl issues 181 and 689), and 20 times 4,112 bytes
 * (its src/include/device.h). */
#define NVIDIA                                                                                               \
    .warp = 32, .shared_reserve = KIB, .shared_unit = 128, .registers = 65536, .register_unit = 256,         \
    .collective = {.threads = 640, .registers = 96, .shared = 82240}

/* RCCL: 256 threads and four times 4,112 bytes (ROCm/rccl, the same file); registers as NCCL's: an
 * assumption. */
#define AMD                                                                                                  \
    .warp = 64, .shared_reserve = 0, .shared_unit = 512, .registers = 131072, .register_unit = 512,          \
    .collective = {.threads = 256, .registers = 96, .shared = 16448}

#define AS_GPU(gpu, count, shared_kb, block_kb, thread_count, block_count, tflops, memory_gb, memory_tb_s,   \
               link_gb_s, node, vendor)                                                                      \
    {.name = gpu,                                                                                            \
     .sms = count,                                                                                           \
     .shared = (shared_kb)*KIB,                                                                              \
     .block_shared = (block_kb)*KIB,                                                                         \
     .threads = thread_count,                                                                                \
     .block_threads = 1024,                                                                                  \
     .blocks = block_count,                                                                                  \
     .flops = (tflops)*TERA,                                                                                 \
     .memory = (memory_gb)*GIGABYTES,                                                                        \
     .memory_rate = (memory_tb_s)*TERABYTES,                                                                 \
     .link_rate = (link_gb_s)*GIGABYTES,                                                                     \
     .ranks = node,                                                                                          \
     vendor},
#define AS_NAME(gpu, ...) gpu,

const struct gpu gpu_catalogue[] = {GPUS(AS_GPU)};
const size_t gpu_catalogue_count = sizeof gpu_catalogue / sizeof *gpu_catalogue;
const char *const gpu_choices[] = {"none", GPUS(AS_NAME) NULL};

static int64_t round_up(int64_t amount, int64_t unit)
{
    return (amount + unit - 1) / unit * unit;
}

static int64_t warps_of(const struct gpu *gpu, const struct gpu_block *block)
{
    return round_up(block->threads, gpu->warp) / gpu->warp;
}

static int64_t warp_registers(const struct gpu *gpu, const struct gpu_block *block)
{
    return round_up(block->registers * gpu->warp, gpu->register_unit);
}

int64_t gpu_block_shared(const struct gpu *gpu, const struct gpu_block *block)
{
    return round_up(block->shared + gpu->shared_reserve, gpu->shared_unit);
}

int64_t gpu_block_registers(const struct gpu *gpu, const struct gpu_block *block)
{
    return warps_of(gpu, block) * warp_registers(gpu, block);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* No more than LIMIT, which a kernel that needs nothing of a kind reaches. */
static int64_t fit(int64_t whole, int64_t part, int64_t limit)
{
    return part > 0 ? least(whole / part, limit) : limit;
}

static int64_t fit_registers(const struct gpu *gpu, const struct gpu_block *block)
{
    int64_t a_warp = warp_registers(gpu, block);
    if (a_warp == 0)
        return gpu->blocks;
    int64_t warps = GPU_PARTS * (gpu->registers / GPU_PARTS / a_warp);
    return least(warps / warps_of(gpu, block), gpu->blocks);
}

int64_t gpu_resident(const struct gpu *gpu, const struct gpu_block *block)
{
    assert(block->threads > 0 && block->registers >= 0 && block->shared >= 0);
    if (block->threads > gpu->block_threads || block->shared > gpu->block_shared)
        return 0;
    int64_t by_shared = fit(gpu->shared, gpu_block_shared(gpu, block), gpu->blocks);
    int64_t by_threads = fit(gpu->threads, warps_of(gpu, block) * gpu->warp, gpu->blocks);
    return least(least(by_shared, by_threads), fit_registers(gpu, block));
}

const char *gpu_refusal(const struct gpu *gpu, const struct gpu_block *block)
{
    if (gpu_resident(gpu, block) > 0)
        return NULL;
    if (block->threads > gpu->block_threads || block->threads > gpu->threads)
        return "has more threads than an SM takes of one";
    if (block->shared > gpu->block_shared || gpu_block_shared(gpu, block) > gpu->shared)
        return "needs more shared memory than an SM gives to one";
    return "needs more registers than an SM has";
}

int64_t gpu_shaped_shared(const struct gpu *gpu, const struct gpu_block *block, int64_t resident)
{
    assert(resident >= 1);
    if (gpu_resident(gpu, block) <= resident)
        return block->shared;
    int64_t shared = gpu->shared / (resident + 1) + 1 - gpu->shared_reserve;
    return shared > block->shared ? shared : block->shared;
}
