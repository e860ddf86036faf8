/*
 * Slices that fail and return, as a learner's chips and as what it will look at.
 */
#include "models/training/learner_internal.h"

#include "models/training/world.h"
#include <assert.h>

static bool is_standing_still(const struct learner *learner)
{
    return learner->state == LEARNER_RECONFIGURING || learner_is_restarting(learner);
}

/* A restart begins again as a whole, with what was initialised after it. */
static void begin_again(struct learner *learner)
{
    learner->taking_in = false;
    if (learner->state == LEARNER_INITIALISING)
        learner_enter_restart(learner);
    else
        learner_enter(learner, learner->state, learner->category, learner->timer_length);
}

/* A failure through CAUSE during a restart or reconfiguration; true when it needs no further notice. */
static bool failure_is_taken_in(struct learner *learner, int32_t cause)
{
    if (!is_standing_still(learner) ||
        learner->world->config->failures.during_restart == DURING_RESTART_EXTEND)
        return false;
    if (learner->world->config->failures.during_restart == DURING_RESTART_RESTART) {
        learner->cause = cause;
        begin_again(learner);
    }
    return true;
}

/* Only those that absorb take a return in without another reconfiguration. */
static bool return_is_taken_in(const struct learner *learner)
{
    return is_standing_still(learner) &&
           learner->world->config->failures.during_restart == DURING_RESTART_ABSORB;
}

/* Moves CHIPS to down; true if they were working, and not just back from a repair. */
static bool take_out(struct learner *learner, int64_t chips, int32_t cause, uint64_t mark)
{
    bool was_joining = mark == learner->admissions + 1;
    if (was_joining) {
        learner->joining -= chips;
    } else {
        learner->working -= chips;
        pace_leave(&learner->pace, chips);
    }
    learner->down += chips;
    learner_stand(learner, cause, BUDGET_DOWN, chips);
    world_up_changed(learner->world, learner->down == learner->chips ? -1 : 0);
    return !was_joining;
}

/* Others do the work of those that failed, from now on. */
static void replace(struct learner *learner, int64_t chips)
{
    pace_leave(&learner->pace, chips);
    pace_join(&learner->pace, chips);
}

void learner_strand(struct learner *learner, int64_t chips, int32_t cause)
{
    learner_book(learner);
    learner->stranded += chips;
    learner_stand(learner, cause, BUDGET_DOWN, -chips);
    learner_stand(learner, cause, BUDGET_REPAIR_WAIT, chips);
    assert(learner->stranded >= 0 && learner->stranded <= learner->down);
}

void learner_send_away(struct learner *learner, int64_t chips, int32_t cause)
{
    learner_book(learner);
    learner->away += chips;
    learner_stand(learner, cause, BUDGET_DOWN, -chips);
    assert(learner->away >= 0 && learner->stranded + learner->away <= learner->down);
}

void learner_charge_to(struct learner *learner, int64_t chips, int32_t from, int32_t to)
{
    if (learner_replaces_slices(learner))
        return;
    learner_stand(learner, from, BUDGET_DOWN, -chips);
    learner_stand(learner, to, BUDGET_DOWN, chips);
}

/* What of a slice with MARK, given notice, was released before it went down stays down because of CAUSE, and
 * nobody need look at that; false: so it is. */
static bool is_unexpected(struct learner *learner, int64_t chips, int32_t cause, uint64_t mark)
{
    if (learner_mark_is_released(learner, mark)) {
        learner_charge_to(learner, chips, learner_mark_cause(mark), cause);
        return false;
    }
    if (learner_mark_is_notice(mark))
        learner->noticed -= chips;
    if (learner->noticed == 0)
        learner->notice_void = false;
    return true;
}

/* Hangs and corruption have been found out when slices go down for them. */
static sim_time found_out_at(const struct learner *learner, const struct fault *fault)
{
    sim_time at = learner_now(learner);
    if (fault->kind == FAULT_STOP)
        at = sim_time_add(at, fault->detection);
    return at > learner->known_at ? at : learner->known_at;
}

/* Whether it can't end what it does without what has just failed. A load goes on with the slices that are
 * left, and what a strategy is bringing over the network is let come. */
static bool is_broken_off(const struct learner *learner)
{
    bool all_needed = !learner->elastic || learner->working == 0;
    bool loads = learner->state == LEARNER_RESTORING && learner->timer.order != 0;
    return learner_is_in_step(learner) || learner->state == LEARNER_SAVING || (loads && all_needed);
}

/* A step that is broken off and counts is one with a smaller batch. */
static void cut_step(struct learner *learner)
{
    sim_time length = learner_step_progress(learner);
    double fraction = learner_counted_fraction(learner), done = (double)length / (double)learner->step_length;
    learner->step_tokens *= done;
    learner_count_step(learner, fraction / done, length);
}

static void break_off(struct learner *learner)
{
    if (!is_broken_off(learner))
        return;
    bool in_step = learner_is_in_step(learner);
    if (in_step && !learner_step_is_lost(learner) && learner_step_progress(learner) > 0)
        cut_step(learner);
    else if (in_step)
        learner_abort_step(learner, learner_cause_of_loss(learner));
    learner_proceed(learner);
}

void learner_slice_down(struct learner *learner, int64_t chips, const struct fault *fault,
                        const uint64_t *mark)
{
    learner_book(learner);
    if (fault->kind == FAULT_CORRUPTION)
        learner_distrust(learner, fault);
    if (!is_unexpected(learner, chips, fault->cause, *mark))
        return;
    bool was_working = true;
    if (learner_replaces_slices(learner))
        replace(learner, chips);
    else
        was_working = take_out(learner, chips, fault->cause, *mark);
    if (learner_is_in_step(learner) && was_working)
        learner->step_failed = true;
    if (learner->state == LEARNER_DOWN || learner->state == LEARNER_AWAITING_REPAIR)
        return;
    if (!failure_is_taken_in(learner, fault->cause)) {
        learner_look_later(learner, fault->cause);
        learner->known_at = found_out_at(learner, fault);
    }
    if (was_working && learner_notices_at_once(learner))
        break_off(learner);
    learner_poke(learner);
}

void learner_slice_up(struct learner *learner, int64_t chips, int32_t cause, uint64_t *mark)
{
    if (learner_replaces_slices(learner))
        return;
    learner_book(learner);
    *mark = learner->admissions + 1;
    world_up_changed(learner->world, learner->down == learner->chips);
    if (learner->joining == 0)
        learner->return_cause = cause;
    learner->down -= chips;
    learner->joining += chips;
    learner_stand(learner, cause, BUDGET_DOWN, -chips);
    if (learner->state == LEARNER_DOWN || learner->state == LEARNER_AWAITING_REPAIR) {
        learner_restart_when_complete(learner);
    } else {
        if (!return_is_taken_in(learner))
            learner->return_unseen = true;
        learner_poke(learner);
    }
}
