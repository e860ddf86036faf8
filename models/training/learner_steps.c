/*
 * A learner's steps: how long one takes, in which parts, and what of it counts.
 */
#include "models/training/learner_internal.h"

#include "models/training/world.h"
#include <assert.h>
#include <math.h>

struct tape_record learner_record(const struct learner *learner, enum tape_kind kind)
{
    return (struct tape_record){.time = learner_now(learner),
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
    double slowest = pace_slowest(&learner->pace, learner_now(learner), &learner->draws, mean);
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

void learner_begin_step(struct learner *learner)
{
    struct world *world = learner->world;
    const struct straggler_config *stragglers = &world->config->stragglers;
    double seconds = learner->nominal_seconds * straggler_drift(stragglers, learner_now(learner)), mean,
           slowest;
    assert(learner->working > 0 && (learner->elastic || learner->working == learner->chips));
    assert(learner->pace.chips == learner->working);
    seconds *= next_factor(learner);
    slowest = slowest_chip(learner, &mean);
    sim_time length = sim_time_from_seconds(fmax(seconds * slowest, learner->least_seconds));
    learner->step_length = length < 1 ? 1 : length;
    learner->step_began = learner_now(learner);
    learner->step_done = learner->step_uncounted = 0;
    learner->step_stop = 0;
    learner->step_amount = 0;
    learner->step_useful_share = learner->nominal_useful_share * fmin(1, mean / slowest);
    learner->step_tokens = world->config->workload.tokens_per_step * learner->token_factor *
                           (double)learner->working / (double)world->layout.chips;
    learner->step_failed = learner->step_hung = false;
    learner_go_on(learner);
}

sim_time learner_step_progress(const struct learner *learner)
{
    bool runs = learner->state == LEARNER_STEPPING;
    return learner->step_done + (runs ? learner_now(learner) - learner->step_went_on : 0);
}

double learner_counted_fraction(const struct learner *learner)
{
    return (double)(learner_step_progress(learner) - learner->step_uncounted) / (double)learner->step_length;
}

void learner_keep_step(struct learner *learner, double fraction)
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
                     slow < wait ? slow : wait, learner_now(learner));
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

void learner_lose_step(struct learner *learner, double fraction, int32_t cause)
{
    learner->ledger->amount[BUDGET_REDONE] += learner->step_amount;
    waste_charge(&learner->world->waste, cause, BUDGET_REDONE, learner->step_amount, learner_now(learner));
    learner->world->counts.steps_lost += fraction * learner->share;
    learner->step_amount = 0;
}

bool learner_notices_at_once(const struct learner *learner)
{
    return learner->world->config->failures.noticed == NOTICED_AT_ONCE;
}

int32_t learner_cause_of_loss(const struct learner *learner)
{
    return learner->step_hung ? learner->hang_cause : learner->unseen_cause;
}

bool learner_step_is_lost(const struct learner *learner)
{
    bool lost_with_failure = learner->world->config->failures.failed_step == FAILED_STEP_LOST;
    return learner->working == 0 || learner->step_hung || (learner->step_failed && lost_with_failure);
}

void learner_count_step(struct learner *learner, double fraction, sim_time length)
{
    const struct world *world = learner->world;
    learner_keep_step(learner, fraction);
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
    learner->step_took = learner_now(learner) - learner->step_began;
    double fraction = learner_counted_fraction(learner);
    if (learner_step_is_lost(learner)) {
        learner_lose_step(learner, fraction, learner_cause_of_loss(learner));
        write_step(learner, TAPE_STEP_LOST);
        if (world->strategy->step_lost)
            world->strategy->step_lost(world->strategy_state, learner);
    } else {
        learner_count_step(learner, fraction, learner->step_length);
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
    learner->step_done = learner_step_progress(learner);
    learner->step_hung = true;
}

void learner_abort_step(struct learner *learner, int32_t cause)
{
    struct world *world = learner->world;
    learner_book(learner);
    learner_lose_step(learner, learner_counted_fraction(learner), cause);
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
    learner->step_went_on = learner_now(learner);
}

void learner_go_on(struct learner *learner)
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
    learner->step_went_on = learner_now(learner);
    bool lost = learner->step_stop == learner->step_parts && learner_step_is_lost(learner);
    if (asks_about_parts(learner) && !lost)
        world->strategy->part_done(world->strategy_state, learner, learner->step_stop);
}

void learner_end_parts(struct learner *learner)
{
    if (learner->step_parts > 1)
        report_parts(learner);
    if (learner->step_stop == learner->step_parts)
        end_step(learner);
    else
        learner_go_on(learner);
}
