/*
 * The figure "loss": the held-out loss over simulated time, tokens or steps. Its template is
 * plots/loss.gnuplot, which says what it reads.
 */
#ifndef PLOTS_LOSS_H
#define PLOTS_LOSS_H

#include "plots/figure.h"
#include "plots/script.h"

bool loss_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                struct error *error);

#endif
