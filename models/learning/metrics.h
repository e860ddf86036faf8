/*
 * The figures that a replay comes to: names in the database, units and meanings. What computes them is
 * studies/learning_figures.c.
 */
#ifndef MODELS_LEARNING_METRICS_H
#define MODELS_LEARNING_METRICS_H

#include "models/metric.h"
#include <stdbool.h>

enum learning_metric {
    LEARNING_FINAL_LOSS,
    LEARNING_EXCESS_LOSS,
    LEARNING_FLOOR_LOSS,
    LEARNING_LOSS_OVER_REFERENCE,
    LEARNING_TIME_TO_LOSS,
    LEARNING_STATISTICAL_GOODPUT,
    LEARNING_TOKENS_TRAINED,
    LEARNING_TOKENS_MERGED,
    LEARNING_TOKENS_LOST,
    LEARNING_TOKENS_PENDING,
    LEARNING_MERGED_SHARE,
    LEARNING_COST_TO_LOSS,
    LEARNING_ENERGY_TO_LOSS,
    LEARNING_METRICS
};

extern const struct metric_description learning_metrics[LEARNING_METRICS];

/* Whether METRIC is the name of one of them: there is none where nothing learns. */
bool learning_has_metric(const char *metric);

#endif
