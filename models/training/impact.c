/*
 * Without replicas a slice is its learner's own affair. With them a learner knows of replicas alone: the
 * first of a replica's slices that fails takes the whole of it down, the last that is back brings it back,
 * and what happens in between only changes why its chips stand still.
 */
#include "models/training/impact.h"

#include "models/training/world.h"

static void tell_strike(const struct world *world, int64_t lane, const struct fault *fault)
{
    if (world->activity)
        activity_strike(world->activity, lane, fault);
}

static struct learner *learner_of_slice(struct world *world, int64_t slice)
{
    return &world->learners[layout_learner_of(&world->layout, slice)];
}

/* A slice of CHIPS chips of REPLICA fails for FAULT. */
static void replica_slice_down(struct learner *learner, struct replica *replica, int64_t chips,
                               const struct fault *fault)
{
    if (replica->slices_down++ > 0) {
        learner_strand(learner, -chips, replica->cause);
        learner_charge_to(learner, chips, replica->cause, fault->cause);
    } else {
        replica->cause = fault->cause;
        learner_slice_down(learner, replica->chips, fault, &replica->mark);
        learner_strand(learner, replica->chips - chips, fault->cause);
    }
}

/* It is back, having been down because of CAUSE last. */
static void replica_slice_up(struct learner *learner, struct replica *replica, int64_t chips, int32_t cause)
{
    learner_charge_to(learner, chips, cause, replica->cause);
    if (--replica->slices_down > 0) {
        learner_strand(learner, chips, replica->cause);
    } else {
        learner_strand(learner, chips - replica->chips, replica->cause);
        learner_slice_up(learner, replica->chips, replica->cause, &replica->mark);
    }
}

static void on_slice_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    struct world *world = context;
    struct learner *learner = learner_of_slice(world, slice);
    int64_t chips = layout_slice_chips(&world->layout, slice);
    bool forgets = !fault_is_hidden(fault->kind); /* else hosts live on */
    if (forgets)                                  /* else it struck before */
        tell_strike(world, learner->number, fault);
    saving_slice_failed(learner, slice - layout_first_slice(&world->layout, learner->number), forgets);
    if (world->replicas)
        replica_slice_down(learner, replicas_find(world->replicas, slice), chips, fault);
    else
        learner_slice_down(learner, chips, fault, mark);
}

static void on_slice_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    struct world *world = context;
    struct learner *learner = learner_of_slice(world, slice);
    int64_t chips = layout_slice_chips(&world->layout, slice);
    if (world->replicas)
        replica_slice_up(learner, replicas_find(world->replicas, slice), chips, cause);
    else
        learner_slice_up(learner, chips, cause, mark);
}

/* Whether what befalls a slice of a REPLICA that stands still concerns nobody; wrong numbers may come of it
 * when the replica goes on. HANGS are those of the slice that began so, which end so, too: all of its hangs
 * end when it goes down. */
static bool is_idle(const struct replica *replica, const struct fault *fault, bool begins, uint64_t *hangs)
{
    bool stands = begins && replica->slices_down > 0;
    if (fault->kind != FAULT_HANG)
        return stands && fault->kind != FAULT_SLOW && fault->kind != FAULT_CORRUPTION;
    if (!stands && (begins || *hangs == 0))
        return false;
    *hangs = stands ? *hangs + 1 : *hangs - 1;
    return true;
}

/* Kinds of which notice is given; the slice goes down later. */
static bool is_told_beforehand(enum fault_kind kind)
{
    return kind == FAULT_PREEMPTION || kind == FAULT_MAINTENANCE;
}

static void on_slice_fault(void *context, int64_t slice, int64_t struck, const struct fault *fault,
                           bool begins, uint64_t *mark)
{
    struct world *world = context;
    struct learner *learner = learner_of_slice(world, slice);
    struct replica *replica = world->replicas ? replicas_find(world->replicas, slice) : NULL;
    if (begins && !is_told_beforehand(fault->kind))
        tell_strike(world, learner->number, fault);
    if (replica && !is_idle(replica, fault, begins, mark))
        learner_slice_fault(learner, replica->chips, struck, fault, begins, &replica->mark);
    else if (!replica)
        learner_slice_fault(learner, layout_slice_chips(&world->layout, slice), struck, fault, begins, mark);
}

static void on_slice_cause(void *context, int64_t slice, int32_t from, int32_t to)
{
    struct world *world = context;
    learner_charge_to(learner_of_slice(world, slice), layout_slice_chips(&world->layout, slice), from, to);
}

static void on_slice_away(void *context, int64_t slice, bool away, int32_t cause)
{
    struct world *world = context;
    int64_t chips = layout_slice_chips(&world->layout, slice);
    int64_t learner = layout_learner_of(&world->layout, slice);
    int64_t first = layout_first_slice(&world->layout, learner),
            next = layout_first_slice(&world->layout, learner + 1);
    learner_send_away(&world->learners[learner], away ? chips : -chips, cause);
    traffic_slice_away(world->traffic, learner, slice - first, next - first, away);
}

static bool on_link_fault(void *context, const struct fault *fault, bool begins)
{
    struct world *world = context;
    bool struck = traffic_strike(world->traffic, fault, begins);
    if (struck && begins)
        tell_strike(world, ACTIVITY_NETWORK, fault);
    if (struck)
        world_link_faults_changed(world);
    return struck;
}

static bool on_syncer_fault(void *context, const struct fault *fault, bool begins)
{
    struct world *world = context;
    bool struck = world->strategy->syncer_fault(world->strategy_state, fault, begins);
    if (struck && begins)
        tell_strike(world, ACTIVITY_SYNCER, fault);
    return struck;
}

/* Another of the learner's slices, or the same one. */
static int64_t on_bystander(void *context, int64_t slice, struct sim_stream *draws)
{
    const struct layout *layout = &((struct world *)context)->layout;
    int64_t learner = layout_learner_of(layout, slice);
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    return first + (int64_t)sim_stream_below(draws, (uint64_t)(next - first));
}

static bool is_at_work(void *context, int64_t slice)
{
    return learner_is_stepping(learner_of_slice(context, slice));
}

struct outages_observer impact_observer(struct world *world)
{
    return (struct outages_observer){.context = world,
                                     .slice_down = on_slice_down,
                                     .slice_up = on_slice_up,
                                     .slice_away = on_slice_away,
                                     .slice_cause = on_slice_cause,
                                     .slice_fault = on_slice_fault,
                                     .bystander = on_bystander,
                                     .is_at_work = is_at_work,
                                     .link_fault = on_link_fault,
                                     .syncer_fault = world->strategy->syncer_fault ? on_syncer_fault : NULL};
}
