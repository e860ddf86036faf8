/*
 * Two strategies of a study, pair by pair. Strategies of one scenario meet the same failures (common random
 * numbers), and so the difference between two runs of the same point, replication and seed varies less than
 * each of them; its Student-t interval is over pairs. Where no two runs have that in common, since their
 * seeds differ, the interval is Welch's, over all runs of both.
 */
#ifndef RESULTS_PAIRED_H
#define RESULTS_PAIRED_H

#include "results/inference.h"
#include "results/store.h"

struct paired_point {
    char *point; /* JSON */
    int64_t pairs;
    int64_t runs_a, runs_b; /* where there are no pairs: runs whose seeds differ; else 0 */
    double mean_a, mean_b;
    double difference;                   /* mean of A − B */
    double deviation;                    /* of the differences; NAN of one pair, or none */
    double low, high;                    /* 95 % interval of the mean difference; NAN of one pair */
    struct inference_interval bootstrap; /* the same without a law; NAN of no pairs */
    int64_t
        needed; /* pairs that would tell a difference as large as this from none, the deviation being as it */
                /* is, if they are more than there are; else, and if no number would, 0 */
};

struct paired {
    int64_t study;
    char *a, *b, *metric;
    struct paired_point *points; /* in the outline's order, those with at least one pair, or runs of both */
    size_t point_count;
};

/* Compares strategies A and B of STUDY, of which one may be the reference (outline.h), by METRIC: a metric's
 * name, of the simulation or of the replays of the shown learning, or "share:CATEGORY" of the budget; NULL is
 * goodput. Pairs in which a run failed or was interrupted, or has no such metric, are left out. NULL: no such
 * strategy or metric, or no point with
 * runs of both (ERROR_INPUT); the database failed. The caller destroys it. */
struct paired *paired_create(struct store *store, int64_t study, const char *a, const char *b,
                             const char *metric, struct error *error);
void paired_destroy(struct paired *paired);

/* The same at POINT (JSON) alone and of pairs alone, without a bootstrap, for figures whose names are known
 * to be right; PAIRED->point stays NULL. Of no pair: count 0, figures NAN. */
bool paired_read_point(struct store *store, int64_t study, const char *point, const char *a, const char *b,
                       const char *metric, struct paired_point *paired, struct error *error);

/* The same of one STRATEGY at the points (JSON) A and B, of replications from FIRST on. */
bool paired_read_points(struct store *store, int64_t study, const char *strategy, const char *a,
                        const char *b, const char *metric, int64_t first, struct paired_point *paired,
                        struct error *error);

/* The figures of METRIC of one STRATEGY at POINT (JSON), in the order of the replications, those left out
 * that have none; the caller frees *VALUES, of which there are *COUNT. */
bool paired_read_figures(struct store *store, int64_t study, const char *strategy, const char *point,
                         const char *metric, double **values, size_t *count, struct error *error);

/* The comparison as a table in plain text, or as JSON. The caller frees; NULL when out of memory or when the
 * database fails. */
char *paired_table(struct store *store, const struct paired *paired, struct error *error);
char *paired_json(const struct paired *paired, struct error *error);

#endif
