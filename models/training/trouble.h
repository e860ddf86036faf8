/*
 * Who has to do with a failure, and for whose sake others wait: while any learner deals with one, or is down,
 * the chips that wait for other learners (quorum_wait) are charged to the failure that began last.
 */
#ifndef MODELS_TRAINING_TROUBLE_H
#define MODELS_TRAINING_TROUBLE_H

#include "models/training/waste.h"
#include "sim/clock.h"

struct trouble {
    int64_t learners; /* that deal with a failure */
    int32_t cause;    /* of the one that began last */
    int64_t waiting;  /* chips */
    uint64_t count;   /* times that one began, since counting did */
    double seconds;   /* that learners dealt with failures, summed over them, since counting began, up to */
    sim_time since;
};

/* A learner begins to deal with a failure through CAUSE NOW; or is through with it. */
void trouble_begin(struct trouble *trouble, struct waste *waste, int32_t cause, sim_time now);
void trouble_end(struct trouble *trouble, struct waste *waste, sim_time now);

/* Adds up the seconds until NOW; and begins to count anew. */
void trouble_book(struct trouble *trouble, sim_time now);
void trouble_forget(struct trouble *trouble, sim_time now);

/* CHIPS more (below 0: fewer) wait for other learners from NOW on. */
void trouble_wait(struct trouble *trouble, struct waste *waste, int64_t chips, sim_time now);

#endif
