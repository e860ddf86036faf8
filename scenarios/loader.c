/*
 * A mapping is walked once, key by key, and what is found is noted by field; then each field is filled from
 * what was noted, or from its default. Keys that lead nowhere are faults at their own places.
 */
#include "scenarios/loader.h"

#include "models/failures/fault.h"
#include "scenarios/expectations.h"
#include "scenarios/laws.h"
#include "scenarios/solve.h"
#include "scenarios/spelling.h"
#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ITEM_LIMIT = 10000 };

bool loader_open(struct loader *loader, struct error *error)
{
    *loader = (struct loader){0};
    loader->memory = memory_create();
    loader->scratch = memory_create();
    loader->faults.memory = loader->scratch;
    loader->units = units_create();
    loader->root = loader->scratch ? fields_create(loader->scratch) : NULL;
    if (loader->memory && loader->units && loader->root)
        return true;
    memory_destroy(loader->memory);
    loader_close(loader);
    error_out_of_memory(error, "the field table");
    return false;
}

void loader_close(struct loader *loader)
{
    memory_destroy(loader->scratch);
    units_destroy(loader->units);
}

void *loader_target(const struct reading *reading, const struct field *field)
{
    return (field->in_options ? reading->options : reading->base) + field->row.offset;
}

/* The part of PATH that comes behind PREFIX, up to the next dot; NULL if PATH is elsewhere. */
static const char *next_segment(struct scenario_memory *memory, const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0)
        return NULL;
    return memory_copy(memory, path + length, strcspn(path + length, "."));
}

/* The nearest key among those that may stand behind PREFIX. */
static const char *nearest_key(struct loader *loader, const struct scope *scope, const char *prefix,
                               const char *key)
{
    const char *best = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < scope->count; i++) {
        const char *segment = next_segment(loader->scratch, scope->fields[i].row.path, prefix);
        if (segment)
            spelling_consider(key, segment, &best, &distance);
    }
    return best;
}

/* What the mean of the law behind PREFIX is called, if KEY asks for that. */
static const char *law_mean(struct loader *loader, const struct scope *scope, const char *prefix,
                            const char *key)
{
    for (size_t i = 0; i < scope->count && strcmp(key, "mean") == 0; i++)
        if (scope->fields[i].part == LAW_MEAN && fields_is_directly_below(&scope->fields[i], prefix))
            return next_segment(loader->scratch, scope->fields[i].row.path, prefix);
    return NULL;
}

/* A field anywhere in the scenario whose last segment is KEY: it was put into the wrong section. */
static const char *same_key_elsewhere(const struct loader *loader, const char *key)
{
    for (size_t i = 0; i < loader->root->count; i++) {
        const char *path = loader->root->fields[i].row.path, *dot = strrchr(path, '.');
        if (dot && strcmp(dot + 1, key) == 0)
            return path;
    }
    return NULL;
}

/* The keys that may stand behind PREFIX, each once, in the table's order. */
static const char *list_keys(struct loader *loader, const struct scope *scope, const char *prefix)
{
    const char *list = "", *last = "";
    for (size_t i = 0; list && i < scope->count; i++) {
        const char *segment = next_segment(loader->scratch, scope->fields[i].row.path, prefix);
        if (!segment || strcmp(segment, last) == 0)
            continue;
        list = memory_format(loader->scratch, "%s%s%s", list, *list ? ", " : "", segment);
        last = segment;
    }
    return list ? list : "";
}

/* The kinds of strategy that have the field KEY, which this one has not. */
static const char *kinds_with(struct loader *loader, const struct reading *reading, const char *key)
{
    const char *list = NULL;
    for (size_t kind = 0; reading->list && kind < reading->list->kind_count; kind++) {
        const struct scope *scope = &reading->list->kinds[kind];
        if (scope->variant && fields_find(scope, key))
            list = memory_format(loader->scratch, "%s%s%s", list ? list : "", list ? ", " : "",
                                 scope->variant->name);
    }
    return list;
}

static void refuse_key(struct loader *loader, const struct reading *reading, const struct node *node,
                       const char *prefix)
{
    char key[FAULTS_QUOTED];
    faults_quote(key, node->key);
    const char *near = law_mean(loader, reading->scope, prefix, node->key);
    if (!near)
        near = nearest_key(loader, reading->scope, prefix, node->key);
    const char *kinds = kinds_with(loader, reading, node->key);
    const char *elsewhere = same_key_elsewhere(loader, node->key);
    if (kinds)
        faults_add(&loader->faults, node->key_place, "%s has no %s; it belongs to %s",
                   reading->scope->variant->name, key, kinds);
    else if (near)
        faults_add(&loader->faults, node->key_place, "unknown key %s; did you mean \"%s\"?", key, near);
    else if (elsewhere)
        faults_add(&loader->faults, node->key_place, "unknown key %s; did you mean \"%s\"?", key, elsewhere);
    else
        faults_add(&loader->faults, node->key_place, "unknown key %s; expected one of %s", key,
                   list_keys(loader, reading->scope, prefix));
}

static void note_members(struct loader *loader, struct reading *reading, const struct node *mapping,
                         const char *prefix);

static void note_section(struct loader *loader, struct reading *reading, const struct node *node,
                         const char *path)
{
    const char *prefix = memory_format(loader->scratch, "%s.", path);
    if (!prefix || (node->kind == NODE_SCALAR && document_is_null(node)))
        return;
    if (node->kind == NODE_MAPPING)
        note_members(loader, reading, node, prefix);
    else
        faults_add(&loader->faults, node->place, "%s%s is a section; expected a mapping with %s",
                   reading->path, path, list_keys(loader, reading->scope, prefix));
}

static void note_members(struct loader *loader, struct reading *reading, const struct node *mapping,
                         const char *prefix)
{
    for (const struct node *node = mapping->first; node; node = node->next) {
        const char *path = memory_format(loader->scratch, "%s%s", prefix, node->key);
        if (!path)
            return;
        const struct field *field = strchr(node->key, '.') ? NULL : fields_find(reading->scope, path);
        if (field)
            reading->nodes[field - reading->scope->fields] = node;
        else if (!strchr(node->key, '.') && fields_is_section(reading->scope, path))
            note_section(loader, reading, node, path);
        else
            refuse_key(loader, reading, node, prefix);
    }
}

struct place loader_place(const struct reading *reading, const char *path)
{
    const struct node *node = reading->mapping;
    struct place place = node->place;
    while (*path && node && node->kind == NODE_MAPPING) {
        size_t length = strcspn(path, ".");
        node = document_member(node, path, length);
        if (node)
            place = path[length] || node->kind != NODE_SCALAR ? node->key_place : node->place;
        path += length + (path[length] == '.');
    }
    return place;
}

/* Whether a section that PATH is in is no mapping, which is a fault of its own. */
static bool in_broken_section(const struct node *mapping, const char *path)
{
    size_t length = strcspn(path, ".");
    const struct node *node = mapping;
    while (path[length] && node && node->kind == NODE_MAPPING) {
        node = document_member(node, path, length);
        path += length + 1;
        length = strcspn(path, ".");
    }
    return node && node->kind != NODE_MAPPING && !document_is_null(node);
}

static void refuse_missing(struct loader *loader, const struct reading *reading, const struct field *field)
{
    if (!in_broken_section(reading->mapping, field->row.path))
        faults_add(&loader->faults, loader_place(reading, field->row.path), "%s%s is missing: %s",
                   reading->path, field->row.path, field->row.sentence);
}

/* A default is right by construction; the tests load them all. */
static void fill_default(struct loader *loader, const struct reading *reading, const struct field *field)
{
    void *target = loader_target(reading, field);
    value_unset(&field->row, target);
    if (!field->row.fallback) {
        refuse_missing(loader, reading, field);
        return;
    }
    struct value_fault fault;
    bool good =
        !*field->row.fallback || field->part != LAW_NONE ||
        value_read_text(loader->units, loader->memory, &field->row, field->row.fallback, target, &fault);
    assert(good || memory_failed(loader->memory));
    (void)good;
}

static enum field_state fill_value(struct loader *loader, const struct reading *reading,
                                   const struct field *field, const struct node *node)
{
    void *target = loader_target(reading, field);
    bool optional = field->row.fallback && !*field->row.fallback;
    struct value_fault fault;
    value_unset(&field->row, target);
    if (optional && document_is_null(node))
        return FIELD_DEFAULTED;
    if (value_read(loader->units, loader->memory, &field->row, node, target, &fault))
        return FIELD_GIVEN;
    value_unset(&field->row, target);
    faults_add(&loader->faults, fault.node->place, "%s%s: %s", reading->path, field->row.path, fault.message);
    return FIELD_FAULTY;
}

static bool is_compared(const struct field *list, const struct node *item)
{
    const char *key = fields_comparator(list);
    const struct node *other = key ? document_member(item, key, strlen(key)) : NULL;
    return other && !(other->kind == NODE_SCALAR && document_is_null(other));
}

/* The path that an item is to be solved for; NULL: none. */
static const struct node *solved_path(const struct field *list, const struct node *item)
{
    const char *key = fields_solver(list);
    const struct node *path = key ? document_member(item, key, strlen(key)) : NULL;
    return path && path->kind == NODE_SCALAR && !document_is_null(path) ? path : NULL;
}

static bool is_share(const struct parameter *row)
{
    return row->dimension == DIMENSION_NONE && row->type == PARAMETER_REAL && row->minimum >= 0 &&
           row->minimum < row->maximum && row->maximum <= 1;
}

/* The fields of an item: of its kind, if what decides it is there and known. */
static const struct scope *item_scope(struct loader *loader, const struct field *list,
                                      const struct node *item)
{
    const struct node *path = solved_path(list, item);
    if (path) {
        const struct field *field = solve_field(loader, path->text, path->place);
        return field ? fields_solved(list, field->row.dimension, is_share(&field->row)) : NULL;
    }
    const char *decider = fields_decider(list);
    if (!decider)
        return &list->kinds[0];
    const struct node *word = document_member(item, decider, strlen(decider));
    size_t kind = word && word->kind == NODE_SCALAR ? fields_kind(list, word->text, is_compared(list, item))
                                                    : list->kind_count;
    return kind < list->kind_count ? &list->kinds[kind] : NULL;
}

/* "strategies.decoupled." or, without a name or with a long one, "strategies.2."; a fault of a failure
 * process comes with its name (check_failures.c), which is never that long. */
static const char *item_path(struct loader *loader, const char *list, const struct node *item, size_t index)
{
    const struct node *name = document_member(item, "name", 4);
    if (name && name->kind == NODE_SCALAR && *name->text && strlen(name->text) < FAULT_NAME)
        return memory_format(loader->scratch, "%s.%s.", list, name->text);
    return memory_format(loader->scratch, "%s.%zu.", list, index);
}

/* An item of no known kind: only what decides the kind can be held against the table. */
static void refuse_kind(struct loader *loader, const struct field *list, const struct node *item,
                        const char *path)
{
    const struct field *field = fields_find(&list->kinds[0], fields_decider(list));
    const struct node *word = document_member(item, field->row.path, strlen(field->row.path));
    const char *unknown = memory_format(loader->scratch, "%s%s: unknown", path, field->row.path);
    struct value_fault fault;
    union value value;
    if (!word)
        faults_add(&loader->faults, item->place, "%s%s is missing: %s", path, field->row.path,
                   field->row.sentence);
    else if (!value_read(loader->units, loader->scratch, &field->row, word, &value, &fault))
        faults_add(&loader->faults, word->place, "%s%s: %s", path, field->row.path, fault.message);
    else if (unknown)
        expectations_refuse_metric(loader, word, unknown);
}

/* What was found instead of a list is told what one looks like, by a field that an item must have. */
static void refuse_items(struct loader *loader, const struct place place, const char *prefix,
                         const struct field *list)
{
    const struct scope *item = &list->kinds[0];
    size_t shown = 0;
    for (size_t i = item->count; i-- > 0;)
        if (!item->fields[i].row.fallback)
            shown = i;
    faults_add(&loader->faults, place, "%s%s: expected a list of mappings, such as [{%s: ...}]", prefix,
               list->row.path, item->fields[shown].row.path);
}

/* Reads one item into the struct at BASE. */
static bool read_item(struct loader *loader, const struct field *list, const struct node *item, size_t index,
                      struct reading *reading, char *base)
{
    if (item->kind != NODE_MAPPING) {
        refuse_items(loader, item->place, "", list);
        return true;
    }
    const char *path = item_path(loader, list->row.path, item, index);
    const struct scope *scope = item_scope(loader, list, item);
    if (!path)
        return false;
    if (!scope) {
        if (!solved_path(list, item)) /* whose faults are told */
            refuse_kind(loader, list, item, path);
        return true;
    }
    *reading = (struct reading){.scope = scope, .mapping = item, .path = path, .list = list, .base = base};
    if (scope->variant) {
        reading->options = memory_take(loader->memory, 1, scope->variant->size);
        if (!reading->options)
            return false;
        memcpy(base + list->list->options_offset, &reading->options, sizeof reading->options);
    }
    return loader_fill(loader, reading);
}

static bool check_item_count(struct loader *loader, const struct reading *reading, const struct field *field,
                             const struct node *node)
{
    const char *path = field->row.path;
    if (node->kind != NODE_SEQUENCE)
        refuse_items(loader, node->place, reading->path, field);
    else if (node->count < field->list->minimum_items)
        faults_add(&loader->faults, node->key_place, "%s%s: needs at least %zu item%s", reading->path, path,
                   field->list->minimum_items, field->list->minimum_items == 1 ? "" : "s");
    else if (node->count > ITEM_LIMIT)
        faults_add(&loader->faults, node->key_place, "%s%s: %zu items are more than the %d allowed",
                   reading->path, path, node->count, ITEM_LIMIT);
    else
        return true;
    return false;
}

/* Makes room for the readings of COUNT more items. */
static struct reading *add_readings(struct loader *loader, struct reading *reading, size_t count)
{
    struct reading *all = memory_take(loader->scratch, reading->item_count + count, sizeof *all);
    if (!all)
        return NULL;
    if (reading->item_count)
        memcpy(all, reading->items, reading->item_count * sizeof *all);
    struct reading *added = all + reading->item_count;
    reading->items = all;
    reading->item_count += count;
    return added;
}

static bool fill_items(struct loader *loader, struct reading *reading, const struct field *field,
                       const struct node *node)
{
    if (!node || document_is_null(node)) {
        if (!field->row.fallback)
            refuse_missing(loader, reading, field);
        return true;
    }
    if (!check_item_count(loader, reading, field, node))
        return true;
    size_t size = field->list->item_size, index = 0;
    char *items = memory_take(loader->memory, node->count, size);
    struct reading *readings = add_readings(loader, reading, node->count);
    if (!items || !readings)
        return false;
    memcpy(reading->base + field->items_offset, &items, sizeof items);
    memcpy(reading->base + field->count_offset, &node->count, sizeof node->count);
    for (const struct node *item = node->first; item; item = item->next, index++)
        if (!read_item(loader, field, item, index, &readings[index], items + index * size))
            return false;
    return true;
}

static bool fill_field(struct loader *loader, struct reading *reading, size_t index)
{
    const struct field *field = &reading->scope->fields[index];
    const struct node *node = reading->nodes[index];
    switch (field->form) {
    case FIELD_ITEMS:
        return fill_items(loader, reading, field, node);
    case FIELD_AXES:
        return true; /* read when all else is known, see sweep.h */
    case FIELD_POINT:
        return sweep_read_point(loader, reading, node, loader_target(reading, field));
    default:
        break;
    }
    if (node)
        reading->states[index] = fill_value(loader, reading, field, node);
    else
        fill_default(loader, reading, field);
    return true;
}

/* The fields INDEX and OTHER say the same in two ways. */
static void refuse_pair(struct loader *loader, const struct reading *reading, size_t index, size_t other)
{
    const char *path = reading->scope->fields[index].row.path,
               *second = reading->scope->fields[other].row.path;
    char *name = source_name_place(loader->scratch, loader_place(reading, second));
    faults_add(&loader->faults, loader_place(reading, path),
               "%s%s: says in another way what %s%s says (%s); leave one of them out", reading->path, path,
               reading->path, second, name ? name : "");
}

/* Each field that stands instead of others is held against those. */
static void refuse_pairs(struct loader *loader, const struct reading *reading)
{
    const struct scope *scope = reading->scope;
    for (size_t i = 0; i < scope->count; i++)
        for (size_t j = 0; scope->fields[i].row.instead_of && j < scope->count; j++)
            if (reading->states[i] == FIELD_GIVEN && reading->states[j] == FIELD_GIVEN &&
                fields_excludes(&scope->fields[i], &scope->fields[j]))
                refuse_pair(loader, reading, i, j);
}

bool loader_fill(struct loader *loader, struct reading *reading)
{
    reading->nodes = memory_take(loader->scratch, reading->scope->count, sizeof(struct node *));
    reading->states = memory_take(loader->scratch, reading->scope->count, sizeof *reading->states);
    if (!reading->nodes || !reading->states)
        return false;
    note_members(loader, reading, reading->mapping, "");
    for (size_t i = 0; i < reading->scope->count; i++)
        if (!fill_field(loader, reading, i))
            return false;
    refuse_pairs(loader, reading);
    return laws_complete(loader, reading) && !memory_failed(loader->scratch) &&
           !memory_failed(loader->memory);
}
