/*
 * One run of a plan carried out, in any thread and any process that has the plan: a pure function of the two.
 */
#ifndef STUDIES_EXECUTION_H
#define STUDIES_EXECUTION_H

#include "models/training/observation.h"
#include "models/training/result.h"
#include "studies/plan.h"
#include <stdatomic.h>

/* What a run leaves. Of one that failed (status RUN_FAILED) there is nothing but the reason. */
struct execution {
    size_t run; /* of the plan */
    struct run_result result;
    struct observation *observation; /* or NULL */
    void *tape;                      /* encoded, or NULL */
    size_t tape_length;
    char *failure; /* why it failed; NULL: it didn't, or memory is too short for words */
};

/* Whether a run's event tape is kept: of all, if TAPES, else where its scenario learns. */
bool execution_is_taped(const struct plan *plan, size_t run, bool tapes);

/* Whether its series are kept, and what learners and syncer did: of first replications, of the study's first
 * points and first point. Of all they would be nearly all that a study of many points holds, and what
 * searches try is of no interest. */
bool execution_keeps_series(const struct plan *plan, size_t run);
bool execution_keeps_timeline(const struct plan *plan, size_t run);

/* Carries RUN out; told to STOP, its status is RUN_INTERRUPTED. The caller discards EXECUTION. */
void execution_perform(const struct plan *plan, size_t run, bool tapes, const atomic_bool *stop,
                       struct execution *execution);

/* Frees what it left beside its result. */
void execution_discard(struct execution *execution);

#endif
