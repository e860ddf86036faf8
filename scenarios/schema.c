/*
 * The field table as a JSON Schema (2020-12), for editors that complete and check YAML as it is typed. It
 * promises less than loading does: units, and fields that depend on each other, are beyond it.
 */
#include "models/learning/metrics.h"
#include "scenarios/describe.h"
#include "scenarios/loader.h"
#include "scenarios/number.h"
#include "scenarios/scenario.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_PATTERN "^ *[-+]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)([eE][-+]?[0-9]+)? *"

struct schema {
    const struct loader *loader;
    struct writer writer;
};

static void add(struct schema *schema, size_t level, const char *text)
{
    writer_add(&schema->writer, "\n%*s%s", (int)(2 * level), "", text);
}

/* A key and a text as its value. */
static void add_text(struct schema *schema, size_t level, const char *key, const char *text)
{
    add(schema, level, "");
    writer_add(&schema->writer, "\"%s\": ", key);
    writer_add_quoted(&schema->writer, text);
}

static void add_description(struct schema *schema, size_t level, const struct field *field)
{
    struct writer text = {0};
    writer_add(&text, "%s", field->row.sentence);
    writer_add(&text, " (");
    describe_value(schema->loader->units, field, &text);
    writer_add(&text, ")");
    char *description = writer_take(&text);
    schema->writer.failed |= !description;
    add_text(schema, level, "description", description ? description : "");
    free(description);
}

static bool is_bare(const struct field *field)
{
    return field->row.type == PARAMETER_INTEGER || field->row.type == PARAMETER_BOOLEAN ||
           (field->row.type == PARAMETER_REAL && field->row.dimension == DIMENSION_NONE);
}

static void add_default(struct schema *schema, size_t level, const struct field *field)
{
    const char *fallback = field->row.fallback;
    if (!fallback || !*fallback)
        return;
    if (!is_bare(field)) {
        writer_add(&schema->writer, ",");
        add_text(schema, level, "default", fallback);
        return;
    }
    writer_add(&schema->writer, ",");
    add(schema, level, "");
    writer_add(&schema->writer, "\"default\": %s", fallback);
}

static void add_bounds(struct schema *schema, const struct parameter *row)
{
    char number[NUMBER_BYTES];
    if (!(row->minimum < row->maximum))
        return;
    if (isfinite(row->minimum))
        writer_add(&schema->writer, ", \"%s\": %s", row->above_minimum ? "exclusiveMinimum" : "minimum",
                   number_print(number, row->minimum));
    if (isfinite(row->maximum))
        writer_add(&schema->writer, ", \"maximum\": %s", number_print(number, row->maximum));
}

/* A number, or one in percent. */
static void add_number(struct schema *schema, const struct parameter *row)
{
    writer_add(&schema->writer, "\"anyOf\": [{\"type\": \"number\"");
    add_bounds(schema, row);
    writer_add(&schema->writer, "}, {\"$ref\": \"#/$defs/written\"}]");
}

/* What add_number and others refer to: a number in a string, perhaps in percent, a number with a unit, and
 * axes of a sweep. */
static void add_definitions(struct schema *schema)
{
    add(schema, 1, "\"$defs\": {");
    add(schema, 2, "\"written\": {\"type\": \"string\", \"pattern\": \"" NUMBER_PATTERN "(%|percent)?$\"},");
    add(schema, 2,
        "\"quantity\": {\"type\": \"string\", \"pattern\": \"" NUMBER_PATTERN "[A-Za-z%\\u00b5][^0-9]*$\"},");
    add(schema, 2,
        "\"axes\": {\"type\": \"object\", \"properties\": {\"where\": {\"anyOf\": [{\"type\": "
        "\"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}},");
    add(schema, 3,
        "\"additionalProperties\": {\"anyOf\": [{\"type\": \"array\", \"minItems\": 1}, "
        "{\"type\": \"string\", \"pattern\": \"[.][.]\"}]}}");
    add(schema, 1, "},");
}

static void add_quantity(struct schema *schema)
{
    writer_add(&schema->writer, "\"$ref\": \"#/$defs/quantity\"");
}

/* A scenario may bring chips of its own. */
static void add_choices(struct schema *schema, const struct parameter *row)
{
    writer_add(&schema->writer, "%s", row->choices == chip_names ? "\"examples\": [" : "\"enum\": [");
    for (const char *const *choice = row->choices; *choice; choice++) {
        writer_add(&schema->writer, "%s", choice == row->choices ? "" : ", ");
        writer_add_quoted(&schema->writer, *choice);
    }
    writer_add(&schema->writer, "]");
}

static void add_metrics(struct schema *schema)
{
    writer_add(&schema->writer, "\"anyOf\": [{\"enum\": [");
    for (size_t i = 0; i < RUN_METRICS; i++)
        writer_add(&schema->writer, "%s\"%s\"", i ? ", " : "", run_metrics[i].name);
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        writer_add(&schema->writer, ", \"%s\"", learning_metrics[i].name);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        writer_add(&schema->writer, ", \"%s\"", budget_metrics[i]);
    writer_add(&schema->writer, "]}, {\"pattern\": \"^waste:.\"}]");
}

static void add_real(struct schema *schema, const struct parameter *row)
{
    if (row->dimension == DIMENSION_NONE)
        add_number(schema, row);
    else
        add_quantity(schema);
}

/* Or the name of a file with the numbers. */
static void add_list(struct schema *schema, const struct parameter *row)
{
    writer_add(&schema->writer, "\"anyOf\": [{\"type\": \"array\", \"items\": {");
    add_real(schema, row);
    writer_add(&schema->writer, "}}, {\"type\": \"string\"}]");
}

static void add_value(struct schema *schema, const struct parameter *row)
{
    switch (row->type) {
    case PARAMETER_INTEGER:
        writer_add(&schema->writer, "\"type\": \"integer\"");
        add_bounds(schema, row);
        break;
    case PARAMETER_BOOLEAN:
        writer_add(&schema->writer, "\"type\": \"boolean\"");
        break;
    case PARAMETER_CHOICE:
        add_choices(schema, row);
        break;
    case PARAMETER_TEXT:
        writer_add(&schema->writer, "\"type\": [\"string\", \"number\", \"boolean\"]");
        break;
    case PARAMETER_REAL_LIST:
        add_list(schema, row);
        break;
    default:
        add_real(schema, row);
    }
}

static void add_scope(struct schema *schema, size_t level, const struct scope *scope, const char *prefix);

/* The KIND-th of the forms that an item may have: kinds told apart by the word that decides, or an item that
 * is about a metric or about a field. NULL behind the last. */
static const struct scope *item_form(const struct field *list, size_t kind)
{
    if (list->kinds[0].variant)
        return kind < list->kind_count ? &list->kinds[kind] : NULL;
    if (kind == 1 && fields_solver(list))
        return fields_solved(list, DIMENSION_NONE, false);
    return kind == 0 ? &list->kinds[0] : NULL;
}

static void add_items(struct schema *schema, size_t level, const struct field *list)
{
    bool forms = item_form(list, 1) != NULL;
    writer_add(&schema->writer, "\"type\": \"array\", \"minItems\": %zu,", list->list->minimum_items);
    add(schema, level, forms ? "\"items\": {\"oneOf\": [" : "\"items\": {");
    for (size_t kind = 0; item_form(list, kind); kind++) {
        if (forms)
            add(schema, level + 1, "{");
        add_scope(schema, level + 1 + forms, item_form(list, kind), "");
        if (forms)
            add(schema, level + 1, item_form(list, kind + 1) ? "}," : "}");
    }
    add(schema, level, forms ? "]}" : "}");
}

/* Figures of an expectation are in the unit of its metric, which a schema can't follow. */
static void add_figure(struct schema *schema)
{
    writer_add(&schema->writer, "\"anyOf\": [{\"type\": \"number\"}, {");
    add_quantity(schema);
    writer_add(&schema->writer, "}]");
}

/* A mapping of paths to values, with or without conditions; or a list of them. */
static void add_axes(struct schema *schema, size_t level)
{
    writer_add(&schema->writer, "\"oneOf\": [");
    add(schema, level + 1, "{\"$ref\": \"#/$defs/axes\"},");
    add(schema, level + 1, "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/axes\"}}");
    add(schema, level, "]");
}

static void add_form(struct schema *schema, size_t level, const struct scope *scope,
                     const struct field *field)
{
    switch (field->form) {
    case FIELD_ITEMS:
        add_items(schema, level, field);
        break;
    case FIELD_AXES:
        add_axes(schema, level);
        break;
    case FIELD_POINT:
        writer_add(&schema->writer, "\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", "
                                    "\"number\", \"boolean\", \"array\"]}");
        break;
    default:
        if (strcmp(field->row.path, "metric") == 0)
            add_metrics(schema);
        else if (scope->variant && strcmp(field->row.path, "kind") == 0)
            writer_add(&schema->writer, "\"const\": \"%s\"", scope->variant->name);
        else if (fields_is_figure(scope, field))
            add_figure(schema);
        else
            add_value(schema, &field->row);
    }
}

static void add_field(struct schema *schema, size_t level, const struct scope *scope,
                      const struct field *field)
{
    add_description(schema, level, field);
    add_default(schema, level, field);
    writer_add(&schema->writer, ",");
    add(schema, level, "");
    add_form(schema, level, scope, field);
}

/* Whether some field whose path begins with the LENGTH bytes at PATH can't be left out. */
static bool is_required(const struct scope *scope, const char *path, size_t length)
{
    for (size_t i = 0; i < scope->count; i++)
        if (strncmp(scope->fields[i].row.path, path, length) == 0 && !scope->fields[i].row.fallback &&
            strchr(".", scope->fields[i].row.path[length]))
            return true;
    return false;
}

static void add_required(struct schema *schema, size_t level, const struct scope *scope, const char *prefix)
{
    size_t length, count = 0;
    for (size_t i = 0; i < scope->count; i++) {
        const char *word = describe_segment(scope, i, prefix, &length);
        if (!word || !is_required(scope, scope->fields[i].row.path, strlen(prefix) + length))
            continue;
        if (!count)
            add(schema, level, "\"required\": [");
        writer_add(&schema->writer, "%s\"%.*s\"", count++ ? ", " : "", (int)length, word);
    }
    if (count)
        writer_add(&schema->writer, "],");
}

static void add_member(struct schema *schema, size_t level, const struct scope *scope, size_t index,
                       const char *prefix, size_t length)
{
    const struct field *field = &scope->fields[index];
    size_t start = strlen(prefix);
    add(schema, level, "");
    writer_add(&schema->writer, "\"%.*s\": {", (int)length, field->row.path + start);
    if (field->row.path[start + length]) {
        char *section = strndup(field->row.path, start + length + 1);
        if (section)
            add_scope(schema, level + 1, scope, section);
        schema->writer.failed |= !section;
        free(section);
    } else {
        add_field(schema, level + 1, scope, field);
    }
    add(schema, level, "}");
}

/* The mapping whose fields' paths begin with PREFIX. */
static void add_scope(struct schema *schema, size_t level, const struct scope *scope, const char *prefix)
{
    size_t length, count = 0;
    add(schema, level, "\"type\": \"object\",");
    add(schema, level, "\"additionalProperties\": false,");
    add_required(schema, level, scope, prefix);
    add(schema, level, "\"properties\": {");
    for (size_t i = 0; i < scope->count; i++)
        if (describe_segment(scope, i, prefix, &length)) {
            writer_add(&schema->writer, "%s", count++ ? "," : "");
            add_member(schema, level + 1, scope, i, prefix, length);
        }
    add(schema, level, "}");
}

char *scenario_schema(void)
{
    struct loader loader;
    if (!loader_open(&loader, NULL))
        return NULL;
    struct schema schema = {.loader = &loader};
    writer_add(&schema.writer, "{");
    add_text(&schema, 1, "$schema", "https://json-schema.org/draft/2020-12/schema");
    writer_add(&schema.writer, ",");
    add_text(&schema, 1, "title", "trainstorm scenario");
    writer_add(&schema.writer, ",");
    add_definitions(&schema);
    add_scope(&schema, 1, loader.root, "");
    writer_add(&schema.writer, "\n}\n");
    loader_close(&loader);
    memory_destroy(loader.memory);
    return writer_take(&schema.writer);
}
