/*
 * The figure "links": traffic over time on the busiest links, for each strategy. Its template is
 * plots/links.gnuplot, which says what it reads.
 */
#ifndef PLOTS_LINKS_H
#define PLOTS_LINKS_H

#include "plots/figure.h"
#include "plots/script.h"

bool links_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error);

#endif
