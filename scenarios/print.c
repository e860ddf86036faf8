/*
 * A scenario as YAML: the table's fields in the table's order, sections as indented mappings.
 */
#include "scenarios/chips.h"
#include "scenarios/expectations.h"
#include "scenarios/loader.h"
#include "scenarios/scenario.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    const struct loader *loader;
    struct writer writer;
};

/* One mapping being printed. */
struct printed {
    const struct scope *scope;
    struct reading reading; /* base and options alone */
};

static void indent(struct printer *printer, size_t level)
{
    for (size_t i = 0; i < level; i++)
        writer_add(&printer->writer, "  ");
}

static void print_scope(struct printer *printer, const struct printed *printed, const char *prefix,
                        size_t level, bool first_indented);

static bool is_compared(const struct field *list, const char *item)
{
    const char *key = fields_comparator(list);
    const struct field *field = key ? fields_find(&list->kinds[0], key) : NULL;
    return field && !value_is_unset(&field->row, item + field->row.offset);
}

/* The fields of an item that is about the value of a field; NULL if it is not. */
static const struct scope *solved_scope(const struct field *list, const char *item)
{
    const struct scenario_expectation *expectation = (const struct scenario_expectation *)(const void *)item;
    return fields_solver(list) && expectation->solve
               ? fields_solved(list, expectation->search.dimension, false)
               : NULL;
}

static const struct scope *scope_of(const struct field *list, const char *item)
{
    const struct scope *solved = solved_scope(list, item);
    const char *decider = fields_decider(list);
    if (solved || !decider)
        return solved ? solved : &list->kinds[0];
    const struct field *field = fields_find(&list->kinds[0], decider);
    const char *word;
    if (field->row.type == PARAMETER_CHOICE)
        word = field->row.choices[*(const int64_t *)(const void *)(item + field->row.offset)];
    else
        word = *(char *const *)(const void *)(item + field->row.offset);
    return &list->kinds[fields_kind(list, word, is_compared(list, item))];
}

static void print_items(struct printer *printer, const struct printed *printed, const struct field *list,
                        size_t level)
{
    char *items;
    size_t count;
    memcpy(&items, printed->reading.base + list->items_offset, sizeof items);
    memcpy(&count, printed->reading.base + list->count_offset, sizeof count);
    for (size_t i = 0; i < count; i++) {
        char *base = items + i * list->list->item_size;
        struct printed item = {.scope = scope_of(list, base), .reading = {.base = base}};
        if (item.scope->variant)
            memcpy(&item.reading.options, base + list->list->options_offset, sizeof item.reading.options);
        indent(printer, level);
        writer_add(&printer->writer, "- ");
        print_scope(printer, &item, "", level + 1, true);
    }
}

static void print_point(struct printer *printer, const struct scenario_point *point)
{
    writer_add(&printer->writer, " {");
    for (size_t i = 0; i < point->count; i++)
        writer_add(&printer->writer, "%s%s: %s", i ? ", " : "", point->settings[i].path,
                   point->settings[i].value);
    writer_add(&printer->writer, "}\n");
}

static void print_axis(struct printer *printer, const struct scenario_axis *axis)
{
    writer_add(&printer->writer, "%s: [", axis->path);
    for (size_t j = 0; j < axis->count; j++)
        writer_add(&printer->writer, "%s%s", j ? ", " : "", axis->values[j]);
    writer_add(&printer->writer, "]\n");
}

static void print_conditions(struct printer *printer, const struct scenario *scenario)
{
    writer_add(&printer->writer, "where: [");
    for (size_t i = 0; i < scenario->condition_count; i++) {
        writer_add(&printer->writer, "%s", i ? ", " : "");
        writer_add_quoted(&printer->writer, scenario->conditions[i]);
    }
    writer_add(&printer->writer, "]\n");
}

/* A mapping where all axes multiply, else a list of mappings of those that move together. */
static void print_axes(struct printer *printer, const struct scenario *scenario, size_t level)
{
    bool list = false;
    for (size_t i = 0; i < scenario->axis_count; i++)
        list |= scenario->axes[i].locked;
    for (size_t i = 0; i < scenario->axis_count; i++) {
        const struct scenario_axis *axis = &scenario->axes[i];
        indent(printer, level);
        writer_add(&printer->writer, "%s", !list ? "" : axis->locked ? "  " : "- ");
        print_axis(printer, axis);
    }
    if (!scenario->condition_count)
        return;
    indent(printer, level);
    writer_add(&printer->writer, "%s", list ? "- " : "");
    print_conditions(printer, scenario);
}

/* Whether nothing is swept. */
static bool is_still(const struct scenario *scenario)
{
    return scenario->axis_count == 0 && scenario->condition_count == 0;
}

static bool is_below(const char *path, const char *prefix)
{
    return strncmp(path, prefix, strlen(prefix)) == 0;
}

/* How to learn is of no consequence where nothing learns, nor what lies between sites where there are none.
 */
static bool is_idle(const char *base, const struct field *field)
{
    const struct scenario *scenario = (const struct scenario *)(const void *)base;
    if (is_below(field->row.path, "learning."))
        return scenario->learning.model == PARAMETER_UNSET;
    return is_below(field->row.path, "network.between.") && !scenario->simulation.network.sites.count;
}

/* Whether another field says in its way what this one would. */
static bool is_excluded(const struct printed *printed, const struct field *field)
{
    for (size_t i = 0; i < printed->scope->count; i++) {
        const struct field *other = &printed->scope->fields[i];
        if (other->row.instead_of && !value_is_unset(&other->row, loader_target(&printed->reading, other)) &&
            fields_excludes(other, field))
            return true;
    }
    return false;
}

static bool is_left_out(const struct printed *printed, const struct field *field)
{
    const char *base = printed->reading.base;
    size_t count;
    if (is_idle(base, field) || is_excluded(printed, field))
        return true;
    switch (field->form) {
    case FIELD_ITEMS:
        memcpy(&count, base + field->count_offset, sizeof count);
        return count == 0;
    case FIELD_AXES:
        return is_still((const struct scenario *)(const void *)base);
    case FIELD_POINT:
        return ((const struct scenario_point *)loader_target(&printed->reading, field))->count == 0;
    default:
        return value_is_unset(&field->row, loader_target(&printed->reading, field));
    }
}

/* Whether TEXT, of several lines, comes back from a literal block: nothing that needs escaping, no blanks at
 * the ends of lines, and a first line that shows how far the block is indented. */
static bool fits_block(const char *text)
{
    size_t length = strlen(text);
    if (!strchr(text, '\n') || strchr(" \n", *text) || strchr(" ", text[length - 1]))
        return false;
    bool ends_empty = length > 1 && strcmp(text + length - 2, "\n\n") == 0;
    return !ends_empty && !strstr(text, " \n") && writer_is_readable(text);
}

/* A text of several lines, as such. */
static void print_block(struct printer *printer, const char *text, size_t level)
{
    writer_add(&printer->writer, text[strlen(text) - 1] == '\n' ? " |\n" : " |-\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length)
            indent(printer, level);
        writer_add(&printer->writer, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_value(struct printer *printer, const struct field *field, const void *target, size_t level)
{
    const char *text = field->row.type == PARAMETER_TEXT ? *(char *const *)target : "";
    if (fits_block(text)) {
        print_block(printer, text, level + 1);
        return;
    }
    writer_add(&printer->writer, " ");
    value_write(printer->loader->units, &field->row, target, &printer->writer);
    writer_add(&printer->writer, "\n");
}

/* What stands behind the key and its colon. */
static void print_field(struct printer *printer, const struct printed *printed, const struct field *field,
                        size_t level)
{
    const void *target = loader_target(&printed->reading, field);
    switch (field->form) {
    case FIELD_ITEMS:
        writer_add(&printer->writer, "\n");
        print_items(printer, printed, field, level + 1);
        break;
    case FIELD_AXES:
        writer_add(&printer->writer, "\n");
        print_axes(printer, (const struct scenario *)(const void *)printed->reading.base, level + 1);
        break;
    case FIELD_POINT:
        print_point(printer, target);
        break;
    default:
        print_value(printer, field, target, level);
    }
}

/* Whether a field before the one at INDEX is in the same section, LENGTH bytes of its path. */
static bool is_printed(const struct scope *scope, size_t index, size_t length)
{
    const char *path = scope->fields[index].row.path;
    for (size_t i = 0; i < index; i++)
        if (strncmp(scope->fields[i].row.path, path, length) == 0)
            return true;
    return false;
}

static bool section_is_empty(const struct printed *printed, const char *section)
{
    for (size_t i = 0; i < printed->scope->count; i++)
        if (is_below(printed->scope->fields[i].row.path, section) &&
            !is_left_out(printed, &printed->scope->fields[i]))
            return false;
    return true;
}

/* Prints the section that the field at INDEX is in, below PREFIX, unless an earlier field did. */
static void print_section(struct printer *printer, const struct printed *printed, size_t index,
                          const char *prefix, size_t level)
{
    const char *path = printed->scope->fields[index].row.path;
    size_t length = strlen(prefix) + strcspn(path + strlen(prefix), ".") + 1;
    char *section = strndup(path, length);
    if (!section) {
        printer->writer.failed = true;
        return;
    }
    if (!is_printed(printed->scope, index, length) && !section_is_empty(printed, section)) {
        indent(printer, level);
        writer_add(&printer->writer, "%.*s:\n", (int)(length - strlen(prefix) - 1), path + strlen(prefix));
        print_scope(printer, printed, section, level + 1, false);
    }
    free(section);
}

/* Prints the fields whose paths begin with PREFIX. The first line of an item stands behind its dash. */
static void print_scope(struct printer *printer, const struct printed *printed, const char *prefix,
                        size_t level, bool first_indented)
{
    for (size_t i = 0; i < printed->scope->count; i++) {
        const struct field *field = &printed->scope->fields[i];
        if (!is_below(field->row.path, prefix))
            continue;
        const char *rest = field->row.path + strlen(prefix);
        if (strchr(rest, '.')) {
            print_section(printer, printed, i, prefix, level);
        } else if (!is_left_out(printed, field)) {
            if (!first_indented)
                indent(printer, level);
            first_indented = false;
            writer_add(&printer->writer, "%s:", rest);
            print_field(printer, printed, field, level);
        }
    }
}

/* As they stand in a file: data in bits. */
static void scale_expectations(struct scenario *copy, struct scenario_expectation *expectations)
{
    for (size_t i = 0; i < copy->expectation_count; i++) {
        struct scenario_expectation *expectation = &expectations[i];
        *expectation = copy->expectations[i];
        double scale = expectations_scale(expectation);
        expectation->value *= scale;
        expectation->tolerance *= scale;
        expectation->minimum *= scale;
        expectation->maximum *= scale;
    }
    copy->expectations = expectations;
}

char *scenario_print(const struct scenario *scenario)
{
    struct loader loader;
    struct scenario copy = *scenario;
    struct scenario_expectation *expectations = calloc(copy.expectation_count + 1, sizeof *expectations);
    if (!expectations || !loader_open(&loader, NULL)) {
        free(expectations);
        return NULL;
    }
    scale_expectations(&copy, expectations);
    struct printer printer = {.loader = &loader};
    printer.writer.failed = !chips_name_loaded(&loader, cluster_chips(&copy.simulation.cluster));
    struct printed root = {.scope = loader.root, .reading = {.base = (char *)&copy}};
    print_scope(&printer, &root, "", 0, false);
    loader_close(&loader);
    memory_destroy(loader.memory);
    free(expectations);
    return writer_take(&printer.writer);
}
