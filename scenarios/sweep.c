/*
 * A path is first looked for in the table, so that a slip is told from a field that this scenario's
 * strategies don't have.
 */
#include "scenarios/sweep.h"

#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_LIMIT = 10000 };

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

bool sweep_duplicate(const struct scenario_axis *axis, size_t *index)
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

/* False when out of memory. */
static bool refuse_duplicate(struct loader *loader, const struct scenario_axis *axis, const struct node *node)
{
    size_t index;
    const struct node *item = node->first;
    if (!sweep_duplicate(axis, &index))
        return false;
    if (index == axis->count)
        return true;
    while (item->next && index-- > 0)
        item = item->next;
    faults_add(&loader->faults, item->place, "sweep: %s is given this value twice", axis->path);
    return true;
}

static bool read_axis(struct loader *loader, const struct reading *root, const struct node *node,
                      struct scenario_axis *axis)
{
    const struct field *field = sweep_find_field(loader, root, node->key, node->key_place);
    if (node->kind != NODE_SEQUENCE || node->count == 0 || node->count > VALUE_LIMIT) {
        faults_add(&loader->faults, node->kind == NODE_SEQUENCE ? node->key_place : node->place,
                   "sweep: expected a list of 1 to %d values for \"%.80s\"", VALUE_LIMIT, node->key);
        return true;
    }
    axis->path = memory_copy(loader->memory, node->key, strlen(node->key));
    axis->values = memory_take(loader->memory, node->count, sizeof *axis->values);
    if (!axis->path || !axis->values)
        return false;
    for (const struct node *item = node->first; field && item; item = item->next)
        axis->values[axis->count++] = sweep_value(loader, field, node->key, item);
    return refuse_duplicate(loader, axis, node);
}

bool sweep_read_axes(struct loader *loader, const struct reading *root, struct scenario *scenario)
{
    const struct node *node = document_member(root->mapping, "sweep", 5);
    if (!node || document_is_null(node))
        return true;
    if (node->kind != NODE_MAPPING) {
        faults_add(&loader->faults, node->place, "sweep: expected a mapping of paths to lists of values");
        return true;
    }
    scenario->axes = memory_take(loader->memory, node->count, sizeof *scenario->axes);
    if (!scenario->axes)
        return false;
    for (const struct node *member = node->first; member; member = member->next)
        if (!read_axis(loader, root, member, &scenario->axes[scenario->axis_count++]))
            return false;
    return true;
}
