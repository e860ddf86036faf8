/*
 * How the fragments that make up a merge come together: the syncer asks those who take part and they send
 * them, or all of them reduce them among themselves in rings. Merges are made in the order of steps: what is
 * together early waits for those before it, and one ring begins when the former is over.
 *
 * What a learner gives to a merge is a copy on its hosts from the moment at which it is chosen: it gets there
 * even if the learner is lost meanwhile.
 *
 * With a time-out, those whose fragment has not come by then are left out: the syncer's as soon as any has
 * come; of a ring those who are cut off, if any are and others remain, and the ring begins anew. A merge of
 * nobody's is not made: where all are cut off, all wait.
 */
#ifndef MODELS_TRAINING_GATHERING_H
#define MODELS_TRAINING_GATHERING_H

#include "models/training/traffic.h"

struct gathering;

/* What is together. HAS and its like are of learners by number. */
struct gathered {
    int64_t step;
    const bool *present; /* whose fragment is in it; at least one */
    int64_t first;       /* the first of these */
    sim_time took;       /* from the beginning to the last fragment */
    sim_time back; /* what it takes to send the merge back, as long as the last one took on its way; none in
                    * rings */
};

struct gathering_plan {
    struct traffic *traffic;
    struct sim_engine *engine;
    int64_t learners;
    bool ring;        /* in rings, not by way of the syncer */
    sim_time timeout; /* not above 0: none */
    void (*gathered)(void *context, const struct gathered *gathered);
    void (*left_out)(void *context, int64_t learner, int64_t step); /* before that */
    void (*changed)(void *context); /* gathering_blame may say something else */
    void *context;                  /* given to all three */
};

/* NULL when memory runs out; the caller destroys it, once nothing of the engine calls back any more. */
struct gathering *gathering_create(const struct gathering_plan *plan);
void gathering_destroy(struct gathering *gathering); /* NULL is allowed */

/* Begins the merge of STEP, later than all before, of the BITS of each learner that TAKES_PART (at least one;
 * copied). Memory running out is in traffic_failed. */
void gathering_begin(struct gathering *gathering, int64_t step, double bits, const bool *takes_part);

/* The worst fault of a link that anything crosses which is yet to come for the merge of STEP, or one before.
 */
struct traffic_blame gathering_blame(struct gathering *gathering, int64_t step);

/* Breaks all merges off: nobody is told, and nothing of them comes any more. Not from within its own calls.
 */
void gathering_break_off(struct gathering *gathering);

#endif
