/*
 * What one GPU can hold: its streaming multiprocessors (SMs; compute units on AMD), and how many blocks of a
 * kernel one of them takes.
 *
 * The rule is the vendors': blocks on an SM = min(⌊shared memory / a block's⌋, ⌊threads / a block's⌋, those
 * that the registers allow, the block limit). Shared memory is handed out in units, and the runtime reserves
 * some for every block; registers are handed out to whole warps, which live in one of four parts of the SM
 * (CUDA C++ Programming Guide, compute capabilities; CUDA occupancy calculator; AMD CDNA 2 instruction set,
 * registers).
 *
 * Shared memory is in bytes, as data sheets have it; all other data in bits and rates in bit/s.
 */
#ifndef MODELS_HARDWARE_GPU_H
#define MODELS_HARDWARE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GPU_PARTS = 4,        /* of an SM, each with a scheduler and registers of its own */
    GPU_MOST_BLOCKS = 32, /* on an SM, of any GPU */
};

/* What a block of a kernel takes of its SM. */
struct gpu_block {
    int64_t threads;
    int64_t registers; /* of a thread */
    int64_t shared;    /* bytes, without what the runtime reserves */
};

struct gpu {
    const char *name;
    int64_t sms;
    int64_t warp;                                              /* threads */
    int64_t shared, block_shared, shared_reserve, shared_unit; /* bytes: of an SM; most of a block; … */
    int64_t registers, register_unit;                          /* of an SM; in which a warp gets them */
    int64_t threads, block_threads;                            /* of an SM; most of a block */
    int64_t blocks;                                            /* on an SM, at most GPU_MOST_BLOCKS */
    double flops;                                              /* dense 16-bit, FLOP/s */
    double memory, memory_rate;
    double link_rate;            /* to the other GPUs of its node, one direction */
    int64_t ranks;               /* GPUs of the node */
    struct gpu_block collective; /* of the vendor's library */
};

/* Those built in. */
extern const struct gpu gpu_catalogue[];
extern const size_t gpu_catalogue_count;
extern const char *const gpu_choices[]; /* "none", then their names in their order, NULL at the end */

/* What BLOCK takes of an SM of GPU's: bytes with the reserve, and registers. */
int64_t gpu_block_shared(const struct gpu *gpu, const struct gpu_block *block);
int64_t gpu_block_registers(const struct gpu *gpu, const struct gpu_block *block);

/* Blocks of one kernel that an SM takes at a time; 0: it can't take any. */
int64_t gpu_resident(const struct gpu *gpu, const struct gpu_block *block);

/* What keeps BLOCK off every SM, as words that follow "a block"; NULL: nothing does. */
const char *gpu_refusal(const struct gpu *gpu, const struct gpu_block *block);

/* The least shared memory of a block, no less than BLOCK's, with which at most RESIDENT (≥ 1) of them are on
 * an SM: what shapes a kernel's occupancy. */
int64_t gpu_shaped_shared(const struct gpu *gpu, const struct gpu_block *block, int64_t resident);

#endif
