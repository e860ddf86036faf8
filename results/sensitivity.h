/*
 * Which of a scenario's numbers a strategy's metric hangs on: a study of the base point and of points that
 * change one field each, ranked. Differences to the base are of pairs, runs of the same replication and seed.
 */
#ifndef RESULTS_SENSITIVITY_H
#define RESULTS_SENSITIVITY_H

#include "results/outline.h"

/* The field's lower or higher value. */
struct sensitivity_side {
    char value[64];    /* in the unit of the base; "": there is no such point, and the rest is NAN */
    double difference; /* of the metric from the base's, mean over pairs */
    double low, high;  /* 95 % interval of that; NAN of one pair */
};

struct sensitivity_row {
    const char *path;
    char base[64];                    /* the scenario's value; "" if it is not known */
    struct sensitivity_side sides[2]; /* lower, higher */
    double span;                      /* between the least and the greatest of base and sides */
    double elasticity; /* relative change of the metric over that of the field, from side to side; NAN:
                          unknown */
    bool felt; /* some side differs from the base by more than the noise: its interval is without 0, and of
                  one pair the difference is not 0 */
};

struct sensitivity {
    const char *strategy, *metric;
    double base;                  /* the metric's mean at the base point */
    int64_t pairs;                /* most of a side */
    struct sensitivity_row *rows; /* what is felt first, then by span */
    size_t count, felt;
};

/* Whether the study is such a one: a base point, and others with one field each, two values at most. */
bool sensitivity_is_study(const struct outline *outline);

/* Ranks the fields for a strategy of the outline, which must outlive it. A strategy that has no METRIC at the
 * base point gives no rows. NULL: the database or memory failed. The caller destroys it. */
struct sensitivity *sensitivity_create(struct store *store, const struct outline *outline,
                                       const char *strategy, const char *metric, struct error *error);
void sensitivity_destroy(struct sensitivity *sensitivity);

/* A table in plain text for each strategy of STUDY: what is felt, with values, differences and elasticity,
 * and how many others there are. The caller frees. NULL: no such study, it is no sensitivity analysis, or has
 * no METRIC (ERROR_INPUT); the database or memory failed. */
char *sensitivity_table(struct store *store, int64_t study, const char *metric, struct error *error);

#endif
