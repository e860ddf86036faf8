/*
 * AD-PSGD's exchanges, which have no rounds that anybody waits in: beside the steps, with one neighbour at a
 * time.
 */
#include "models/training/gossip_internal.h"

#include "models/purpose.h"

static void on_model_aside(struct sim_engine *engine, void *context);

/* Any of a learner's neighbours, each as likely; -1: it has none. */
static int32_t draw_neighbour(struct gossip *gossip, const struct member *member)
{
    struct sim_stream stream;
    if (gossip->degree == 0)
        return -1;
    sim_stream_open(&stream, gossip->world->seed, gossip->world->replication, PURPOSE_NEIGHBOUR,
                    PURPOSE_NTH(member->learner->number, member->round));
    return gossip_partner_of(gossip, member, (int64_t)sim_stream_below(&stream, (uint64_t)gossip->degree));
}

/* AD-PSGD waits for nobody: models are averaged as they are when the exchange ends, steps under way or not.
 * A learner whose last exchange is not over begins no other. */
void gossip_exchange_aside(struct gossip *gossip, struct member *member)
{
    int32_t number = draw_neighbour(gossip, member);
    member->round++;
    member->steps = 0;
    if (number < 0 || member->aside >= 0 || !learner_is_alive(gossip->members[number].learner))
        return;
    struct member *other = &gossip->members[number];
    member->aside = number;
    member->models_aside = 2;
    member->asides[0] = gossip_send_model(gossip, member, other, NULL, on_model_aside, member);
    member->asides[1] = gossip_send_model(gossip, other, member, NULL, on_model_aside, member);
    gossip_set_patience(gossip, member);
}

void gossip_break_off_aside(struct gossip *gossip, struct member *member)
{
    traffic_cancel(gossip->world->traffic, member->asides[0]);
    traffic_cancel(gossip->world->traffic, member->asides[1]);
    member->aside = -1;
}

static void on_model_aside(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct member *one = context;
    struct gossip *gossip = one->gossip;
    if (--one->models_aside > 0)
        return;
    struct member *other = &gossip->members[one->aside];
    one->aside = -1;
    sim_engine_cancel(gossip->world->engine, one->patience);
    world_merged(gossip->world);
    gossip_write_record(gossip, one, TAPE_ROUND);
    gossip_write_record(gossip, other, TAPE_ROUND);
    gossip_write_mix(gossip, one, other);
    gossip_write_record(gossip, one, TAPE_ROUND_END);
    gossip_write_record(gossip, other, TAPE_ROUND_END);
    learner_mark_safe(one->learner);
    learner_mark_safe(other->learner);
}
