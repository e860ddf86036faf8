/*
 * Fields by their paths, and what was meant by a path that is none's.
 */
#include "scenarios/fields.h"

#include "scenarios/spelling.h"
#include <string.h>

const struct field *fields_find(const struct scope *scope, const char *path)
{
    for (size_t i = 0; i < scope->count; i++)
        if (strcmp(scope->fields[i].row.path, path) == 0)
            return &scope->fields[i];
    return NULL;
}

bool fields_is_directly_below(const struct field *field, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(field->row.path, prefix, length) == 0 && !strchr(field->row.path + length, '.');
}

/* Whether PATH is the LENGTH bytes at WORD, or below that. */
static bool is_at_or_below(const char *path, const char *word, size_t length)
{
    return strncmp(path, word, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

bool fields_excludes(const struct field *field, const struct field *other)
{
    const char *word = field->row.instead_of;
    while (word && *word) {
        size_t length = strcspn(word, " ");
        if (is_at_or_below(other->row.path, word, length))
            return true;
        word += length + strspn(word + length, " ");
    }
    return false;
}

bool fields_is_section(const struct scope *scope, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < scope->count; i++)
        if (strncmp(scope->fields[i].row.path, path, length) == 0 && scope->fields[i].row.path[length] == '.')
            return true;
    return false;
}

static const struct field *find_in_kinds(const struct field *list, const char *path)
{
    for (size_t kind = 0; kind < list->kind_count; kind++) {
        const struct field *field = fields_find(&list->kinds[kind], path);
        if (field)
            return field;
    }
    return NULL;
}

static bool is_below(const char *path, const char *section)
{
    size_t length = strlen(section);
    return strncmp(path, section, length) == 0 && path[length] == '.';
}

/* PATH names an item of LIST and a field of it. An item's name may contain dots: the field is what follows
 * the first dot that makes it one. */
static const struct field *resolve_item(const struct field *list, const char *path)
{
    const char *item = path + strlen(list->row.path) + 1;
    for (const char *dot = strchr(item, '.'); dot; dot = strchr(dot + 1, '.')) {
        const struct field *field = find_in_kinds(list, dot + 1);
        if (field)
            return field;
    }
    return NULL;
}

static void suggest_item(const struct field *list, const char *path, const char **near,
                         struct scenario_memory *memory)
{
    const char *dot = strrchr(path, '.');
    const char *best = NULL;
    size_t distance = 0;
    for (size_t kind = 0; kind < list->kind_count; kind++)
        for (size_t i = 0; i < list->kinds[kind].count; i++)
            spelling_consider(dot + 1, list->kinds[kind].fields[i].row.path, &best, &distance);
    if (best)
        *near = memory_format(memory, "%.*s%s", (int)(dot + 1 - path), path, best);
}

/* PATH ends in ".mean", of a law whose mean has a name of its own: the path with that. */
static const char *suggest_mean(const struct scope *root, const char *path, struct scenario_memory *memory)
{
    const char *dot = strrchr(path, '.');
    const char *prefix = dot ? memory_copy(memory, path, (size_t)(dot + 1 - path)) : NULL;
    if (!prefix || strcmp(dot, ".mean") != 0)
        return NULL;
    for (size_t i = 0; i < root->count; i++)
        if (root->fields[i].part == LAW_MEAN && fields_is_directly_below(&root->fields[i], prefix))
            return root->fields[i].row.path;
    return NULL;
}

/* The path nearest to PATH, which is no field's. */
static const char *suggest(const struct scope *root, const char *path, struct scenario_memory *memory)
{
    const char *near = suggest_mean(root, path, memory);
    size_t distance = 0;
    for (size_t i = 0; i < root->count; i++) {
        const struct field *field = &root->fields[i];
        if (field->form == FIELD_ITEMS && is_below(path, field->row.path)) {
            suggest_item(field, path, &near, memory);
            return near;
        }
        spelling_consider(path, field->row.path, &near, &distance);
    }
    return near;
}

const struct field *fields_resolve(const struct scope *root, const char *path, const char **near,
                                   struct scenario_memory *memory)
{
    const struct field *found = NULL;
    for (size_t i = 0; i < root->count && !found; i++) {
        const struct field *field = &root->fields[i];
        if (field->form == FIELD_ITEMS && is_below(path, field->row.path))
            found = resolve_item(field, path);
        else if (strcmp(field->row.path, path) == 0)
            found = field;
    }
    *near = found ? NULL : suggest(root, path, memory);
    return found;
}
