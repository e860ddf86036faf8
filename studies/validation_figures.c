#include "studies/validation_figures.h"

#include "results/notation.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

void __attribute__((format(printf, 2, 3)))
validation_put(char cell[VALIDATION_CELL_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, VALIDATION_CELL_SIZE, format, arguments);
    va_end(arguments);
}

/* " s" of a metric in seconds, "" of a pure number and of what is no run's metric. */
static void put_unit(char unit[16], const char *metric)
{
    unit[0] = '\0';
    for (size_t i = 0; i < RUN_METRICS; i++)
        if (strcmp(run_metrics[i].name, metric) == 0 && strcmp(run_metrics[i].unit, "1") != 0)
            snprintf(unit, 16, " %s", run_metrics[i].unit);
}

void validation_put_figure(char cell[VALIDATION_CELL_SIZE], const char *metric, const char *before,
                           double value)
{
    char unit[16];
    put_unit(unit, metric);
    if (isnan(value))
        validation_put(cell, "%snone", before);
    else if (notation_is_share(metric))
        validation_put(cell, "%s%.1f %%", before, 100 * value);
    else
        validation_put(cell, "%s%.6g%s", before, value, unit);
}

const char *validation_bound_sign(const struct scenario_expectation *expectation)
{
    bool both = !isnan(expectation->minimum) && !isnan(expectation->maximum);
    if (!isnan(expectation->value) || both)
        return "";
    return isnan(expectation->minimum) ? "≤ " : "≥ ";
}

bool validation_has_figure(const struct expectation_result *result)
{
    return !isnan(result->expectation->value);
}

double validation_difference(const struct expectation_result *result)
{
    double apart = 100 * (result->got - result->wanted);
    if (notation_is_share(result->expectation->metric))
        return apart;
    return result->wanted != 0 ? apart / fabs(result->wanted) : NAN;
}

const char *validation_difference_unit(const char *metric)
{
    return notation_is_share(metric) ? "points" : "%";
}

/* Differences of one metric over all results. */
struct spread {
    size_t count;
    double largest, mean;
};

static struct spread spread_of(const struct expectation_results *results, const char *metric)
{
    struct spread spread = {0};
    double sum = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *result = &results->items[i];
        double apart = fabs(validation_difference(result));
        if (!validation_has_figure(result) || isnan(apart) ||
            strcmp(result->expectation->metric, metric) != 0)
            continue;
        sum += apart;
        spread.largest = fmax(spread.largest, apart);
        spread.count++;
    }
    spread.mean = sum / (double)spread.count;
    return spread;
}

bool validation_is_first(const struct expectation_results *results, size_t i,
                         bool (*same)(const struct expectation_result *, const struct expectation_result *))
{
    for (size_t earlier = 0; earlier < i; earlier++)
        if (same(&results->items[earlier], &results->items[i]))
            return false;
    return true;
}

bool validation_same_metric(const struct expectation_result *a, const struct expectation_result *b)
{
    return strcmp(a->expectation->metric, b->expectation->metric) == 0;
}

void validation_write_summary(FILE *out, const struct expectation_results *results, const char *prefix)
{
    fprintf(out, "%s%zu of %zu expectations met.\n", prefix, results->count - results->missed,
            results->count);
    for (size_t i = 0; i < results->count; i++) {
        const char *metric = results->items[i].expectation->metric;
        struct spread spread = spread_of(results, metric);
        if (spread.count && validation_is_first(results, i, validation_same_metric))
            fprintf(out, "%s%s: %zu figure%s, largest difference %.1f %s, mean %.1f.\n", prefix, metric,
                    spread.count, spread.count == 1 ? "" : "s", spread.largest,
                    validation_difference_unit(metric), spread.mean);
    }
}

void validation_write_title(FILE *out, const struct plan *plan, const char *before, const char *after)
{
    fprintf(out, "%s%s", before, plan->base->name);
    if (plan->base->description)
        fprintf(out, "%s%s", after, plan->base->description);
    fputs("\n\n", out);
}
