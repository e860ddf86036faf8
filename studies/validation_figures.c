#include "studies/validation_figures.h"

#include "results/notation.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void __attribute__((format(printf, 2, 3)))
validation_put(char cell[VALIDATION_CELL_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, VALIDATION_CELL_SIZE, format, arguments);
    va_end(arguments);
}

/* Times all in seconds, for they stand one below the other; others as suits the figure. */
static struct notation_unit unit_of(const char *metric, double figure)
{
    return strcmp(notation_metric_unit(metric), "s") == 0 ? (struct notation_unit){"s", 1}
                                                          : notation_unit_of(metric, figure);
}

static bool in_percent(const struct scenario_expectation *expectation)
{
    return expectation->against || notation_is_share(expectation->metric);
}

void validation_put_figure(char cell[VALIDATION_CELL_SIZE], const struct scenario_expectation *expectation,
                           const char *before, double value)
{
    const struct notation_unit unit = unit_of(expectation->metric, value);
    const char *space = *unit.name ? " " : "";
    char loss[NOTATION_LENGTH];
    if (isnan(value)) {
        validation_put(cell, "%snone", before);
    } else if (expectation->against) {
        validation_put(cell, "%s%.4g %%", before, 100 * value);
    } else if (in_percent(expectation)) {
        validation_put(cell, "%s%.1f %%", before, 100 * value);
    } else if (notation_is_loss(expectation->metric)) {
        notation_loss(loss, value, NAN);
        validation_put(cell, "%s%s%s%s", before, loss, space, unit.name);
    } else {
        validation_put(cell, "%s%.6g%s%s", before, value / unit.scale, space, unit.name);
    }
}

/* So many that the half-width shows a digit. */
static int decimals_for(double half)
{
    return half > 0 && isfinite(half) ? (int)fmin(6, fmax(1, -floor(log10(half)))) : 1;
}

void validation_put_interval(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    const struct scenario_expectation *expectation = result->expectation;
    double scale = expectation->against ? 100 : 1 / unit_of(expectation->metric, result->got).scale;
    double low = scale * result->low, high = scale * result->high;
    int decimals = decimals_for((high - low) / 2);
    cell[0] = '\0';
    if (!isnan(low) && !isnan(high))
        validation_put(cell, "[%.*f, %.*f]", decimals, low, decimals, high);
}

void validation_put_change(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    int decimals = decimals_for(100 * (result->high - result->low) / 2);
    if (isnan(result->got))
        validation_put(cell, "none");
    else
        validation_put(cell, "%+.*f %%", decimals, 100 * result->got);
}

/* The part that a result belongs to. */
static struct expectation_results *part_of(struct validation_parts *parts,
                                           const struct expectation_result *result)
{
    if (result->expectation->solve)
        return &parts->solved;
    return result->expectation->against ? &parts->paired : &parts->alone;
}

bool validation_part(const struct expectation_results *results, struct validation_parts *parts)
{
    struct expectation_result *items = calloc(3 * results->count + 1, sizeof *items);
    if (!items)
        return false;
    *parts = (struct validation_parts){.alone = {.items = items},
                                       .paired = {.items = items + results->count},
                                       .solved = {.items = items + 2 * results->count}};
    for (size_t i = 0; i < results->count; i++) {
        struct expectation_results *part = part_of(parts, &results->items[i]);
        part->items[part->count++] = results->items[i];
        part->missed += !results->items[i].met;
    }
    return true;
}

void validation_parts_free(struct validation_parts *parts)
{
    free(parts->alone.items);
}

const char *validation_bound_sign(const struct scenario_expectation *expectation)
{
    bool both = !isnan(expectation->minimum) && !isnan(expectation->maximum);
    if (!isnan(expectation->value) || both)
        return "";
    return isnan(expectation->minimum) ? "≤ " : "≥ ";
}

bool validation_is_published(const struct expectation_result *result)
{
    const char *source = result->expectation->source;
    return source && strncmp(source, "ours", 4) != 0;
}

const char *validation_wanted_word(const struct expectation_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (validation_is_published(&results->items[i]))
            return "published";
    return "expected";
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

static void write_spreads(FILE *out, const struct expectation_results *results, const char *prefix)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *metric = results->items[i].expectation->metric;
        struct spread spread = spread_of(results, metric);
        if (spread.count && validation_is_first(results, i, validation_same_metric))
            fprintf(out, "%s%s: %zu figure%s, largest difference %.1f %s, mean %.1f.\n", prefix, metric,
                    spread.count, spread.count == 1 ? "" : "s", spread.largest,
                    validation_difference_unit(metric), spread.mean);
    }
}

void validation_write_summary(FILE *out, const struct expectation_results *results,
                              const struct validation_parts *parts, const char *prefix)
{
    if (results->count == 0) {
        fprintf(out, "%sNothing is expected of this scenario.\n", prefix);
        return;
    }
    fprintf(out, "%s%zu of %zu expectation%s met.\n", prefix, results->count - results->missed,
            results->count, results->count == 1 ? "" : "s");
    write_spreads(out, &parts->alone, prefix);
    write_spreads(out, &parts->solved, prefix);
}

void validation_write_title(FILE *out, const struct plan *plan, const char *before, const char *after)
{
    fprintf(out, "%s%s", before, plan->base->name);
    if (plan->base->description)
        fprintf(out, "%s%s", after, plan->base->description);
    fputs("\n\n", out);
}
