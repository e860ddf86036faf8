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

/* The same in Markdown. */
bool expectations_write_markdown(struct store *store, const struct outline *outline, FILE *out,
                                 struct error *error);

enum { EXPECTATION_WORDS = 300 };

/* An expectation as people read it. */
struct expectation_words {
    const char *strategy, *metric;
    const char *against, *until, *source; /* NULL: none */
    char *point;                          /* in words; "" for none */
    char wanted[EXPECTATION_WORDS], got[EXPECTATION_WORDS];
    bool met;
};

/* Shows VISIT each of them, in the table's order. */
bool expectations_for_each(struct store *store, const struct outline *outline,
                           void (*visit)(void *context, const struct expectation_words *words), void *context,
                           struct error *error);

/* The same as a JSON array. */
bool expectations_write_json(struct store *store, int64_t study, FILE *out, struct error *error);

#endif
