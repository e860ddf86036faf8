/*
 * The fields of "expect". What an entry's figures are in depends on what it is about: the dimension of its
 * metric, or of the field whose value is looked for; so each dimension is a kind of entry, and so are shares.
 */
#include "scenarios/fields_internal.h"

#include "scenarios/metrics.h"
#include "scenarios/scenario.h"
#include <string.h>

/* Rows that entries about metrics and about fields' values both have; where these say it differently, with
 * the sentence. */
#define STRATEGY                                                                                             \
    {                                                                                                        \
        .path = "strategy", .type = PARAMETER_TEXT,                                                          \
        .sentence = "Name of the strategy that the expectation is about.",                                   \
        .offset = offsetof(struct scenario_expectation, strategy)                                            \
    }
#define SOURCE                                                                                               \
    {                                                                                                        \
        .path = "source", .type = PARAMETER_TEXT, .fallback = "",                                            \
        .sentence = "Where the expected figure comes from.",                                                 \
        .offset = offsetof(struct scenario_expectation, source)                                              \
    }
#define FIGURE(name, member, says)                                                                           \
    {                                                                                                        \
        .path = name, .type = PARAMETER_REAL, .fallback = "", .sentence = says,                              \
        .offset = offsetof(struct scenario_expectation, member)                                              \
    }
#define MARGIN(name, member, says)                                                                           \
    {                                                                                                        \
        .path = name, .type = PARAMETER_REAL, .fallback = "", .minimum = 0, .maximum = INFINITY,             \
        .sentence = says, .offset = offsetof(struct scenario_expectation, member)                            \
    }

/* Fields of an entry of "expect"; what has no unit here takes that of the metric. */
static const struct parameter expectation_rows[] = {
    STRATEGY,
    {.path = "against",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Name of a second strategy, or \"reference\" in a scenario that learns: the figures are then of the "
         "mean difference, strategy less this one over the same replications, as a share of this one's mean.",
     .offset = offsetof(struct scenario_expectation, against)},
    {.path = "metric",
     .type = PARAMETER_TEXT,
     .sentence =
         "The figure expected: a metric of the results, \"share:\" and a budget category, or \"waste:\" and "
         "the name of what fails.",
     .offset = offsetof(struct scenario_expectation, metric)},
    FIGURE("value", value, "What the mean over replications should be, in the metric's unit."),
    MARGIN("tolerance", tolerance,
           "How far the mean may be from the value; 0 where neither this nor \"relative\" or "
           "\"confidence\" is given."),
    MARGIN("relative", relative, "How far the mean may be from the value, as a share of the value."),
    {.path = "confidence",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 0.9999,
     .above_minimum = true,
     .sentence =
         "With a bound, the whole interval of the mean at this confidence has to meet it. With a value, the "
         "value has to lie in the interval, which is wide enough to hold at this confidence for all such "
         "values of the study together (Sidak).",
     .offset = offsetof(struct scenario_expectation, confidence)},
    FIGURE("min", minimum, "What the mean should at least be; instead of a value."),
    FIGURE("max", maximum, "What the mean should at most be; instead of a value."),
    SOURCE,
};

const struct parameter_list fields_expectations = {.section = "expect",
                                                   .rows = expectation_rows,
                                                   .count = PARAMETER_COUNT(expectation_rows),
                                                   .item_size = sizeof(struct scenario_expectation)};

/* Fields of an entry that is about the value of a field; what has no unit here takes that of the field. */
static const struct parameter solved_rows[] = {
    STRATEGY,
    {.path = "solve",
     .type = PARAMETER_TEXT,
     .sentence =
         "Path of the field, a number, whose value is looked for: the least one that meets \"until\", or "
         "the greatest where the metric moves away from it as the field grows.",
     .offset = offsetof(struct scenario_expectation, solve)},
    {.path = "until",
     .type = PARAMETER_TEXT,
     .sentence = "What the mean over replications has to come to: METRIC>=VALUE or METRIC<=VALUE.",
     .offset = offsetof(struct scenario_expectation, until)},
    {.path = "grid",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "The values that are tried, as in 'log 0.1..1000 Gbit/s, 50 points' (without \"log\": in even "
         "steps). The figure got is then the value before the first that meets the target.",
     .offset = offsetof(struct scenario_expectation, grid)},
    {.path = "range",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Between which values to look, LO..HI, instead of a grid; where both are left out, a factor of 10⁴ "
         "either side of the value that the field has, within its bounds.",
     .offset = offsetof(struct scenario_expectation, range)},
    FIGURE("value", value, "What the field's value should be."),
    MARGIN("tolerance", tolerance,
           "How far the field's value may be from it; 0 where neither this nor \"relative\" is given."),
    MARGIN("relative", relative, "How far it may be, as a share of the value."),
    FIGURE("min", minimum, "What the field's value should at least be; instead of a value."),
    FIGURE("max", maximum, "What the field's value should at most be; instead of a value."),
    SOURCE,
};

const struct parameter_list fields_solutions = {.section = "expect",
                                                .rows = solved_rows,
                                                .count = PARAMETER_COUNT(solved_rows),
                                                .item_size = sizeof(struct scenario_expectation)};

bool fields_is_figure(const struct scope *scope, const struct field *field)
{
    bool expected = fields_find(scope, "metric") || fields_find(scope, "solve");
    return expected && field->row.type == PARAMETER_REAL && strcmp(field->row.path, "relative") != 0 &&
           strcmp(field->row.path, "confidence") != 0;
}

static void give_to_figures(struct scope *scope, enum parameter_dimension dimension, enum metrics_range range)
{
    for (size_t i = 0; i < scope->count; i++) {
        struct parameter *row = &scope->fields[i].row;
        if (!fields_is_figure(scope, &scope->fields[i]))
            continue;
        row->dimension = dimension;
        metrics_bound(row, range, strcmp(row->path, "tolerance") == 0);
    }
}

/* What the figures of an expectation of KIND are: of a dimension without bounds, or pure numbers of a RANGE.
 */
static enum parameter_dimension form_of(size_t kind, enum metrics_range *range)
{
    if (kind >= FIELDS_METRIC_KINDS)
        kind -= FIELDS_METRIC_KINDS;
    bool bounded = kind >= PARAMETER_DIMENSIONS;
    *range = bounded ? (enum metrics_range)(kind - PARAMETER_DIMENSIONS + 1) : METRICS_ANY;
    return bounded ? DIMENSION_NONE : (enum parameter_dimension)kind;
}

static size_t kind_of(enum parameter_dimension dimension, enum metrics_range range)
{
    return range == METRICS_ANY ? dimension : PARAMETER_DIMENSIONS + (size_t)range - 1;
}

void fields_give_dimensions(struct field *list)
{
    for (size_t kind = 0; kind < list->kind_count; kind++) {
        enum metrics_range range;
        enum parameter_dimension dimension = form_of(kind, &range);
        give_to_figures(&list->kinds[kind], dimension, range);
    }
}

const char *fields_decider(const struct field *list)
{
    if (list->list == &fields_expectations)
        return "metric";
    return list->list->variants ? "kind" : NULL;
}

const char *fields_comparator(const struct field *list)
{
    return list->list == &fields_expectations ? "against" : NULL;
}

const char *fields_solver(const struct field *list)
{
    return list->list == &fields_expectations ? "solve" : NULL;
}

const struct scope *fields_solved(const struct field *list, enum parameter_dimension dimension, bool share)
{
    size_t kind = FIELDS_METRIC_KINDS + kind_of(dimension, share ? METRICS_SHARE : METRICS_ANY);
    return list->list == &fields_expectations ? &list->kinds[kind] : NULL;
}

/* Of an expectation. */
static size_t metric_kind(const struct field *list, const char *word, bool compared)
{
    struct metrics_form form;
    if (!metrics_find(word, &form))
        return list->kind_count;
    return compared ? DIMENSION_NONE : kind_of(form.dimension, form.range);
}

size_t fields_kind(const struct field *list, const char *word, bool compared)
{
    if (list->list == &fields_expectations)
        return metric_kind(list, word, compared);
    size_t kind = 0;
    while (list->list->variants && kind < list->kind_count &&
           strcmp(list->list->variants[kind]->name, word) != 0)
        kind++;
    return kind;
}
