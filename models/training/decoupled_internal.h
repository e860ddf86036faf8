/*
 * What the parts of Decoupled DiLoCo (decoupled.c) share: its state, and what they ask of each other.
 */
#ifndef MODELS_TRAINING_DECOUPLED_INTERNAL_H
#define MODELS_TRAINING_DECOUPLED_INTERNAL_H

#include "models/training/account.h"
#include "models/training/fragments.h"
#include "models/training/gathering.h"
#include "models/training/grace.h"
#include "models/training/kind.h"
#include "models/training/outbox.h"
#include "models/training/recovery.h"
#include "models/training/world.h"

enum stage { RECOVERED, AWAITS_BROADCAST, TRANSFERRING, AWAITS_SYNCER };

/* A learner as this strategy sees it. */
struct member {
    struct decoupled *decoupled;
    struct learner *learner;
    int64_t reported;     /* the newest clock that the syncer has heard of */
    sim_time reported_at; /* when it heard of it */
    bool unmerged;        /* no merge since then has had this learner */
    int64_t received;     /* step of the newest merge that arrived */
    struct outbox *reports, *broadcasts;
    enum stage recovery;
    struct recovery copy;
    int64_t recovery_clock;        /* t_s of the broadcast that it asked upon */
    struct learner_work *merged;   /* its work when each fragment was last pulled */
    struct learner_work *taken;    /* its work when it last took each fragment */
    struct learner_work in_syncer; /* what of it the syncer has merged, summed over fragments */
    int64_t losses;                /* of its state */
};

/* What the syncer had merged at a moment. */
struct snapshot {
    sim_time time;
    int64_t clock;
    sim_amount grains;
    struct learner_work *in_syncer; /* by member */
    bool on_tape;
};

struct syncer {
    int64_t collecting;               /* the step whose learners it waits for */
    int64_t closed;                   /* the newest step whose participants are fixed */
    int64_t merged;                   /* the newest step merged and sent */
    int64_t alive, ready;             /* learners that are up; those of them that have reported it */
    int64_t late;                     /* those of them that have not, but whose report is unmerged */
    sim_time first_report, quorum_at; /* for COLLECTING; -1: not yet */
    struct sim_handle grace_timer;
    uint32_t close_actor;
    bool down;                     /* lost, and not back at work */
    bool held;                     /* by a fault that has not ended, HELD_BY */
    int32_t held_by;               /* its cause */
    int64_t skipped;               /* the newest step that was passed over when it came back */
    struct snapshot newest, older; /* the older is complete */
    sim_time snapshots_until;      /* all of before, and of then, have been taken */
    struct sim_handle restart_timer;
    uint32_t restart_actor;
};

/* A learner's part in a merge. */
struct part {
    bool takes;
    double weight;
    int64_t clock;
    struct learner_work before; /* its mark of the fragment before this pull */
    struct learner_work work;   /* since then */
    sim_amount grains;          /* likewise (account.h) */
    int64_t losses;             /* of its state, by then */
};

/* A merge whose participants are fixed and whose fragments are under way. */
struct coming_merge {
    struct coming_merge *next;
    int64_t step, fragment;
    struct part parts[]; /* by learner */
};

struct decoupled {
    struct world *world;
    const struct decoupled_options *options;
    struct fragment_schedule schedule;
    double fragment_bits;
    struct grace grace;
    struct syncer syncer;
    struct member *members;
    struct gathering *gathering;
    struct recovery_queue too_old; /* copies that came too late */
    struct account *account;
    struct learner_work *marks; /* what the members' merged and taken, and the snapshots', point into */
    struct coming_merge *coming, **newest; /* in the order of steps */
    struct coming_merge *unused;
    bool *chosen;            /* by learner, of the merge being closed */
    struct tape_part *parts; /* room for those of a record */
    sim_amount *trained;     /* room for what learners have trained */
};

static inline sim_time now_of(const struct decoupled *decoupled)
{
    return sim_engine_now(decoupled->world->engine);
}

static inline int64_t member_count(const struct decoupled *decoupled)
{
    return decoupled->world->layout.learners;
}

/* Its clock, unless it is in a step: that of the newest merge received, where it is behind. */
static inline void catch_up(struct member *member)
{
    if (member->received > member->learner->clock)
        member->learner->clock = member->received;
}

static inline struct learner_work sum_of(struct learner_work one, struct learner_work other, int sign)
{
    return (struct learner_work){.useful = one.useful + sign * other.useful,
                                 .steps = one.steps + sign * other.steps,
                                 .tokens = one.tokens + sign * other.tokens,
                                 .seconds = one.seconds + sign * other.seconds,
                                 .squares = one.squares + sign * other.squares};
}

/* Options (decoupled_options.c), as strategy_functions has them. */

bool decoupled_check(const void *options, const char **path, const char **reason);
bool decoupled_check_network(const void *options, const struct network_config *network, const char **path,
                             const char **reason);

/* Merges (decoupled_merges.c). */

/* What a learner trained since the fragment's last pull is in the merge now, for the fragment's share. */
void decoupled_note_merged(struct member *member, int64_t fragment);

/* The merge of STEP, the newest of those under way, nobody in it yet; NULL when memory ran out. */
struct coming_merge *decoupled_begin_merge(struct decoupled *decoupled, int64_t step);

/* The oldest is over. */
void decoupled_end_merge(struct decoupled *decoupled);

/* What MEMBER has trained is in the merge from now on. */
void decoupled_add_part(struct decoupled *decoupled, struct coming_merge *coming, struct member *member);

/* Throws away WORK of MEMBER's, of all fragments together, and moves the marks along. */
void decoupled_discard(struct decoupled *decoupled, struct member *member, struct learner_work work);

/* LEARNER's fragment came too late for the merge of STEP; CONTEXT is the decoupled. */
void decoupled_left_out(void *context, int64_t learner, int64_t step);

/* All parts of COMING are merged, and are written to the tape. */
void decoupled_count_merged(struct decoupled *decoupled, const struct coming_merge *coming);
void decoupled_write_merge(struct decoupled *decoupled, const struct coming_merge *coming,
                           const bool *present);

/* No merge under way comes to an end. */
void decoupled_break_off_merges(struct decoupled *decoupled);
void decoupled_free_merges(struct coming_merge *coming);

/* Snapshots (decoupled_snapshots.c). */

/* The multiple of the snapshots' interval before T; without an interval there is only that of the start. */
sim_time decoupled_snapshot_before(const struct decoupled *decoupled, sim_time t);

/* Takes those that were due before now. */
void decoupled_take_snapshots(struct decoupled *decoupled);

/* What the syncer has merged since its last complete snapshot is lost, and that is charged to CAUSE. */
void decoupled_go_back(struct decoupled *decoupled, int32_t cause);

/* The syncer (decoupled_syncer.c). */

/* Who is ready is kept by counting reports as they come; counted anew when the step changes, or a learner is
 * lost or back. */
void decoupled_count_ready(struct decoupled *decoupled);

/* Called whenever somebody more is ready, or somebody to wait for is gone. The grace window begins with the
 * quorum, and again if a learner of the quorum is lost meanwhile; it ends at once when nobody is left to wait
 * for. A window of no length still takes in all that report at the same instant. */
void decoupled_look_for_quorum(struct decoupled *decoupled);

/* A clock has come from the member CONTEXT. */
void decoupled_report(void *context, int64_t clock);

/* All fragments of the oldest merge are there; CONTEXT is the decoupled. */
void decoupled_gathered(void *context, const struct gathered *gathered);

/* Its timers' actions; the actor is the decoupled. */
void decoupled_grace_over(struct sim_engine *engine, void *actor, uint32_t argument);
void decoupled_syncer_restarted(struct sim_engine *engine, void *actor, uint32_t argument);

/* A fault of the syncer's begins or ends, as strategy_functions has it. */
bool decoupled_syncer_fault(void *state, const struct fault *fault, bool begins);

/* Recovery (decoupled.c). */

/* MEMBER asks a healthy peer for its state, or the syncer where there is none; once that is back. */
void decoupled_ask_peer(struct decoupled *decoupled, struct member *member);

#endif
