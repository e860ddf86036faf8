/*
 * What a study's failures cost, for people: by what failed.
 */
#ifndef RESULTS_CAUSES_H
#define RESULTS_CAUSES_H

#include "results/outline.h"
#include <stdio.h>

/* Of a study of one point in which more than one thing failed: a row for each of those that cost a strategy
 * most, with means over its runs of the faults, the share of chip time that they cost, and chip-hours a
 * fault. Nothing of other studies. */
bool causes_write_table(struct store *store, const struct outline *outline, FILE *out, struct error *error);

#endif
