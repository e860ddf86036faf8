/*
 * The figure "overlap": how long a GPU's kernels take in each mode.
 */
#ifndef PLOTS_OVERLAP_H
#define PLOTS_OVERLAP_H

#include "plots/figure.h"
#include "plots/script.h"

bool overlap_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error);

#endif
