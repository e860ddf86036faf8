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

void learner_enter_restart(struct learner *learner)
{
    learner_enter(learner, LEARNER_RESTARTING, BUDGET_RESTART, learner->world->config->failures.restart_time);
}

static void begin_restart(struct learner *learner)
{
    learner->failure_unseen = learner->return_unseen = false;
    learner->world->counts.restarts++;
    learner_enter_restart(learner);
}

/* Some slice is there. A learner that can't do without the others waits for them first. */
void learner_restart_when_complete(struct learner *learner)
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
        learner_restart_when_complete(learner);
    else
        learner_enter(learner, LEARNER_DOWN, BUDGET_DOWN, -1);
    if (learner->has_state)
        lose_state(learner);
}

/* Without elasticity any failure stops the learner; with checkpoints it goes back to the last one. */
static void stop_for_failure(struct learner *learner)
{
    face_failure(learner);
    learner_restart_when_complete(learner);
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
    learner_stand(learner, learner->notice_cause, BUDGET_DOWN, chips);
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

void learner_look_later(struct learner *learner, int32_t cause)
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
        learner_look_later(learner, learner->cause); /* it can't go on without */
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
    else if (!learner_is_restarting(learner) && learner->state != LEARNER_AWAITING_REPAIR)
        learner_restart_when_complete(learner);
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
    sim_time complete = sim_time_add(learner_now(learner), saving_time_to_complete(learner));
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
    else if (learner->data_until > learner_now(learner))
        learner_enter(learner, LEARNER_STARVED, BUDGET_DATA_WAIT, learner->data_until - learner_now(learner));
    else
        learner_begin_step(learner);
}

void learner_proceed(struct learner *learner)
{
    sim_time now = learner_now(learner);
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
        learner_go_on(learner);
}

static void on_timer(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct learner *learner = actor;
    switch (learner->state) {
    case LEARNER_STEPPING:
        learner_end_parts(learner);
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
    waste_charge(&world->waste, learner->cause, BUDGET_REDONE, work.useful, learner_now(learner));
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
                                .wait_blame = TRAFFIC_NO_BLAME,
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
    double fraction = learner_counted_fraction(learner);
    if (learner_step_is_lost(learner))
        learner_lose_step(learner, fraction, learner_cause_of_loss(learner));
    else
        learner_keep_step(learner, fraction);
}

void learner_forget_warm_up(struct learner *learner)
{
    learner_book(learner);
    learner->ledger->amount[BUDGET_WARM_UP] += learner->step_amount;
    learner->step_amount = 0;
    learner->step_uncounted = learner_step_progress(learner);
    learner->warm_up = learner->work;
}
