/*
 * A learner: some slices that train one copy of the model together.
 *
 * It steps; notices at step boundaries what happened to its slices; reconfigures (elastic) or restarts (not
 * elastic); waits where its strategy says so, between steps and, where a step has parts, between those. At
 * every moment each of its chips is working, down, or joining (back from repair, not taken in yet), and every
 * state has one budget category for the working chips, so that the ledger is exact.
 */
#ifndef MODELS_TRAINING_LEARNER_H
#define MODELS_TRAINING_LEARNER_H

#include "models/failures/fault.h"
#include "models/hardware/pace.h"
#include "models/hardware/slow_units.h"
#include "models/tape/tape.h"
#include "models/training/budget.h"
#include "models/training/result.h"
#include "models/training/saving.h"
#include "models/training/strategy.h"
#include "models/training/traffic.h"
#include "models/training/work.h"
#include "sim/engine.h"
#include "sim/ledger.h"
#include "sim/stream.h"

struct world;

/* Share of its nominal time that a step takes at least, whatever factors are drawn: a law that reaches down
 * to 0 would make steps of no length, and a run without end. stragglers.c tells the user. */
#define LEARNER_LEAST_STEP 0.01

enum learner_state {
    LEARNER_STEPPING,
    LEARNER_HELD, /* within a step: its strategy does not allow the next part yet */
    LEARNER_RECONFIGURING,
    LEARNER_RESTARTING,
    LEARNER_INITIALISING,
    LEARNER_AWAITING_REPAIR, /* not elastic, and nothing replaces the failed slice */
    LEARNER_SAVING,
    LEARNER_RESTORING, /* the strategy is bringing it back */
    LEARNER_WAITING,   /* ready for a step that its strategy does not allow yet */
    LEARNER_DETECTING, /* a failure that it does not know of yet keeps it from going on */
    LEARNER_HUNG,      /* likewise, and within a step that never ends, or before one */
    LEARNER_STARVED,   /* no data for the next step */
    LEARNER_DOWN,      /* no slice */
};

struct learner {
    struct world *world;
    uint32_t number;
    bool elastic;
    bool waits_for_repair;
    int64_t chips;
    double share;              /* of the cluster's chips */
    double token_factor;       /* of its even share of the batch */
    struct sim_ledger *ledger; /* of its class, see cost.h */
    struct pace pace;
    double nominal_seconds, least_seconds, nominal_useful_share;
    double exposed_share; /* of a step's useful time: waits for communication within it */

    enum learner_state state;
    int category;                   /* enum budget_category of the working chips */
    sim_time since;                 /* charged up to here */
    int64_t working, down, joining; /* chips */
    int64_t stranded;               /* of those down: healthy, but of no use without a failed one */
    int64_t away;                   /* of those down: not allocated at the time */
    uint64_t admissions;            /* times that joining chips were taken in */
    bool failure_unseen, return_unseen;
    int32_t cause;        /* of what it deals with: it restarts, reconfigures … for that */
    int32_t unseen_cause; /* of the first failure that is unseen */
    int32_t return_cause; /* of what the first of those joining was down for */
    sim_time known_at;    /* when it finds out about those unseen */

    bool in_trouble;       /* and counted among those (trouble.h) */
    int64_t waiting_chips; /* counted as waiting for other learners */
    int64_t hung;          /* slices */
    int32_t hang_cause;
    sim_time data_until; /* no data before */
    int32_t stall_cause;
    struct slow_units slow;
    int64_t noticed; /* working chips that are to go, of slices whose marks say so (learner_faults.c) */
    int32_t notice_cause;
    uint32_t releases; /* times that such chips stood down */
    bool notice_void;  /* nobody would be left: they work on */
    sim_time save_by;  /* a checkpoint that is complete by then is worth its while; past: there is no such */
    struct traffic_blame wait_blame; /* while it waits for bytes: the fault of a link that they cross */
    bool has_state;                  /* false from a loss until the strategy has brought it back */
    int64_t copies_given;            /* of it, under way to others (recovery.h) */

    uint32_t actor;
    struct sim_handle timer;
    sim_time timer_length; /* of the running restart, initialisation or reconfiguration */
    bool taking_in;        /* the slices that join wait for what the strategy gives them */

    struct sim_stream draws;        /* one step factor and chip factors a step */
    size_t next_played;             /* of the values of the law of steps, where they are played */
    sim_time step_length;           /* of this step, without what it is held */
    sim_time step_began, step_took; /* by the clock, held or not; TOOK: the last one that has ended */
    sim_time step_done;             /* of that, when it last went on */
    sim_time step_went_on;          /* then */
    sim_time step_uncounted;        /* of its length, before the end of the warm-up */
    int64_t step_parts;             /* that it is divided into (workload.h) */
    int64_t step_stop;              /* the part that it stops before; STEP_PARTS: it runs to its end */
    sim_amount step_amount;         /* working chip time of this step so far */
    double step_useful_share, step_tokens;
    double step_slow_share; /* of its length, due to STEP_SLOW_CAUSE */
    int32_t step_slow_cause;
    bool step_failed;
    bool step_hung; /* it never ends */

    int64_t clock;    /* steps that count, and those that a strategy skipped for it */
    int64_t position; /* steps of its own data, and how far it has ever been */
    int64_t furthest_position;
    struct learner_work work;    /* since the start */
    sim_amount grains;           /* of tokens trained since the start, be they lost: 1 / TOKEN_GRAINS each */
    struct learner_work safe;    /* WORK at the last checkpoint or synchronisation */
    struct learner_work warm_up; /* WORK at the end of the warm-up */
    struct saving saving;
};

/* Sets LEARNER up as number NUMBER of WORLD; false when memory runs out. learner_free frees what it has. */
bool learner_init(struct learner *learner, struct world *world, uint32_t number,
                  const struct learner_options *options, double lasting_factor);
void learner_free(struct learner *learner);

/* Starts it at time 0, every slice present. */
void learner_start(struct learner *learner);

/* One of its slices, of CHIPS chips, failed for FAULT, or returned, having been down because of CAUSE last;
 * MARK is the slice's (outages.h). */
void learner_slice_down(struct learner *learner, int64_t chips, const struct fault *fault,
                        const uint64_t *mark);
void learner_slice_up(struct learner *learner, int64_t chips, int32_t cause, uint64_t *mark);

/* FAULT, which doesn't take slices down, begins or ends for a slice of CHIPS chips, SLOW_CHIPS of which are
 * struck (outages.h); where several slices stand still together, CHIPS and MARK are those of all. */
void learner_slice_fault(struct learner *learner, int64_t chips, int64_t slow_chips,
                         const struct fault *fault, bool begins, uint64_t *mark);

/* CHIPS of those down because of FROM are so because of TO from now on. */
void learner_charge_to(struct learner *learner, int64_t chips, int32_t from, int32_t to);

/* CHIPS more of those down because of CAUSE (below 0: fewer) are healthy ones that stand still with a failed
 * one. */
void learner_strand(struct learner *learner, int64_t chips, int32_t cause);

/* CHIPS more of those down because of CAUSE (below 0: fewer) are away. */
void learner_send_away(struct learner *learner, int64_t chips, int32_t cause);

/* For strategies. */

/* The obstacle may have changed: a waiting learner looks again. */
void learner_poke(struct learner *learner);

/* Where LEARNER waits for bytes: the faults of the links that they cross may be others (kind.h: blame). */
void learner_look_at_links(struct learner *learner);

/* Everything trained so far is safe from this learner's own failures. */
void learner_mark_safe(struct learner *learner);

/* Each of FRAGMENTS' share of what was trained since the learner's work stood at that fragment's mark. */
struct learner_work learner_work_since(const struct learner *learner, const struct learner_work *marks,
                                       int64_t fragments);

/* Throws WORK away: from useful to redone. Returns what it was: no more than counts, after the warm-up. */
struct learner_work learner_discard(struct learner *learner, struct learner_work work);
/* Everything since the last safe point. */
struct learner_work learner_unsafe_work(const struct learner *learner);

/* A tape record of LEARNER's own at this moment, for a strategy to complete and write. */
struct tape_record learner_record(const struct learner *learner, enum tape_kind kind);

/* After strategy->back: LEARNER gets its state in DURATION (charged to restore), then goes on; or at once.
 * Until then it is restoring, however long that takes. */
void learner_restore(struct learner *learner, sim_time duration);
void learner_resume(struct learner *learner);

/* After strategy->taking_in: the slices that came back have what they need. */
void learner_take_in(struct learner *learner);

/* True while it holds a state of the model: up, or standing still for a moment. */
static inline bool learner_is_alive(const struct learner *learner)
{
    return learner->has_state;
}

/* Whether it is in a step in which nothing has failed yet. */
static inline bool learner_is_stepping(const struct learner *learner)
{
    return learner->state == LEARNER_STEPPING && !learner->step_failed && !learner->step_hung;
}

/* For simulation.c: books the time up to now; at the very end, a step under way counts pro rata. */
void learner_book(struct learner *learner);
void learner_finish(struct learner *learner);
/* What was booked so far was warm-up. */
void learner_forget_warm_up(struct learner *learner);

#endif
