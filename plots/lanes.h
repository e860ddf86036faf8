/*
 * The figure "timeline" of learners: what they and the syncer did over time, with the failures that struck.
 */
#ifndef PLOTS_LANES_H
#define PLOTS_LANES_H

#include "plots/figure.h"
#include "plots/script.h"

bool lanes_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error);

#endif
