/*
 * The figure "bandwidth": what a bandwidth is worth to each strategy, beside published figures. Its template
 * is plots/bandwidth.gnuplot, which says what it reads.
 */
#ifndef PLOTS_BANDWIDTH_H
#define PLOTS_BANDWIDTH_H

#include "plots/figure.h"
#include "plots/script.h"

bool bandwidth_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                     struct error *error);

#endif
