/*
 * A strategy's loss curve as the mean over replications, on a grid that all of them reach.
 *
 * Evaluations lie at other places in every replication, and so each curve is first interpolated to the grid.
 * Where a rollback takes back what was trained, the evaluations of what was taken back are left out.
 *
 * Every replication may learn from a source of its own, and how much the sources themselves lose differs more
 * than what is learned from them. A replication's curve is therefore shifted by what its source's own loss
 * lies above or below their mean: the mean stays, and the interval is that of the excess loss.
 */
#ifndef PLOTS_MEAN_CURVE_H
#define PLOTS_MEAN_CURVE_H

#include "results/store.h"

enum curve_axis { CURVE_OVER_TIME, CURVE_OVER_TOKENS, CURVE_OVER_STEPS, CURVE_AXES };

extern const char *const curve_axis_names[CURVE_AXES]; /* "time", "tokens", "steps" */

enum { CURVE_GRID = 240 };

struct mean_curve {
    size_t count;         /* points of the grid: 0 when there is no curve, 1 when all are of one point */
    double x[CURVE_GRID]; /* s, tokens or steps */
    double mean[CURVE_GRID];
    double low[CURVE_GRID], high[CURVE_GRID]; /* 95 % interval of the mean; NAN of one replication */
    size_t replications;
    double floor; /* mean of the sources' own losses; NAN where some source's is unknown, and nothing was
                     shifted */
};

/* Reads the replays of the shown learning (outline.h). A replay that diverged is left out, unless all did;
 * its curve then ends where the loss was last a number. */
bool mean_curve_read(struct store *store, int64_t study, const char *strategy, const char *point,
                     enum curve_axis axis, struct mean_curve *curve, struct error *error);

#endif
