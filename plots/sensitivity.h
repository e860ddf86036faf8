/*
 * The figure "sensitivity": which of a scenario's numbers a metric hangs on, a tornado per strategy. Its
 * template is plots/sensitivity.gnuplot, which says what it reads.
 */
#ifndef PLOTS_SENSITIVITY_H
#define PLOTS_SENSITIVITY_H

#include "plots/figure.h"
#include "plots/script.h"
#include "results/outline.h"

/* Of a study that `sweep --sensitivity` made. */
bool sensitivity_write(struct store *store, const struct figure_request *request,
                       struct figure_script *script, struct error *error);

/* Whether a report has a place for figures of points along axes: a sensitivity analysis has no axes, but
 * points beside its base. */
bool sensitivity_has_axes(const struct outline *outline);

#endif
