/*
 * What is read from has a label for messages and a place; parts of it are trimmed copies. Both ends of a
 * range are values of the field, read and held to its bounds as everywhere, and the lower one may leave its
 * unit to the upper one.
 */
#include "scenarios/solve.h"

#include "scenarios/expectations.h"
#include "scenarios/number.h"
#include "scenarios/question.h"
#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

enum { GRID_MOST = 10000, DEFAULT_FACTOR = 10000, BITS_PER_BYTE = 8 };

/* A text of the question. */
struct asked {
    struct loader *loader;
    const char *label; /* before every message: "expect.0.until: ", or "" */
    struct place place;
};

static bool refuse(const struct asked *asked, const char *message)
{
    faults_add(&asked->loader->faults, asked->place, "%s%s", asked->label, message);
    return false;
}

/* LENGTH bytes of TEXT without the blanks around them; "" when out of memory. */
static const char *trimmed(const struct asked *asked, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    const char *copy = memory_copy(asked->loader->memory, text, length);
    return copy ? copy : "";
}

const struct field *solve_field(struct loader *loader, const char *path, struct place place)
{
    const struct field *field = sweep_field(loader, path, place);
    if (!field || field->row.type == PARAMETER_REAL || field->row.type == PARAMETER_INTEGER ||
        field->row.type == PARAMETER_TIME)
        return field;
    faults_add(&loader->faults, place, "%s is no number", path);
    return NULL;
}

/* Targets */

static bool read_target_value(const struct asked *asked, const char *text, const char *unit, double *value)
{
    struct units_fault fault;
    if (!units_parse(asked->loader->units, text, fields_metric_dimension(unit), value, &fault))
        return refuse(asked, fault.message);
    if (strcmp(unit, "B") == 0)
        *value /= BITS_PER_BYTE;
    return true;
}

static bool read_target(const struct asked *asked, const char *text, struct scenario_target *target)
{
    const char *sign = strpbrk(text, "<>"), *unit;
    if (!sign || sign[1] != '=')
        return refuse(asked, "expected METRIC>=VALUE or METRIC<=VALUE, such as \"goodput>=0.9\"");
    target->metric = (char *)trimmed(asked, text, (size_t)(sign - text));
    target->at_least = *sign == '>';
    if (fields_metric_unit(target->metric, &unit))
        return read_target_value(asked, trimmed(asked, sign + 2, strlen(sign + 2)), unit, &target->value);
    const struct node word = {.kind = NODE_SCALAR, .text = target->metric, .place = asked->place};
    expectations_refuse_metric(asked->loader, &word, asked->label);
    return false;
}

/* Ranges and grids */

static double as_real(const struct parameter *row, const union value *value)
{
    if (row->type == PARAMETER_TIME)
        return sim_time_to_seconds(value->time);
    return row->type == PARAMETER_INTEGER ? (double)value->integer : value->real;
}

static bool read_end(const struct asked *asked, const struct field *field, const char *text, double *end)
{
    union value value;
    struct value_fault fault;
    if (!value_read_text(asked->loader->units, asked->loader->scratch, &field->row, text, &value, &fault))
        return refuse(asked, fault.message);
    *end = as_real(&field->row, &value);
    return true;
}

/* "LO..HI" */
static bool read_range(const struct asked *asked, const struct field *field, const char *text,
                       struct scenario_search *search)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return refuse(asked, "expected LO..HI, such as \"1..100\", with the field's unit");
    const char *low = trimmed(asked, text, (size_t)(dots - text)),
               *high = trimmed(asked, dots + 2, strlen(dots + 2));
    size_t digits = number_length(high);
    if (number_length(low) == strlen(low) && digits && high[digits])
        low = memory_format(asked->loader->scratch, "%s%s", low, high + digits);
    if (!low || !read_end(asked, field, low, &search->low) || !read_end(asked, field, high, &search->high))
        return false;
    return search->low < search->high || refuse(asked, "the lower end is not below the upper one");
}

/* "[log] LO..HI, N points" */
static bool read_grid(const struct asked *asked, const struct field *field, const char *text,
                      struct scenario_search *search)
{
    const char *comma = strrchr(text, ',');
    const char *count = comma ? trimmed(asked, comma + 1, strlen(comma + 1)) : "";
    const char *word = strchr(count, ' ');
    const char *number = word ? trimmed(asked, count, (size_t)(word - count)) : "";
    if (!number_parse_integer(number, &search->points) || strcmp(word, " points") != 0)
        return refuse(asked, "expected LO..HI, N points, such as \"log 0.1..1000 Gbit/s, 50 points\"");
    if (search->points < 2 || search->points > GRID_MOST)
        return refuse(asked, "a grid has from 2 to 10000 points");
    const char *range = trimmed(asked, text, (size_t)(comma - text));
    search->logarithmic = strncmp(range, "log ", 4) == 0;
    if (!read_range(asked, field, range + (search->logarithmic ? 4 : 0), search))
        return false;
    return !search->logarithmic || search->low > 0 || refuse(asked, "a logarithmic grid begins above 0");
}

/* The value that the scenario has for FIELD at PATH, of the first item where it names several; NAN: none. */
static double present_value(const struct reading *root, const struct field *field, const char *path)
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
    return as_real(&field->row, &value);
}

/* A count of chips, say, times 10⁴ is nothing to try. */
static bool set_default_range(const struct asked *asked, const struct reading *root,
                              const struct field *field, struct scenario_search *search)
{
    double present = present_value(root, field, search->path);
    if (field->row.type == PARAMETER_INTEGER || !(present > 0) || isinf(present))
        return refuse(asked, "say where to look: give a range, LO..HI, or a grid");
    search->low = present / DEFAULT_FACTOR;
    search->high = present * DEFAULT_FACTOR;
    if (field->row.minimum < field->row.maximum) {
        search->low = fmax(search->low, field->row.minimum);
        search->high = fmin(search->high, field->row.maximum);
    }
    return true;
}

static struct asked asked_in(struct loader *loader, const struct reading *item, const char *key)
{
    const char *label = memory_format(loader->scratch, "%s%s: ", item->path, key);
    return (struct asked){loader, label ? label : "", loader_place(item, key)};
}

static void read_search(struct loader *loader, const struct reading *root, const struct reading *item,
                        const struct field *field, struct scenario_expectation *expectation)
{
    struct scenario_search *search = &expectation->search;
    struct asked grid = asked_in(loader, item, "grid"), range = asked_in(loader, item, "range");
    if (expectation->grid && expectation->range)
        refuse(&range, "a grid and a range exclude each other");
    else if (expectation->grid)
        read_grid(&grid, field, expectation->grid, search);
    else if (expectation->range)
        read_range(&range, field, expectation->range, search);
    else
        set_default_range(&range, root, field, search);
}

/* What is set beside the question must be there, and leave the question open. */
static void check_point(struct loader *loader, const struct reading *root, const struct reading *item,
                        const struct scenario_expectation *expectation)
{
    struct asked at = asked_in(loader, item, "at");
    for (size_t i = 0; i < expectation->at.count; i++) {
        const char *path = expectation->at.settings[i].path;
        if (path && strcmp(path, expectation->solve) == 0)
            refuse(&at, "sets what is to be solved for");
        else if (path && expectation->at.settings[i].value)
            sweep_find_field(loader, root, path, at.place);
    }
}

static void start_search(struct scenario_search *search, const char *path, const struct field *field)
{
    *search = (struct scenario_search){
        .path = (char *)path, .type = field->row.type, .dimension = field->row.dimension};
}

void solve_complete(struct loader *loader, const struct reading *root, const struct reading *item,
                    struct scenario_expectation *expectation)
{
    struct asked until = asked_in(loader, item, "until");
    if (!expectation->solve || !expectation->until)
        return; /* missing, which is told */
    const struct field *field =
        sweep_find_field(loader, root, expectation->solve, loader_place(item, "solve"));
    read_target(&until, expectation->until, &expectation->target);
    check_point(loader, root, item, expectation);
    if (!field)
        return;
    start_search(&expectation->search, expectation->solve, field);
    read_search(loader, root, item, field, expectation);
}

/* The command line */

static void read_question(struct loader *loader, const struct source *vary, const struct source *until,
                          const struct source *grid, struct scenario_question *question)
{
    struct asked varied = {loader, "", {vary, 0}}, target = {loader, "", {until, 0}},
                 points = {loader, "", {grid, 0}};
    const char *equals = strchr(vary->bytes, '=');
    const char *path = trimmed(&varied, vary->bytes, equals ? (size_t)(equals - vary->bytes) : vary->length);
    const struct field *field = solve_field(loader, path, varied.place);
    read_target(&target, until->bytes, &question->target);
    if (!field)
        return;
    start_search(&question->search, path, field);
    varied.place.offset = equals ? (size_t)(equals + 1 - vary->bytes) : 0;
    if (grid->bytes && equals)
        refuse(&varied, "a grid and a range exclude each other; leave the range out");
    else if (grid->bytes)
        read_grid(&points, field, grid->bytes, &question->search);
    else if (equals)
        read_range(&varied, field, equals + 1, &question->search);
    else
        refuse(&varied, "expected PATH=LO..HI");
}

static struct source source_of(const char *option, const char *text)
{
    return (struct source){option, text, text ? strlen(text) : 0, false};
}

struct scenario_question *scenario_question_create(const char *vary, const char *until, const char *grid,
                                                   struct error *error)
{
    struct loader loader;
    const struct source sources[] = {source_of("--vary", vary), source_of("--until", until),
                                     source_of("--grid", grid)};
    if (!loader_open(&loader, error))
        return NULL;
    struct scenario_question *question = memory_take(loader.memory, 1, sizeof *question);
    if (question) {
        question->memory = loader.memory;
        read_question(&loader, &sources[0], &sources[1], &sources[2], question);
    }
    bool good = !memory_failed(loader.memory) && !memory_failed(loader.scratch);
    if (!good)
        error_out_of_memory(error, "a question");
    else if (loader.faults.count)
        faults_report(&loader.faults, error);
    good = good && !loader.faults.count;
    loader_close(&loader);
    if (!good)
        memory_destroy(loader.memory);
    return good ? question : NULL;
}

void scenario_question_destroy(struct scenario_question *question)
{
    if (question)
        memory_destroy(question->memory);
}

/* Values and units */

char *scenario_search_text(const struct scenario_search *search, double value)
{
    const struct parameter row = {.type = search->type, .dimension = search->dimension};
    struct units *units = units_create();
    struct writer writer = {0};
    union value held = {.real = value};
    if (search->type == PARAMETER_TIME)
        held.time = sim_time_from_seconds(value);
    else if (search->type == PARAMETER_INTEGER)
        held.integer = llround(value);
    if (units)
        value_write(units, &row, &held, &writer);
    writer.failed |= !units;
    units_destroy(units);
    return writer_take(&writer);
}

double scenario_search_point(const struct scenario_search *search, int64_t i)
{
    double share = (double)i / (double)(search->points - 1);
    double point = search->logarithmic ? search->low * pow(search->high / search->low, share)
                                       : search->low + share * (search->high - search->low);
    return search->type == PARAMETER_INTEGER ? nearbyint(point) : point;
}

const char *scenario_published_unit(enum parameter_dimension dimension, double *size)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {
        [DIMENSION_NONE] = {"1", 1},
        [DIMENSION_TIME] = {"s", 1},
        [DIMENSION_DATA] = {"GB", 8e9},
        [DIMENSION_DATA_RATE] = {"Gbit/s", 1e9},
        [DIMENSION_FLOP_RATE] = {"TFLOP/s", 1e12},
        [DIMENSION_POWER] = {"W", 1},
    };
    *size = units[dimension].size;
    return units[dimension].name;
}
