/*
 * A study against an earlier one: has a metric become worse by more than is allowed?
 *
 * Runs of one strategy, point, replication and seed met the same chance. Where both studies have such, they
 * are compared pair by pair, and a change shows among far fewer of them; else by Welch's test (B. L. Welch,
 * Biometrika 34, 1947), which knows only that each study's runs vary. With M the share that is allowed, what
 * counts is x - (1 - M) y, of a metric that is better the less it is x - (1 + M) y: a regression is reported
 * when the one-sided interval of its mean lies beyond 0. The confidence holds for all of a study's figures
 * together (Sidak 1967): where nothing has changed, a regression is reported once in twenty studies at 0.95,
 * whatever their size. What lies beyond 0 but not with its interval is unclear, and more replications tell. A
 * single pair has no interval and is decided by itself.
 */
#ifndef RESULTS_BASELINE_H
#define RESULTS_BASELINE_H

#include "results/outline.h"
#include <stdio.h>

struct baseline_options {
    const char *database; /* whose newest study of the same name is the baseline */
    const char *metric;
    double allowed;    /* a share, 0.01; 0 for none */
    double confidence; /* between 0.5 and 1 */
};

struct baseline_outcome {
    size_t compared, regressed, unclear;
    size_t missing; /* strategies at points that the baseline does not have */
    size_t gone;    /* those of the baseline that the study has not, or not with a value */
};

/* Compares STUDY of STORE and keeps what comes of it there. A baseline that is missing, has no such study or
 * no such figures is ERROR_INPUT. */
bool baseline_judge(struct store *store, int64_t study, const struct baseline_options *options,
                    struct baseline_outcome *outcome, struct error *error);

/* Whether METRIC is better the greater it is. */
bool baseline_greater_is_better(const char *metric);

/* What was kept: a table, in plain text or Markdown; nothing if there was no baseline. */
bool baseline_write_table(struct store *store, const struct outline *outline, bool markdown, FILE *out,
                          struct error *error);

/* The same as a JSON array. */
bool baseline_write_json(struct store *store, int64_t study, FILE *out, struct error *error);

/* A change as people read it. */
struct baseline_words {
    const char *strategy, *metric, *baseline, *verdict; /* "kept", "unclear", "regressed" */
    char *point;                                        /* in words; "" for none */
    char before[200], now[200], change[200];            /* with intervals and what they are of */
    char allowed[80];
};

/* Shows VISIT each of them, in the table's order. */
bool baseline_for_each(struct store *store, const struct outline *outline,
                       void (*visit)(void *context, const struct baseline_words *words), void *context,
                       struct error *error);

#endif
