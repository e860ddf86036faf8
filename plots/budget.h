/*
 * The figure "budget": where the chip time went, by strategy. Its template is
 * plots/budget.gnuplot, which says what it reads.
 */
#ifndef PLOTS_BUDGET_H
#define PLOTS_BUDGET_H

#include "plots/figure.h"
#include "plots/script.h"

bool budget_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                  struct error *error);

#endif
