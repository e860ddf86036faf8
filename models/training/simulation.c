/*
 * A run's course: its world is built, its learners start, the engine works until the time or the work is
 * over, the books are closed, and what was asked for is handed over.
 */
#include "models/training/simulation.h"

#include "models/training/ending.h"
#include "models/training/measures.h"
#include "models/training/warm_up.h"
#include "models/training/world_build.h"
#include "sim/wall.h"
#include <math.h>
#include <stdlib.h>

static bool create_tape_writer(struct world *world, const struct strategy_config *strategy,
                               struct error *error)
{
    int64_t learners = world->layout.learners;
    double *shares = malloc((size_t)learners * sizeof *shares);
    for (int64_t i = 0; shares && i < learners; i++)
        shares[i] = world->learners[i].share * world->learners[i].token_factor;
    if (shares)
        world->tape = tape_writer_create((int32_t)learners, (int32_t)strategy_fragments(strategy),
                                         world->config->workload.tokens_per_step, shares);
    free(shares);
    if (!world->tape)
        error_out_of_memory(error, "the event tape");
    return world->tape != NULL;
}

static bool create_observer(struct world *world, const struct observation_wish *wish, struct error *error)
{
    const struct activity_plan plan = {.learners = world->layout.learners,
                                       .syncer = world->strategy->syncer_fault != NULL,
                                       .duration = world->config->duration,
                                       .causes = outages_causes(world->outages),
                                       .keeps = wish && wish->activity,
                                       .listener = wish ? wish->listener : NULL};
    world->observer = observer_create(world->engine, &world->config->network, world->traffic, &plan, error);
    world->activity = world->observer ? observer_activity(world->observer) : NULL;
    return world->observer != NULL;
}

/* Lets WORLD write and watch what is wanted. */
static bool prepare(struct world *world, const struct simulation_request *request, struct error *error)
{
    return (!request->tape || create_tape_writer(world, request->strategy, error)) &&
           (!request->observation || create_observer(world, request->wish, error));
}

static bool ran_out_of_memory(const struct world *world, struct error *error)
{
    if (world->failed || outages_failed(world->outages))
        error_out_of_memory(error, "the failure process");
    else if (traffic_failed(world->traffic))
        error_out_of_memory(error, "the network");
    else
        return false;
    return true;
}

static bool play(struct world *world, struct error *error)
{
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_start(&world->learners[i]);
    return sim_engine_run(world->engine, world->config->duration, error) && !ran_out_of_memory(world, error);
}

/* Books everything that is under way, up to now. */
static void close_books(struct world *world)
{
    sim_time now = sim_engine_now(world->engine);
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_finish(&world->learners[i]);
    if (world->goal.finished > 0 && world->goal.finished < world->config->warm_up)
        warm_up_end(world);
    slots_book(world->slots);
    waste_settle(&world->waste, now);
    trouble_book(&world->trouble, now);
}

static void judge(struct world *world, struct run_result *result)
{
    bool stands_still = ending_stands_still(world);
    close_books(world);
    measures_take(world, result);
    result->status = ending_status(world, result->metrics[METRIC_TOKENS], stands_still);
}

static bool hand_over_observation(const struct world *world, struct observation **observation,
                                  struct error *error)
{
    *observation = observer_finish(world->observer, world->counting_since, outages_causes(world->outages),
                                   &world->waste, error);
    if (*observation)
        (*observation)->chaos = injection_take(world->injection);
    return *observation != NULL;
}

/* The tape passes from the world to the caller. */
static bool hand_over_tape(struct world *world, struct tape **tape, struct error *error)
{
    struct tape_writer *writer = world->tape;
    world->tape = NULL;
    *tape = tape_finish(writer, error);
    return *tape != NULL;
}

/* All that is wanted, or nothing. */
static bool hand_over(struct world *world, const struct simulation_request *request, struct error *error)
{
    if (request->observation && !hand_over_observation(world, request->observation, error))
        return false;
    if (!request->tape || hand_over_tape(world, request->tape, error))
        return true;
    if (request->observation) {
        observation_destroy(*request->observation);
        *request->observation = NULL;
    }
    return false;
}

static bool train(const struct simulation_request *request, struct run_result *result, struct error *error)
{
    struct world *world = world_create(request->config, request->strategy, request->seed,
                                       request->replication, request->stop, error);
    bool done = world && prepare(world, request, error) && play(world, error);
    if (done) {
        judge(world, result);
        done = hand_over(world, request, error);
    }
    world_destroy(world);
    return done;
}

bool simulation_run_observed(const struct simulation_request *request, struct run_result *result,
                             struct error *error)
{
    const struct strategy_config *strategy = request->strategy;
    const struct strategy_functions *functions = strategy_functions[strategy->kind];
    double begin = sim_wall_seconds();
    *result = (struct run_result){.status = RUN_FAILED};
    for (size_t i = 0; i < RUN_METRICS; i++)
        result->metrics[i] = NAN; /* what nobody measures has no value */
    bool done = functions->run_alone ? functions->run_alone(request->config, strategy->options, result,
                                                            request->observation, error)
                                     : train(request, result, error);
    if (!done)
        result->status = RUN_FAILED;
    result->wall_seconds = sim_wall_seconds() - begin;
    return done;
}

bool simulation_run(const struct simulation_config *config, const struct strategy_config *strategy,
                    uint64_t seed, uint32_t replication, const atomic_bool *stop, struct run_result *result,
                    struct tape **tape, struct error *error)
{
    const struct simulation_request request = {.config = config,
                                               .strategy = strategy,
                                               .seed = seed,
                                               .replication = replication,
                                               .stop = stop,
                                               .tape = tape};
    return simulation_run_observed(&request, result, error);
}
