/*
 * What the parts of gossip share, and what they ask of each other: the strategy (gossip.c), the meetings of a
 * round (gossip_meetings.c), AD-PSGD's exchanges (gossip_aside.c) and the options (gossip_options.c).
 */
#ifndef MODELS_TRAINING_GOSSIP_INTERNAL_H
#define MODELS_TRAINING_GOSSIP_INTERNAL_H

#include "models/training/kind.h"
#include "models/training/recovery.h"
#include "models/training/world.h"

#define CACHED_ROUNDS 16 /* learners are seldom further apart; a matching is drawn again if they are */

enum meeting_status { MEETING_AHEAD, MEETING_EXCHANGING, MEETING_OVER };

struct meeting {
    struct member *member;
    enum meeting_status status;
    int32_t partner;    /* -1: alone */
    int64_t mirror;     /* the partner's meeting, while they exchange */
    bool unsent, there; /* the model for the partner, while they exchange */
    flows_name model;   /* that, if it is on its way */
};

struct member {
    struct gossip *gossip;
    struct learner *learner;
    int64_t round, steps;
    bool arrived;             /* has done the round's steps */
    bool met;                 /* someone, in this round */
    struct meeting *meetings; /* degree of them */
    int64_t ahead, open;      /* of those, MEETING_AHEAD; not MEETING_OVER */
    struct meeting *leaving;  /* whose model is on its way out; NULL: none */
    int64_t next;             /* the meeting to send for next, if it wants to */
    struct sim_handle sending, patience;
    int32_t aside;        /* whom it has an exchange with aside; -1: nobody */
    flows_name asides[2]; /* the models of that one */
    int models_aside;     /* of those, not there yet */
    struct recovery copy;
    uint32_t send_actor, patience_actor, load_actor;
};

struct matching {
    int64_t round;     /* -1: none yet */
    int32_t *partners; /* peers × learners */
};

struct gossip {
    struct world *world;
    const struct gossip_options *options;
    struct member *members;
    int64_t degree;           /* partners in a round */
    struct meeting *meetings; /* what members' meetings point into */
    struct matching cache[CACHED_ROUNDS];
    int32_t *numbers; /* the matchings' partners, and scratch space */
    int32_t *scratch;
};

static inline int64_t gossip_member_count(const struct gossip *gossip)
{
    return gossip->world->layout.learners;
}

static inline bool gossip_is_asynchronous(const struct gossip *gossip)
{
    return gossip->options->learner.rule.algorithm == MIXING_AD_PSGD;
}

/* Whom MEMBER meets K-th in its round; -1: nobody. */
int32_t gossip_partner_of(struct gossip *gossip, const struct member *member, int64_t k);

/* MEMBER has done its round's steps: it meets those of its partners that have, and waits for others. */
void gossip_arrive(struct gossip *gossip, struct member *member);

/* MEMBER's meeting K is over; MET: its partner has its model. */
void gossip_end_meeting(struct gossip *gossip, struct member *member, int64_t k, bool met);

/* Takes back the models of an exchange, if MEETING is in one; it ends with gossip_end_meeting. */
void gossip_break_off(struct gossip *gossip, struct meeting *meeting);

/* What is to blame for the wait of LEARNER (kind.h). */
struct traffic_blame gossip_blame(const void *state, const struct learner *learner);

/* From now on MEMBER waits no longer than the time-out, at whose end gossip_on_patience_over is called. */
void gossip_set_patience(const struct gossip *gossip, struct member *member);
void gossip_on_patience_over(struct sim_engine *engine, void *actor, uint32_t argument);

/* A member's next model leaves. */
void gossip_on_sending(struct sim_engine *engine, void *actor, uint32_t argument);

flows_name gossip_send_model(const struct gossip *gossip, const struct member *from, const struct member *to,
                             flows_handler *left, flows_handler *arrived, void *context);
void gossip_write_record(const struct gossip *gossip, const struct member *member, enum tape_kind kind);

/* ONE and OTHER mix their models now. */
void gossip_write_mix(const struct gossip *gossip, const struct member *one, const struct member *other);

/* AD-PSGD: MEMBER's round is over, and an exchange with a neighbour begins unless its last one lasts. */
void gossip_exchange_aside(struct gossip *gossip, struct member *member);

/* Nothing comes of the exchange that MEMBER began. */
void gossip_break_off_aside(struct gossip *gossip, struct member *member);

bool gossip_check(const void *options, const char **path, const char **reason);

#endif
