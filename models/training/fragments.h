/*
 * When which fragment of the model is synchronised (arXiv 2604.21428 §2, after Streaming DiLoCo, arXiv
 * 2501.18512): fragment p of P at the steps t with t mod H = t_p, the offsets spread evenly over H.
 */
#ifndef MODELS_TRAINING_FRAGMENTS_H
#define MODELS_TRAINING_FRAGMENTS_H

#include <stdint.h>

struct fragment_schedule {
    int64_t inner_steps; /* H */
    int64_t fragments;   /* P, at most H */
};

/* The fragment due at step T >= 1, or -1. */
int64_t fragment_due(const struct fragment_schedule *schedule, int64_t t);

/* The last step at or before T at which a fragment is due; 0 if there is none. */
int64_t fragment_last_due(const struct fragment_schedule *schedule, int64_t t);

/* The first such step after T. */
int64_t fragment_next_due(const struct fragment_schedule *schedule, int64_t t);

#endif
