/*
 * Databases of several processes joined in one: what the shards of a sweep left on the machines of a cluster.
 *
 * Studies that are shards of one study become that study. A study that is there already, the very same one,
 * is not added again, nor is a run that is known by the same (store_find_runs); so a merge can be done again.
 * Runs that failed or were broken off stay behind: the merged database is no place to look for them, and a
 * sweep into it does them again.
 */
#ifndef RESULTS_MERGE_H
#define RESULTS_MERGE_H

#include "results/store.h"

struct merge_outcome {
    int64_t studies; /* of the source */
    int64_t runs;    /* added */
    int64_t known;   /* there already */
    int64_t left;    /* left behind */
};

/* Adds all of the database SOURCE to STORE in one transaction, and summarises the studies that it touched. A
 * missing source, one of an older format or STORE's own file is ERROR_INPUT or ERROR_SYSTEM and names it. */
bool store_merge(struct store *store, const char *source, struct merge_outcome *outcome, struct error *error);

#endif
