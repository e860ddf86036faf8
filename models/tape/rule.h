/*
 * What a strategy says of learning: how drifts are merged, mixed, compressed and stepped on. Strategies carry
 * it, replays read it; the simulation of time does not.
 */
#ifndef MODELS_TAPE_RULE_H
#define MODELS_TAPE_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum outer_optimiser {
    OUTER_NESTEROV, /* m ← μm + Δ; θ ← θ − ε(Δ + μm)  (arXiv 2311.08105) */
    OUTER_AVERAGE,  /* θ ← θ − Δ */
    OUTER_ADAM,
    OUTER_DELAYED_NESTEROV, /* arXiv 2401.09135 */
};

enum merge_rule {
    MERGE_MEAN,    /* weighted */
    MERGE_RDA,     /* radial-directional averaging of all but embeddings (arXiv 2604.21428 App. C) */
    MERGE_RDA_ALL, /* of embeddings too */
};

/* What crosses the network of a drift. */
enum compression_format {
    COMPRESSION_NONE,
    COMPRESSION_LINEAR, /* BITS-bit integers times a scale per tensor, the largest exact; 1 bit: its sign */
    COMPRESSION_E3M0,   /* 4 bits: sign and 3 bits of exponent (arXiv 2501.18512) */
    COMPRESSION_SIGN,   /* 1 bit: sign times the tensor's mean magnitude (arXiv 1901.09847 §3) */
};

/* How gossiping learners mix, see models/learning/mixing.h. */
enum mixing_algorithm {
    MIXING_GASLOC,         /* the stable form of arXiv 2606.11081, momentum mixed too ("gossip-all") */
    MIXING_GASLOC_LITERAL, /* as printed */
    MIXING_NOLOCO,         /* arXiv 2506.10911 */
    MIXING_D_PSGD,
    MIXING_AD_PSGD,
};

struct learning_rule {
    bool gossips;  /* learners mix with each other, and there is no syncer */
    int64_t outer; /* enum outer_optimiser */
    double outer_rate, outer_momentum;
    int64_t outer_delay; /* of delayed Nesterov */
    int64_t merge;       /* enum merge_rule */
    double blend; /* α of Streaming DiLoCo: share of its own parameters that a learner keeps at an apply */
    int64_t compression; /* enum compression_format */
    int64_t compression_bits;
    bool error_feedback;
    int64_t algorithm; /* enum mixing_algorithm */
    double mixing;     /* α of gossip */
};

#endif
