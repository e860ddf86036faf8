/*
 * A table for people of the first few rows that a query gives for each strategy of a study.
 */
#ifndef RESULTS_TOP_ROWS_H
#define RESULTS_TOP_ROWS_H

#include "results/database.h"
#include "results/outline.h"
#include "results/table.h"
#include <stdio.h>

/* The runs of study ?1 that figures are made of: what follows "from" in a query. */
#define TOP_ROWS_COUNTED                                                                                     \
    "study_run join run on run.id = study_run.run where study_run.study = ?1"                                \
    " and run.status in ('done', 'unfinished', 'stalled')"

struct top_rows {
    const char *what; /* for messages: "a table of links" */
    size_t columns;
    const char *const *names; /* by column; the first is the strategy's */
    const enum table_alignment *alignments;
    const char *sql; /* ?1: study, ?2: strategy, ?3: rows at most */
    int64_t most;    /* rows of a strategy */
    /* Sets the cells of ROW but for the first, which names the strategy where its rows begin. */
    void (*set)(struct table *table, size_t row, sqlite3_stmt *query);
};

/* Writes an empty line and the table. False with ERROR when the database fails or memory runs out. */
bool top_rows_write(struct store *store, const struct outline *outline, const struct top_rows *rows,
                    FILE *out, struct error *error);

#endif
