/*
 * What the parts of a plan ask of each other. Private to the plan.
 */
#ifndef STUDIES_PLAN_INTERNAL_H
#define STUDIES_PLAN_INTERNAL_H

#include "studies/axes.h"
#include "studies/plan.h"

/* Whether REQUEST asks for STRATEGY. */
bool plan_wants(const struct plan_request *request, const char *strategy);

/* Whether the runs' tapes are replayed, and so need a reference. */
bool plan_learns(const struct scenario *scenario);

/* Better a refusal now than after hours of simulation. Points that learn as the base does are not looked at
 * again; SETTINGS is NULL for the base. */
bool plan_check_learning(const struct scenario *scenario, const struct scenario_point *settings,
                         struct error *error);

/* Makes POINT of SETTINGS, which stay the caller's; AXES are those it is of, or NULL. What there is of it has
 * to be cleared in any case. */
bool plan_create_point(struct plan_point *point, const struct scenario_point *settings,
                       const struct axes *axes, const struct plan_request *request, struct error *error);
void plan_clear_point(struct plan_point *point);

/* All points of AXES that the conditions let in, or those of a sensitivity analysis. */
bool plan_create_points(struct plan *plan, const struct axes *axes, const struct plan_request *request,
                        struct error *error);
bool plan_create_varied_points(struct plan *plan, const struct plan_request *request, struct error *error);

/* Writes what steers each strategy of BASE; what is the same at all points is written once. */
bool plan_set_steering(struct plan *plan, const struct scenario *base, struct error *error);

/* Room for as many runs as were counted; then there are none yet. */
bool plan_reserve_runs(struct plan *plan, struct error *error);

/* The replications of STRATEGY at POINT. False when out of memory. */
bool plan_add_runs(struct plan *plan, size_t point, const struct strategy_config *strategy);

/* The runs of all points and wanted strategies. */
bool plan_create_runs(struct plan *plan, const struct plan_request *request, struct error *error);

#endif
