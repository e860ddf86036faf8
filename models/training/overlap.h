/*
 * How computing and collectives share one GPU, as a scenario describes it ("workload.overlap"), and what of a
 * step's communication stays in sight because of it.
 *
 * A training step's gradients are reduced layer by layer beside the backward pass of the last micro-batch
 * (models/hardware/parallel.h). As pairs of one matrix product and one collective per layer
 * (models/hardware/gpu_pairs.h), products and collectives as long as the step's, the model says what both
 * together take; what that is longer than the products alone is exposed: collectives that nothing hides, and
 * products that collectives slow down.
 */
#ifndef MODELS_TRAINING_OVERLAP_H
#define MODELS_TRAINING_OVERLAP_H

#include "models/hardware/gpu_pairs.h"
#include "models/parameter.h"

/* Matrix products that the published measurements are of. */
enum overlap_product { PRODUCT_COMPUTE_BOUND, PRODUCT_MEMORY_BOUND };

struct overlap_config {
    int64_t gpu;                 /* of gpu_choices; 0: none, and nothing is modelled */
    int64_t mode;                /* enum gpu_mode */
    int64_t product, collective; /* enum overlap_product, enum gpu_collective */
    int64_t tile;                /* of the table in overlap.c */
    int64_t grid;                /* blocks a side; PARAMETER_UNSET: one for each tile */
    int64_t pairs;
    double data;       /* bits of the collective's vector; NAN: the model's */
    int64_t ranks;     /* PARAMETER_UNSET: the GPUs of a node */
    int64_t shaped;    /* blocks of a product that shaping leaves on an SM */
    double efficiency; /* of products, at most: share of the GPU's peak */
    double link_rate;  /* NAN: the GPU's */
    double block_rate; /* of the link, what one block of a collective reaches */
};

extern const struct parameter_table overlap_parameters; /* section "workload.overlap" */

bool overlap_is_given(const struct overlap_config *overlap);

/* What keeps a block of OVERLAP's tile, which is given, off its GPU, as words that follow "a block"; NULL:
 * nothing. */
const char *overlap_refusal(const struct overlap_config *overlap);

/* The pairs that OVERLAP, which is given, describes, with collectives of MODEL_BITS unless it says otherwise.
 */
struct gpu_pairs overlap_pairs(const struct overlap_config *overlap, double model_bits, struct gpu *gpu);

/* What of a step there is to hide, and behind what. */
struct overlap_load {
    double compute;   /* seconds of computing beside which gradients are reduced */
    double flops;     /* that a chip reaches while it computes, FLOP/s */
    double reduction; /* seconds of the reduction alone */
    double bits;      /* that a chip sends in it */
    int64_t layers;   /* that are reduced one after another, and */
    int64_t width;    /* their K; of either less than 1: not known, OVERLAP's pairs and product tell */
};

/* Answers that were worked out before, by what was asked. All zeros is an empty one. */
struct overlap_cache {
    struct {
        struct overlap_load load;
        double exposed;
        bool known;
    } answers[16];
    bool failed; /* memory ran out: answers since are NAN */
};

/* Seconds of the reduction that are exposed. CACHE may be NULL; else it is asked with one OVERLAP alone. NAN
 * when out of memory. */
double overlap_exposed(const struct overlap_config *overlap, const struct overlap_load *load,
                       struct overlap_cache *cache);

#endif
