/*
 * What befalls slices that are there: they hang, compute wrong numbers, are slow, wait for data, or are about
 * to be taken away.
 *
 * Notice: an elastic learner reconfigures at the next boundary without the slices that it is to lose, and
 * they stand down before they are gone. The mark of such a slice names the reconfiguration that releases it,
 * by number, and the cause. Where no slice would be left, or the learner is not elastic, it writes one
 * checkpoint, at the last boundary from which that will be complete in time. (Those of whom we know save
 * once, at the first boundary that all hosts agree on, and then stop: JAX's reached_preemption_sync_point,
 * PyTorch Lightning on a signal from Slurm. Who knows how long the notice is can train on until then.) A
 * second notice that comes for another cause before the first was acted upon is not acted upon.
 */
#include "models/training/learner_internal.h"

#include "models/training/world.h"
#include <assert.h>

#define NOTICE_BIT (UINT64_C(1) << 63)

static sim_time now_of(const struct learner *learner)
{
    return sim_engine_now(learner->world->engine);
}

/* Hangs. */

static void begin_hang(struct learner *learner, int32_t cause)
{
    if (learner->hung++ > 0)
        return;
    learner->hang_cause = cause;
    if (!learner_is_in_step(learner))
        return;
    learner_freeze_step(learner);
    learner_enter(learner, LEARNER_HUNG, BUDGET_DETECTION, -1);
}

/* The step that hung never ends. */
static void end_hang(struct learner *learner)
{
    if (--learner->hung > 0 || learner->state != LEARNER_HUNG)
        return;
    if (learner_is_in_step(learner))
        learner_abort_step(learner, learner->hang_cause);
    learner_proceed(learner);
}

/* Corruption. */

void learner_distrust(struct learner *learner, const struct fault *fault)
{
    saving_distrust(learner, now_of(learner) - fault->detection);
}

/* All that was trained since the fault struck is wrong. Without a state there is nothing left to be wrong,
 * but what is being loaded may be. */
static void find_corruption(struct learner *learner, const struct fault *fault)
{
    learner_distrust(learner, fault);
    bool loads_wrong = learner->state == LEARNER_RESTORING && saving_is_outdated(learner);
    if (!learner->has_state && !loads_wrong)
        return;
    if (learner_is_in_step(learner))
        learner_abort_step(learner, fault->cause);
    learner_restart_without_state(learner, fault->cause);
}

/* Slow chips and stalls. */

static void change_pace(struct learner *learner, int64_t chips, const struct fault *fault, bool begins)
{
    const struct slow_unit unit = {.factor = fault->factor, .chips = chips, .cause = fault->cause};
    if (!begins)
        slow_units_remove(&learner->slow, &unit);
    else if (!slow_units_add(&learner->slow, &unit))
        learner->world->failed = true;
}

static void stall(struct learner *learner, const struct fault *fault)
{
    sim_time until = sim_time_add(now_of(learner), fault->duration);
    if (until <= learner->data_until)
        return;
    learner->data_until = until;
    learner->stall_cause = fault->cause;
}

/* Notice. */

bool learner_mark_is_notice(uint64_t mark)
{
    return mark & NOTICE_BIT;
}

bool learner_mark_is_released(const struct learner *learner, uint64_t mark)
{
    return learner_mark_is_notice(mark) && (uint32_t)mark <= learner->releases;
}

int32_t learner_mark_cause(uint64_t mark)
{
    return (int32_t)(mark >> 32 & INT32_MAX);
}

static uint64_t notice_mark(const struct learner *learner, int32_t cause)
{
    return NOTICE_BIT | (uint64_t)cause << 32 | (learner->releases + 1);
}

/* Whether a slice with MARK works, and the learner can go on without it. */
static bool can_be_released(const struct learner *learner, int64_t chips, int32_t cause, uint64_t mark)
{
    bool is_joining = mark == learner->admissions + 1,
         other = learner->noticed > 0 && learner->notice_cause != cause;
    return learner->elastic && !is_joining && !learner_mark_is_notice(mark) && !other &&
           !learner->notice_void && learner->noticed + chips < learner->working;
}

/* Of several that wait for one, the first to be up counts. */
static void save_in_time(struct learner *learner, sim_time time)
{
    bool is_waiting = learner->save_by > now_of(learner);
    learner->save_by = is_waiting && learner->save_by < time ? learner->save_by : time;
}

static void take_notice(struct learner *learner, int64_t chips, const struct fault *fault, uint64_t *mark)
{
    if (!can_be_released(learner, chips, fault->cause, *mark)) {
        save_in_time(learner, sim_time_add(now_of(learner), fault->notice));
        return;
    }
    learner->noticed += chips;
    learner->notice_cause = fault->cause;
    *mark = notice_mark(learner, fault->cause);
    learner_poke(learner);
}

/* What befalls. */

void learner_slice_fault(struct learner *learner, int64_t chips, int64_t slow_chips,
                         const struct fault *fault, bool begins, uint64_t *mark)
{
    learner_book(learner);
    switch (fault->kind) {
    case FAULT_HANG:
        if (begins)
            begin_hang(learner, fault->cause);
        else
            end_hang(learner);
        break;
    case FAULT_CORRUPTION:
        if (!begins)
            find_corruption(learner, fault);
        break;
    case FAULT_SLOW:
        change_pace(learner, slow_chips, fault, begins);
        break;
    case FAULT_STALL:
        if (begins)
            stall(learner, fault);
        break;
    case FAULT_PREEMPTION:
    case FAULT_MAINTENANCE:
        take_notice(learner, chips, fault, mark);
        break;
    default:
        assert(!"a fault of something else than slices");
        break;
    }
}
