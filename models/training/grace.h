/*
 * The adaptive grace window of Decoupled DiLoCo (arXiv 2604.21428 §2): how long the syncer may wait
 * for more learners than its quorum without making anybody wait.
 *
 *   slack = τ·ξ_step − (ξ_quorum + ξ_sync),   grace = γ·slack, at least 0 and at most one step
 *
 * ξ are exponential moving averages of a learner's step time, of the time from the first learner's
 * report to the quorum, and of the time from there to the merged fragment's arrival.
 */
#ifndef MODELS_TRAINING_GRACE_H
#define MODELS_TRAINING_GRACE_H

#include "sim/clock.h"

/* Share of the newest observation in a moving average. Ours: the paper gives none. */
#define GRACE_NEWEST_SHARE 0.1

struct moving_average {
    double value; /* seconds; negative before the first observation */
};

struct grace {
    int64_t overlap; /* τ */
    double share;    /* γ */
    struct moving_average step, quorum, synchronisation;
};

void grace_init(struct grace *grace, int64_t overlap, double share);
void moving_average_add(struct moving_average *average, sim_time observed);

/* The window now; 0 before a step has been observed. */
sim_time grace_window(const struct grace *grace);

/* How long before a quorum the report of a learner may have come that was too late for the merge before: what
 * the window would be if waiting delayed nobody, as this does, γ·τ·ξ_step. Ours: the paper says only that an
 * absent learner has no weight. */
sim_time grace_reach(const struct grace *grace);

#endif
