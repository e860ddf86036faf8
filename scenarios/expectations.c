/*
 * An expectation's figures are read with the dimension of its metric (fields.h), then kept in the metric's
 * own unit, as results are.
 */
#include "scenarios/expectations.h"

#include "models/learning/metrics.h"
#include "scenarios/metrics.h"
#include "scenarios/solve.h"
#include "scenarios/spelling.h"

#include <stdlib.h>
#include <string.h>

void expectations_refuse_metric(struct loader *loader, const struct node *word, const char *words)
{
    const char *near = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < RUN_METRICS; i++)
        spelling_consider(word->text, run_metrics[i].name, &near, &distance);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        spelling_consider(word->text, budget_metrics[i], &near, &distance);
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        spelling_consider(word->text, learning_metrics[i].name, &near, &distance);
    char quoted[FAULTS_QUOTED];
    faults_quote(quoted, word->text);
    if (near)
        faults_add(&loader->faults, word->place, "%s %s; did you mean \"%s\"?", words, quoted, near);
    else /* they are too many for a message */
        faults_add(&loader->faults, word->place, "%s %s; `trainstorm list metrics' lists them", words,
                   quoted);
}

double expectations_scale(const struct scenario_expectation *expectation)
{
    struct metrics_form form;
    bool own = !expectation->solve && !expectation->against && metrics_find(expectation->metric, &form);
    return own ? form.size : 1;
}

static void refuse(struct loader *loader, const struct reading *reading, const char *path,
                   const char *message)
{
    faults_add(&loader->faults, loader_place(reading, path), "%s%s: %s", reading->path, path, message);
}

static void refuse_strategy(struct loader *loader, struct place place, const char *label,
                            const struct scenario *scenario, const char *strategy)
{
    enum { LISTED = 10 };
    const char *near = NULL, *names = "";
    char quoted[FAULTS_QUOTED];
    size_t distance = 0;
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        const char *name = scenario->strategies[i].name;
        if (name)
            spelling_consider(strategy, name, &near, &distance);
        if (name && names && i < LISTED)
            names = memory_format(loader->scratch, "%s%s%.40s", names, *names ? ", " : "", name);
    }
    if (scenario_learns(scenario))
        spelling_consider(strategy, SCENARIO_REFERENCE, &near, &distance);
    faults_quote(quoted, strategy);
    if (near)
        faults_add(&loader->faults, place, "%s: no strategy is called %s; did you mean \"%s\"?", label,
                   quoted, near);
    else
        faults_add(&loader->faults, place, "%s: no strategy is called %s; there are %s%s", label, quoted,
                   names ? names : "", scenario->strategy_count > LISTED ? ", ..." : "");
}

void expectations_check_strategy(struct loader *loader, struct place place, const char *label,
                                 const struct scenario *scenario, const char *strategy)
{
    if (scenario_strategy(scenario, strategy))
        return;
    bool reference = strcmp(strategy, SCENARIO_REFERENCE) == 0;
    if (reference && !scenario_learns(scenario))
        faults_add(&loader->faults, place, "%s: nothing is learned here, and so there is no reference",
                   label);
    else if (!reference)
        refuse_strategy(loader, place, label, scenario, strategy);
}

/* STRATEGY is the value of PATH. */
static void check_strategy(struct loader *loader, const struct reading *reading, const char *path,
                           const struct scenario *scenario, const char *strategy)
{
    const char *label = memory_format(loader->scratch, "%s%s", reading->path, path);
    if (strategy)
        expectations_check_strategy(loader, loader_place(reading, path), label ? label : path, scenario,
                                    strategy);
}

/* METRIC, that the field PATH names, is none of learning where nothing is learned. */
static void check_learned(struct loader *loader, const struct reading *reading,
                          const struct scenario *scenario, const char *path, const char *metric)
{
    if (metric && learning_has_metric(metric) && !scenario_learns(scenario))
        refuse(loader, reading, path, "nothing is learned here; give learning.model");
}

/* What only another run of the scenario can be held against. */
static void check_comparison(struct loader *loader, const struct reading *reading,
                             const struct scenario *scenario, const struct scenario_expectation *expectation)
{
    check_strategy(loader, reading, "strategy", scenario, expectation->strategy);
    check_strategy(loader, reading, "against", scenario, expectation->against);
    check_learned(loader, reading, scenario, "metric", expectation->metric);
    if (expectation->strategy && expectation->against &&
        strcmp(expectation->strategy, expectation->against) == 0)
        refuse(loader, reading, "against", "is the strategy itself");
}

static bool is_faulty(const struct reading *reading)
{
    for (size_t i = 0; i < reading->scope->count; i++)
        if (reading->states[i] == FIELD_FAULTY)
            return true;
    return false;
}

/* A value with what it may be off by, or bounds. */
static void check_figures(struct loader *loader, const struct reading *reading,
                          const struct scenario_expectation *expectation)
{
    bool value = !isnan(expectation->value), tolerance = !isnan(expectation->tolerance),
         relative = !isnan(expectation->relative), minimum = !isnan(expectation->minimum),
         maximum = !isnan(expectation->maximum);
    if (!value && !minimum && !maximum)
        refuse(loader, reading, "value", "nothing is expected; give a value, or min or max");
    if (value && (minimum || maximum))
        refuse(loader, reading, minimum ? "min" : "max", "a value and bounds exclude each other");
    if (!value && (tolerance || relative))
        refuse(loader, reading, tolerance ? "tolerance" : "relative", "there is no value that it belongs to");
    if (tolerance && relative)
        refuse(loader, reading, "relative", "tolerance and relative exclude each other");
    if (!isnan(expectation->confidence) && (tolerance || relative))
        refuse(loader, reading, "confidence", "the interval is the tolerance; leave the other out");
    if (relative && expectation->value == 0)
        refuse(loader, reading, "relative", "a share of 0 allows nothing; give a tolerance");
    if (minimum && maximum && expectation->minimum > expectation->maximum)
        refuse(loader, reading, "min", "is above max");
}

/* Of one about the value of a field: what there is to solve, by which strategy. */
static void check_solved(struct loader *loader, const struct reading *root, const struct reading *reading,
                         const struct scenario *scenario, struct scenario_expectation *expectation)
{
    expectation->confidence = NAN; /* these have no such field */
    expectation->metric = expectation->solve;
    check_strategy(loader, reading, "strategy", scenario, expectation->strategy);
    if (!is_faulty(reading))
        solve_complete(loader, root, reading, expectation);
    check_learned(loader, reading, scenario, "until", expectation->target.metric);
}

/* In the metric's unit from here on. */
static void complete(struct scenario_expectation *expectation)
{
    double scale = expectations_scale(expectation);
    if (!isnan(expectation->value) && isnan(expectation->tolerance) && isnan(expectation->relative) &&
        isnan(expectation->confidence))
        expectation->tolerance = 0;
    expectation->value /= scale;
    expectation->tolerance /= scale;
    expectation->minimum /= scale;
    expectation->maximum /= scale;
}

void expectations_check(struct loader *loader, const struct reading *root, struct scenario *scenario)
{
    for (size_t i = 0; i < root->item_count; i++) {
        const struct reading *reading = &root->items[i];
        if (!reading->scope || strcmp(reading->list->row.path, "expect") != 0)
            continue;
        struct scenario_expectation *expectation = (struct scenario_expectation *)(void *)reading->base;
        size_t before = loader->faults.count;
        if (fields_find(reading->scope, "solve"))
            check_solved(loader, root, reading, scenario, expectation);
        else
            check_comparison(loader, reading, scenario, expectation);
        if (!is_faulty(reading))
            check_figures(loader, reading, expectation);
        if (expectation->metric && loader->faults.count == before)
            complete(expectation);
    }
}
