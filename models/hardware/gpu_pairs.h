/*
 * Pairs of a matrix product and a collective, as in arXiv 2606.09200: collective i waits for product i and
 * may run beside product i + 1, on a stream of its own. Product i + 2 waits for collective i, since it writes
 * where that one reads (ours: two buffers; else products would run ahead, and collectives beside later ones).
 * The host enqueues product i + 1 before collective i. Two controls: occupancy shaping gives each block of a
 * product more shared memory than it needs, so that fewer are on an SM and collectives find room sooner;
 * priority lets blocks of collectives go first.
 */
#ifndef MODELS_HARDWARE_GPU_PAIRS_H
#define MODELS_HARDWARE_GPU_PAIRS_H

#include "models/hardware/gpu_device.h"

enum gpu_mode {
    GPU_SEQUENTIAL, /* one stream */
    GPU_BASELINE,   /* two, without either control */
    GPU_PRIORITY,
    GPU_SHAPED,
    GPU_BOTH,
    GPU_MODES
};
extern const char *const gpu_mode_names[]; /* "sequential", …; NULL at the end */

struct gpu_pairs {
    const struct gpu *gpu;
    struct gpu_product product;
    struct gpu_transfer transfer;
    int64_t count;  /* of pairs, 1 … GPU_MOST_PAIRS */
    int64_t shaped; /* blocks of a product that shaping leaves on an SM, at least 1 */
};
enum { GPU_MOST_PAIRS = 256 };

#define GPU_LONGEST_KERNEL 3600.0 /* seconds; beyond, a rate is mistyped */

/* Of pairs, what may be too much. */
enum gpu_pairs_part {
    GPU_PAIRS_DATA,       /* the collective's vector */
    GPU_PAIRS_MATRICES,   /* the product's */
    GPU_PAIRS_BLOCK,      /* its block */
    GPU_PAIRS_FLOPS,      /* too few */
    GPU_PAIRS_LINK_RATE,  /* too low for the vector */
    GPU_PAIRS_BLOCK_RATE, /* too low, where the link's rate would do */
};

/* What keeps PAIRS from running on its GPU, as words of a sentence, with the part that it is about; NULL:
 * nothing does. In memory are both buffers of which a product writes one while the other is sent, each as
 * large as the vector or the product's result, and the product's two factors. */
const char *gpu_pairs_refusal(const struct gpu_pairs *pairs, enum gpu_pairs_part *part);

struct gpu_pairs_times {
    sim_time time;       /* in the mode */
    sim_time product;    /* of all products alone, shaped where the mode shapes */
    sim_time collective; /* of all collectives alone */
    sim_time unshaped;   /* of all products alone without shaping */
    sim_time sequential, baseline;
    uint64_t events;  /* of the run in the mode */
    int64_t resident; /* blocks of a product on an SM, and the share of the SM's threads that they have */
    double occupancy;
};

/* Runs PAIRS, which nothing keeps from it, in MODE. HISTORY as in gpu_device.h; SPANS, when not NULL, gets 2
 * · count: a product and its collective by turns. False when out of memory. */
bool gpu_pairs_run(const struct gpu_pairs *pairs, enum gpu_mode mode, struct gpu_history *history,
                   struct gpu_span *spans, struct gpu_pairs_times *times, struct error *error);

/* The time of PAIRS in MODE and nothing else; that of all its products alone and of all its collectives
 * alone. */
bool gpu_pairs_time(const struct gpu_pairs *pairs, enum gpu_mode mode, sim_time *time, struct error *error);

bool gpu_pairs_alone(const struct gpu_pairs *pairs, enum gpu_mode mode, sim_time *product,
                     sim_time *collective, struct error *error);

/* The share of the shorter of both alone that is hidden, 0 … 1; below 0 where both together take longer. NAN
 * where one of them takes no time. */
double gpu_pairs_overlap_rate(const struct gpu_pairs_times *times);

#endif
