/*
 * What a learner is at, and where its chip time goes meanwhile: to the ledger, to the causes of failures, to
 * whoever watches.
 */
#include "models/training/learner_internal.h"

#include "models/priority.h"
#include "models/training/world.h"
#include <assert.h>

bool learner_is_in_step(const struct learner *learner)
{
    return learner->state == LEARNER_STEPPING || learner->state == LEARNER_HELD ||
           (learner->state == LEARNER_HUNG && learner->step_hung);
}

bool learner_replaces_slices(const struct learner *learner)
{
    return !learner->elastic && !learner->waits_for_repair;
}

bool learner_is_restarting(const struct learner *learner)
{
    return learner->state == LEARNER_RESTARTING || learner->state == LEARNER_INITIALISING;
}

/* A returned slice has no part in a step and waits for the reconfiguration or restart after it; where the
 * learner stands still without one to come, it idles like the rest. */
static int joining_category(const struct learner *learner)
{
    bool reconfigures = learner->elastic && !learner_is_restarting(learner);
    bool waits = reconfigures || learner_is_in_step(learner);
    return waits ? BUDGET_RECONFIGURATION : learner->category;
}

/* What the learner deals with, if that is a failure. */
static int32_t failure_of(const struct learner *learner)
{
    switch (learner->state) {
    case LEARNER_RECONFIGURING:
    case LEARNER_RESTARTING:
    case LEARNER_INITIALISING:
    case LEARNER_AWAITING_REPAIR:
    case LEARNER_RESTORING:
        return learner->cause;
    case LEARNER_DETECTING:
        return learner->unseen_cause;
    case LEARNER_HUNG:
        return learner->hang_cause;
    case LEARNER_STARVED:
        return learner->stall_cause;
    default:
        return FAULT_NO_CAUSE;
    }
}

static bool waits_for_bytes(const struct learner *learner)
{
    bool waits = learner->state == LEARNER_WAITING || learner->state == LEARNER_HELD;
    return waits && learner->category == BUDGET_COMMUNICATION_WAIT;
}

static struct traffic_blame find_blame(const struct learner *learner)
{
    const struct world *world = learner->world;
    if (!waits_for_bytes(learner) || !traffic_is_struck(world->traffic) || !world->strategy->blame)
        return TRAFFIC_NO_BLAME;
    return world->strategy->blame(world->strategy_state, learner);
}

/* Why the learner stands still. */
static int32_t cause_of(const struct learner *learner)
{
    return waits_for_bytes(learner) ? learner->wait_blame.cause : failure_of(learner);
}

static void charge(struct learner *learner, int32_t cause, int category, int64_t chips, sim_time elapsed)
{
    sim_ledger_charge(learner->ledger, category, chips, elapsed);
    waste_charge(&learner->world->waste, cause, category, (sim_amount)chips * elapsed,
                 learner_now(learner) - elapsed);
}

void learner_stand(struct learner *learner, int32_t cause, int category, int64_t chips)
{
    waste_stand(&learner->world->waste, cause, category, chips, learner_now(learner));
}

static void book_joining(struct learner *learner, sim_time elapsed)
{
    int category = joining_category(learner);
    int32_t cause = category == BUDGET_RECONFIGURATION ? learner->return_cause : cause_of(learner);
    charge(learner, cause, category, learner->joining, elapsed);
}

static void book_activity(const struct learner *learner, sim_time elapsed)
{
    bool alike = joining_category(learner) == learner->category;
    int64_t chips = learner->working + (alike ? learner->joining : 0);
    activity_book(learner->world->activity, learner->number, (sim_amount)chips * elapsed);
}

void learner_book(struct learner *learner)
{
    struct sim_ledger *ledger = learner->ledger;
    sim_time now = learner_now(learner), elapsed = now - learner->since;
    learner->since = now;
    if (elapsed == 0)
        return;
    assert(learner->working + learner->down + learner->joining == learner->chips);
    if (learner->state == LEARNER_STEPPING)
        learner->step_amount += (sim_amount)learner->working * elapsed;
    else
        charge(learner, cause_of(learner), learner->category, learner->working, elapsed);
    if (learner->world->activity)
        book_activity(learner, elapsed);
    if (learner->joining)
        book_joining(learner, elapsed);
    if (learner->down)
        sim_ledger_charge(ledger, BUDGET_DOWN, learner->down - learner->stranded - learner->away, elapsed);
    if (learner->away)
        sim_ledger_charge(ledger, BUDGET_AWAY, learner->away, elapsed);
    if (learner->stranded)
        sim_ledger_charge(ledger, BUDGET_REPAIR_WAIT, learner->stranded, elapsed);
}

static bool is_trouble(const struct learner *learner)
{
    return learner->state == LEARNER_DOWN || failure_of(learner) != FAULT_NO_CAUSE;
}

/* Others wait because this one is in trouble, and it may wait for others. */
static void tell_trouble(struct learner *learner)
{
    struct world *world = learner->world;
    bool in_trouble = is_trouble(learner);
    bool waits = learner->state == LEARNER_WAITING && learner->category == BUDGET_QUORUM_WAIT;
    int64_t waiting = waits ? learner->working : 0;
    sim_time now = learner_now(learner);
    if (waiting != learner->waiting_chips)
        trouble_wait(&world->trouble, &world->waste, waiting - learner->waiting_chips, now);
    if (in_trouble && !learner->in_trouble)
        trouble_begin(&world->trouble, &world->waste,
                      learner->state == LEARNER_DOWN ? learner->cause : failure_of(learner), now);
    else if (!in_trouble && learner->in_trouble)
        trouble_end(&world->trouble, &world->waste, now);
    learner->waiting_chips = waiting;
    learner->in_trouble = in_trouble;
}

/* Why it is at what it is at; of waits for others, what those wait for. */
static int32_t cause_of_activity(const struct learner *learner)
{
    const struct trouble *trouble = &learner->world->trouble;
    if (learner->state == LEARNER_DOWN)
        return learner->cause;
    if (learner->waiting_chips > 0 && trouble->learners > 0)
        return trouble->cause;
    return cause_of(learner);
}

/* The parts of a step are one, unless it is held between them. */
static void tell_activity(const struct learner *learner, enum learner_state before)
{
    bool goes_on = before == LEARNER_STEPPING && learner->state == before && learner->step_done > 0;
    if (learner->world->activity && !goes_on)
        activity_enter(learner->world->activity, learner->number, learner->category,
                       cause_of_activity(learner));
}

void learner_enter(struct learner *learner, enum learner_state state, int category, sim_time length)
{
    struct world *world = learner->world;
    enum learner_state before = learner->state;
    learner_book(learner);
    world_stepping_changed(world, (state == LEARNER_STEPPING) - (learner->state == LEARNER_STEPPING));
    learner->state = state;
    learner->category = category;
    learner->wait_blame = find_blame(learner);
    tell_trouble(learner);
    tell_activity(learner, before);
    sim_engine_cancel(world->engine, learner->timer);
    learner->timer = (struct sim_handle){0};
    if (length < 0)
        return;
    learner->timer_length = length;
    learner->timer = sim_engine_schedule(world->engine, sim_time_add(learner_now(learner), length),
                                         PRIORITY_LEARNER, learner->actor, 0);
}

void learner_look_at_links(struct learner *learner)
{
    struct traffic_blame blame = find_blame(learner);
    if (!waits_for_bytes(learner) || blame.order == learner->wait_blame.order)
        return;
    learner_book(learner);
    learner->wait_blame = blame;
    tell_activity(learner, learner->state);
}
