/*
 * The figure "quality": what the model learned over how much of the chip time was useful. Its template is
 * plots/quality.gnuplot, which says what it reads.
 */
#ifndef PLOTS_QUALITY_H
#define PLOTS_QUALITY_H

#include "plots/figure.h"
#include "plots/script.h"

bool quality_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error);

#endif
