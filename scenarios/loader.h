/*
 * Reads mappings of a document into structs, as the field table says.
 */
#ifndef SCENARIOS_LOADER_H
#define SCENARIOS_LOADER_H

#include "scenarios/document.h"
#include "scenarios/faults.h"
#include "scenarios/fields.h"
#include "scenarios/memory.h"
#include "scenarios/units.h"

struct loader {
    struct scenario_memory *memory;  /* of what is read: texts, lists, items */
    struct scenario_memory *scratch; /* of everything that loading needs */
    struct units *units;
    const struct scope *root; /* the field table */
    struct faults faults;
};

/* Prepares LOADER with its memories, units and the table; false with ERROR when out of memory. Loading done,
 * loader_close gives back all but MEMORY, which is the caller's. */
bool loader_open(struct loader *loader, struct error *error);
void loader_close(struct loader *loader);

enum field_state {
    FIELD_DEFAULTED, /* left out, or left empty where that is allowed */
    FIELD_GIVEN,
    FIELD_FAULTY, /* given, and refused */
};

/* One mapping that was read: which node gave each field, so that later checks can point at them. */
struct reading {
    const struct scope *scope;
    const struct node *mapping;
    const char *path;          /* of the mapping, for messages, with a dot at its end; "" at the root */
    const struct node **nodes; /* by field; NULL: it is not there */
    enum field_state *states;  /* by field */
    char *base, *options;      /* the structs filled */
    struct reading *items;     /* of the lists in this mapping, one after another */
    size_t item_count;
    const struct field *list; /* of which this is an item; NULL at the root */
};

/* Fills the structs of READING, whose scope, mapping, path, base and options are set, from its mapping.
 * Faults are added to the loader's. False only when out of memory. */
bool loader_fill(struct loader *loader, struct reading *reading);

/* Where the value of the field PATH stands; for a default, where the innermost section that it would be in
 * does. */
struct place loader_place(const struct reading *reading, const char *path);

/* Address of a field's value in what was read. */
void *loader_target(const struct reading *reading, const struct field *field);

#endif
