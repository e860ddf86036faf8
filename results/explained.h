/*
 * What explanations are made of, as the database has it (explanation.h). Private to them.
 */
#ifndef RESULTS_EXPLAINED_H
#define RESULTS_EXPLAINED_H

#include "results/store.h"
#include "results/stretches.h"
#include "sim/ledger.h"

/* Faults of one process, chaos entry or kind of a trace. Times are seconds, NAN where they are not known. */
struct explained_cause {
    char *name, *fault, *domain; /* of the first, where there are several kinds */
    bool strikes_links;
    int64_t struck, ignored;
    double first, last, cost_since;
    sim_amount lost, by[BUDGET_CATEGORIES];
};

struct explained {
    int64_t run, study, replication, seed;
    char *name, *strategy, *point, *status;
    double seconds, goodput;
    int64_t chips;
    sim_amount budget[BUDGET_CATEGORIES];
    sim_amount without[BUDGET_CATEGORIES]; /* of that, what no cause is charged with */
    sim_amount allocated;                  /* all but what was not counted */
    sim_amount lost;                       /* of that, all but what was useful */
    struct explained_cause *causes;        /* that struck or cost anything, in their order */
    size_t cause_count;
    struct stretches stretches;
};

/* Categories that are left out of what was allocated: the warm-up, and chips that were away. */
bool explained_is_counted(size_t category);

/* False with ERROR; EXPLAINED is to be freed either way. */
bool explained_read(struct store *store, int64_t run, struct explained *explained, struct error *error);
void explained_free(struct explained *explained);

/* A share of a whole; 0 of none. */
double explained_share(sim_amount part, sim_amount whole);

#endif
