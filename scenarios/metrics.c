/*
 * Names and units are those of the models' tables; what is a share, and how units are written, stands here.
 */
#include "scenarios/metrics.h"

#include "models/learning/metrics.h"
#include "models/training/result.h"

#include <string.h>

/* Metrics' units that are written; pure numbers and nats are written without. */
static const struct {
    const char *name;
    enum parameter_dimension dimension;
    double size;
} units_written[] = {{"s", DIMENSION_TIME, 1},
                     {"bit/s", DIMENSION_DATA_RATE, 1},
                     {"B", DIMENSION_DATA, 8},
                     {"kWh", DIMENSION_ENERGY, 3.6e6}};

/* Beside those that begin with "share:" and "waste:". */
static const struct {
    const char *metric;
    enum metrics_range range;
} ranges[] = {
    {"goodput", METRICS_SHARE},      {"uptime", METRICS_SHARE},      {"compute_utilization", METRICS_SHARE},
    {"ettr", METRICS_SHARE},         {"job_goodput", METRICS_SHARE}, {"time_bound", METRICS_SHARE},
    {"time_saved", METRICS_SAVING},  {"occupancy", METRICS_SHARE},   {"overlap_rate", METRICS_SAVING},
    {"merged_share", METRICS_SHARE},
};

static bool find_unit(const struct metric_description *metrics, size_t count, const char *metric,
                      const char **unit)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(metric, metrics[i].name) == 0) {
            *unit = metrics[i].unit;
            return true;
        }
    return false;
}

/* Whether METRIC is what a category or a cause has of the chip time. */
static bool is_chip_time(const char *metric)
{
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        if (strcmp(metric, budget_metrics[i]) == 0)
            return true;
    return strncmp(metric, "waste:", 6) == 0 && metric[6] != '\0';
}

bool metrics_find(const char *metric, struct metrics_form *form)
{
    bool chip_time = is_chip_time(metric);
    *form = (struct metrics_form){"1", DIMENSION_NONE, 1, chip_time ? METRICS_SHARE : METRICS_ANY};
    if (!chip_time && !find_unit(run_metrics, RUN_METRICS, metric, &form->unit) &&
        !find_unit(learning_metrics, LEARNING_METRICS, metric, &form->unit))
        return false;
    for (size_t i = 0; i < sizeof units_written / sizeof *units_written; i++)
        if (strcmp(units_written[i].name, form->unit) == 0) {
            form->dimension = units_written[i].dimension;
            form->size = units_written[i].size;
        }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (strcmp(ranges[i].metric, metric) == 0)
            form->range = ranges[i].range;
    return true;
}

void metrics_bound(struct parameter *row, enum metrics_range range, bool spread)
{
    if (range == METRICS_ANY)
        return;
    row->minimum = spread || range == METRICS_SHARE ? 0 : -INFINITY;
    row->maximum = 1;
}

bool metrics_read(const struct metrics_form *form, bool spread, const struct units *units, const char *text,
                  double *value, struct value_fault *fault)
{
    struct parameter row = {.type = PARAMETER_REAL, .dimension = form->dimension};
    metrics_bound(&row, form->range, spread);
    if (!value_read_text(units, NULL, &row, text, value, fault))
        return false;
    *value /= form->size;
    return true;
}
