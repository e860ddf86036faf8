/*
 * Laws of positive quantities (times, factors) by name, over GSL.
 *
 * A law is given by its mean (or median) and its shapes, as planners know them; the scale follows.
 *
 *   constant              mean
 *   uniform               low, high
 *   exponential           mean
 *   weibull               mean or median, shape k in 0.05 … 1000
 *   exponentiated-weibull mean or median, shape k in 0.05 … 1000, power a in 0.001 … 1000:
 *                         F(x) = (1 − exp(−(x/λ)^k))^a
 *   normal                mean, deviation >= 0, both of the uncut law; what falls below 0 becomes 0
 *   log-normal            mean or median, sigma of ln x in 0 … 10
 *   gamma                 mean, shape in 0.01 … 10000
 *   empirical             values >= 0 (drawn with equal chance; mean or median, if given, rescales them)
 *
 * Means and medians are above 0; 0 <= low <= high, high > 0. A sigma or deviation of 0, and low = high,
 * make the law constant.
 *
 * A new law is one file law_NAME.c, its number here, and its name and row in distribution.c.
 */
#ifndef SIM_DISTRIBUTION_H
#define SIM_DISTRIBUTION_H

#include "sim/error.h"
#include "sim/stream.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_law {
    SIM_LAW_CONSTANT,
    SIM_LAW_UNIFORM,
    SIM_LAW_EXPONENTIAL,
    SIM_LAW_WEIBULL,
    SIM_LAW_EXPONENTIATED_WEIBULL,
    SIM_LAW_NORMAL,
    SIM_LAW_LOG_NORMAL,
    SIM_LAW_GAMMA,
    SIM_LAW_EMPIRICAL,
    SIM_LAW_COUNT
};

/* Names as written in scenarios, in the enum's order, then NULL. */
extern const char *const sim_law_names[SIM_LAW_COUNT + 1];

/* A sentence on the law and its parameters, for `trainstorm list distributions`. */
const char *sim_law_description(enum sim_law law);

/* A list of numbers; who makes it owns it. */
struct sim_values {
    const double *values;
    size_t count;
};

/* What a scenario says of a law. A parameter that is not given is NAN (values: none). Units are the
 * caller's, the same for all of mean, median, low, high, deviation and values. */
struct sim_law_spec {
    int64_t law; /* enum sim_law */
    double mean, median, low, high, deviation;
    double shape, power, sigma;
    struct sim_values values; /* not owned */
};

struct sim_distribution;

/* Builds the law, or says which parameter is missing, superfluous or out of range (ERROR_INPUT, the
 * message starts with the parameter's name). Copies VALUES. The caller destroys it. */
struct sim_distribution *sim_distribution_create(const struct sim_law_spec *spec, struct error *error);
void sim_distribution_destroy(struct sim_distribution *distribution); /* NULL is allowed */

/* True when the law has no memory (exponential), so that many units are one Poisson process. */
bool sim_distribution_is_memoryless(const struct sim_distribution *distribution);

double sim_distribution_mean(const struct sim_distribution *distribution);
double sim_distribution_deviation(const struct sim_distribution *distribution); /* standard deviation */

double sim_distribution_sample(const struct sim_distribution *distribution, struct sim_stream *stream);

/* Q(x) = P(X > x), and the two quantiles: the least x with F(x) = p, and with Q(x) = q, to a few units
 * of the last place however far in the tails (to nine digits for gamma, whose functions GSL knows no
 * better near a large shape). 0 < p, q < 1. */
double sim_distribution_survival(const struct sim_distribution *distribution, double x);
double sim_distribution_quantile(const struct sim_distribution *distribution, double p);
double sim_distribution_upper_quantile(const struct sim_distribution *distribution, double q);

/* The largest of N independent draws, N >= 1, in one draw: Q⁻¹(−expm1(ln u / N)), where −ln u is an
 * exponential draw, so that N = 10⁹ loses no digits. The same stream gives a larger maximum for a
 * larger N. */
double sim_distribution_maximum(const struct sim_distribution *distribution, uint64_t n,
                                struct sim_stream *stream);

/* Mean of that maximum, ∫ (1 − Fⁿ), N >= 1. */
double sim_distribution_mean_maximum(const struct sim_distribution *distribution, uint64_t n);

/* The life left to a unit of AGE >= 0: x − age given x > age. 0 where nothing lives as long: beyond
 * the greatest value of a bounded law, and for normal, log-normal and gamma where Q(age) < 1e-280. */
double sim_distribution_residual(const struct sim_distribution *distribution, double age,
                                 struct sim_stream *stream);

#endif
