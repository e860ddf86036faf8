/*
 * The figure "timeline" of a GPU: what its streaming multiprocessors were at.
 */
#ifndef PLOTS_KERNELS_H
#define PLOTS_KERNELS_H

#include "plots/figure.h"
#include "plots/script.h"

/* Whether a run of the study that REQUEST names kept such a timeline. False with ERROR when it is not known.
 */
bool kernels_are_kept(struct store *store, const struct figure_request *request, bool *kept,
                      struct error *error);

bool kernels_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error);

#endif
