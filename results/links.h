/*
 * The links of a study's network for people: which are busy, and how busy.
 */
#ifndef RESULTS_LINKS_H
#define RESULTS_LINKS_H

#include "results/outline.h"
#include <stdio.h>

/* Of a study of one point on a network of sites: a row for each of a strategy's busiest links, with means
 * over its runs of bytes and rate, the greatest rate, the bandwidth and the share of it that is used. Nothing
 * of other studies, whose links are one as the other or differ between points. */
bool links_write_table(struct store *store, const struct outline *outline, FILE *out, struct error *error);

#endif
