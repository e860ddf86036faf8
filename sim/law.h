/*
 * What a law is to distribution.c: a row of functions. Private to sim/.
 *
 * A law is known by its cumulative hazard H(x) = −ln P(X > x) and by the inverse of that. Hazards keep
 * their digits in both tails (the lower tail is a hazard near 0, the upper one a large hazard), and an
 * exponential draw is a hazard: at_hazard(Exp(1)) is a sample, at_hazard(H(age) + Exp(1)) the end of a
 * life that has come to AGE, and the largest of n draws has the hazard −ln(−expm1(−Exp(1)/n)).
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include "sim/distribution.h"

struct sim_law_row;

/* Laws without a closed form are followed up to here; beyond it their hazard is infinite. */
#define SIM_LAW_LEAST_SURVIVAL 1e-280
#define SIM_LAW_GREATEST_HAZARD 700.0 /* asked of at_hazard; a little beyond −ln of the above */

struct sim_distribution {
    const struct sim_law_row *law;
    double mean, deviation;
    double scale;        /* the unit of x; the law's file says which */
    double shape, power; /* 0 where the law has none */
    double *values;      /* empirical: ascending */
    size_t value_count;
};

/* Parameters of a specification, as bits. */
enum sim_law_parameter {
    SIM_LAW_MEAN = 1 << 0,
    SIM_LAW_MEDIAN = 1 << 1,
    SIM_LAW_LOW = 1 << 2,
    SIM_LAW_HIGH = 1 << 3,
    SIM_LAW_DEVIATION = 1 << 4,
    SIM_LAW_SHAPE = 1 << 5,
    SIM_LAW_POWER = 1 << 6,
    SIM_LAW_SIGMA = 1 << 7,
    SIM_LAW_VALUES = 1 << 8,
};

struct sim_law_row {
    const char *description; /* a sentence */
    unsigned required;       /* all of these are given */
    unsigned location;       /* of mean and median: just one is given, or with free_location one at most */
    bool free_location;
    double shape_low, shape_high; /* range of the shape, where required */
    bool memoryless;

    /* Fills the distribution from a specification whose parameters are those above and within range. */
    bool (*prepare)(struct sim_distribution *, const struct sim_law_spec *, struct error *);

    double (*hazard)(const struct sim_distribution *, double x);         /* x >= 0 */
    double (*at_hazard)(const struct sim_distribution *, double hazard); /* hazard > 0 */

    /* Below, NULL means the general way: through the hazard. */
    double (*sample)(const struct sim_distribution *, struct sim_stream *);
    double (*residual)(const struct sim_distribution *, double age, struct sim_stream *);
    double (*mean_maximum)(const struct sim_distribution *, double n);
};

extern const struct sim_law_row sim_law_constant, sim_law_uniform, sim_law_exponential, sim_law_weibull,
    sim_law_exponentiated_weibull, sim_law_normal, sim_law_log_normal, sim_law_gamma, sim_law_empirical;

/* Makes DISTRIBUTION the constant law of VALUE: what a law without spread comes to. */
void sim_law_make_constant(struct sim_distribution *distribution, double value);

/* ln(1 − e^−x), x > 0; this is its own inverse up to sign: y = −ln(1 − e^−x) gives x = −ln(1 − e^−y). */
double sim_law_log_complement(double x);

/* E[g(M)^POWER] for the largest M of N draws whose hazards are mapped to values by AT_HAZARD; by
 * quadrature, to about 13 digits for an analytic map. */
double sim_law_moment_of_maximum(const struct sim_distribution *distribution,
                                 double (*at_hazard)(const struct sim_distribution *, double), double n,
                                 int power);

#endif
