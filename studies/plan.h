/*
 * The plan of a study: every run that it consists of, with its scenario resolved, before the first one
 * starts. What is wrong with any point of a sweep is found here. Points are resolved one after another in
 * the caller's thread (see scenarios/scenario.h); from then on the plan is read only.
 */
#ifndef STUDIES_PLAN_H
#define STUDIES_PLAN_H

#include "scenarios/scenario.h"
#include "scenarios/sensitivity.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most runs of one study: what the plan and the database can sensibly hold. */
#define PLAN_MOST_RUNS 10000000

/* What is asked for; everything stays the caller's. */
struct plan_request {
    const struct scenario_text *text;
    const struct scenario_override *overrides; /* laid over the file at every point */
    size_t override_count;
    const char *const *strategies; /* the names to run; none: all */
    size_t strategy_count;
    bool sweep; /* all points of the axes; else the base point {} alone */
    /* of a sweep, besides the scenario's or instead of them (see studies/axes.h) */
    const struct scenario_axis *axes;
    size_t axis_count;
    const char *const *conditions; /* of a sweep: points are left out where one is not true */
    size_t condition_count;
    /* Above 0: instead of axes, the base point and for each number of the scenario two points where it alone
     * is this share of itself lower and higher (scenarios/sensitivity.h). */
    double sensitivity;
    const char *origin; /* of a point's settings, for messages; NULL: "--axis" or "sweep" */
};

#define PLAN_REFERENCE SCENARIO_REFERENCE

struct plan_point {
    const struct scenario_point *settings;
    char *json;    /* as the database keeps it; no two points have the same */
    char *label;   /* for people: "cluster.chips=150000, failures.chip.mtbi=5 d"; "" of the base point */
    char *heading; /* the same without axes that move with an earlier one */
    struct scenario *scenario;
    struct simulation_config failure_free; /* of the reference */
    const char *strategy;                  /* the only one that runs here; NULL: all */
    size_t first_run, run_count;           /* its runs in the plan's */
};

struct plan_refusal {
    const struct scenario_variation *variation;
    char *message; /* one line */
};

struct plan_run {
    size_t point;
    const struct simulation_config *simulation;
    const struct strategy_config *strategy;
    uint32_t replication;
    double work;          /* about how many events it takes */
    const char *identity; /* what it is known by, with the replication (identity.h) */
};

struct plan {
    struct scenario *base; /* the scenario with the overrides, at no point */
    char *resolved;        /* the base as YAML, with the axes that the plan spans */
    char digest[65];       /* SHA-256 of that */
    struct scenario_point *settings;
    struct plan_point *points;
    size_t point_count;
    size_t left_out;                       /* points that a condition keeps out */
    struct scenario_variations variations; /* of a sensitivity analysis; none: it is no such one */
    struct plan_refusal *refusals;         /* variations that are no points, since the scenario allows none */
    size_t refusal_count;
    size_t idle_defaults; /* fields left at a default that goes with nothing else: they are not in force */
    struct strategy_config reference;
    struct plan_run *runs; /* by point, then strategy, then replication */
    size_t run_count;
    char **steering; /* what steers each of the base's strategies, and the reference last */
    size_t steering_count;
    char (*identities)[65]; /* of the runs, one a strategy and point */
    size_t identity_count;
};

/* NULL: something about the scenario, an axis or a strategy's name is wrong (ERROR_INPUT), or memory is
 * short. The caller destroys the plan. */
struct plan *plan_create(const struct plan_request *request, struct error *error);
void plan_destroy(struct plan *plan);

/* One strategy at one point; everything stays the caller's, and has to outlive the plan. */
struct plan_choice {
    const struct scenario_point *settings;
    const char *strategy; /* SCENARIO_REFERENCE for the reference of a scenario that learns */
    int64_t afresh; /* 0: the scenario's replications; K: as many, those that come K times as many later */
};

/* A plan of the runs of CHOICES alone, a point for each, of TEXT: something to run, without a base to record.
 * Errors as plan_create's. */
struct plan *plan_create_chosen(const struct scenario_text *text, const struct plan_choice *choices,
                                size_t count, struct error *error);

/* Whether STRATEGY runs at POINT, an index of the plan's points. */
bool plan_has(const struct plan *plan, size_t point, const char *strategy);

#endif
