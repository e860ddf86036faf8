/*
 * The SMs of a GPU and the blocks on them. SMs that hold the same are one class, and the blocks of a class
 * that began together are one cohort, so that the cost is in how many kinds of SM there are, not in SMs or
 * blocks. A block that is placed takes its slot for several blocks in a row (a series) where that many are
 * waiting.
 *
 * For gpu_device.c, which knows when what begins.
 */
#ifndef MODELS_HARDWARE_GPU_SMS_H
#define MODELS_HARDWARE_GPU_SMS_H

#include "models/hardware/gpu_kernel.h"
#include "sim/error.h"

struct gpu_cohort {
    size_t launch, group;
    int64_t blocks;   /* on each SM of the class, at least 1 */
    int64_t series;   /* blocks in a row, the one under way included */
    double unit;      /* work of one block */
    double remaining; /* of the series, in each slot */
    double rate;      /* work a second in each slot */
};

struct gpu_class {
    int64_t sms; /* at least 1 */
    size_t count;
    struct gpu_cohort cohorts[GPU_MOST_BLOCKS];
    int64_t blocks, threads, registers, shared; /* taken on each SM */
};

struct gpu_sms {
    const struct gpu *gpu;
    struct gpu_class *classes;
    size_t count; /* of classes; their SMs sum to the GPU's */
};

/* All idle. False when out of memory; the caller frees. */
bool gpu_sms_create(struct gpu_sms *sms, const struct gpu *gpu, struct error *error);
void gpu_sms_free(struct gpu_sms *sms);

/* Puts COUNT series of SERIES blocks each, of a kernel's group, on the SMs that hold fewest blocks, one on
 * each in turn; returns how many found room. */
int64_t gpu_sms_place(struct gpu_sms *sms, const struct gpu_kernel *kernel, size_t launch, size_t group,
                      int64_t series, int64_t count);

/* Takes out cohort I of CLASS, of KERNEL. Later cohorts move up. */
void gpu_class_remove(struct gpu_class *class, const struct gpu *gpu, const struct gpu_kernel *kernel,
                      size_t i);

/* Joins classes that have come to hold the same. */
void gpu_sms_join(struct gpu_sms *sms);

#endif
