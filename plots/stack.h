/*
 * Bars of shares that are stacked: a panel per point, a bar per strategy, a segment per part. The template is
 * plots/budget.gnuplot.
 */
#ifndef PLOTS_STACK_H
#define PLOTS_STACK_H

#include "plots/script.h"
#include "results/outline.h"
#include <stdbool.h>

struct stack {
    const char *subject, *axis; /* for the title and the axis */
    const char *lacking;        /* what a study without any of these metrics has not */
    bool whole;                 /* bars are parts of 100 % */
    size_t count;               /* parts */
    size_t most_shown;          /* parts from this one on are among the others */
    const char *const *metrics; /* of the summary, by part: shares */
    const char *const *names;   /* by part, and one more for the others together */
};

/* Writes the variables and data of the figure of OUTLINE's study. False with ERROR if it has no bar at all.
 */
bool stack_write(struct store *store, const struct outline *outline, const struct stack *stack,
                 struct figure_script *script, struct error *error);

#endif
