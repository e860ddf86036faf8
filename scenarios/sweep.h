/*
 * Fields by path and values for them, as in "sweep" and "at": that the path is a field's and the values are
 * right for it. Values are kept in their canonical form.
 */
#ifndef SCENARIOS_SWEEP_H
#define SCENARIOS_SWEEP_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* The field that PATH names, which stands at PLACE; NULL with a fault. */
const struct field *sweep_field(struct loader *loader, const char *path, struct place place);

/* The same, held against the scenario read as ROOT: an item that PATH names, or with "*" every item of a
 * list, must be there and have the field. */
const struct field *sweep_find_field(struct loader *loader, const struct reading *root, const char *path,
                                     struct place place);

/* The first item behind AFTER (NULL: of all) that PATH, which leads to FIELD of a list's items, names; NULL
 * if there is none. */
const struct reading *sweep_next_item(const struct reading *root, const struct field *field, const char *path,
                                      const struct reading *after);

/* The value that NODE gives to FIELD, in canonical form; NULL with a fault, or when out of
 * memory (see memory_failed). */
char *sweep_value(struct loader *loader, const struct field *field, const char *path,
                  const struct node *node);

/* Reads "at" (NODE; NULL: left out) into POINT. False only when out of memory. */
bool sweep_read_point(struct loader *loader, const struct reading *reading, const struct node *node,
                      struct scenario_point *point);

/* Reads "sweep" into SCENARIO, whose other fields ROOT tells of. False only when out of memory. */
bool sweep_read_axes(struct loader *loader, const struct reading *root, struct scenario *scenario);

/* *INDEX: that of the first value of AXIS that stands there already, or how many there are. False when out of
 * memory. */
bool sweep_duplicate(const struct scenario_axis *axis, size_t *index);

#endif
