/*
 * Laws by name. What they have in common is here, through the hazard (see sim/law.h); what is a law's
 * own is in its file.
 */
#include "sim/distribution.h"
#include "sim/law.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sim_law_names[SIM_LAW_COUNT + 1] = {
    "constant", "uniform",    "exponential", "weibull",   "exponentiated-weibull",
    "normal",   "log-normal", "gamma",       "empirical", NULL,
};

static const struct sim_law_row *const laws[SIM_LAW_COUNT] = {
    &sim_law_constant,
    &sim_law_uniform,
    &sim_law_exponential,
    &sim_law_weibull,
    &sim_law_exponentiated_weibull,
    &sim_law_normal,
    &sim_law_log_normal,
    &sim_law_gamma,
    &sim_law_empirical,
};

/* What a specification can give, and the range that holds for every law. */
static const struct parameter {
    const char *name;
    unsigned bit;
    size_t offset;
    double low, high;
    bool open; /* LOW itself is out of range */
} parameters[] = {
    {"mean", SIM_LAW_MEAN, offsetof(struct sim_law_spec, mean), 0, DBL_MAX, true},
    {"median", SIM_LAW_MEDIAN, offsetof(struct sim_law_spec, median), 0, DBL_MAX, true},
    {"low", SIM_LAW_LOW, offsetof(struct sim_law_spec, low), 0, DBL_MAX, false},
    {"high", SIM_LAW_HIGH, offsetof(struct sim_law_spec, high), 0, DBL_MAX, true},
    {"deviation", SIM_LAW_DEVIATION, offsetof(struct sim_law_spec, deviation), 0, DBL_MAX, false},
    {"shape", SIM_LAW_SHAPE, offsetof(struct sim_law_spec, shape), 0, DBL_MAX, true},
    {"power", SIM_LAW_POWER, offsetof(struct sim_law_spec, power), 0.001, 1000, false},
    {"sigma", SIM_LAW_SIGMA, offsetof(struct sim_law_spec, sigma), 0, 10, false},
};

enum { PARAMETER_COUNT = sizeof parameters / sizeof parameters[0] };

static double value_of(const struct sim_law_spec *spec, const struct parameter *parameter)
{
    double value;
    memcpy(&value, (const char *)spec + parameter->offset, sizeof value);
    return value;
}

static unsigned given(const struct sim_law_spec *spec)
{
    unsigned bits = spec->values.count > 0 ? SIM_LAW_VALUES : 0;
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (!isnan(value_of(spec, &parameters[i])))
            bits |= parameters[i].bit;
    return bits;
}

/* Name of the lowest parameter in BITS. */
static const char *name_of(unsigned bits)
{
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (bits & parameters[i].bit)
            return parameters[i].name;
    return "values";
}

/* "mean or median, shape, power". */
static void list_parameters(const struct sim_law_row *law, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (law->location != 0)
        used = (size_t)snprintf(text, size, "%smean or median", law->free_location ? "perhaps " : "");
    for (unsigned bit = 1; bit <= SIM_LAW_VALUES; bit <<= 1)
        if (law->required & bit && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name_of(bit));
}

/* The sentence every message on a missing or superfluous parameter ends with. */
static bool refuse(const char *name, const char *reason, const struct sim_law_spec *spec, struct error *error)
{
    char takes[100];
    list_parameters(laws[spec->law], takes, sizeof takes);
    error_set(error, ERROR_INPUT, "%s: %s; the law %s takes %s", name, reason, sim_law_names[spec->law],
              takes);
    return false;
}

static bool check_presence(const struct sim_law_spec *spec, struct error *error)
{
    const struct sim_law_row *law = laws[spec->law];
    unsigned present = given(spec), missing = law->required & ~present;
    unsigned superfluous = present & ~(law->required | law->location);
    unsigned location = present & law->location;
    if (superfluous != 0)
        return refuse(name_of(superfluous), "unused", spec, error);
    if (location != 0 && location == law->location)
        return refuse("median", "given together with mean", spec, error);
    if (missing != 0)
        return refuse(name_of(missing), "missing", spec, error);
    if (law->location != 0 && location == 0 && !law->free_location)
        return refuse("mean", "missing", spec, error);
    return true;
}

static bool check_range(const struct parameter *parameter, double value, double low, double high,
                        struct error *error)
{
    if (value >= low && value <= high && !(parameter->open && value == 0))
        return true;
    if (high == DBL_MAX)
        error_set(error, ERROR_INPUT, "%s: %g must be finite and %s %g", parameter->name, value,
                  parameter->open ? "above" : "at least", low);
    else
        error_set(error, ERROR_INPUT, "%s: %g is not within %g and %g", parameter->name, value, low, high);
    return false;
}

static bool check_ranges(const struct sim_law_spec *spec, struct error *error)
{
    const struct sim_law_row *law = laws[spec->law];
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameters[i];
        bool shape = parameter->bit == SIM_LAW_SHAPE;
        double value = value_of(spec, parameter);
        if (!isnan(value) && !check_range(parameter, value, shape ? law->shape_low : parameter->low,
                                          shape ? law->shape_high : parameter->high, error))
            return false;
    }
    return true;
}

static bool check(const struct sim_law_spec *spec, struct error *error)
{
    if (spec->law < 0 || spec->law >= SIM_LAW_COUNT) {
        error_set(error, ERROR_INPUT, "law: there is no law number %lld", (long long)spec->law);
        return false;
    }
    return check_presence(spec, error) && check_ranges(spec, error);
}

/* Extreme shapes of a law that is allowed each of them may still pass what a double holds. */
static bool check_result(const struct sim_distribution *distribution, const struct sim_law_spec *spec,
                         struct error *error)
{
    if (isfinite(distribution->mean) && isfinite(distribution->deviation) && distribution->mean > 0 &&
        isfinite(distribution->scale) && distribution->scale > 0)
        return true;
    error_set(error, ERROR_INPUT,
              "%s: with these parameters the law %s has no finite mean, deviation or scale",
              name_of(given(spec)), sim_law_names[spec->law]);
    return false;
}

const char *sim_law_description(enum sim_law law)
{
    assert(law >= 0 && law < SIM_LAW_COUNT);
    return laws[law]->description;
}

struct sim_distribution *sim_distribution_create(const struct sim_law_spec *spec, struct error *error)
{
    if (!check(spec, error))
        return NULL;
    struct sim_distribution *distribution = calloc(1, sizeof *distribution);
    if (distribution == NULL) {
        error_out_of_memory(error, "a law");
        return NULL;
    }
    distribution->law = laws[spec->law];
    if (distribution->law->prepare(distribution, spec, error) && check_result(distribution, spec, error))
        return distribution;
    sim_distribution_destroy(distribution);
    return NULL;
}

void sim_distribution_destroy(struct sim_distribution *distribution)
{
    if (distribution == NULL)
        return;
    free(distribution->values);
    free(distribution);
}

bool sim_distribution_is_memoryless(const struct sim_distribution *distribution)
{
    return distribution->law->memoryless;
}

double sim_distribution_mean(const struct sim_distribution *distribution)
{
    return distribution->mean;
}

double sim_distribution_deviation(const struct sim_distribution *distribution)
{
    return distribution->deviation;
}

double sim_distribution_sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    if (distribution->law->sample != NULL)
        return distribution->law->sample(distribution, stream);
    return distribution->law->at_hazard(distribution, sim_stream_exponential(stream));
}

double sim_distribution_survival(const struct sim_distribution *distribution, double x)
{
    return x < 0 ? 1 : exp(-distribution->law->hazard(distribution, x));
}

double sim_distribution_quantile(const struct sim_distribution *distribution, double p)
{
    assert(p > 0 && p < 1);
    return distribution->law->at_hazard(distribution, -log1p(-p));
}

double sim_distribution_upper_quantile(const struct sim_distribution *distribution, double q)
{
    assert(q > 0 && q < 1);
    return distribution->law->at_hazard(distribution, -log(q));
}

double sim_distribution_maximum(const struct sim_distribution *distribution, uint64_t n,
                                struct sim_stream *stream)
{
    assert(n >= 1);
    double hazard = -sim_law_log_complement(sim_stream_exponential(stream) / (double)n);
    return distribution->law->at_hazard(distribution, hazard);
}

double sim_distribution_mean_maximum(const struct sim_distribution *distribution, uint64_t n)
{
    assert(n >= 1);
    const struct sim_law_row *law = distribution->law;
    if (law->mean_maximum != NULL)
        return law->mean_maximum(distribution, (double)n);
    return sim_law_moment_of_maximum(distribution, law->at_hazard, (double)n, 1);
}

double sim_distribution_residual(const struct sim_distribution *distribution, double age,
                                 struct sim_stream *stream)
{
    assert(age >= 0);
    const struct sim_law_row *law = distribution->law;
    if (law->residual != NULL)
        return law->residual(distribution, age, stream);
    double past = law->hazard(distribution, age), more = sim_stream_exponential(stream);
    if (isinf(past))
        return 0;
    return fmax(0, law->at_hazard(distribution, past + more) - age);
}
