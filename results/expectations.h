/*
 * What a study was expected to show, and whether it did.
 */
#ifndef RESULTS_EXPECTATIONS_H
#define RESULTS_EXPECTATIONS_H

#include "results/outline.h"
#include <stdio.h>

/* A line per expectation, met or MISSED, with wanted, got and source, and their number; nothing if the study
 * has none. */
bool expectations_write_table(struct store *store, const struct outline *outline, FILE *out,
                              struct error *error);

/* The same as a JSON array. */
bool expectations_write_json(struct store *store, int64_t study, FILE *out, struct error *error);

#endif
