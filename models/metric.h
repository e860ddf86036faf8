/*
 * What results call a figure: the tables of runs (models/training/result.h) and of replays
 * (models/learning/metrics.h) are lists of these.
 */
#ifndef MODELS_METRIC_H
#define MODELS_METRIC_H

struct metric_description {
    const char *name; /* in the database */
    const char *unit; /* "1" for pure numbers */
    const char *sentence;
};

#endif
