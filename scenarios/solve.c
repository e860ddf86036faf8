/*
 * What is read from has a label for messages and a place; parts of it are trimmed copies. Both ends of a
 * range are values of the field, read and held to its bounds as everywhere, and the lower one may leave its
 * unit to the upper one.
 */
#include "scenarios/solve.h"

#include "scenarios/expectations.h"
#include "scenarios/metrics.h"
#include "scenarios/number.h"
#include "scenarios/question.h"
#include "scenarios/range.h"
#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_FACTOR = 10000 };

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

static bool read_target_value(const struct range_text *asked, const char *text,
                              const struct metrics_form *form, double *value)
{
    struct value_fault fault;
    return metrics_read(form, false, asked->loader->units, text, value, &fault) ||
           range_refuse(asked, fault.message);
}

static bool read_metric(const struct range_text *asked, const char *metric, struct metrics_form *form)
{
    if (metrics_find(metric, form))
        return true;
    const struct node word = {.kind = NODE_SCALAR, .text = (char *)metric, .place = asked->place};
    const char *words = memory_format(asked->loader->scratch, "%sno metric is called", asked->label);
    if (words)
        expectations_refuse_metric(asked->loader, &word, words);
    return false;
}

static bool read_target(const struct range_text *asked, const char *text, struct scenario_target *target)
{
    const char *sign = strpbrk(text, "<>");
    struct metrics_form form;
    if (!sign || sign[1] != '=')
        return range_refuse(asked, "expected METRIC>=VALUE or METRIC<=VALUE, such as \"goodput>=0.9\"");
    target->metric = (char *)range_trim(asked, text, (size_t)(sign - text));
    target->at_least = *sign == '>';
    return read_metric(asked, target->metric, &form) &&
           read_target_value(asked, range_trim(asked, sign + 2, strlen(sign + 2)), &form, &target->value);
}

/* Ranges and grids */

/* A count of chips, say, times 10⁴ is nothing to try. */
static bool set_default_range(const struct range_text *asked, const struct reading *root,
                              const struct field *field, struct scenario_search *search)
{
    double present = sweep_present_value(root, field, search->path);
    if (field->row.type == PARAMETER_INTEGER || !(present > 0) || isinf(present))
        return range_refuse(asked, "say where to look: give a range, LO..HI, or a grid");
    search->low = present / DEFAULT_FACTOR;
    search->high = present * DEFAULT_FACTOR;
    if (field->row.minimum < field->row.maximum) {
        search->low = fmax(search->low, field->row.minimum);
        search->high = fmin(search->high, field->row.maximum);
    }
    return true;
}

static struct range_text asked_in(struct loader *loader, const struct reading *item, const char *key)
{
    const char *label = memory_format(loader->scratch, "%s%s: ", item->path, key);
    return (struct range_text){loader, label ? label : "", loader_place(item, key)};
}

static void read_search(struct loader *loader, const struct reading *root, const struct reading *item,
                        const struct field *field, struct scenario_expectation *expectation)
{
    struct scenario_search *search = &expectation->search;
    struct range_text grid = asked_in(loader, item, "grid"), range = asked_in(loader, item, "range");
    if (expectation->grid && expectation->range)
        range_refuse(&range, "a grid and a range exclude each other");
    else if (expectation->grid)
        range_read(&grid, field, expectation->grid, search);
    else if (expectation->range)
        range_read_ends(&range, field, expectation->range, search);
    else
        set_default_range(&range, root, field, search);
}

/* What is set beside the question must be there, and leave the question open. */
static void check_point(struct loader *loader, const struct reading *root, const struct reading *item,
                        const struct scenario_expectation *expectation)
{
    struct range_text at = asked_in(loader, item, "at");
    for (size_t i = 0; i < expectation->at.count; i++) {
        const char *path = expectation->at.settings[i].path;
        if (path && strcmp(path, expectation->solve) == 0)
            range_refuse(&at, "sets what is to be solved for");
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
    struct range_text until = asked_in(loader, item, "until");
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

/* VARY is "PATH=LO..HI", or the PATH alone where a GRID tells of the values. */
static void read_varied(struct loader *loader, const struct source *vary, const struct source *grid,
                        struct scenario_search *search)
{
    struct range_text varied = {loader, "", {vary, 0}}, points = {loader, "", {grid, 0}};
    const char *equals = strchr(vary->bytes, '=');
    const char *path =
        range_trim(&varied, vary->bytes, equals ? (size_t)(equals - vary->bytes) : vary->length);
    const struct field *field = solve_field(loader, path, varied.place);
    if (!field)
        return;
    start_search(search, path, field);
    varied.place.offset = equals ? (size_t)(equals + 1 - vary->bytes) : 0;
    if (grid->bytes && equals)
        range_refuse(&varied, "a grid and a range exclude each other; leave the range out");
    else if (grid->bytes)
        range_read(&points, field, grid->bytes, search);
    else if (equals)
        range_read_ends(&varied, field, equals + 1, search);
    else
        range_refuse(&varied, "expected PATH=LO..HI");
}

static struct source source_of(const char *option, const char *text)
{
    return (struct source){option, text, text ? strlen(text) : 0, false};
}

/* Closes LOADER; false with the error if anything about WHAT is wrong, and then its memory is gone, too. */
static bool finish(struct loader *loader, const char *what, struct error *error)
{
    bool good = !memory_failed(loader->memory) && !memory_failed(loader->scratch);
    if (!good)
        error_out_of_memory(error, what);
    else if (loader->faults.count)
        faults_report(&loader->faults, error);
    good = good && !loader->faults.count;
    loader_close(loader);
    if (!good)
        memory_destroy(loader->memory);
    return good;
}

struct scenario_question *scenario_question_create(const char *vary, const char *until, const char *grid,
                                                   struct error *error)
{
    struct loader loader;
    const struct source varied = source_of("--vary", vary), target = source_of("--until", until),
                        points = source_of("--grid", grid);
    if (!loader_open(&loader, error))
        return NULL;
    struct scenario_question *question = memory_take(loader.memory, 1, sizeof *question);
    if (question) {
        const struct range_text asked = {&loader, "", {&target, 0}};
        question->memory = loader.memory;
        read_varied(&loader, &varied, &points, &question->search);
        read_target(&asked, target.bytes, &question->target);
    }
    return finish(&loader, "a question", error) ? question : NULL;
}

void scenario_question_destroy(struct scenario_question *question)
{
    if (question)
        memory_destroy(question->memory);
}

/* One more field for RANGES, which VARY tells of. */
static void add_varied(struct loader *loader, const struct source *vary, struct scenario_ranges *ranges)
{
    const struct source none = {0};
    const struct range_text varied = {loader, "", {vary, 0}};
    if (ranges->count == SCENARIO_RANGES_MOST) {
        range_refuse(&varied, "at most 8 fields are varied at once");
        return;
    }
    struct scenario_search *search = &ranges->searches[ranges->count];
    read_varied(loader, vary, &none, search);
    if (search->path && (strcmp(search->path, "seed") == 0 || strcmp(search->path, "replications") == 0))
        range_refuse(&varied, "seed and replications are the same at every try");
    for (size_t i = 0; i < ranges->count && search->path; i++)
        if (ranges->searches[i].path && strcmp(ranges->searches[i].path, search->path) == 0)
            range_refuse(&varied, "the field is varied already");
    ranges->count++;
}

struct scenario_ranges *scenario_ranges_create(const char *const *vary, size_t count, struct error *error)
{
    struct loader loader;
    if (!loader_open(&loader, error))
        return NULL;
    struct scenario_ranges *ranges = memory_take(loader.memory, 1, sizeof *ranges);
    struct source *varied = memory_take(loader.scratch, count, sizeof *varied);
    if (ranges && varied) {
        ranges->memory = loader.memory;
        for (size_t i = 0; i < count; i++) {
            varied[i] = source_of("--vary", vary[i]);
            add_varied(&loader, &varied[i], ranges);
        }
    }
    return finish(&loader, "what is varied", error) ? ranges : NULL;
}

void scenario_ranges_destroy(struct scenario_ranges *ranges)
{
    if (ranges)
        memory_destroy(ranges->memory);
}

bool scenario_metric_check(const char *metric, const char *origin, struct error *error)
{
    struct loader loader;
    struct metrics_form form;
    const struct source named = source_of(origin, metric);
    if (!loader_open(&loader, error))
        return false;
    read_metric(&(struct range_text){&loader, "", {&named, 0}}, metric, &form);
    if (!finish(&loader, "a metric", error))
        return false;
    memory_destroy(loader.memory);
    return true;
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
    if (i == 0 || i == search->points - 1)
        return i ? search->high : search->low;
    double share = (double)i / (double)(search->points - 1);
    double point = search->logarithmic
                       ? search->low * pow(search->high / search->low, share)
                       : number_round(search->low + share * (search->high - search->low), RANGE_DIGITS);
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
        [DIMENSION_ENERGY] = {"kWh", 3.6e6},
    };
    *size = units[dimension].size;
    return units[dimension].name;
}
