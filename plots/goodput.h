/*
 * The figure "goodput": how a metric depends on an axis, or on the strategy alone. Its template is
 * plots/goodput.gnuplot, which says what it reads.
 */
#ifndef PLOTS_GOODPUT_H
#define PLOTS_GOODPUT_H

#include "plots/figure.h"
#include "plots/script.h"

bool goodput_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error);

#endif
