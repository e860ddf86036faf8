/*
 * The figures of a replay: what its curve comes to.
 *
 * Statistical goodput is progress towards a loss per allocated chip-time, against failure-free data-parallel
 * (after Pollux, OSDI '21): the time in which the reference reaches the replay's final loss over the time
 * that the replay took. Above 1 it can be where a strategy learns more from a token than data-parallel does.
 */
#ifndef STUDIES_LEARNING_FIGURES_H
#define STUDIES_LEARNING_FIGURES_H

#include "models/learning/metrics.h"
#include "models/learning/replay.h"
#include "results/learning.h"

struct learning_figures {
    struct replay_point *points; /* the curve, as the database keeps it */
    struct replay_metric metrics[LEARNING_METRICS + 1];
    size_t metric_count;
};

/* Of RUN's replay with CURVE. The curve of the reference in the same study, point and replication, under the
 * same learning, is looked up in STORE by its digest; where it isn't there yet, or never gets to the loss or
 * to so many tokens, figures that are held against it are NAN. */
bool learning_figures_create(struct learning_figures *figures, struct store *store,
                             const struct stored_run *run, const struct learning_config *learning,
                             const char *reference_sha256, const struct curve *curve, struct error *error);
void learning_figures_free(struct learning_figures *figures);

/* FIGURES are of a run that was to get down to the target loss ("until"): its time to finish is when it did.
 * False: it never did. */
bool learning_figures_finish(struct learning_figures *figures);

/* The time at which a curve of COUNT points first gets down to LOSS, interpolated between evaluations; NAN:
 * never. */
double learning_time_to_loss(const struct replay_point *points, size_t count, double loss);

/* The loss of such a curve after so many TOKENS, interpolated between evaluations; NAN: it doesn't get there,
 * or begins later. */
double learning_loss_at(const struct replay_point *points, size_t count, double tokens);

#endif
