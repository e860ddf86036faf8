/*
 * Entries of "expect": what their fields must be together.
 */
#ifndef SCENARIOS_EXPECTATIONS_H
#define SCENARIOS_EXPECTATIONS_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* Faults of the expectations of SCENARIO, read as ROOT says; completes their tolerances. */
void expectations_check(struct loader *loader, const struct reading *root, struct scenario *scenario);

/* WORD names no metric; WORDS say so before it: "expect.0.metric: unknown", "no metric is called". */
void expectations_refuse_metric(struct loader *loader, const struct node *word, const char *words);

/* STRATEGY, which stands at PLACE as what LABEL names, is one of the scenario's or the reference that
 * learning adds; a fault if not. */
void expectations_check_strategy(struct loader *loader, struct place place, const char *label,
                                 const struct scenario *scenario, const char *strategy);

/* The size of the expected metric's unit in the SI unit that scenarios are read in: bits in a byte, say. */
double expectations_scale(const struct scenario_expectation *expectation);

#endif
