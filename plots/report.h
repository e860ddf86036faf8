/*
 * A study as one page of HTML that needs nothing else: what was run, the comparison, the expectations, the
 * figures, the time budget, the scenario, and how to run it again.
 */
#ifndef PLOTS_REPORT_H
#define PLOTS_REPORT_H

#include "results/store.h"
#include <stdatomic.h>

struct report_request {
    const char *output;
    const char *template_folder; /* of the figures' templates, report.css and report.js */
    int64_t study;               /* -1: the newest */
    const atomic_bool *stop;     /* once it is true drawing ends; NULL: it never is */
};

/* Writes it. A file that was at OUTPUT stays as it is if anything fails: no such study (ERROR_INPUT), or the
 * database, gnuplot or the output (ERROR_SYSTEM); or if it is stopped (ERROR_INTERRUPTED). */
bool report_write(struct store *store, const struct report_request *request, struct error *error);

#endif
