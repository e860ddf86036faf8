/*
 * A path is first looked for in the table, so that a slip is told from a field that this scenario's
 * strategies don't have. Values are collected in the loader's memory with their places, of which a range has
 * one for all its values.
 */
#include "scenarios/sweep.h"

#include "scenarios/condition.h"
#include "scenarios/number.h"
#include "scenarios/question.h"
#include "scenarios/range.h"
#include "scenarios/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_LIMIT = 10000, LOGARITHMIC_DIGITS = 6 };

const struct field *sweep_field(struct loader *loader, const char *path, struct place place)
{
    const char *near = NULL;
    char quoted[FAULTS_QUOTED];
    const struct field *field = fields_resolve(loader->root, path, &near, loader->scratch);
    faults_quote(quoted, path);
    if (field && field->form == FIELD_VALUE)
        return field;
    if (field)
        faults_add(&loader->faults, place, "%s is a list of mappings; name a field in it", quoted);
    else if (fields_is_section(loader->root, path))
        faults_add(&loader->faults, place, "%s is a section; name a field in it", quoted);
    else if (near)
        faults_add(&loader->faults, place, "no field is called %s; did you mean \"%s\"?", quoted, near);
    else
        faults_add(&loader->faults, place, "no field is called %s", quoted);
    return NULL;
}

char *sweep_value(struct loader *loader, const struct field *field, const char *path, const struct node *node)
{
    union value value;
    struct value_fault fault;
    if (!value_read(loader->units, loader->scratch, &field->row, node, &value, &fault)) {
        faults_add(&loader->faults, fault.node->place, "%s: %s", path, fault.message);
        return NULL;
    }
    struct writer writer = {0};
    value_write(loader->units, &field->row, &value, &writer);
    char *text = writer_take(&writer);
    if (!text)
        memory_fail(loader->memory);
    char *kept = text ? memory_copy(loader->memory, text, strlen(text)) : NULL;
    free(text);
    return kept;
}

/* Whether NAME, of a known length, is the item's name or its index, or stands for every item. */
static bool is_item(const struct reading *item, size_t index, const char *name, size_t length)
{
    const struct node *node = document_member(item->mapping, "name", 4);
    if (length == 1 && *name == '*')
        return true;
    if (node && node->kind == NODE_SCALAR && strlen(node->text) == length &&
        strncmp(node->text, name, length) == 0)
        return true;
    char *end;
    return *name >= '0' && *name <= '9' && strtoull(name, &end, 10) == index && end == name + length;
}

const struct reading *sweep_next_item(const struct reading *root, const struct field *field, const char *path,
                                      const struct reading *after)
{
    size_t end = strlen(path) - strlen(field->row.path) - 1, index = 0;
    const struct field *list = NULL;
    for (const struct reading *item = root->items; item < root->items + root->item_count; item++) {
        if (!item->list)
            continue;
        size_t start = strlen(item->list->row.path) + 1;
        index = item->list == list ? index + 1 : 0;
        list = item->list;
        if ((!after || item > after) && start < end && strncmp(path, list->row.path, start - 1) == 0 &&
            path[start - 1] == '.' && is_item(item, index, path + start, end - start))
            return item;
    }
    return NULL;
}

/* Whether the scenario has what PATH names, one item or all, and each has FIELD; a fault if not. */
static bool check_items(struct loader *loader, const struct reading *root, const struct field *field,
                        const char *path, struct place place)
{
    const struct reading *item = sweep_next_item(root, field, path, NULL);
    if (!item)
        faults_add(&loader->faults, place, "the scenario has no \"%.*s\"",
                   (int)(strlen(path) - strlen(field->row.path) - 1), path);
    bool good = item != NULL;
    for (; item && good; item = sweep_next_item(root, field, path, item)) {
        good = fields_find(item->scope, field->row.path) != NULL;
        if (!good)
            faults_add(&loader->faults, place, "%s has no %s", item->scope->variant->name, field->row.path);
    }
    return good;
}

const struct field *sweep_find_field(struct loader *loader, const struct reading *root, const char *path,
                                     struct place place)
{
    const struct field *field = sweep_field(loader, path, place);
    if (!field || strcmp(field->row.path, path) == 0 || check_items(loader, root, field, path, place))
        return field;
    return NULL;
}

double sweep_present_value(const struct reading *root, const struct field *field, const char *path)
{
    const struct reading *reading = root;
    if (strcmp(field->row.path, path) != 0) {
        reading = sweep_next_item(root, field, path, NULL);
        field = reading && reading->scope ? fields_find(reading->scope, field->row.path) : NULL;
    }
    if (!field)
        return NAN;
    const void *target = loader_target(reading, field);
    union value value;
    if (value_is_unset(&field->row, target))
        return NAN;
    memcpy(&value, target, field->row.type == PARAMETER_REAL ? sizeof value.real : sizeof value.integer);
    return range_as_real(&field->row, &value);
}

bool sweep_read_point(struct loader *loader, const struct reading *reading, const struct node *node,
                      struct scenario_point *point)
{
    if (!node || document_is_null(node))
        return true;
    if (node->kind != NODE_MAPPING) {
        faults_add(&loader->faults, node->place, "%sat: expected a mapping of paths to values",
                   reading->path);
        return true;
    }
    point->settings = memory_take(loader->memory, node->count, sizeof *point->settings);
    if (!point->settings)
        return false;
    for (const struct node *member = node->first; member; member = member->next) {
        const struct field *field = sweep_field(loader, member->key, member->key_place);
        char *path = memory_copy(loader->memory, member->key, strlen(member->key));
        char *value = field ? sweep_value(loader, field, member->key, member) : NULL;
        point->settings[point->count++] = (struct scenario_setting){path, value};
    }
    return true;
}

/* Values of an axis */

struct ranked {
    const char *value;
    size_t index;
};

static int by_value(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = strcmp(a->value, b->value);
    return order ? order : a->index < b->index ? -1 : 1;
}

/* *INDEX: that of the first value of AXIS that stands there already, or how many there are. False when out of
 * memory. */
static bool find_duplicate(const struct sweep_axis *axis, size_t *index)
{
    size_t count = 0;
    struct ranked *ranked = calloc(axis->count + 1, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i]) /* not refused */
            ranked[count++] = (struct ranked){axis->values[i], i};
    qsort(ranked, count, sizeof *ranked, by_value);
    *index = axis->count;
    for (size_t i = 1; i < count; i++)
        if (strcmp(ranked[i].value, ranked[i - 1].value) == 0 && ranked[i].index < *index)
            *index = ranked[i].index;
    free(ranked);
    return true;
}

bool sweep_refuse_duplicate(struct loader *loader, const struct sweep_axis *axis)
{
    size_t index;
    if (!find_duplicate(axis, &index))
        return false;
    if (index < axis->count)
        faults_add(&loader->faults, axis->places[index], "%s%s is given the value %.80s twice", axis->label,
                   axis->path, axis->values[index]);
    return true;
}

/* Makes room for one more. */
static bool grow(struct loader *loader, struct sweep_axis *axis)
{
    if (axis->count < axis->room)
        return true;
    size_t room = axis->room ? 2 * axis->room : 8;
    char **values = memory_take(loader->memory, room, sizeof *values);
    struct place *places = memory_take(loader->memory, room, sizeof *places);
    if (!values || !places)
        return false;
    if (axis->count) {
        memcpy(values, axis->values, axis->count * sizeof *values);
        memcpy(places, axis->places, axis->count * sizeof *places);
    }
    axis->values = values;
    axis->places = places;
    axis->room = room;
    return true;
}

static bool put(struct loader *loader, struct sweep_axis *axis, char *value, struct place place)
{
    if (axis->count == VALUE_LIMIT)
        faults_add(&loader->faults, place, "%s%s has more than %d values", axis->label, axis->path,
                   VALUE_LIMIT);
    if (axis->count > VALUE_LIMIT)
        return true;
    if (!grow(loader, axis))
        return false;
    axis->values[axis->count] = value;
    axis->places[axis->count++] = place;
    return true;
}

/* The value in canonical form; steps of equal factors are rounded to what people would write. */
static char *range_text_of(struct loader *loader, const struct field *field,
                           const struct scenario_search *search, int64_t i)
{
    double real = scenario_search_point(search, i);
    if (search->logarithmic && i > 0 && i < search->points - 1 && search->type != PARAMETER_INTEGER)
        real = number_round(real, LOGARITHMIC_DIGITS);
    union value value = {.real = real};
    if (search->type == PARAMETER_TIME)
        value.time = sim_time_from_seconds(real);
    else if (search->type == PARAMETER_INTEGER)
        value.integer = llround(real);
    struct writer writer = {0};
    value_write(loader->units, &field->row, &value, &writer);
    char *text = writer_take(&writer), *kept = text ? memory_copy(loader->memory, text, strlen(text)) : NULL;
    if (!text)
        memory_fail(loader->memory);
    free(text);
    return kept;
}

/* Whole numbers that are rounded to the same one are taken once. */
static bool add_range(struct loader *loader, struct sweep_axis *axis, const struct node *node)
{
    const struct parameter *row = &axis->field->row;
    struct scenario_search search = {.type = row->type, .dimension = row->dimension};
    const char *label = memory_format(loader->scratch, "%s%s: ", axis->label, axis->path);
    struct range_text range = {loader, label ? label : "", node->place};
    if (!range_read(&range, axis->field, node->text, &search))
        return put(loader, axis, NULL, node->place);
    const char *last = "";
    for (int64_t i = 0; i < search.points; i++) {
        char *value = range_text_of(loader, axis->field, &search, i);
        if (!value || (strcmp(value, last) != 0 && !put(loader, axis, value, node->place)))
            return false;
        last = value;
    }
    return true;
}

bool sweep_add(struct loader *loader, struct sweep_axis *axis, const struct node *node)
{
    if (node->kind == NODE_SCALAR && range_is_meant(axis->field, node->text))
        return add_range(loader, axis, node);
    const char *path = memory_format(loader->scratch, "%s%s", axis->label, axis->path);
    char *value = path ? sweep_value(loader, axis->field, path, node) : NULL;
    return !memory_failed(loader->memory) && !memory_failed(loader->scratch) &&
           put(loader, axis, value, node->place);
}

void sweep_check_lockstep(struct loader *loader, const struct sweep_axis *first,
                          const struct sweep_axis *axis, struct place place)
{
    if (first->count && axis->count && first->count != axis->count)
        faults_add(&loader->faults, place, "%s%s has %zu value%s, but %s, which it moves with, has %zu",
                   axis->label, axis->path, axis->count, axis->count == 1 ? "" : "s", first->path,
                   first->count);
}

/* "sweep" */

/* What is read from. */
struct sweeping {
    struct loader *loader;
    const struct reading *root;
    struct scenario *scenario;
};

static bool is_list(const struct node *node)
{
    return node->kind == NODE_SEQUENCE && node->count > 0;
}

static void refuse_values(const struct sweeping *sweeping, const struct node *node)
{
    bool empty = node->kind == NODE_SEQUENCE;
    faults_add(&sweeping->loader->faults, empty ? node->key_place : node->place,
               "sweep: expected a list of values, or a range such as \"1..16 step 5\", for \"%.80s\"",
               node->key);
}

/* False when out of memory. */
static bool read_values(const struct sweeping *sweeping, const struct node *node, struct sweep_axis *axis)
{
    struct loader *loader = sweeping->loader;
    *axis = (struct sweep_axis){.path = node->key, .label = "sweep: "};
    axis->field = sweep_find_field(loader, sweeping->root, node->key, node->key_place);
    bool range = axis->field && node->kind == NODE_SCALAR && range_is_meant(axis->field, node->text);
    if (!range && !is_list(node)) {
        refuse_values(sweeping, node);
        return true;
    }
    if (range)
        return sweep_add(loader, axis, node);
    for (const struct node *item = node->first; axis->field && item; item = item->next)
        if (!sweep_add(loader, axis, item))
            return false;
    return true;
}

static void refuse_second(const struct sweeping *sweeping, const struct node *node)
{
    for (size_t i = 0; i < sweeping->scenario->axis_count; i++)
        if (strcmp(sweeping->scenario->axes[i].path, node->key) == 0)
            faults_add(&sweeping->loader->faults, node->key_place,
                       "sweep: %.80s is given twice; put all its values into one list", node->key);
}

/* Reads an axis that moves with FIRST, or (NULL) on its own. False when out of memory. */
static bool read_axis(const struct sweeping *sweeping, const struct node *node,
                      const struct sweep_axis *first, struct sweep_axis *axis)
{
    struct scenario *scenario = sweeping->scenario;
    refuse_second(sweeping, node);
    if (!read_values(sweeping, node, axis))
        return false;
    if (first)
        sweep_check_lockstep(sweeping->loader, first, axis, node->key_place);
    char *path = memory_copy(sweeping->loader->memory, node->key, strlen(node->key));
    scenario->axes[scenario->axis_count++] =
        (struct scenario_axis){path, axis->values, axis->count, first != NULL};
    return path != NULL;
}

static bool is_condition(const struct node *member)
{
    return strcmp(member->key, "where") == 0;
}

/* One text. False when out of memory. */
static bool read_condition(const struct sweeping *sweeping, const struct node *node)
{
    struct scenario *scenario = sweeping->scenario;
    if (node->kind != NODE_SCALAR || document_is_null(node)) {
        faults_add(&sweeping->loader->faults, node->place,
                   "sweep: where: expected a condition such as \"cluster.chips >= 64\", or a list of them");
        return true;
    }
    condition_evaluate(sweeping->loader, sweeping->root, "sweep: where: ", node);
    char *text = memory_copy(sweeping->loader->memory, node->text, strlen(node->text));
    scenario->conditions[scenario->condition_count++] = text;
    return text != NULL;
}

/* One, or a list of them. */
static bool read_conditions(const struct sweeping *sweeping, const struct node *node)
{
    if (node->kind != NODE_SEQUENCE)
        return read_condition(sweeping, node);
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_condition(sweeping, item))
            return false;
    return true;
}

static size_t count_axes(const struct node *mapping)
{
    size_t count = 0;
    for (const struct node *member = mapping->first; member; member = member->next)
        count += !is_condition(member);
    return count;
}

/* The axes of one mapping, which move together if LOCKED. A value twice would be a point twice, but for an
 * axis that moves with another one. */
static bool read_mapping(const struct sweeping *sweeping, const struct node *mapping, bool locked)
{
    struct sweep_axis first, axis;
    bool opened = false, alone = !locked || count_axes(mapping) == 1;
    for (const struct node *member = mapping->first; member; member = member->next) {
        if (is_condition(member)) {
            if (!read_conditions(sweeping, member))
                return false;
            continue;
        }
        if (!read_axis(sweeping, member, alone || !opened ? NULL : &first, &axis) ||
            (alone && !sweep_refuse_duplicate(sweeping->loader, &axis)))
            return false;
        if (!opened)
            first = axis;
        opened = true;
    }
    return true;
}

static size_t count_conditions(const struct node *mapping)
{
    const struct node *node = document_member(mapping, "where", strlen("where"));
    return !node ? 0 : node->kind == NODE_SEQUENCE ? node->count : 1;
}

static bool make_room(const struct sweeping *sweeping, size_t axes, size_t conditions)
{
    struct scenario *scenario = sweeping->scenario;
    scenario->axes = memory_take(sweeping->loader->memory, axes, sizeof *scenario->axes);
    scenario->conditions = memory_take(sweeping->loader->memory, conditions, sizeof *scenario->conditions);
    return scenario->axes && scenario->conditions;
}

/* Mappings that multiply, the axes within each moving together. */
static bool read_mappings(const struct sweeping *sweeping, const struct node *list)
{
    size_t axes = 0, conditions = 0;
    for (const struct node *item = list->first; item; item = item->next) {
        if (item->kind != NODE_MAPPING) {
            faults_add(&sweeping->loader->faults, item->place,
                       "sweep: expected a mapping of paths, which move together, to lists of values");
            return true;
        }
        axes += count_axes(item);
        conditions += count_conditions(item);
    }
    if (!make_room(sweeping, axes, conditions))
        return false;
    for (const struct node *item = list->first; item; item = item->next)
        if (!read_mapping(sweeping, item, true))
            return false;
    return true;
}

bool sweep_read_axes(struct loader *loader, const struct reading *root, struct scenario *scenario)
{
    const struct sweeping sweeping = {loader, root, scenario};
    const struct node *node = document_member(root->mapping, "sweep", 5);
    if (!node || document_is_null(node))
        return true;
    if (node->kind == NODE_SEQUENCE)
        return read_mappings(&sweeping, node);
    if (node->kind == NODE_MAPPING)
        return make_room(&sweeping, count_axes(node), count_conditions(node)) &&
               read_mapping(&sweeping, node, false);
    faults_add(&loader->faults, node->place,
               "sweep: expected a mapping of paths to lists of values, or a list of such mappings");
    return true;
}
