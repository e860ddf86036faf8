/*
 * Figures that were observed, for a simulation to be held against: of a strategy at a point, a metric's value
 * and how sure it is. From a table, or from what a scenario expects.
 *
 * A table is a CSV file (csv.h) with the columns `metric` and `value`, and if there is more than one strategy
 * `strategy`; `sd`, the standard deviation of the value (where that is a mean, of the mean), perhaps with
 * `observations`, the number that this was estimated from; or instead `weight`, times which its squared
 * residual counts; and columns called like a field ("cluster.chips"), whose cells are as in a scenario, and
 * set the point where they aren't empty. Values and standard deviations have units as in "expect", and shares
 * are held to 0 to 1.
 */
#ifndef SCENARIOS_FIGURES_H
#define SCENARIOS_FIGURES_H

#include "scenarios/scenario.h"

/* The standard deviation of a value that tells of none, as a share of it, and of one that may be off by a
 * tolerance, as a share of that: what is within two is taken as allowed. */
#define SCENARIO_FIGURE_SHARE 0.01
#define SCENARIO_FIGURE_TOLERANCE 0.5

struct scenario_figure {
    const char *strategy;
    struct scenario_point at; /* fields set beside; may have no settings */
    const char *metric;
    double value, deviation; /* in the metric's unit, as results have it; DEVIATION is above 0 */
    int64_t observations;    /* that DEVIATION was estimated from, at least 2; 0: it is known */
    bool assumed;            /* the deviation is SCENARIO_FIGURE_SHARE */
    const char *origin;      /* where it stands, for messages: "observed.csv:3" */
};

struct scenario_figures {
    struct scenario_figure *items;
    size_t count;
    size_t passed_over; /* of other strategies; bounds, differences and values of fields expected */
    struct scenario_memory *memory; /* owns everything above */
};

/* Reads the table PATH of figures of the COUNT STRATEGIES of SCENARIO. NULL with ERROR_INPUT, the faults at
 * their places, or when out of memory. The caller destroys it. */
struct scenario_figures *scenario_figures_read(const char *path, const struct scenario *scenario,
                                               const char *const *strategies, size_t count,
                                               struct error *error);

/* What SCENARIO expects of the metrics of the STRATEGIES: entries of "expect" with a value, at their points
 * or the base point. NULL: there is none (ERROR_INPUT), or no memory. */
struct scenario_figures *scenario_figures_expected(const struct scenario *scenario,
                                                   const char *const *strategies, size_t count,
                                                   struct error *error);

/* A list of room for COUNT figures and none yet, for others to fill; NULL with ERROR when out of memory. */
struct scenario_figures *scenario_figures_create(size_t count, struct error *error);
void scenario_figures_destroy(struct scenario_figures *figures);

#endif
