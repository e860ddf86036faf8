/*
 * The outline of a study: its strategies, points and axes, in the order in which they are shown. What a
 * table or a figure is laid out by; the figures themselves come from store_mean.
 */
#ifndef RESULTS_OUTLINE_H
#define RESULTS_OUTLINE_H

#include "results/store.h"
#include <stdio.h>

/* A field that some point sets. It is numeric if every value is a number, in units of one kind; numbers are
 * then given in UNIT, that of the largest, or, where a search wrote it in many digits, a larger one that
 * suits it. Axes move together if each value of one comes with one value of the other, and there are several:
 * the first of them tells the points apart. */
struct outline_axis {
    char *path;
    bool numeric;
    char unit[24];
    size_t leader; /* the first that it moves with; itself if there is none before it */
};

struct outline_setting {
    char *text;    /* as the point writes it: "150000", "5 d"; NULL: this point doesn't set the axis */
    double number; /* in the axis's unit; of an axis that isn't numeric, the place of TEXT among its texts, */
                   /* from 0; -INFINITY for none */
};

/* How many runs a strategy has at a point, and how many replays of the learning that is shown. */
struct outline_runs {
    int64_t all;
    int64_t with[RUN_STATUSES];
    int64_t replays, diverged;
};

struct outline_point {
    char *json;
    struct outline_setting *settings; /* one for each axis */
    struct outline_runs *runs;        /* one for each strategy */
    int64_t chips;                    /* in the cluster, from the ledgers; 0: not the same in all runs */
    double seconds;                   /* simulated; NAN: not the same in all runs */
};

#define OUTLINE_REFERENCE "reference"

struct outline {
    int64_t study;
    char *name;
    char *started_utc;
    /* The run without failures that learning is held against, OUTLINE_REFERENCE: a strategy of that name
     * which the study doesn't name as one of its own. It is none of the strategies below; NULL: there is
     * none. */
    const char *reference;
    char *learning;    /* the variant that is shown (store_summarise chose it); NULL: nothing was replayed */
    size_t learnings;  /* variants there are */
    char **strategies; /* in the study's order, those it doesn't name by their first runs */
    size_t strategy_count;
    struct outline_point
        *points; /* by the axes' values, numbers ascending, texts as they first came, the last axis fastest */
    size_t point_count;
    struct outline_axis *axes; /* by path */
    size_t axis_count;
    int64_t replications; /* most runs of one strategy at one point that count for the summary */
};

/* NULL: no such study (ERROR_INPUT), or the database or memory failed. The caller destroys it. */
struct outline *outline_create(struct store *store, int64_t study, struct error *error);
void outline_destroy(struct outline *outline);

/* The index of the point whose JSON it is, and of a strategy; POINT_COUNT and STRATEGY_COUNT when there is
 * none. */
size_t outline_find_point(const struct outline *outline, const char *json);
size_t outline_find_strategy(const struct outline *outline, const char *name);

/* "cluster.chips = 150000, failures.chip.mtbi = 5 d", without axes that move with an earlier one; "" of the
 * point {}. The caller frees; NULL when out of memory. */
char *outline_point_words(const struct outline *outline, const struct outline_point *point);

/* The text of a study that WRITE writes from its outline and CONTEXT, and that messages call WHAT ("a
 * comparison"). The caller frees. NULL with ERROR; where WRITE returns false, with what it made of that. */
typedef bool outline_writer(struct store *store, const struct outline *outline, const void *context,
                            FILE *out, struct error *error);
char *outline_text(struct store *store, int64_t study, outline_writer *write, const void *context,
                   const char *what, struct error *error);

#endif
