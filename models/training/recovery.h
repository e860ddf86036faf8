/*
 * How a learner that lost its state gets another: a copy crosses the network from a healthy peer, parameters
 * and inner optimiser, or, with none left, the parameters alone from where they were last merged. It shares
 * the links with all else that is under way. If the peer is lost meanwhile, the copy is broken off.
 *
 * Whom to ask, and where in the common course the copy stands, is the strategy's to say.
 */
#ifndef MODELS_TRAINING_RECOVERY_H
#define MODELS_TRAINING_RECOVERY_H

#include "models/training/world.h"

/* What a peer sends, in copies of the model: parameters and two moments of the inner optimiser (arXiv
 * 2604.21428 App. E.4: 3N per replica brought in). */
#define RECOVERY_COPIES 3

enum { RECOVERY_NO_DONOR = -1 };

/* The first learner that holds a state, or RECOVERY_NO_DONOR. */
int64_t recovery_first_donor(const struct world *world);

/* One at the site of LEARNER if there is any; of those, one that gives fewest copies at present, the first
 * among equals: were all to ask the same one, its link would keep them waiting for each other. */
int64_t recovery_nearest_donor(const struct world *world, const struct learner *learner);

typedef void recovery_handler(void *context);

/* Those whose copies took too long to be of use, for whatever else was under way at the time, and are made
 * again one after another: all at once they would take as long again. The first comes first; copies that have
 * no donor and no pair of sites in common don't wait for each other. Starts as {0}. */
struct recovery_queue {
    struct recovery *first;
    bool no_syncer; /* the strategy says: nobody gets anything from it now */
};

/* A learner's copy under way, if any. */
struct recovery {
    struct world *world;
    int64_t learner;
    int64_t donor;                /* RECOVERY_NO_DONOR: the syncer */
    bool under_way;               /* from the request on, or the first bit */
    flows_name message;           /* what is under way */
    recovery_handler *recovered;  /* the copy is there */
    void *context;                /* given to that */
    struct recovery_queue *queue; /* that it is in, until the copy is there; NULL: none */
    struct recovery *next;
};

/* LEARNER has asked nobody yet. WORLD's traffic outlives it. */
void recovery_init(struct recovery *recovery, const struct learner *learner, recovery_handler *recovered,
                   void *context);

/* Asks DONOR for its state; or DONOR sends it at once. RECOVERY_NO_DONOR: the syncer, parameters only. */
void recovery_ask(struct recovery *recovery, int64_t donor);
void recovery_send(struct recovery *recovery, int64_t donor);

/* Asks the nearest donor at the time, once it is the turn of RECOVERY. In `recovered' the queue is still
 * there: there is no sooner way to a newer copy then. */
void recovery_ask_in_turn(struct recovery_queue *queue, struct recovery *recovery);

/* Whether it waits for its turn. */
bool recovery_waits(const struct recovery *recovery);

/* LOST has no state any more: true if the copy was coming from it, and does not come any more. */
bool recovery_break_off(struct recovery *recovery, const struct learner *lost);

/* The syncer is gone: true if the copy was coming from it, and does not come any more. */
bool recovery_break_off_syncer(struct recovery *recovery);

/* Writes on the tape that LEARNER has taken over DONOR's state, or the syncer's for RECOVERY_NO_DONOR. */
void recovery_write_copy(const struct learner *learner, int64_t donor);

#endif
