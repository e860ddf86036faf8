#include "models/hardware/gpu_kernel.h"

#include <assert.h>
#include <math.h>

#define SINGLE 1 /* copies of a tile in shared memory: no double buffering */

static const double bits_sent[] = {[GPU_ALL_REDUCE] = 2, [GPU_ALL_TO_ALL] = 1};
static const double memory_traffic[] = {[GPU_ALL_REDUCE] = 3, [GPU_ALL_TO_ALL] = 2};

struct gpu_block gpu_product_block(const struct gpu_product *product)
{
    int64_t numbers = (product->tile_rows + product->tile_columns) * product->tile_depth;
    return (struct gpu_block){.threads = product->threads,
                              .registers = product->registers,
                              .shared = SINGLE * numbers * product->bits / 8 + product->padding};
}

static void add_group(struct gpu_kernel *kernel, double count, double work)
{
    if (count >= 1)
        kernel->groups[kernel->group_count++] = (struct gpu_blocks){.count = (int64_t)count, .work = work};
}

/* Tiles along one side, and the blocks along it. */
struct side {
    double tiles, blocks;
    double busy; /* of the blocks: no more than there are tiles */
};

static struct side deal(double length, int64_t tile, int64_t grid)
{
    struct side side = {.tiles = ceil(length / (double)tile)};
    side.blocks = grid > 0 ? (double)grid : side.tiles;
    side.busy = fmin(side.blocks, side.tiles);
    return side;
}

/* Blocks with tiles first, then those without; START is work, too. */
static void add_groups(struct gpu_kernel *kernel, const struct side *down, const struct side *across,
                       double tile, double start)
{
    double busy = down->busy * across->busy;
    add_group(kernel, busy, down->tiles * across->tiles / busy * tile + start);
    add_group(kernel, down->blocks * across->blocks - busy, start);
}

/* The share of its operands that a block reads from memory, of so many resident at a time. */
static double share_read(double resident, const struct side *down, const struct side *across)
{
    double abreast = fmin(resident, down->busy * across->busy);
    double columns = fmin(abreast, across->busy), rows = fmax(1, abreast / across->busy);
    return (rows + columns) / (2 * abreast);
}

/* Of the SM's rate, what the warps of its blocks reach. */
static double hiding(const struct gpu *gpu, const struct gpu_block *block, double blocks)
{
    double warps = ceil((double)block->threads / (double)gpu->warp) * blocks;
    return fmin(1, warps / (GPU_PARTS * GPU_WARPS_TO_HIDE));
}

struct gpu_kernel gpu_product_kernel(const struct gpu *gpu, const struct gpu_product *product)
{
    struct gpu_kernel kernel = {.kind = GPU_PRODUCT, .block = gpu_product_block(product)};
    struct side down = deal(product->rows, product->tile_rows, product->grid),
                across = deal(product->columns, product->tile_columns, product->grid);
    double sms = (double)gpu->sms, blocks = down.blocks * across.blocks;
    double numbers = (double)((product->tile_rows + product->tile_columns) * product->bits);
    double area = (double)(product->tile_rows * product->tile_columns);
    double tile = 2 * area * product->depth;
    kernel.resident = gpu_resident(gpu, &kernel.block);
    assert(kernel.resident > 0);
    double abreast = fmin((double)kernel.resident, ceil(blocks / sms)),
           busy = fmin(sms, down.busy * across.busy);
    kernel.memory_bits = (numbers * product->depth * share_read(abreast * sms, &down, &across) +
                          area * (double)product->bits) /
                         tile;
    kernel.block_rate = INFINITY;
    kernel.sm_rate = fmin(product->flops / sms * hiding(gpu, &kernel.block, abreast),
                          gpu->memory_rate / (kernel.memory_bits * busy));
    add_groups(&kernel, &down, &across, tile, GPU_BLOCK_START * kernel.sm_rate);
    return kernel;
}

struct gpu_kernel gpu_collective_kernel(const struct gpu *gpu, const struct gpu_transfer *transfer)
{
    double ranks = (double)transfer->ranks;
    double bits = bits_sent[transfer->collective] * (ranks - 1) / ranks * transfer->bits;
    double most = (double)(gpu_resident(gpu, &gpu->collective) * gpu->sms);
    double wanted = ceil(transfer->link_rate / transfer->block_rate * (1 - 1e-12));
    double blocks = fmax(1, fmin(wanted, most));
    struct gpu_kernel kernel = {.kind = GPU_COLLECTIVE,
                                .block = gpu->collective,
                                .resident = gpu_resident(gpu, &gpu->collective),
                                .block_rate = fmin(transfer->block_rate, transfer->link_rate),
                                .sm_rate = INFINITY,
                                .memory_bits = memory_traffic[transfer->collective],
                                .link_bits = 1};
    assert(kernel.resident > 0);
    add_group(&kernel, blocks, bits / blocks);
    return kernel;
}

int64_t gpu_kernel_blocks(const struct gpu_kernel *kernel)
{
    int64_t blocks = 0;
    for (size_t i = 0; i < kernel->group_count; i++)
        blocks += kernel->groups[i].count;
    return blocks;
}

double gpu_kernel_seconds(const struct gpu *gpu, const struct gpu_kernel *kernel)
{
    double blocks = (double)gpu_kernel_blocks(kernel), work = 0;
    double abreast = fmin(blocks, (double)(kernel->resident * gpu->sms));
    double rate = fmin(kernel->block_rate * abreast, kernel->sm_rate * fmin(blocks, (double)gpu->sms));
    for (size_t i = 0; i < kernel->group_count; i++)
        work += (double)kernel->groups[i].count * kernel->groups[i].work;
    if (kernel->link_bits > 0)
        rate = fmin(rate, gpu->link_rate / kernel->link_bits);
    return work > 0 ? work / rate : 0;
}
