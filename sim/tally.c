/*
 * Tallies: mean and sum of squared deviations by Welford's update (1962), which loses no digits to a
 * large mean; quantiles by the P² estimators of GSL, kept inside the tally.
 */
#include "sim/tally.h"
#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rstat.h>
#include <math.h>
#include <stdlib.h>

enum { QUANTILES = 5 };

static const double probabilities[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct sim_tally {
    uint64_t count;
    double mean, squares; /* squares: sum of squared deviations from the mean */
    double minimum, maximum;
    gsl_rstat_quantile_workspace quantiles[QUANTILES];
};

struct sim_tally *sim_tally_create(void)
{
    struct sim_tally *tally = malloc(sizeof *tally);
    if (tally == NULL)
        return NULL;
    *tally = (struct sim_tally){.minimum = NAN, .maximum = NAN};
    for (int i = 0; i < QUANTILES; i++) {
        tally->quantiles[i].p = probabilities[i];
        gsl_rstat_quantile_reset(&tally->quantiles[i]);
    }
    return tally;
}

void sim_tally_destroy(struct sim_tally *tally)
{
    free(tally);
}

void sim_tally_add(struct sim_tally *tally, double value)
{
    assert(isfinite(value));
    tally->count += 1;
    double difference = value - tally->mean;
    tally->mean += difference / (double)tally->count;
    tally->squares += difference * (value - tally->mean);
    tally->minimum = fmin(tally->minimum, value);
    tally->maximum = fmax(tally->maximum, value);
    for (int i = 0; i < QUANTILES; i++)
        gsl_rstat_quantile_add(value, &tally->quantiles[i]);
}

uint64_t sim_tally_count(const struct sim_tally *tally)
{
    return tally->count;
}

double sim_tally_mean(const struct sim_tally *tally)
{
    return tally->count == 0 ? NAN : tally->mean;
}

double sim_tally_variance(const struct sim_tally *tally)
{
    return tally->count < 2 ? NAN : tally->squares / (double)(tally->count - 1);
}

double sim_tally_deviation(const struct sim_tally *tally)
{
    return sqrt(sim_tally_variance(tally));
}

double sim_tally_minimum(const struct sim_tally *tally)
{
    return tally->minimum;
}

double sim_tally_maximum(const struct sim_tally *tally)
{
    return tally->maximum;
}

/* GSL sorts its first five values in place when asked: a copy is asked. */
double sim_tally_quantile(const struct sim_tally *tally, double p)
{
    for (int i = 0; i < QUANTILES && tally->count > 0; i++)
        if (probabilities[i] == p) {
            gsl_rstat_quantile_workspace copy = tally->quantiles[i];
            return gsl_rstat_quantile_get(&copy);
        }
    return NAN;
}

double sim_tally_half_width(const struct sim_tally *tally, double confidence)
{
    return sim_student_half_width(tally->count, sim_tally_deviation(tally), confidence);
}

double sim_student_half_width(uint64_t count, double deviation, double confidence)
{
    assert(confidence > 0 && confidence < 1);
    if (count < 2)
        return INFINITY;
    double t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, (double)(count - 1));
    return t * deviation / sqrt((double)count);
}

void sim_time_tally_start(struct sim_time_tally *tally, sim_time now, double value)
{
    *tally = (struct sim_time_tally){.since = now, .value = value, .minimum = value, .maximum = value};
}

/* Adds the present value up to NOW. */
static void settle(struct sim_time_tally *tally, sim_time now)
{
    assert(now >= tally->since);
    tally->elapsed += now - tally->since;
    tally->integral += tally->value * sim_time_to_seconds(now - tally->since);
    tally->since = now;
}

void sim_time_tally_set(struct sim_time_tally *tally, sim_time now, double value)
{
    settle(tally, now);
    tally->value = value;
    tally->minimum = fmin(tally->minimum, value);
    tally->maximum = fmax(tally->maximum, value);
}

double sim_time_tally_mean(const struct sim_time_tally *tally, sim_time now)
{
    struct sim_time_tally settled = *tally;
    settle(&settled, now);
    return settled.elapsed == 0 ? NAN : settled.integral / sim_time_to_seconds(settled.elapsed);
}
