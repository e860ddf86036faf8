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

/* The value that the scenario has for FIELD, a number, at PATH, of the first item where it names several; in
 * SI units, times in seconds. NAN: none. */
double sweep_present_value(const struct reading *root, const struct field *field, const char *path);

/* The value that NODE gives to FIELD, in canonical form; NULL with a fault, or when out of
 * memory (see memory_failed). */
char *sweep_value(struct loader *loader, const struct field *field, const char *path,
                  const struct node *node);

/* Reads "at" (NODE; NULL: left out) into POINT. False only when out of memory. */
bool sweep_read_point(struct loader *loader, const struct reading *reading, const struct node *node,
                      struct scenario_point *point);

/* The values of an axis as they are read, in the loader's memory. */
struct sweep_axis {
    const struct field *field;
    const char *path;
    const char *label; /* before messages: "sweep: ", or "" */
    char **values;     /* NULL where one was refused */
    struct place *places;
    size_t count, room;
};

/* Adds what NODE gives to AXIS: a value or, of a number, a range ("1..16 step 5", see scenarios/range.h).
 * False only when out of memory. */
bool sweep_add(struct loader *loader, struct sweep_axis *axis, const struct node *node);

/* A fault at the second of two equal values, if there are any. False only when out of memory. */
bool sweep_refuse_duplicate(struct loader *loader, const struct sweep_axis *axis);

/* A fault if AXIS has another number of values than FIRST, which it moves with. */
void sweep_check_lockstep(struct loader *loader, const struct sweep_axis *first,
                          const struct sweep_axis *axis, struct place place);

/* Reads "sweep" into SCENARIO, whose other fields ROOT tells of. False only when out of memory. */
bool sweep_read_axes(struct loader *loader, const struct reading *root, struct scenario *scenario);

#endif
