/*
 * A study in Markdown, short enough for a comment on a pull request.
 */
#ifndef RESULTS_MARKDOWN_H
#define RESULTS_MARKDOWN_H

#include "results/store.h"

/* A verdict in one line, then what was missed or became worse, then the goodput of all strategies and points.
 * The caller frees; NULL: no such study, or the database or memory failed. */
char *markdown_summary(struct store *store, int64_t study, struct error *error);

#endif
