/*
 * A study in Markdown, short enough for a comment on a pull request.
 */
#ifndef RESULTS_MARKDOWN_H
#define RESULTS_MARKDOWN_H

#include "results/store.h"

/* A verdict in one line, then what was missed or became worse, then the goodput of all strategies and points.
 * TROUBLE, or NULL, as in results/junit.h; a shard of a sweep has no verdict. The caller frees; NULL: no such
 * study, or the database or memory failed. */
char *markdown_summary(struct store *store, int64_t study, const char *trouble, struct error *error);

#endif
