/*
 * The one field table: the models' tables, each at its place in a struct scenario, joined with the fields of
 * the scenario itself. Loading, defaults, printing, sweeps, the JSON Schema and the reference page
 * all walk it.
 */
#ifndef SCENARIOS_FIELDS_H
#define SCENARIOS_FIELDS_H

#include "models/parameter.h"
#include "scenarios/memory.h"

enum field_form {
    FIELD_VALUE, /* one value, or a list of numbers */
    FIELD_ITEMS, /* a list of mappings */
    FIELD_AXES,  /* "sweep": values by path, a struct scenario_axis each */
    FIELD_POINT, /* "at": one value by path, a struct scenario_point */
};

/* Parts of a law, in the order in which they are written. */
enum law_part {
    LAW_NONE, /* the field is no part of a law */
    LAW_NAME,
    LAW_MEAN,
    LAW_MEDIAN,
    LAW_LOW,
    LAW_HIGH,
    LAW_DEVIATION,
    LAW_SHAPE,
    LAW_POWER,
    LAW_SIGMA,
    LAW_VALUES,
    LAW_PARTS
};

struct scope;

struct field {
    enum field_form form;
    struct parameter row; /* path from the scope's root, offset in the scope's struct */
    bool in_options;      /* lands in the struct of the item's kind instead */
    /* of a law's part: its default holds on conditions, see laws.h */
    enum law_part part;
    const struct parameter_law *law;
    size_t law_offset; /* of the struct sim_law_spec, where row.offset is the part's own */
    /* of FIELD_ITEMS: where address and number of the items land */
    const struct parameter_list *list;
    size_t items_offset, count_offset;
    struct scope *kinds; /* the fields of an item, by kind (see fields_kind) */
    size_t kind_count;
};

/* The fields of one mapping, sections and all. */
struct scope {
    struct field *fields;
    size_t count;
    const struct parameter_variant *variant; /* of an item that comes in kinds */
};

/* Builds the table for a struct scenario in MEMORY; NULL when out of memory. */
const struct scope *fields_create(struct scenario_memory *memory);

/* Gives every field that names a chip these NAMES to choose from (chip_name, NULL at the end), which live as
 * long as the table. */
void fields_name_chips(const struct scope *root, const char *const *names);

/* The field whose path is PATH, or NULL. */
const struct field *fields_find(const struct scope *scope, const char *path);

/* Which of LIST's kinds an item is whose deciding field (fields_decider) has the value WORD: a strategy's
 * kind; for an expectation, the dimension and range of its metric, or none if it is COMPARED: has a value for
 * fields_comparator. A word that decides nothing gives kind_count. */
size_t fields_kind(const struct field *list, const char *word, bool compared);

/* The key that decides the kind of LIST's items; NULL where there is one kind. */
const char *fields_decider(const struct field *list);

/* The key that makes an item's figures shares, whatever their metric's unit; NULL where none does. */
const char *fields_comparator(const struct field *list);

/* The key that makes an item of LIST one about the value of a field; NULL where none does. The fields of such
 * an item, when that field has DIMENSION, or is a SHARE, a pure number from 0 to 1. */
const char *fields_solver(const struct field *list);
const struct scope *fields_solved(const struct field *list, enum parameter_dimension dimension, bool share);

/* Whether the field's path is PREFIX, dot and all, and one word. */
bool fields_is_directly_below(const struct field *field, const char *prefix);

/* Whether FIELD says in another way what OTHER says, so that both can't be given. */
bool fields_excludes(const struct field *field, const struct field *other);

/* Whether PATH is a section: the beginning, up to a dot, of some field's path. */
bool fields_is_section(const struct scope *scope, const char *path);

/* The field that an override or an axis with PATH sets: below a list the item's name or index is passed over.
 * An item's field is looked for in every kind. NULL with *NEAR (or NULL) as the path that may have been
 * meant. */
const struct field *fields_resolve(const struct scope *root, const char *path, const char **near,
                                   struct scenario_memory *memory);

/* How PARAMETER_LAW parts are called below the law's path; that of the mean is in the law. */
const char *fields_law_part(const struct parameter_law *law, enum law_part part);

/* The struct sim_law_spec member of a part. */
size_t fields_law_offset(enum law_part part);

/* Whether FIELD of SCOPE is in the unit of the item's metric, or of the field that is solved for. */
bool fields_is_figure(const struct scope *scope, const struct field *field);

#endif
