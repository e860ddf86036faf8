/*
 * A scenario's numbers, one at a time a little lower and a little higher: the points of a sensitivity
 * analysis.
 */
#ifndef SCENARIOS_SENSITIVITY_H
#define SCENARIOS_SENSITIVITY_H

#include "scenarios/scenario.h"

/* One field with another value. */
struct scenario_variation {
    struct scenario_setting setting; /* the path, and the value in canonical form */
    char *base;                      /* the value that the scenario has */
    char *strategy;                  /* whose field it is; NULL: it may matter to any */
    bool given;                      /* the scenario says the value; else it is the default */
    bool clamped;                    /* the value is the end of what is allowed, nearer than was asked for */
};

/* Starts as {0}. */
struct scenario_variations {
    struct scenario_variation *items; /* in the field table's order, the lower value of a field first */
    size_t count;
    size_t fields; /* that have any */
    size_t zeros;  /* numbers that are 0, of which a share is nothing */
};

/* For each number that TEXT with OVERRIDES laid over it has, given or by default, what it is without SHARE (0
 * to 1) of itself and with as much more. Whole numbers are rounded, and move by one at least. What would
 * leave the field's bounds ends there; where nothing is left of the change there is no variation.
 *
 * Left alone are: what says how runs are made rather than of what (seed, replications, duration, warm_up,
 * until), learning, expectations, lists of numbers, fields without a value, numbers that are 0 or without
 * end, and what lies between sites where there are none. Whether another value goes with the rest of the
 * scenario is for scenario_create to say.
 *
 * False with ERROR_INPUT: the scenario is wrong. The caller frees VARIATIONS in any case. */
bool scenario_vary(const struct scenario_text *text, const struct scenario_override *overrides, size_t count,
                   double share, struct scenario_variations *variations, struct error *error);
void scenario_variations_free(struct scenario_variations *variations);

struct loader;
struct reading;

/* The same for the scenario read as ROOT. False when out of memory. */
bool sensitivity_collect(const struct loader *loader, const struct reading *root, double share,
                         struct scenario_variations *variations);

#endif
