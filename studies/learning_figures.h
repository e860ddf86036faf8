/*
 * The figures of a replay: what its curve comes to.
 *
 * Statistical goodput is progress towards a loss per allocated chip-time, against failure-free data-parallel
 * (after Pollux, OSDI '21): the time in which the reference reaches the replay's final loss over the time
 * that the replay took. Above 1 it can be where a strategy learns more from a token than data-parallel does.
 */
#ifndef STUDIES_LEARNING_FIGURES_H
#define STUDIES_LEARNING_FIGURES_H

#include "models/learning/replay.h"
#include "results/learning.h"

enum { LEARNING_FIGURES = 10 };

struct learning_figures {
    struct replay_point *points; /* the curve, as the database keeps it */
    struct replay_metric metrics[LEARNING_FIGURES];
    size_t metric_count;
};

/* Of RUN's replay with CURVE. The reference's curve, under the same learning, is looked up in STORE by its
 * digest; where it isn't there yet, or never gets to the loss, there is no statistical goodput. */
bool learning_figures_create(struct learning_figures *figures, struct store *store,
                             const struct stored_run *run, const struct learning_config *learning,
                             const char *reference_sha256, const struct curve *curve, struct error *error);
void learning_figures_free(struct learning_figures *figures);

/* The time at which a curve of COUNT points first gets down to LOSS, interpolated between evaluations; NAN:
 * never. */
double learning_time_to_loss(const struct replay_point *points, size_t count, double loss);

#endif
