/*
 * Kernels: grids of blocks that are alike, or come in a few groups of such, with what a block takes of its SM
 * and what it does there.
 *
 * A matrix product C[M×N] = A[M×K]·B[K×N] is cut into tiles, which are dealt out evenly among the blocks of a
 * grid; where these are more than tiles, the rest has nothing to do. A tile takes 2·rows·columns·K FLOP.
 *
 * An SM does no more than a share of its peak, however many blocks it holds, and less if these are too few to
 * hide latencies: a scheduler that always has two warps to choose from does not wait (ours). From memory a
 * tile takes its row of A and its column of B; of blocks that are resident together, those of one row of the
 * grid share the one and those of one column the other through the second-level cache (ours: that they run
 * abreast). Where that asks for more than memory gives, each SM has an even share of it. All this is decided
 * once, by the residency on an otherwise idle GPU, so that no order of blocks is faster than another.
 *
 * A collective has few blocks (channels), each of which moves data at a rate of its own until the link is
 * full. An all-reduce by ring sends 2(n − 1)/n of the vector from each GPU, an all-to-all (n − 1)/n. A bit
 * sent takes 3 bits of memory traffic in an all-reduce (the sum's two operands or the buffer and the result,
 * and what arrives), 2 in an all-to-all.
 */
#ifndef MODELS_HARDWARE_GPU_KERNEL_H
#define MODELS_HARDWARE_GPU_KERNEL_H

#include "models/hardware/gpu.h"

enum gpu_kernel_kind { GPU_PRODUCT, GPU_COLLECTIVE, GPU_KERNEL_KINDS };

enum gpu_collective { GPU_ALL_REDUCE, GPU_ALL_TO_ALL };

enum {
    GPU_GROUPS = 2,
    GPU_WARPS_TO_HIDE = 2, /* of a scheduler, that hide each other's latencies */
};

/* The time of an SM that starting a block takes, in seconds: ours. It is all that a block without a tile
 * costs. */
#define GPU_BLOCK_START 0.25e-6

struct gpu_blocks {
    int64_t count;
    double work; /* of each: FLOP, or bits sent */
};

/* Built by the functions below or by hand; nothing in it is owned. */
struct gpu_kernel {
    enum gpu_kernel_kind kind;
    struct gpu_block block;
    int64_t resident;                     /* blocks that an SM takes (gpu_resident), at least 1 */
    struct gpu_blocks groups[GPU_GROUPS]; /* handed out in this order */
    size_t group_count;
    double block_rate;             /* most work a second of a block */
    double sm_rate;                /* of all blocks of an SM; infinite: they are no load on it */
    double memory_bits, link_bits; /* for each unit of work */
};

struct gpu_product {
    double rows, columns, depth; /* M, N, K */
    int64_t tile_rows, tile_columns, tile_depth;
    int64_t bits;               /* of a number */
    int64_t grid;               /* blocks a side; 0: as many as there are tiles */
    int64_t threads, registers; /* of a block; of a thread */
    int64_t padding;            /* bytes of shared memory that a block asks for beyond its tiles */
    double flops;               /* of the whole GPU while no latency shows */
};

struct gpu_transfer {
    enum gpu_collective collective;
    double bits; /* of the whole vector */
    int64_t ranks;
    double link_rate, block_rate; /* of the link, and what one block reaches of it */
};

/* What a block of PRODUCT takes: a tile of A and one of B in shared memory, once. */
struct gpu_block gpu_product_block(const struct gpu_product *product);

/* PRODUCT's block fits on GPU. */
struct gpu_kernel gpu_product_kernel(const struct gpu *gpu, const struct gpu_product *product);

/* Has as many blocks as fill the link, or as the GPU holds at a time. GPU's collective block fits. With one
 * rank there is nothing to send.
 */
struct gpu_kernel gpu_collective_kernel(const struct gpu *gpu, const struct gpu_transfer *transfer);

int64_t gpu_kernel_blocks(const struct gpu_kernel *kernel);

/* Seconds that KERNEL takes alone on GPU, but for launching and for its last wave. */
double gpu_kernel_seconds(const struct gpu *gpu, const struct gpu_kernel *kernel);

#endif
