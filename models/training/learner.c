/*
 * Invariant: working + down + joining = chips at every moment, and everything before `since` is in the
 * ledger or, for the working chips of a step under way, in step_amount.
 *
 * A learner whose failed slices are replaced from outside never counts chips as down or joining.
 */
#include "models/training/learner_internal.h"

#include "models/failures/initialisation.h"
#include "models/priority.h"
#include "models/purpose.h"
#include "models/training/cost.h"
#include "models/training/world.h"
#include <assert.h>
#include <math.h>

static void go_on(struct learner *learner);

static sim_time now_of(const struct learner *learner)
{
    return sim_engine_now(learner->world->engine);
}

bool learner_is_in_step(const struct learner *learner)
{
    return learner->state == LEARNER_STEPPING || learner->state == LEARNER_HELD ||
           (learner->state == LEARNER_HUNG && learner->step_hung);
}

static bool replaces_slices(const struct learner *learner)
{
    return !learner->elastic && !learner->waits_for_repair;
}

static bool is_restarting(const struct learner *learner)
{
    return learner->state == LEARNER_RESTARTING || learner->state == LEARNER_INITIALISING;
}

/* A returned slice has no part in a step and waits for the reconfiguration or restart after it; where the
 * learner stands still without one to come, it idles like the rest. */
static int joining_category(const struct learner *learner)
{
    bool reconfigures = learner->elastic && !is_restarting(learner);
    bool waits = reconfigures || learner_is_in_step(learner);
    return waits ? BUDGET_RECONFIGURATION : learner->category;
}

/* What the learner stands still for, if that is a failure. */
static int32_t cause_of(const struct learner *learner)
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

static void charge(struct learner *learner, int32_t cause, int category, int64_t chips, sim_time elapsed)
{
    sim_ledger_charge(learner->ledger, category, chips, elapsed);
    waste_charge(&learner->world->waste, cause, category, (sim_amount)chips * elapsed,
                 now_of(learner) - elapsed);
}

/* CHIPS more of the learner's are in CATEGORY because of CAUSE. */
static void stand(struct learner *learner, int32_t cause, int category, int64_t chips)
{
    waste_stand(&learner->world->waste, cause, category, chips, now_of(learner));
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
    sim_time now = now_of(learner), elapsed = now - learner->since;
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
    return learner->state == LEARNER_DOWN || cause_of(learner) != FAULT_NO_CAUSE;
}

/* Others wait because this one is in trouble, and it may wait for others. */
static void tell_trouble(struct learner *learner)
{
    struct world *world = learner->world;
    bool in_trouble = is_trouble(learner);
    bool waits = learner->state == LEARNER_WAITING && learner->category == BUDGET_QUORUM_WAIT;
    int64_t waiting = waits ? learner->working : 0;
    sim_time now = now_of(learner);
    if (waiting != learner->waiting_chips)
        trouble_wait(&world->trouble, &world->waste, waiting - learner->waiting_chips, now);
    if (in_trouble && !learner->in_trouble)
        trouble_begin(&world->trouble, &world->waste,
                      learner->state == LEARNER_DOWN ? learner->cause : cause_of(learner), now);
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
    tell_trouble(learner);
    tell_activity(learner, before);
    sim_engine_cancel(world->engine, learner->timer);
    learner->timer = (struct sim_handle){0};
    if (length < 0)
        return;
    learner->timer_length = length;
    learner->timer = sim_engine_schedule(world->engine, sim_time_add(now_of(learner), length),
                                         PRIORITY_LEARNER, learner->actor, 0);
}

/* Steps. */

struct tape_record learner_record(const struct learner *learner, enum tape_kind kind)
{
    return (struct tape_record){.time = now_of(learner),
                                .kind = (uint8_t)kind,
                                .actor = (int32_t)learner->number,
                                .peer = TAPE_SYNCER,
                                .fragment = TAPE_WHOLE,
                                .clock = learner->clock};
}

static void write_step(const struct learner *learner, enum tape_kind kind)
{
    struct tape_record record = learner_record(learner, kind);
    record.tokens = learner->step_tokens;
    if (kind == TAPE_STEP_BEGIN) {
        record.position = learner->position;
        record.replayed = learner->position < learner->furthest_position;
    }
    tape_write(learner->world->tape, record);
}

/* The factor of the slowest chip, and what of it is due to a fault. */
static double slowest_chip(struct learner *learner, double *mean)
{
    double slowest = pace_slowest(&learner->pace, now_of(learner), &learner->draws, mean);
    struct slow_unit worst = slow_units_worst(&learner->slow);
    learner->step_slow_share = 0;
    learner->step_slow_cause = worst.cause;
    if (worst.factor == 1)
        return slowest;
    double struck = worst.factor * pace_of_chips(&learner->pace, worst.chips, &learner->draws);
    if (struck <= slowest)
        return slowest;
    learner->step_slow_share = 1 - slowest / struck;
    return struck;
}

/* The factor of the next step, from the law of steps. */
static double next_factor(struct learner *learner)
{
    const struct world *world = learner->world;
    const struct sim_values *values = &world->config->stragglers.step.values;
    if (!world->step_factor)
        return 1;
    if (world->played_scale == 0)
        return sim_distribution_sample(world->step_factor, &learner->draws);
    size_t place = learner->next_played;
    learner->next_played = place + 1 < values->count ? place + 1 : 0;
    return world->played_scale * values->values[place];
}

static void begin_step(struct learner *learner)
{
    struct world *world = learner->world;
    const struct straggler_config *stragglers = &world->config->stragglers;
    double seconds = learner->nominal_seconds * straggler_drift(stragglers, now_of(learner)), mean, slowest;
    assert(learner->working > 0 && (learner->elastic || learner->working == learner->chips));
    assert(learner->pace.chips == learner->working);
    seconds *= next_factor(learner);
    slowest = slowest_chip(learner, &mean);
    sim_time length = sim_time_from_seconds(fmax(seconds * slowest, learner->least_seconds));
    learner->step_length = length < 1 ? 1 : length;
    learner->step_began = now_of(learner);
    learner->step_done = learner->step_uncounted = 0;
    learner->step_stop = 0;
    learner->step_amount = 0;
    learner->step_useful_share = learner->nominal_useful_share * fmin(1, mean / slowest);
    learner->step_tokens = world->config->workload.tokens_per_step * learner->token_factor *
                           (double)learner->working / (double)world->layout.chips;
    learner->step_failed = learner->step_hung = false;
    go_on(learner);
}

/* How much of the step's length is behind LEARNER. */
static sim_time step_progress(const struct learner *learner)
{
    bool runs = learner->state == LEARNER_STEPPING;
    return learner->step_done + (runs ? now_of(learner) - learner->step_went_on : 0);
}

/* The share of the step that has been done since the end of the warm-up. */
static double counted_fraction(const struct learner *learner)
{
    return (double)(step_progress(learner) - learner->step_uncounted) / (double)learner->step_length;
}

/* Books FRACTION of a step as one that counts. */
static void keep_step(struct learner *learner, double fraction)
{
    double seconds = sim_time_to_seconds(learner->step_length);
    sim_amount amount = learner->step_amount;
    sim_amount wait = (sim_amount)((double)amount * (1 - learner->step_useful_share));
    sim_amount exposed = (sim_amount)((double)(amount - wait) * learner->exposed_share);
    sim_amount useful = amount - wait - exposed;
    sim_amount slow = (sim_amount)((double)amount * learner->step_slow_share);
    learner->ledger->amount[BUDGET_STRAGGLER_WAIT] += wait;
    if (slow > 0)
        waste_charge(&learner->world->waste, learner->step_slow_cause, BUDGET_STRAGGLER_WAIT,
                     slow < wait ? slow : wait, now_of(learner));
    learner->ledger->amount[BUDGET_COMMUNICATION_WAIT] += exposed;
    learner->ledger->amount[BUDGET_USEFUL] += useful;
    learner->work.useful += useful;
    learner->work.steps += fraction * learner->share;
    learner->work.seconds += fraction * seconds * learner->share;
    learner->work.squares += fraction * seconds * seconds * learner->share;
    learner->work.tokens += fraction * learner->step_tokens;
    learner->grains += (sim_amount)nearbyint(fraction * learner->step_tokens * TOKEN_GRAINS);
    learner->step_amount = 0;
    goal_count(learner->world, fraction * learner->step_tokens, fraction * learner->share);
}

static void lose_step(struct learner *learner, double fraction, int32_t cause)
{
    learner->ledger->amount[BUDGET_REDONE] += learner->step_amount;
    waste_charge(&learner->world->waste, cause, BUDGET_REDONE, learner->step_amount, now_of(learner));
    learner->world->counts.steps_lost += fraction * learner->share;
    learner->step_amount = 0;
}

static bool notices_at_once(const struct learner *learner)
{
    return learner->world->config->failures.noticed == NOTICED_AT_ONCE;
}

/* Of a step that is not aborted but was hit. */
static int32_t cause_of_loss(const struct learner *learner)
{
    return learner->step_hung ? learner->hang_cause : learner->unseen_cause;
}

static bool step_is_lost(const struct learner *learner)
{
    bool lost_with_failure = learner->world->config->failures.failed_step == FAILED_STEP_LOST;
    return learner->working == 0 || learner->step_hung || (learner->step_failed && lost_with_failure);
}

/* A step of LENGTH is done, of which FRACTION comes after the warm-up. */
static void count_step(struct learner *learner, double fraction, sim_time length)
{
    const struct world *world = learner->world;
    keep_step(learner, fraction);
    learner->clock++;
    if (++learner->position > learner->furthest_position)
        learner->furthest_position = learner->position;
    write_step(learner, TAPE_STEP_END);
    saving_worked(learner, length);
    world->strategy->step_done(world->strategy_state, learner);
}

static void end_step(struct learner *learner)
{
    struct world *world = learner->world;
    learner_book(learner);
    learner->step_took = now_of(learner) - learner->step_began;
    double fraction = counted_fraction(learner);
    if (step_is_lost(learner)) {
        lose_step(learner, fraction, cause_of_loss(learner));
        write_step(learner, TAPE_STEP_LOST);
        if (world->strategy->step_lost)
            world->strategy->step_lost(world->strategy_state, learner);
    } else {
        count_step(learner, fraction, learner->step_length);
        if (goal_is_reached(world) && !world->strategy->checkpoints)
            goal_finish(world);
    }
    learner_proceed(learner);
}

/* The forward pass is over, or was to be run to its end, and the tape knows of the step. */
static bool step_is_on_tape(const struct learner *learner)
{
    int64_t forward = learner->step_parts > 1 ? learner->world->config->workload.layers : 1;
    return learner->step_stop >= forward;
}

void learner_freeze_step(struct learner *learner)
{
    learner_book(learner);
    learner->step_done = step_progress(learner);
    learner->step_hung = true;
}

void learner_abort_step(struct learner *learner, int32_t cause)
{
    struct world *world = learner->world;
    learner_book(learner);
    lose_step(learner, counted_fraction(learner), cause);
    learner->step_failed = learner->step_hung = false;
    if (!step_is_on_tape(learner))
        return;
    write_step(learner, TAPE_STEP_LOST);
    if (world->strategy->step_lost)
        world->strategy->step_lost(world->strategy_state, learner);
}

/* The parts of a step. */

/* When PART begins, in the step's length. */
static sim_time part_begins(const struct learner *learner, int64_t part)
{
    if (part == learner->step_parts)
        return learner->step_length;
    return (sim_time)((__int128)learner->step_length * part / learner->step_parts);
}

/* A learner without slices computes nothing that others could use or keep from it. */
static bool asks_about_parts(const struct learner *learner)
{
    return learner->step_parts > 1 && learner->working > 0;
}

/* Parameters are read, for the tape, when nothing keeps LEARNER from the end of its forward pass any more. */
static void run_until(struct learner *learner, int64_t stop)
{
    bool was_on_tape = step_is_on_tape(learner);
    learner->step_stop = stop;
    if (!was_on_tape && step_is_on_tape(learner))
        write_step(learner, TAPE_STEP_BEGIN);
    learner_enter(learner, LEARNER_STEPPING, BUDGET_USEFUL, part_begins(learner, stop) - learner->step_done);
    learner->step_went_on = now_of(learner);
}

/* Begins a step, or goes on with it, at part step_stop. */
static void go_on(struct learner *learner)
{
    const struct world *world = learner->world;
    int obstacle = NO_OBSTACLE;
    if (asks_about_parts(learner))
        obstacle = world->strategy->part_obstacle(world->strategy_state, learner, learner->step_stop);
    if (obstacle != NO_OBSTACLE)
        learner_enter(learner, LEARNER_HELD, obstacle, -1);
    else if (asks_about_parts(learner))
        run_until(learner, world->strategy->part_stop(world->strategy_state, learner, learner->step_stop));
    else
        run_until(learner, learner->step_parts);
}

static void report_parts(struct learner *learner)
{
    const struct world *world = learner->world;
    learner_book(learner);
    learner->step_done = part_begins(learner, learner->step_stop);
    learner->step_went_on = now_of(learner);
    bool lost = learner->step_stop == learner->step_parts && step_is_lost(learner);
    if (asks_about_parts(learner) && !lost)
        world->strategy->part_done(world->strategy_state, learner, learner->step_stop);
}

static void end_parts(struct learner *learner)
{
    if (learner->step_parts > 1)
        report_parts(learner);
    if (learner->step_stop == learner->step_parts)
        end_step(learner);
    else
        go_on(learner);
}

/* Loss and recovery. */

static void lose_state(struct learner *learner)
{
    struct world *world = learner->world;
    learner->has_state = false;
    world->strategy->lost(world->strategy_state, learner);
}

static void admit(struct learner *learner)
{
    learner->working += learner->joining;
    pace_join(&learner->pace, learner->joining);
    learner->joining = 0;
    learner->admissions++;
}

/* What it deals with next is the failure that it has not looked at yet, if there is one. */
static void face_failure(struct learner *learner)
{
    learner_book(learner);
    if (learner->failure_unseen)
        learner->cause = learner->unseen_cause;
}

static void enter_restart(struct learner *learner)
{
    learner_enter(learner, LEARNER_RESTARTING, BUDGET_RESTART, learner->world->config->failures.restart_time);
}

static void begin_restart(struct learner *learner)
{
    learner->failure_unseen = learner->return_unseen = false;
    learner->world->counts.restarts++;
    enter_restart(learner);
}

/* Some slice is there. A learner that can't do without the others waits for them first. */
static void restart_when_complete(struct learner *learner)
{
    if (!learner->elastic && learner->down > 0)
        learner_enter(learner, LEARNER_AWAITING_REPAIR, BUDGET_REPAIR_WAIT, -1);
    else
        begin_restart(learner);
}

/* No slice works: the model's state is gone with them. Its new state is entered first, so that a strategy
 * that pokes everybody does not find it waiting still. */
static void go_down(struct learner *learner)
{
    face_failure(learner);
    if (learner->joining)
        restart_when_complete(learner);
    else
        learner_enter(learner, LEARNER_DOWN, BUDGET_DOWN, -1);
    if (learner->has_state)
        lose_state(learner);
}

/* Without elasticity any failure stops the learner; with checkpoints it goes back to the last one. */
static void stop_for_failure(struct learner *learner)
{
    face_failure(learner);
    restart_when_complete(learner);
    if (learner->has_state && saving_goes_back(learner))
        lose_state(learner);
}

static void begin_reconfiguration(struct learner *learner)
{
    const struct failure_config *failures = &learner->world->config->failures;
    sim_time length = 0;
    learner->cause = learner->noticed > 0 ? learner->notice_cause : learner->return_cause;
    face_failure(learner);
    if (learner->failure_unseen || learner->noticed > 0)
        length = failures->downscale_time;
    if (learner->return_unseen && failures->upscale_time > length)
        length = failures->upscale_time;
    learner->failure_unseen = learner->return_unseen = false;
    learner->world->counts.reconfigurations++;
    learner_enter(learner, LEARNER_RECONFIGURING, BUDGET_RECONFIGURATION, length);
}

/* Those that were given notice stand down. Where nobody would be left, they work on until they are gone. */
static void release_noticed(struct learner *learner)
{
    int64_t chips = learner->noticed;
    learner_book(learner);
    learner->notice_void = chips >= learner->working;
    if (chips == 0 || learner->notice_void)
        return;
    learner->working -= chips;
    learner->down += chips;
    pace_leave(&learner->pace, chips);
    stand(learner, learner->notice_cause, BUDGET_DOWN, chips);
    learner->noticed = 0;
    learner->releases++;
}

/* Slices can be taken in by those that hold the state, if any are left. */
static void take_in(struct learner *learner)
{
    learner_book(learner);
    learner->taking_in = false;
    if (learner->working > 0)
        admit(learner);
    learner_proceed(learner);
}

/* Where a failure has begun the reconfiguration again, the strategy is asked again at its end. */
void learner_take_in(struct learner *learner)
{
    if (learner->taking_in)
        take_in(learner);
}

static void end_reconfiguration(struct learner *learner)
{
    const struct world *world = learner->world;
    if (learner->noticed > 0 && !learner->notice_void)
        release_noticed(learner);
    bool any = learner->working > 0 && learner->joining > 0;
    learner->taking_in =
        any && world->strategy->taking_in && world->strategy->taking_in(world->strategy_state, learner);
    if (learner->taking_in)
        learner_enter(learner, LEARNER_RECONFIGURING, BUDGET_RECONFIGURATION, -1);
    else
        take_in(learner);
}

/* Of several failures that it has not looked at, the first is what it stops for. */
static void look_later(struct learner *learner, int32_t cause)
{
    if (!learner->failure_unseen)
        learner->unseen_cause = cause;
    learner->failure_unseen = true;
}

static void end_initialisation(struct learner *learner)
{
    struct world *world = learner->world;
    learner_book(learner);
    if (learner->working == 0 && learner->has_state)
        lose_state(learner);
    admit(learner);
    if (!learner->elastic && learner->down > 0)
        look_later(learner, learner->cause); /* it can't go on without */
    if (learner->working == 0 || (!learner->elastic && learner->failure_unseen)) {
        learner_proceed(learner);
    } else if (learner->has_state) {
        learner_proceed(learner);
    } else {
        learner_enter(learner, LEARNER_RESTORING, BUDGET_RESTORE, -1);
        world->strategy->back(world->strategy_state, learner);
    }
}

void learner_restart_without_state(struct learner *learner, int32_t cause)
{
    learner->taking_in = false;
    learner->cause = cause;
    if (learner->working == 0)
        go_down(learner);
    else if (!is_restarting(learner) && learner->state != LEARNER_AWAITING_REPAIR)
        restart_when_complete(learner);
    if (learner->has_state)
        lose_state(learner);
}

static void end_restart(struct learner *learner)
{
    const struct failure_config *failures = &learner->world->config->failures;
    sim_time length = initialisation_time(&failures->initialisation, learner->working + learner->joining);
    if (length > 0)
        learner_enter(learner, LEARNER_INITIALISING, BUDGET_INITIALISATION, length);
    else
        end_initialisation(learner);
}

void learner_restore(struct learner *learner, sim_time duration)
{
    learner_enter(learner, LEARNER_RESTORING, BUDGET_RESTORE, duration);
}

void learner_resume(struct learner *learner)
{
    learner->has_state = true;
    saving_resumed(learner);
    learner_proceed(learner);
}

/* What a learner does at a boundary, when nothing is under way. */

static void end_saving(struct learner *learner)
{
    saving_complete(learner);
    learner_proceed(learner);
}

/* A checkpoint during which a chip failed is not complete. */
static void stop_saving(struct learner *learner)
{
    if (learner->failure_unseen)
        learner_proceed(learner);
    else
        end_saving(learner);
}

static void save(struct learner *learner)
{
    sim_time length = saving_time(learner);
    if (length > 0)
        learner_enter(learner, LEARNER_SAVING, BUDGET_CHECKPOINT_SAVE, length);
    else
        end_saving(learner);
}

/* Notice was given: what is trained now may not be there any more when it is up. This is the last moment from
 * which a checkpoint is complete by then, if another step takes as long as the last one. */
static bool is_last_chance(const struct learner *learner)
{
    sim_time complete = sim_time_add(now_of(learner), saving_time_to_complete(learner));
    return complete <= learner->save_by && sim_time_add(complete, learner->step_took) > learner->save_by;
}

static bool is_to_save(const struct learner *learner)
{
    bool has_work = learner->world->strategy->checkpoints && learner->saving.worked > 0;
    return saving_is_due(learner) || (has_work && is_last_chance(learner));
}

static bool is_to_reconfigure(const struct learner *learner)
{
    bool noticed = learner->noticed > 0 && !learner->notice_void;
    return learner->elastic && (learner->failure_unseen || learner->return_unseen || noticed);
}

/* All work is done; it does nothing more at this moment. */
static void end_run(struct learner *learner)
{
    learner_enter(learner, LEARNER_WAITING, BUDGET_QUORUM_WAIT, -1);
    goal_finish(learner->world);
}

static void step_or_wait(struct learner *learner)
{
    struct world *world = learner->world;
    int obstacle = world->strategy->obstacle(world->strategy_state, learner);
    if (obstacle != NO_OBSTACLE)
        learner_enter(learner, LEARNER_WAITING, obstacle, -1);
    else if (learner->data_until > now_of(learner))
        learner_enter(learner, LEARNER_STARVED, BUDGET_DATA_WAIT, learner->data_until - now_of(learner));
    else
        begin_step(learner);
}

void learner_proceed(struct learner *learner)
{
    sim_time now = now_of(learner);
    learner_book(learner);
    if (learner->working == 0)
        go_down(learner);
    else if (learner->hung > 0)
        learner_enter(learner, LEARNER_HUNG, BUDGET_DETECTION, -1);
    else if (learner->failure_unseen && learner->known_at > now)
        learner_enter(learner, LEARNER_DETECTING, BUDGET_DETECTION, learner->known_at - now);
    else if (!learner->elastic && learner->failure_unseen)
        stop_for_failure(learner);
    else if (is_to_reconfigure(learner))
        begin_reconfiguration(learner);
    else if (is_to_save(learner))
        save(learner);
    else if (goal_is_reached(learner->world))
        end_run(learner);
    else
        step_or_wait(learner);
}

void learner_poke(struct learner *learner)
{
    if (learner->state == LEARNER_WAITING)
        learner_proceed(learner);
    else if (learner->state == LEARNER_HELD)
        go_on(learner);
}

static void on_timer(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct learner *learner = actor;
    switch (learner->state) {
    case LEARNER_STEPPING:
        end_parts(learner);
        break;
    case LEARNER_RECONFIGURING:
        end_reconfiguration(learner);
        break;
    case LEARNER_RESTARTING:
        end_restart(learner);
        break;
    case LEARNER_INITIALISING:
        end_initialisation(learner);
        break;
    case LEARNER_SAVING:
        stop_saving(learner);
        break;
    case LEARNER_RESTORING:
        learner_resume(learner);
        break;
    case LEARNER_DETECTING:
    case LEARNER_STARVED:
        learner_proceed(learner);
        break;
    case LEARNER_AWAITING_REPAIR:
    case LEARNER_HELD:
    case LEARNER_HUNG:
    case LEARNER_WAITING:
    case LEARNER_DOWN:
        assert(!"a state without a timer");
        break;
    }
}

/* Failures and returns. */

static bool is_standing_still(const struct learner *learner)
{
    return learner->state == LEARNER_RECONFIGURING || is_restarting(learner);
}

/* A restart begins again as a whole, with what was initialised after it. */
static void begin_again(struct learner *learner)
{
    learner->taking_in = false;
    if (learner->state == LEARNER_INITIALISING)
        enter_restart(learner);
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
    stand(learner, cause, BUDGET_DOWN, chips);
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
    stand(learner, cause, BUDGET_DOWN, -chips);
    stand(learner, cause, BUDGET_REPAIR_WAIT, chips);
    assert(learner->stranded >= 0 && learner->stranded <= learner->down);
}

void learner_send_away(struct learner *learner, int64_t chips, int32_t cause)
{
    learner_book(learner);
    learner->away += chips;
    stand(learner, cause, BUDGET_DOWN, -chips);
    assert(learner->away >= 0 && learner->stranded + learner->away <= learner->down);
}

void learner_charge_to(struct learner *learner, int64_t chips, int32_t from, int32_t to)
{
    if (replaces_slices(learner))
        return;
    stand(learner, from, BUDGET_DOWN, -chips);
    stand(learner, to, BUDGET_DOWN, chips);
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
    sim_time at = now_of(learner);
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
    sim_time length = step_progress(learner);
    double fraction = counted_fraction(learner), done = (double)length / (double)learner->step_length;
    learner->step_tokens *= done;
    count_step(learner, fraction / done, length);
}

static void break_off(struct learner *learner)
{
    if (!is_broken_off(learner))
        return;
    bool in_step = learner_is_in_step(learner);
    if (in_step && !step_is_lost(learner) && step_progress(learner) > 0)
        cut_step(learner);
    else if (in_step)
        learner_abort_step(learner, cause_of_loss(learner));
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
    if (replaces_slices(learner))
        replace(learner, chips);
    else
        was_working = take_out(learner, chips, fault->cause, *mark);
    if (learner_is_in_step(learner) && was_working)
        learner->step_failed = true;
    if (learner->state == LEARNER_DOWN || learner->state == LEARNER_AWAITING_REPAIR)
        return;
    if (!failure_is_taken_in(learner, fault->cause)) {
        look_later(learner, fault->cause);
        learner->known_at = found_out_at(learner, fault);
    }
    if (was_working && notices_at_once(learner))
        break_off(learner);
    learner_poke(learner);
}

void learner_slice_up(struct learner *learner, int64_t chips, int32_t cause, uint64_t *mark)
{
    if (replaces_slices(learner))
        return;
    learner_book(learner);
    *mark = learner->admissions + 1;
    world_up_changed(learner->world, learner->down == learner->chips);
    if (learner->joining == 0)
        learner->return_cause = cause;
    learner->down -= chips;
    learner->joining += chips;
    stand(learner, cause, BUDGET_DOWN, -chips);
    if (learner->state == LEARNER_DOWN || learner->state == LEARNER_AWAITING_REPAIR) {
        restart_when_complete(learner);
    } else {
        if (!return_is_taken_in(learner))
            learner->return_unseen = true;
        learner_poke(learner);
    }
}

/* Work, safe and lost. */

void learner_mark_safe(struct learner *learner)
{
    learner->safe = learner->work;
}

struct learner_work learner_unsafe_work(const struct learner *learner)
{
    return learner_work_between(&learner->safe, &learner->work);
}

struct learner_work learner_work_since(const struct learner *learner, const struct learner_work *marks,
                                       int64_t fragments)
{
    struct learner_work since = {0};
    for (int64_t p = 0; p < fragments; p++) {
        since.useful += learner->work.useful - marks[p].useful;
        since.steps += learner->work.steps - marks[p].steps;
        since.tokens += learner->work.tokens - marks[p].tokens;
        since.seconds += learner->work.seconds - marks[p].seconds;
        since.squares += learner->work.squares - marks[p].squares;
    }
    since.useful /= fragments;
    since.steps /= (double)fragments;
    since.tokens /= (double)fragments;
    since.seconds /= (double)fragments;
    since.squares /= (double)fragments;
    return since;
}

/* What was trained in the warm-up can't be taken back: the ledger has it as warm-up. */
static struct learner_work at_most_counted(const struct learner *learner, struct learner_work work)
{
    sim_amount counted = learner->work.useful - learner->warm_up.useful;
    return (struct learner_work){
        .useful = work.useful < counted ? work.useful : counted,
        .steps = fmin(work.steps, learner->work.steps - learner->warm_up.steps),
        .tokens = fmin(work.tokens, learner->work.tokens - learner->warm_up.tokens),
        .seconds = fmin(work.seconds, learner->work.seconds - learner->warm_up.seconds),
        .squares = fmin(work.squares, learner->work.squares - learner->warm_up.squares),
    };
}

struct learner_work learner_discard(struct learner *learner, struct learner_work work)
{
    struct world *world = learner->world;
    goal_count(world, -work.tokens, -work.steps);
    work = at_most_counted(learner, work);
    sim_ledger_move(learner->ledger, BUDGET_USEFUL, BUDGET_REDONE, work.useful);
    waste_charge(&world->waste, learner->cause, BUDGET_REDONE, work.useful, now_of(learner));
    world->counts.steps_lost += work.steps;
    learner->work.useful -= work.useful;
    learner->work.steps -= work.steps;
    learner->work.tokens -= work.tokens;
    learner->work.seconds -= work.seconds;
    learner->work.squares -= work.squares;
    learner_mark_safe(learner);
    return work;
}

/* Life. */

bool learner_init(struct learner *learner, struct world *world, uint32_t number,
                  const struct learner_options *options, double lasting_factor)
{
    struct layout_step step = layout_nominal_step(world->config, &world->layout, number);
    *learner = (struct learner){.world = world,
                                .number = number,
                                .elastic = options->elastic,
                                .waits_for_repair = options->slice_loss == LOSS_WAIT,
                                .chips = layout_learner_chips(&world->layout, number),
                                .nominal_seconds = step.seconds * lasting_factor,
                                .least_seconds = step.seconds * LEARNER_LEAST_STEP,
                                .nominal_useful_share = step.useful_share,
                                .exposed_share = step.exposed_share,
                                .step_parts =
                                    world->strategy->part_stop ? workload_parts(&world->config->workload) : 1,
                                .cause = FAULT_NO_CAUSE,
                                .unseen_cause = FAULT_NO_CAUSE,
                                .return_cause = FAULT_NO_CAUSE,
                                .state = LEARNER_DOWN,
                                .category = BUDGET_DOWN};
    learner->waits_for_repair |= world->layout.spares > 0; /* of all; the spares are what replaces slices */
    learner->share = (double)learner->chips / (double)world->layout.chips;
    learner->token_factor = step.token_factor;
    learner->ledger = &world->ledgers[cost_class_of(&world->config->cluster, &world->layout, number)];
    learner->working = learner->chips;
    sim_stream_open(&learner->draws, world->seed, world->replication, PURPOSE_STEP, number);
    if (world->played_scale > 0)
        learner->next_played = straggler_first(&world->config->stragglers, &learner->draws);
    pace_start(&learner->pace, &world->pace, learner->chips,
               layout_host_chips(world->config, &world->layout, number), world->seed, world->replication,
               number);
    learner->actor = sim_engine_add_actor(world->engine, on_timer, learner);
    return learner->actor != UINT32_MAX && saving_init(learner);
}

void learner_free(struct learner *learner)
{
    saving_free(learner);
    slow_units_free(&learner->slow);
}

void learner_start(struct learner *learner)
{
    world_up_changed(learner->world, 1);
    learner_resume(learner);
}

void learner_finish(struct learner *learner)
{
    learner_book(learner);
    if (!learner_is_in_step(learner))
        return;
    double fraction = counted_fraction(learner);
    if (step_is_lost(learner))
        lose_step(learner, fraction, cause_of_loss(learner));
    else
        keep_step(learner, fraction);
}

void learner_forget_warm_up(struct learner *learner)
{
    learner_book(learner);
    learner->ledger->amount[BUDGET_WARM_UP] += learner->step_amount;
    learner->step_amount = 0;
    learner->step_uncounted = step_progress(learner);
    learner->warm_up = learner->work;
}
