/*
 * The syncer: who is ready for the step being collected, the quorum and the grace window, merges sent to all;
 * and its loss and return.
 */
#include "models/training/decoupled_internal.h"

#include "models/priority.h"
#include <assert.h>

static bool is_ready(const struct decoupled *decoupled, const struct member *member)
{
    return learner_is_alive(member->learner) && member->reported >= decoupled->syncer.collecting;
}

static bool is_late(const struct decoupled *decoupled, const struct member *member)
{
    return learner_is_alive(member->learner) && member->unmerged &&
           member->reported < decoupled->syncer.collecting;
}

/* Whether the merge being collected takes MEMBER in, once there is a quorum. */
static bool is_present(const struct decoupled *decoupled, const struct member *member)
{
    sim_time reach = grace_reach(&decoupled->grace);
    return is_ready(decoupled, member) || (is_late(decoupled, member) && reach > 0 &&
                                           decoupled->syncer.quorum_at - member->reported_at <= reach);
}

void decoupled_count_ready(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    syncer->alive = syncer->ready = syncer->late = 0;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        syncer->alive += learner_is_alive(decoupled->members[i].learner);
        syncer->ready += is_ready(decoupled, &decoupled->members[i]);
        syncer->late += is_late(decoupled, &decoupled->members[i]);
    }
}

/* Nobody is left to wait for. */
static bool all_are_present(const struct decoupled *decoupled)
{
    const struct syncer *syncer = &decoupled->syncer;
    if (syncer->ready + syncer->late < syncer->alive)
        return false;
    for (int64_t i = 0; syncer->late > 0 && i < member_count(decoupled); i++)
        if (is_late(decoupled, &decoupled->members[i]) && !is_present(decoupled, &decoupled->members[i]))
            return false;
    return true;
}

/* Fixes the participants and lets their fragments come together. */
static void close_collection(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    int64_t step = syncer->collecting;
    struct coming_merge *coming = decoupled_begin_merge(decoupled, step);
    assert(syncer->ready > 0);
    if (!coming)
        return;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        decoupled->chosen[i] = is_present(decoupled, member);
        if (!decoupled->chosen[i])
            continue;
        member->unmerged = false;
        if (member->learner->state != LEARNER_STEPPING)
            catch_up(member);
        decoupled_add_part(decoupled, coming, member);
    }
    moving_average_add(&decoupled->grace.quorum, syncer->quorum_at - syncer->first_report);
    syncer->closed = step;
    syncer->collecting = fragment_next_due(&decoupled->schedule, step);
    syncer->first_report = syncer->quorum_at = -1;
    gathering_begin(decoupled->gathering, step, decoupled->fragment_bits, decoupled->chosen);
    decoupled_count_ready(decoupled);
}

/* The quorum is capped at the learners that are up. */
static bool has_quorum(const struct syncer *syncer, int64_t quorum)
{
    return syncer->ready > 0 && syncer->ready >= (quorum < syncer->alive ? quorum : syncer->alive);
}

void decoupled_look_for_quorum(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    struct sim_engine *engine = decoupled->world->engine;
    if (syncer->down)
        return;
    if (syncer->ready == 0)
        syncer->first_report = -1;
    else if (syncer->first_report < 0)
        syncer->first_report = now_of(decoupled);
    bool quorum = has_quorum(syncer, decoupled->options->quorum), begins = quorum && syncer->quorum_at < 0;
    if (begins)
        syncer->quorum_at = now_of(decoupled);
    bool all = quorum && all_are_present(decoupled);
    if (quorum && !begins && !all)
        return;
    sim_engine_cancel(engine, syncer->grace_timer);
    if (!quorum) {
        syncer->quorum_at = -1;
        return;
    }
    sim_time end = sim_time_add(now_of(decoupled), all ? 0 : grace_window(&decoupled->grace));
    syncer->grace_timer = sim_engine_schedule(engine, end, PRIORITY_SYNCER, syncer->close_actor, 0);
}

void decoupled_grace_over(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct decoupled *decoupled = actor;
    close_collection(decoupled);
    for (int64_t i = 0; i < member_count(decoupled); i++)
        learner_poke(decoupled->members[i].learner); /* what it waits for has a new name */
    decoupled_look_for_quorum(decoupled);
}

/* A report from before a loss says nothing of the state that the learner has now. */
void decoupled_report(void *context, int64_t clock)
{
    struct member *member = context;
    struct decoupled *decoupled = member->decoupled;
    if (decoupled->syncer.down || clock <= member->reported || clock > member->learner->clock ||
        !learner_is_alive(member->learner))
        return;
    bool was_ready = is_ready(decoupled, member), was_late = is_late(decoupled, member);
    member->reported = clock;
    member->reported_at = now_of(decoupled);
    member->unmerged = true;
    if (was_ready)
        return;
    decoupled->syncer.ready += is_ready(decoupled, member);
    decoupled->syncer.late += is_late(decoupled, member) - was_late;
    decoupled_look_for_quorum(decoupled);
}

/* Who sends a ring's merge to a learner that was not in it: one of its site, or else the first. */
static int64_t ring_sender(const struct decoupled *decoupled, const struct gathered *gathered,
                           int64_t learner)
{
    const struct traffic *traffic = decoupled->world->traffic;
    int64_t site = traffic_site(traffic, learner);
    for (int64_t i = gathered->first; site >= 0 && i < member_count(decoupled); i++)
        if (gathered->present[i] && traffic_site(traffic, i) == site)
            return i;
    return gathered->first;
}

/* To everybody who is up or coming back; whoever was in a ring has the merge already. */
static void broadcast(struct decoupled *decoupled, const struct gathered *gathered)
{
    bool ring = decoupled->options->collective == DECOUPLED_RING;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        outbox_supersede(member->broadcasts, gathered->step - decoupled->options->inner_steps);
        if (!learner_is_alive(member->learner) && member->recovery == RECOVERED)
            continue;
        if (ring && gathered->present[i])
            outbox_note(member->broadcasts, gathered->step);
        else
            outbox_send(member->broadcasts, ring ? ring_sender(decoupled, gathered, i) : TRAFFIC_SYNCER, i,
                        decoupled->fragment_bits, gathered->step);
    }
}

void decoupled_gathered(void *context, const struct gathered *gathered)
{
    struct decoupled *decoupled = context;
    assert(gathered->step > decoupled->syncer.merged && gathered->step == decoupled->coming->step);
    decoupled_take_snapshots(decoupled);
    decoupled_count_merged(decoupled, decoupled->coming);
    decoupled->syncer.merged = gathered->step;
    world_merged(decoupled->world);
    moving_average_add(&decoupled->grace.synchronisation, sim_time_add(gathered->took, gathered->back));
    decoupled_write_merge(decoupled, decoupled->coming, gathered->present);
    decoupled_end_merge(decoupled);
    broadcast(decoupled, gathered);
}

/* The loss of the syncer, and its return. */

static void poke_all(struct decoupled *decoupled)
{
    for (int64_t i = 0; i < member_count(decoupled); i++)
        learner_poke(decoupled->members[i].learner);
}

/* What the syncer is at from now on. */
static void tell_activity(const struct decoupled *decoupled, int category, int32_t cause)
{
    if (decoupled->world->activity)
        activity_enter(decoupled->world->activity, ACTIVITY_SYNCER, category, cause);
}

static void lose_syncer(struct decoupled *decoupled, int32_t cause)
{
    struct syncer *syncer = &decoupled->syncer;
    bool ring = decoupled->options->collective == DECOUPLED_RING;
    syncer->down = decoupled->too_old.no_syncer = true;
    sim_engine_cancel(decoupled->world->engine, syncer->grace_timer);
    syncer->first_report = syncer->quorum_at = -1;
    decoupled_break_off_merges(decoupled);
    for (int64_t i = 0; !ring && i < member_count(decoupled); i++)
        outbox_clear(decoupled->members[i].broadcasts);
    if (!ring)
        decoupled_go_back(decoupled, cause);
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        if (recovery_break_off_syncer(&member->copy) || member->recovery == AWAITS_BROADCAST)
            decoupled_ask_peer(decoupled, member);
    }
    poke_all(decoupled);
}

/* All that are up tell how far they are. What they trained meanwhile goes with their next fragments; the
 * steps before the newest of their clocks are behind all of them. */
static void hear_clocks(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    int64_t newest = syncer->closed;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        if (!learner_is_alive(member->learner))
            continue;
        member->reported = member->learner->clock;
        member->reported_at = now_of(decoupled);
        member->unmerged = true;
        newest = member->reported > newest ? member->reported : newest;
    }
    syncer->skipped = syncer->closed = syncer->merged = fragment_last_due(&decoupled->schedule, newest);
    syncer->collecting = fragment_next_due(&decoupled->schedule, newest);
    decoupled_count_ready(decoupled);
}

void decoupled_syncer_restarted(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct decoupled *decoupled = actor;
    decoupled->syncer.down = decoupled->too_old.no_syncer = false;
    tell_activity(decoupled, BUDGET_USEFUL, FAULT_NO_CAUSE);
    decoupled->syncer.snapshots_until = decoupled_snapshot_before(decoupled, now_of(decoupled) + 1);
    hear_clocks(decoupled);
    for (int64_t i = 0; i < member_count(decoupled); i++)
        if (decoupled->members[i].recovery == AWAITS_SYNCER)
            decoupled_ask_peer(decoupled, &decoupled->members[i]);
    poke_all(decoupled);
    decoupled_look_for_quorum(decoupled);
}

/* One that strikes while another lasts is of no consequence; during a restart it is gone again. */
bool decoupled_syncer_fault(void *state, const struct fault *fault, bool begins)
{
    struct decoupled *decoupled = state;
    struct syncer *syncer = &decoupled->syncer;
    struct sim_engine *engine = decoupled->world->engine;
    if (begins ? syncer->held : !syncer->held || syncer->held_by != fault->cause)
        return false;
    syncer->held = begins;
    syncer->held_by = fault->cause;
    tell_activity(decoupled, begins ? BUDGET_DOWN : BUDGET_RESTART, fault->cause);
    sim_engine_cancel(engine, syncer->restart_timer);
    if (begins && !syncer->down)
        lose_syncer(decoupled, fault->cause);
    if (!begins)
        syncer->restart_timer =
            sim_engine_schedule(engine, sim_time_add(now_of(decoupled), decoupled->options->syncer_restart),
                                PRIORITY_SYNCER, syncer->restart_actor, 0);
    return true;
}
