/*
 * Tallies: what is kept of many observations. A sample tally keeps mean and variance (Welford), extremes,
 * and quantiles through GSL's running estimators (gsl_rstat); a time tally weighs a value by how long it
 * lasted. Intervals are Student's t over independent observations.
 */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "sim/clock.h"
#include <stddef.h>
#include <stdint.h>

struct sim_tally;

struct sim_tally *sim_tally_create(void); /* NULL when out of memory */
void sim_tally_destroy(struct sim_tally *tally);
void sim_tally_add(struct sim_tally *tally, double value); /* VALUE is finite */
uint64_t sim_tally_count(const struct sim_tally *tally);
double sim_tally_mean(const struct sim_tally *tally);      /* NAN when empty */
double sim_tally_variance(const struct sim_tally *tally);  /* unbiased; NAN below two observations */
double sim_tally_deviation(const struct sim_tally *tally); /* its root */
double sim_tally_minimum(const struct sim_tally *tally);
double sim_tally_maximum(const struct sim_tally *tally);

/* Estimate of the P-quantile for one of P = 0.05, 0.25, 0.5, 0.75, 0.95; NAN for another. */
double sim_tally_quantile(const struct sim_tally *tally, double p);

/* Half-width of the two-sided interval of the mean at CONFIDENCE (0.95, say); infinite below two
 * observations. */
double sim_tally_half_width(const struct sim_tally *tally, double confidence);

/* The same from a count and a standard deviation kept elsewhere. */
double sim_student_half_width(uint64_t count, double deviation, double confidence);

/* A value that is constant between changes, averaged over time. */
struct sim_time_tally {
    sim_time since;   /* of the present value */
    sim_time elapsed; /* observed so far */
    double value, minimum, maximum;
    double integral; /* value × seconds */
};

void sim_time_tally_start(struct sim_time_tally *tally, sim_time now, double value);
void sim_time_tally_set(struct sim_time_tally *tally, sim_time now, double value);

/* Up to NOW; NAN over no time. */
double sim_time_tally_mean(const struct sim_time_tally *tally, sim_time now);

#endif
