/*
 * The database's figures for other programs.
 */
#ifndef RESULTS_EXPORT_H
#define RESULTS_EXPORT_H

#include "results/store.h"
#include <stdio.h>

enum export_format { EXPORT_CSV, EXPORT_JSON };

/* Writes every run of every study: one CSV row per run and metric or budget category, or one JSON document.
 */
bool export_write(struct store *store, enum export_format format, FILE *out, struct error *error);

#endif
