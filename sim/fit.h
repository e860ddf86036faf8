/*
 * Laws fitted to measured times by maximum likelihood, with lives that were still going on when the
 * measurement ended (right-censored: they count with their survival, not with their density).
 *
 *   exponential  λ̂ = deaths / total time
 *   weibull      the root k of Σ t^k ln t / Σ t^k − 1/k = mean of ln t over the ended ones, then
 *                scale = (Σ t^k / deaths)^(1/k) (Cohen, Technometrics 7(4), 1965; the sums are over all)
 *   log-normal   mean and deviation of ln t; with censored times the maximum in two dimensions
 *
 * Intervals are those of the normal law around ln(scale) and ln(shape), from the curvature of the
 * likelihood at its maximum, and for the mean by the delta method.
 */
#ifndef SIM_FIT_H
#define SIM_FIT_H

#include "sim/distribution.h"

/* A time that something lasted, or had lasted when it was last seen. */
struct sim_life {
    double length; /* > 0 */
    bool ended;
};

struct sim_fit_value {
    double value, low, high; /* with the bounds of the 95 % interval */
};

struct sim_fit {
    enum sim_law law;
    struct sim_fit_value mean;
    struct sim_fit_value shape; /* k of a Weibull law, sigma of a log-normal one; NAN for an exponential */
    double median;
    double log_likelihood;
    double aic;      /* 2 · parameters − 2 · log-likelihood: the least is the best */
    double distance; /* Kolmogorov and Smirnov's: sup |F̂ − F| up to the last end, F̂ of Kaplan and Meier.
                        Its common table does not hold for a law that was fitted to the same times. */
};

/* Laws that can be fitted, simplest first. */
enum { SIM_FIT_LAWS = 3 };
extern const enum sim_law sim_fit_laws[SIM_FIT_LAWS];

/* Fits LAW (one of the above) to COUNT lives, which it sorts. False with ERROR when fewer than two
 * different lengths have ended, or the maximum is beyond what the law may have (sim/distribution.h). */
bool sim_fit(enum sim_law law, struct sim_life *lives, size_t count, struct sim_fit *fit,
             struct error *error);

#endif
