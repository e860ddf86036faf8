/*
 * Conditions on a scenario's numbers, as in "where" of a sweep: "strategies.a.learners <= cluster.chips /
 * 64".
 *
 * Two sums are compared by <, <=, >, >=, == or !=. A sum has products, a product has factors, and a factor is
 * a number with its unit, the path of a number's field, or a sum in parentheses. Blanks stand around a minus
 * and a product's star behind a path, since names and paths may hold both signs. Quantities have dimensions:
 * a time isn't compared with a pure number.
 */
#ifndef SCENARIOS_CONDITION_H
#define SCENARIOS_CONDITION_H

#include "scenarios/loader.h"

enum condition {
    CONDITION_FAULTY,    /* a fault was added */
    CONDITION_UNDECIDED, /* a field that it speaks of has no value, or it divides by zero */
    CONDITION_FAILS,
    CONDITION_HOLDS
};

/* What the condition that NODE, a scalar, holds comes to for the scenario read as ROOT. LABEL stands before
 * every message. */
enum condition condition_evaluate(struct loader *loader, const struct reading *root, const char *label,
                                  const struct node *node);

#endif
