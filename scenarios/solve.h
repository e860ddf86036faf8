/*
 * Questions to be solved: which value of a field brings a metric to a target. Targets, ranges and grids as
 * people write them, in scenarios and on the command line.
 */
#ifndef SCENARIOS_SOLVE_H
#define SCENARIOS_SOLVE_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* The field that PATH, standing at PLACE, names, if it is a number; NULL with a fault. */
const struct field *solve_field(struct loader *loader, const char *path, struct place place);

/* Reads what ITEM, an expectation whose fields were read without fault, says of its question into
 * EXPECTATION; ROOT is the scenario. Faults are added to the loader's. */
void solve_complete(struct loader *loader, const struct reading *root, const struct reading *item,
                    struct scenario_expectation *expectation);

#endif
