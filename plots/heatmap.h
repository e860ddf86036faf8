/*
 * The figure "heatmap": a metric over two axes of a sweep, a panel per strategy. Its template is
 * plots/heatmap.gnuplot, which says what it reads.
 */
#ifndef PLOTS_HEATMAP_H
#define PLOTS_HEATMAP_H

#include "plots/figure.h"
#include "plots/script.h"
#include "results/outline.h"

/* Where the study has more axes than two, its points are those that have the first value on all others. */
bool heatmap_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error);

/* Whether the study's points are all in the figure: two numeric axes, and no other one. */
bool heatmap_suits(const struct outline *outline);

#endif
