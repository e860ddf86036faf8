/*
 * All-reduce (data-parallel training): one learner holds the whole cluster. Its collectives are part of the
 * step time, or, where it says so, gradients cross the network between the sites that it spans: layer by
 * layer as the backward pass goes on, if the workload has layers, else after the step.
 *
 * Reductions end in the order of the backward pass, so that the first part of the next step, which needs what
 * comes last, waits for all of them. A checkpoint or a reconfiguration after the step does not.
 *
 * Slices that are taken in may have to get the state by a transfer: without sites over the learner's own
 * link, with sites from its largest one to all others.
 */
#include "models/training/kind.h"
#include "models/training/reducer.h"
#include "models/training/world.h"
#include <stdlib.h>

static const char *const reduction_names[] = {"included", "network", NULL};
static const char *const upscaling_names[] = {"time", "transfer", NULL};

static const struct parameter rows[] = {
    STRATEGY_ELASTIC("false"),
    STRATEGY_SLICE_LOSS,
    {.path = "reduction",
     .type = PARAMETER_CHOICE,
     .choices = reduction_names,
     .fallback = "included",
     .sentence = "Whether the step time includes the reduction of the gradients, or they are reduced over "
                 "the network "
                 "between sites, layer by layer behind the backward pass where workload.layers is given.",
     .source = "ours",
     .offset = offsetof(struct all_reduce_options, reduction)},
    STRATEGY_COLLECTIVE(struct all_reduce_options),
    {.path = "upscaling",
     .type = PARAMETER_CHOICE,
     .choices = upscaling_names,
     .fallback = "time",
     .sentence =
         "What an elastic learner that takes slices in needs beside failures.upscale_time: nothing, or a "
         "transfer of parameters and optimiser state, three copies of the model, for which all stand still.",
     .source = "ours; the transfer: arXiv 2604.21428 App. E.4",
     .offset = offsetof(struct all_reduce_options, upscaling)},
};

const struct parameter_variant all_reduce_variant = {
    .name = "all-reduce",
    .sentence = "data-parallel: one learner, its gradients reduced in every step; plain or elastic by slice",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct all_reduce_options),
};

struct all_reduce {
    struct world *world;
    struct reducer *reducer;     /* NULL: the step time includes it */
    int64_t layers;              /* 0: gradients are sent whole */
    double bits;                 /* of the gradients of a layer, or of all */
    bool transfers;              /* the state to slices that are taken in */
    flows_name message;          /* that does it, without sites */
    struct operation *operation; /* that does it, with sites; NULL: none is under way */
};

/* Parameters and two moments of the optimiser (arXiv 2604.21428 App. E.4). */
#define COPIES_OF_A_STATE 3

static struct learner *the_learner(const struct all_reduce *all)
{
    return &all->world->learners[0];
}

static bool check(const void *options, const char **path, const char **reason)
{
    (void)options, (void)path, (void)reason;
    return true;
}

static double reductions(const void *options, const struct workload_config *workload)
{
    const struct all_reduce_options *all = options;
    double pieces = workload->layers > 0 ? (double)workload->layers : 1;
    return all->reduction == REDUCTION_NETWORK ? pieces : 0;
}

static void destroy(void *state)
{
    struct all_reduce *all = state;
    reducer_destroy(all->reducer);
    free(all);
}

/* What is not released does not exist: the one learner is never waited for. */
static bool awaits(void *context, int64_t learner, int64_t step)
{
    (void)context, (void)learner, (void)step;
    return false;
}

static void changed(void *context, int64_t step, int64_t layer)
{
    (void)step, (void)layer;
    learner_poke(the_learner(context));
}

static bool create_reducer(struct all_reduce *all, const struct all_reduce_options *options,
                           struct error *error)
{
    const struct workload_config *workload = &all->world->config->workload;
    struct reducer_user user = {awaits, changed, all};
    all->layers = workload_parts(workload) > 1 ? workload->layers : 0;
    size_t pieces = all->layers ? (size_t)all->layers : 1;
    all->bits = world_model_bits(all->world) / (double)pieces;
    all->reducer = reducer_create(all->world, options->collective, pieces, &user, error);
    return all->reducer != NULL;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    const struct all_reduce_options *wanted = options;
    struct all_reduce *all = calloc(1, sizeof *all);
    if (!all) {
        error_out_of_memory(error, "all-reduce");
        return NULL;
    }
    all->world = world;
    all->transfers = wanted->upscaling == UPSCALING_TRANSFER;
    if (wanted->reduction == REDUCTION_NETWORK && !create_reducer(all, wanted, error)) {
        destroy(all);
        return NULL;
    }
    return all;
}

/* The last reduction of the last step is over. */
static int obstacle(void *state, struct learner *learner)
{
    struct all_reduce *all = state;
    int64_t last = all->layers ? 1 : 0;
    bool free_to_go = !all->reducer || reducer_progress(all->reducer, learner->clock, last) == REDUCER_OVER;
    return free_to_go ? NO_OBSTACLE : BUDGET_COMMUNICATION_WAIT;
}

static struct traffic_blame blame(const void *state, const struct learner *learner)
{
    (void)learner;
    const struct all_reduce *all = state;
    return all->reducer ? reducer_blame(all->reducer) : TRAFFIC_NO_BLAME;
}

static void step_done(void *state, struct learner *learner)
{
    struct all_reduce *all = state;
    if (all->reducer && !all->layers)
        reducer_release(all->reducer, 0, learner->clock, 0, all->bits);
}

/* Its gradients are of no use. */
static void step_lost(void *state, struct learner *learner)
{
    struct all_reduce *all = state;
    if (all->reducer)
        reducer_clear(all->reducer, learner->clock + 1);
}

static int part_obstacle(void *state, struct learner *learner, int64_t part)
{
    (void)state, (void)learner, (void)part;
    return NO_OBSTACLE;
}

static int64_t part_stop(void *state, struct learner *learner, int64_t part)
{
    struct all_reduce *all = state;
    (void)learner;
    const struct workload_config *workload = &all->world->config->workload;
    return all->reducer ? workload_next_gradients(workload, part) : workload_parts(workload);
}

static void part_done(void *state, struct learner *learner, int64_t parts)
{
    struct all_reduce *all = state;
    int64_t layer = workload_layer_with_gradients(&all->world->config->workload, parts);
    if (all->reducer && layer > 0)
        reducer_release(all->reducer, 0, learner->clock + 1, layer, all->bits);
}

/* Upscaling. */

static void on_transferred(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct all_reduce *all = context;
    all->operation = NULL;
    all->message = 0;
    learner_take_in(the_learner(all));
}

static void break_off(struct all_reduce *all)
{
    traffic_cancel(all->world->traffic, all->message);
    if (all->operation)
        traffic_stop(all->world->traffic, all->operation);
    all->operation = NULL;
    all->message = 0;
}

static bool taking_in(void *state, struct learner *learner)
{
    struct all_reduce *all = state;
    struct traffic *traffic = all->world->traffic;
    const int64_t number = learner->number;
    double bits = COPIES_OF_A_STATE * world_model_bits(all->world);
    if (!all->transfers)
        return false;
    break_off(all);
    if (all->world->config->network.sites.count == 0)
        all->message = traffic_send(traffic, &(struct traffic_message){.from = TRAFFIC_SYNCER,
                                                                       .to = number,
                                                                       .bits = bits,
                                                                       .arrived = on_transferred,
                                                                       .context = all});
    else
        all->operation =
            traffic_start(traffic, &(struct traffic_collective){.algorithm = COLLECTIVE_BROADCAST,
                                                                .learners = &number,
                                                                .learner_count = 1,
                                                                .bits = bits,
                                                                .done = on_transferred,
                                                                .context = all});
    return true;
}

static void lost(void *state, struct learner *learner)
{
    struct all_reduce *all = state;
    saving_roll_back(learner);
    if (all->reducer)
        reducer_clear(all->reducer, learner->clock + 1);
}

static void back(void *state, struct learner *learner)
{
    (void)state;
    learner_restore(learner, saving_load(learner));
}

const struct strategy_functions all_reduce_functions = {
    .checkpoints = true,
    .check = check,
    .reductions = reductions,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = blame,
    .step_done = step_done,
    .step_lost = step_lost,
    .part_obstacle = part_obstacle,
    .part_stop = part_stop,
    .part_done = part_done,
    .taking_in = taking_in,
    .lost = lost,
    .back = back,
};
