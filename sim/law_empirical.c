/*
 * Empirical: each of the values, kept in ascending order, has the chance 1/n.
 */
#include "sim/law.h"
#include <float.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool copy_values(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                        struct error *error)
{
    size_t count = spec->values.count;
    const double *values = spec->values.values;
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 0 && values[i] <= DBL_MAX)) {
            error_set(error, ERROR_INPUT, "values: number %zu, %g, must be finite and not below 0", i + 1,
                      values[i]);
            return false;
        }
    distribution->values = calloc(count, sizeof *distribution->values);
    if (distribution->values == NULL) {
        error_out_of_memory(error, "the values of a law");
        return false;
    }
    memcpy(distribution->values, values, count * sizeof *values);
    distribution->value_count = count;
    gsl_sort(distribution->values, 1, count);
    return true;
}

/* What to multiply the values by; not finite when they are all 0 where it matters. */
static double wanted_scale(const struct sim_distribution *distribution, const struct sim_law_spec *spec)
{
    const double *values = distribution->values;
    size_t count = distribution->value_count;
    if (!isnan(spec->mean))
        return spec->mean / gsl_stats_mean(values, 1, count);
    if (!isnan(spec->median))
        return spec->median / gsl_stats_median_from_sorted_data(values, 1, count);
    return 1;
}

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    if (!copy_values(distribution, spec, error))
        return false;
    double *values = distribution->values, scale = wanted_scale(distribution, spec);
    if (!isfinite(scale) || values[distribution->value_count - 1] == 0) {
        error_set(error, ERROR_INPUT, "values: their mean or median is 0");
        return false;
    }
    for (size_t i = 0; i < distribution->value_count; i++)
        values[i] *= scale;
    distribution->scale = scale;
    distribution->mean = gsl_stats_mean(values, 1, distribution->value_count);
    distribution->deviation =
        gsl_stats_sd_with_fixed_mean(values, 1, distribution->value_count, distribution->mean);
    return true;
}

/* How many of the values are at most X. */
static size_t count_up_to(const struct sim_distribution *distribution, double x)
{
    size_t low = 0, high = distribution->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (distribution->values[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    size_t count = distribution->value_count;
    return -log((double)(count - count_up_to(distribution, x)) / (double)count);
}

/* The least value with no more than the share e^−hazard above it. A share within rounding of a whole
 * number of values is that number, so that the quantile of a value's own probability is the value. */
static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    double count = (double)distribution->value_count;
    double above = floor((exp(-hazard) + 4 * DBL_EPSILON) * count);
    return distribution->values[above >= count ? 0 : distribution->value_count - 1 - (size_t)above];
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    return distribution->values[sim_stream_below(stream, distribution->value_count)];
}

static double mean_maximum(const struct sim_distribution *distribution, double n)
{
    double count = (double)distribution->value_count, sum = 0, below = 0;
    for (size_t i = 0; i < distribution->value_count; i++) {
        double up_to = exp(n * log((double)(i + 1) / count));
        sum += distribution->values[i] * (up_to - below);
        below = up_to;
    }
    return sum;
}

const struct sim_law_row sim_law_empirical = {
    .description = "Observed values, each as likely; mean or median, if given, rescales them.",
    .required = SIM_LAW_VALUES,
    .location = SIM_LAW_MEAN | SIM_LAW_MEDIAN,
    .free_location = true,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
    .mean_maximum = mean_maximum,
};
