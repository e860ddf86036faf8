/*
 * The figure "waste": what failures cost, by cause (process, chaos entry, kind of a trace), by strategy.
 */
#ifndef PLOTS_WASTE_H
#define PLOTS_WASTE_H

#include "plots/figure.h"
#include "plots/script.h"

bool waste_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error);

#endif
