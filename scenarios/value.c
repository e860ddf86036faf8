/*
 * A type of value is a case in each of three switches: reading, leaving out, writing. What is written is read
 * back to the same bits.
 */
#include "scenarios/value.h"

#include "scenarios/faults.h"
#include "scenarios/number.h"
#include "scenarios/spelling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct units *units;
    struct scenario_memory *memory;
    const struct parameter *row;
    const struct node *node;
    struct value_fault *fault;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->fault->message, sizeof reader->fault->message, format, arguments);
    va_end(arguments);
    reader->fault->node = reader->node;
    return false;
}

static bool refuse_unit(const struct reader *reader, const struct units_fault *fault)
{
    return refuse(reader, "%s", fault->message);
}

static void print_bound(const struct units *units, const struct parameter *row, double bound,
                        char text[UNITS_BYTES])
{
    if (row->type == PARAMETER_TIME)
        units_print_time(units, sim_time_from_seconds(bound), text);
    else
        units_print(units, bound, row->dimension, text);
}

const char *value_range(const struct units *units, const struct parameter *row, char text[VALUE_RANGE_BYTES])
{
    char low[UNITS_BYTES], high[UNITS_BYTES];
    double minimum = row->minimum, maximum = row->maximum;
    if (row->type == PARAMETER_TIME && maximum > UNITS_LONGEST_SECONDS)
        maximum = INFINITY;
    *text = '\0';
    if (!(minimum < maximum))
        return text;
    if (isfinite(minimum))
        print_bound(units, row, minimum, low);
    if (isfinite(maximum))
        print_bound(units, row, maximum, high);
    if (isfinite(minimum))
        snprintf(text, VALUE_RANGE_BYTES, "%s %s%s%s", row->above_minimum ? "above" : "at least", low,
                 isfinite(maximum) ? " and at most " : "", isfinite(maximum) ? high : "");
    else if (isfinite(maximum))
        snprintf(text, VALUE_RANGE_BYTES, "at most %s", high);
    return text;
}

static bool is_in_range(const struct parameter *row, double value)
{
    bool low = value < row->minimum || (row->above_minimum && value <= row->minimum);
    return !(row->minimum < row->maximum) || (!low && value <= row->maximum);
}

/* Whether VALUE, out of range, is a share that was written in percent and lacks the sign: 80 for 80 %. */
static bool lacks_percent(const struct reader *reader, double value)
{
    const char *text = reader->node->text;
    return reader->row->dimension == DIMENSION_NONE && reader->row->type == PARAMETER_REAL &&
           reader->row->maximum <= 1 && value > 1 && number_length(text) == strlen(text) &&
           is_in_range(reader->row, value / 100);
}

/* VALUE in SI units against the bounds of the row. */
static bool check_range(const struct reader *reader, double value)
{
    char range[VALUE_RANGE_BYTES], quoted[FAULTS_QUOTED], percent[FAULTS_QUOTED] = "";
    if (is_in_range(reader->row, value))
        return true;
    if (lacks_percent(reader, value))
        snprintf(percent, sizeof percent, "; did you mean \"%.30s %%\"?", reader->node->text);
    return refuse(reader, "must be %s, not %s%s", value_range(reader->units, reader->row, range),
                  faults_quote(quoted, reader->node->text), percent);
}

static bool read_real(const struct reader *reader, double *target)
{
    struct units_fault fault;
    if (!units_parse(reader->units, reader->node->text, reader->row->dimension, target, &fault))
        return refuse_unit(reader, &fault);
    return check_range(reader, *target);
}

static bool read_integer(const struct reader *reader, int64_t *target)
{
    char quoted[FAULTS_QUOTED];
    struct units_fault fault;
    double real;
    if (!units_check_plain(reader->node->text, &fault))
        return refuse_unit(reader, &fault);
    if (!number_parse_integer(reader->node->text, target) || *target == PARAMETER_UNSET)
        return refuse(reader, "expected a whole number%s, not %s",
                      number_parse(reader->node->text, &real) && fabs(real) >= 0x1p63
                          ? " between -2^63 and 2^63 - 1"
                          : "",
                      faults_quote(quoted, reader->node->text));
    return check_range(reader, (double)*target);
}

static bool read_time(const struct reader *reader, sim_time *target)
{
    struct units_fault fault;
    if (!units_parse_time(reader->units, reader->node->text, target, &fault))
        return refuse_unit(reader, &fault);
    return check_range(reader, (double)*target / (double)SIM_SECOND);
}

static bool read_boolean(const struct reader *reader, bool *target)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(reader->node->text, words[i]) == 0) {
            *target = i % 2;
            return true;
        }
    char quoted[FAULTS_QUOTED];
    return refuse(reader, "expected true or false, not %s", faults_quote(quoted, reader->node->text));
}

void value_write_choices(const struct parameter *row, struct writer *writer)
{
    for (const char *const *choice = row->choices; *choice; choice++)
        writer_add(writer, "%s%s", choice == row->choices ? "" : ", ", *choice);
}

static bool refuse_choice(const struct reader *reader)
{
    const char *near = NULL;
    size_t distance = 0;
    for (const char *const *choice = reader->row->choices; *choice; choice++)
        spelling_consider(reader->node->text, *choice, &near, &distance);
    struct writer choices = {0};
    value_write_choices(reader->row, &choices);
    char *list = writer_take(&choices), quoted[FAULTS_QUOTED];
    refuse(reader, "unknown %s%s%s%s expected one of %s", faults_quote(quoted, reader->node->text),
           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ";", list ? list : "");
    free(list);
    return false;
}

static bool read_choice(const struct reader *reader, int64_t *target)
{
    for (const char *const *choice = reader->row->choices; *choice; choice++)
        if (strcmp(reader->node->text, *choice) == 0) {
            *target = choice - reader->row->choices;
            return true;
        }
    return refuse_choice(reader);
}

static bool read_text(const struct reader *reader, char **target)
{
    *target = memory_copy(reader->memory, reader->node->text, strlen(reader->node->text));
    return *target || refuse(reader, "out of memory");
}

/* What the row's type is called where something else stands. */
static const char *expectation(const struct parameter *row)
{
    switch (row->type) {
    case PARAMETER_INTEGER:
        return "a whole number";
    case PARAMETER_BOOLEAN:
        return "true or false";
    case PARAMETER_CHOICE:
        return "a word";
    case PARAMETER_TEXT:
        return "a text";
    case PARAMETER_REAL_LIST:
        return "a list, [ … ]";
    default:
        return units_expectation(row->dimension);
    }
}

static bool refuse_kind(const struct reader *reader)
{
    const char *kind = reader->node->kind == NODE_MAPPING ? "a mapping" : "a list";
    return refuse(reader, "expected %s, not %s", expectation(reader->row),
                  reader->node->kind == NODE_SCALAR ? "a single value" : kind);
}

static bool read_list(const struct reader *reader, struct sim_values *target)
{
    if (reader->node->kind != NODE_SEQUENCE)
        return refuse_kind(reader);
    double *values = memory_take(reader->memory, reader->node->count, sizeof *values);
    if (!values)
        return refuse(reader, "out of memory");
    struct parameter row = *reader->row;
    row.type = PARAMETER_REAL;
    size_t count = 0;
    for (const struct node *item = reader->node->first; item; item = item->next)
        if (!value_read(reader->units, reader->memory, &row, item, &values[count++], reader->fault))
            return false;
    *target = (struct sim_values){values, count};
    return true;
}

bool value_read(const struct units *units, struct scenario_memory *memory, const struct parameter *row,
                const struct node *node, void *target, struct value_fault *fault)
{
    struct reader reader = {units, memory, row, node, fault};
    if (row->type == PARAMETER_REAL_LIST)
        return read_list(&reader, target);
    if (node->kind != NODE_SCALAR)
        return refuse_kind(&reader);
    if (document_is_null(node))
        return refuse(&reader, "has no value; expected %s", expectation(row));
    switch (row->type) {
    case PARAMETER_REAL:
        return read_real(&reader, target);
    case PARAMETER_INTEGER:
        return read_integer(&reader, target);
    case PARAMETER_TIME:
        return read_time(&reader, target);
    case PARAMETER_BOOLEAN:
        return read_boolean(&reader, target);
    case PARAMETER_CHOICE:
        return read_choice(&reader, target);
    default:
        return read_text(&reader, target);
    }
}

bool value_read_text(const struct units *units, struct scenario_memory *memory, const struct parameter *row,
                     const char *text, void *target, struct value_fault *fault)
{
    const struct node node = {.kind = NODE_SCALAR, .text = text};
    return value_read(units, memory, row, &node, target, fault);
}

void value_unset(const struct parameter *row, void *target)
{
    switch (row->type) {
    case PARAMETER_REAL:
        *(double *)target = NAN;
        break;
    case PARAMETER_TEXT:
        *(char **)target = NULL;
        break;
    case PARAMETER_BOOLEAN:
        *(bool *)target = false;
        break;
    case PARAMETER_REAL_LIST:
        *(struct sim_values *)target = (struct sim_values){0};
        break;
    default:
        *(int64_t *)target = PARAMETER_UNSET;
        break;
    }
}

bool value_is_unset(const struct parameter *row, const void *target)
{
    switch (row->type) {
    case PARAMETER_REAL:
        return isnan(*(const double *)target);
    case PARAMETER_TEXT:
        return *(char *const *)target == NULL;
    case PARAMETER_BOOLEAN:
        return false;
    case PARAMETER_REAL_LIST:
        return ((const struct sim_values *)target)->count == 0;
    default:
        return *(const int64_t *)target == PARAMETER_UNSET;
    }
}

/* Words that YAML, of any version, takes for something else than text. */
static bool is_reserved(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Letters, digits and a few signs that mean nothing to YAML within a plain scalar, starting with a letter. */
static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    const char first = (char)(*text | 0x20);
    if (first < 'a' || first > 'z' || length > 200 || text[length - 1] == ' ' || is_reserved(text))
        return false;
    for (const char *p = text; *p; p++) {
        bool letter = (*p | 0x20) >= 'a' && (*p | 0x20) <= 'z';
        if (!letter && !(*p >= '0' && *p <= '9') && !strchr(" _-./+()=%", *p))
            return false;
    }
    return true;
}

void value_write_text(const char *text, struct writer *writer)
{
    if (is_plain(text))
        writer_add(writer, "%s", text);
    else
        writer_add_quoted(writer, text);
}

static void write_list(const struct units *units, const struct parameter *row, const struct sim_values *list,
                       struct writer *writer)
{
    char text[UNITS_BYTES];
    writer_add(writer, "[");
    for (size_t i = 0; i < list->count; i++)
        writer_add(writer, "%s%s", i ? ", " : "", units_print(units, list->values[i], row->dimension, text));
    writer_add(writer, "]");
}

void value_write(const struct units *units, const struct parameter *row, const void *target,
                 struct writer *writer)
{
    char text[UNITS_BYTES];
    switch (row->type) {
    case PARAMETER_REAL:
        writer_add(writer, "%s", units_print(units, *(const double *)target, row->dimension, text));
        break;
    case PARAMETER_INTEGER:
        writer_add(writer, "%" PRId64, *(const int64_t *)target);
        break;
    case PARAMETER_TIME:
        writer_add(writer, "%s", units_print_time(units, *(const sim_time *)target, text));
        break;
    case PARAMETER_BOOLEAN:
        writer_add(writer, "%s", *(const bool *)target ? "true" : "false");
        break;
    case PARAMETER_CHOICE:
        writer_add(writer, "%s", row->choices[*(const int64_t *)target]);
        break;
    case PARAMETER_TEXT:
        value_write_text(*(char *const *)target, writer);
        break;
    case PARAMETER_REAL_LIST:
        write_list(units, row, target, writer);
        break;
    case PARAMETER_LAW:
        break; /* its parts are written */
    }
}
