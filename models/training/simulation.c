/*
 * Builds the world of a run, lets the engine work, and adds up what it left.
 */
#include "models/training/simulation.h"

#include "models/failures/process.h"
#include "models/priority.h"
#include "models/purpose.h"
#include "models/training/cost.h"
#include "models/training/domains.h"
#include "models/training/world.h"
#include "sim/wall.h"
#include <math.h>
#include <stdlib.h>

double world_model_bits(const struct world *world)
{
    const struct workload_config *workload = &world->config->workload;
    return workload->parameters * (double)workload->bits_per_parameter;
}

double world_drift_bits(const struct world *world, const struct learning_rule *rule)
{
    int64_t bits = strategy_drift_bits(rule);
    return bits == PARAMETER_UNSET ? world_model_bits(world)
                                   : world->config->workload.parameters * (double)bits;
}

void world_stepping_changed(struct world *world, int by)
{
    if (by == 0)
        return;
    world->stepping += by;
    sim_time_tally_set(&world->some_stepping, sim_engine_now(world->engine), world->stepping > 0);
}

void world_up_changed(struct world *world, int by)
{
    if (by == 0)
        return;
    world->up += by;
    sim_time_tally_set(&world->learners_up, sim_engine_now(world->engine), (double)world->up);
    observer_learners_up(world->observer, (double)world->up);
    if (world->activity)
        activity_learners_up(world->activity, world->up);
}

static void look_at_links(struct world *world)
{
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_look_at_links(&world->learners[i]);
}

void world_waits_changed(struct world *world)
{
    if (traffic_is_struck(world->traffic))
        look_at_links(world);
}

void world_merged(struct world *world)
{
    world->counts.merges++;
    if (world->activity)
        activity_merge(world->activity);
}

static void tell_strike(const struct world *world, int64_t lane, const struct fault *fault)
{
    if (world->activity)
        activity_strike(world->activity, lane, fault);
}

static struct learner *learner_of_slice(struct world *world, int64_t slice)
{
    return &world->learners[layout_learner_of(&world->layout, slice)];
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
    if (!world->replicas) {
        learner_slice_down(learner, chips, fault, mark);
        return;
    }
    struct replica *replica = replicas_find(world->replicas, slice);
    if (replica->slices_down++ > 0) {
        learner_strand(learner, -chips, replica->cause);
        learner_charge_to(learner, chips, replica->cause, fault->cause);
    } else {
        replica->cause = fault->cause;
        learner_slice_down(learner, replica->chips, fault, &replica->mark);
        learner_strand(learner, replica->chips - chips, fault->cause);
    }
}

static void on_slice_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    struct world *world = context;
    struct learner *learner = learner_of_slice(world, slice);
    int64_t chips = layout_slice_chips(&world->layout, slice);
    if (!world->replicas) {
        learner_slice_up(learner, chips, cause, mark);
        return;
    }
    struct replica *replica = replicas_find(world->replicas, slice);
    learner_charge_to(learner, chips, cause, replica->cause);
    if (--replica->slices_down > 0) {
        learner_strand(learner, chips, replica->cause);
    } else {
        learner_strand(learner, chips - replica->chips, replica->cause);
        learner_slice_up(learner, replica->chips, replica->cause, &replica->mark);
    }
}

/* Whether what befalls a slice of a replica that stands still concerns nobody; wrong numbers may come of it
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
        look_at_links(world);
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

/* Building. */

/* Leaves *FACTOR at NULL for the law that is constantly 1, so that the common case draws nothing. */
static bool create_factor(const struct sim_law_spec *spec, struct sim_distribution **factor,
                          struct error *error)
{
    if (spec->law == SIM_LAW_CONSTANT && spec->mean == 1)
        return true;
    *factor = sim_distribution_create(spec, error);
    return *factor != NULL;
}

static bool create_learners(struct world *world, const struct learner_options *options, struct error *error)
{
    struct sim_distribution *lasting = NULL;
    if (!create_factor(&world->config->stragglers.learner, &lasting, error))
        return false;
    world->learners = calloc((size_t)world->layout.learners, sizeof *world->learners);
    bool built = world->learners != NULL;
    for (uint32_t i = 0; built && i < world->layout.learners; i++) {
        struct sim_stream stream;
        sim_stream_open(&stream, world->seed, world->replication, PURPOSE_LEARNER_SPEED, i);
        double factor = lasting ? sim_distribution_sample(lasting, &stream) : 1;
        built = learner_init(&world->learners[i], world, i, options, factor);
    }
    sim_distribution_destroy(lasting);
    if (!built)
        error_out_of_memory(error, "the learners");
    return built;
}

static void end_warm_up(struct world *world)
{
    sim_time now = sim_engine_now(world->engine);
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_forget_warm_up(&world->learners[i]);
    slots_book(world->slots);
    for (size_t i = 0; i < world->ledger_count; i++)
        for (int category = 0; category < BUDGET_CATEGORIES; category++)
            if (category != BUDGET_WARM_UP)
                sim_ledger_move(&world->ledgers[i], category, BUDGET_WARM_UP,
                                world->ledgers[i].amount[category]);
    waste_forget(&world->waste, now);
    outages_begin_counting(world->outages);
    trouble_forget(&world->trouble, now);
    world->counts = (struct world_counts){.spares = slots_counts(world->slots)};
    world->counting_since = now;
    traffic_begin_counting(world->traffic);
    sim_time_tally_start(&world->some_stepping, now, world->stepping > 0);
    sim_time_tally_start(&world->learners_up, now, (double)world->up);
}

static void on_warm_up_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    end_warm_up(actor);
}

static bool schedule_warm_up(struct world *world, struct error *error)
{
    if (world->config->warm_up == 0)
        return true;
    uint32_t actor = sim_engine_add_actor(world->engine, on_warm_up_end, world);
    if (actor == UINT32_MAX) {
        error_out_of_memory(error, "the warm-up");
        return false;
    }
    sim_engine_schedule(world->engine, world->config->warm_up, PRIORITY_WARM_UP, actor, 0);
    return true;
}

static bool create_ledgers(struct world *world, struct error *error)
{
    world->ledger_count = cost_class_count(&world->config->cluster);
    world->ledgers = calloc(world->ledger_count, sizeof *world->ledgers);
    if (!world->ledgers)
        error_out_of_memory(error, "the ledgers");
    return world->ledgers != NULL;
}

/* A learner that is not elastic stops as a whole anyway. */
static bool create_replicas(struct world *world, const struct learner_options *options, struct error *error)
{
    const struct cluster_config *cluster = &world->config->cluster;
    int64_t slices = parallel_replica_slices(&cluster->parallel, cluster->chips_per_slice);
    if (cluster->parallel.blast_radius != BLAST_REPLICA || slices == 1 || !options->elastic)
        return true;
    world->replicas = replicas_create(&world->layout, slices, error);
    return world->replicas != NULL;
}

static bool add_availability(struct world *world, struct error *error)
{
    const struct cluster_config *cluster = &world->config->cluster;
    int64_t first = 0;
    for (size_t i = 0; i < cluster_group_count(cluster); i++) {
        struct cluster_group group = cluster_group(cluster, i);
        int64_t next = layout_group_end(&world->layout, cluster, i);
        if (availability_is_limited(&group.available) &&
            !outages_add_availability(world->outages, first, next, &group.available, error))
            return false;
        first = next;
    }
    return true;
}

static bool create_step_factor(struct world *world, struct error *error)
{
    const struct straggler_config *stragglers = &world->config->stragglers;
    if (!create_factor(&stragglers->step, &world->step_factor, error))
        return false;
    if (world->step_factor && stragglers->step_order != STRAGGLERS_DRAWN)
        world->played_scale = straggler_scale(stragglers, world->step_factor);
    return true;
}

static bool create_slots(struct world *world, struct outages_observer observer, struct error *error)
{
    if (world->layout.spares == 0)
        return true;
    world->slots = slots_create(world, observer, error);
    return world->slots != NULL;
}

/* What fails by the scenario's laws, and what a trace says. */
static bool create_faults(struct world *world, struct error *error)
{
    const struct simulation_config *config = world->config;
    struct outages_observer observer = {.context = world,
                                        .slice_down = on_slice_down,
                                        .slice_up = on_slice_up,
                                        .slice_away = on_slice_away,
                                        .slice_cause = on_slice_cause,
                                        .slice_fault = on_slice_fault,
                                        .link_fault = on_link_fault,
                                        .syncer_fault =
                                            world->strategy->syncer_fault ? on_syncer_fault : NULL,
                                        .bystander = on_bystander,
                                        .is_at_work = is_at_work};
    if (!create_slots(world, observer, error))
        return false;
    if (world->slots)
        observer = slots_observer(world->slots);
    world->failures = config->failures;
    world->failures.enabled &= !config->trace.file || !config->trace.alone;
    world->outages = outages_create(world->engine, &world->failures, &world->units, world->seed,
                                    world->replication, config->duration, observer, error);
    if (world->outages && config->trace.file)
        world->traced =
            traced_faults_create(world->engine, world->outages, &config->trace, config->duration, error);
    return world->outages && (!config->trace.file || world->traced);
}

static bool processes_may_strike_links(const struct failure_config *failures)
{
    const struct failure_process *processes = failures->processes.items;
    bool any = false;
    for (size_t i = 0; i < failures->processes.count; i++)
        any |= chaos_strikes_links((enum fault_kind)processes[i].kind);
    return any;
}

static bool build_world(struct world *world, const struct strategy_config *strategy, struct error *error)
{
    const struct simulation_config *config = world->config;
    world->layout = layout_of(&config->cluster, strategy_learner_count(strategy));
    world->layout.overlap = &world->overlap;
    world->strategy = strategy_functions[strategy->kind];
    sim_time_tally_start(&world->some_stepping, 0, 0);
    sim_time_tally_start(&world->learners_up, 0, 0);
    world->engine = sim_engine_create(error);
    if (!world->engine)
        return false;
    sim_engine_heed(world->engine, world->stop);
    if (!create_step_factor(world, error) || !pace_laws_create(&world->pace, &config->stragglers, error) ||
        !create_ledgers(world, error) || !create_replicas(world, strategy_learners(strategy), error) ||
        !domains_create(&world->units, config, &world->layout, error) ||
        !create_learners(world, strategy_learners(strategy), error))
        return false;
    if (world->overlap.failed) {
        error_out_of_memory(error, "a GPU");
        return false;
    }
    if (!create_faults(world, error))
        return false;
    world->traffic = traffic_create(world->engine, &config->network, world->layout.learners, world->seed,
                                    world->replication, error);
    if (!world->traffic || !add_availability(world, error) ||
        !injection_create(world, &world->injection, error))
        return false;
    if (chaos_may_strike_links(&config->chaos) || processes_may_strike_links(&config->failures))
        traffic_expect_faults(world->traffic);
    world->strategy_state = world->strategy->create(world, strategy->options, error);
    if (world->strategy->syncer_fault)
        outages_house_syncer(world->outages, traffic_syncer_site(world->traffic));
    return world->strategy_state && schedule_warm_up(world, error) &&
           waste_create(&world->waste, outages_causes(world->outages)->count, error);
}

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

static void tear_down(struct world *world)
{
    tape_writer_abandon(world->tape);
    observer_destroy(world->observer);
    injection_destroy(world->injection);
    if (world->strategy_state)
        world->strategy->destroy(world->strategy_state);
    traffic_destroy(world->traffic);
    traced_faults_destroy(world->traced);
    outages_destroy(world->outages);
    slots_destroy(world->slots);
    units_free(&world->units);
    waste_free(&world->waste);
    sim_distribution_destroy(world->step_factor);
    pace_laws_destroy(&world->pace);
    replicas_destroy(world->replicas);
    free(world->ledgers);
    for (int64_t i = 0; world->learners && i < world->layout.learners; i++)
        learner_free(&world->learners[i]);
    free(world->learners);
    sim_engine_destroy(world->engine);
}

/* Adding up. */

static struct learner_work total_work(const struct world *world)
{
    struct learner_work total = {0};
    for (int64_t i = 0; i < world->layout.learners; i++) {
        const struct learner *learner = &world->learners[i];
        total.useful += learner->work.useful - learner->warm_up.useful;
        total.steps += learner->work.steps - learner->warm_up.steps;
        total.tokens += learner->work.tokens - learner->warm_up.tokens;
        total.seconds += learner->work.seconds - learner->warm_up.seconds;
        total.squares += learner->work.squares - learner->warm_up.squares;
    }
    return total;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void measure_cost(const struct world *world, struct run_result *result)
{
    const struct cost_usage usage = {
        .ledgers = world->ledgers,
        .since = world->counting_since,
        .until = sim_engine_now(world->engine),
        .tokens = result->metrics[METRIC_TOKENS],
        .network = cost_has_priced_links(&world->config->network) ? traffic_price(world->traffic) : NAN};
    cost_measure(world->config, &world->layout, &usage, result->metrics);
}

struct link_figures {
    double seconds; /* that count */
    double utilization, peak;
};

static void measure_link(void *context, const struct traffic_link *used)
{
    struct link_figures *figures = context;
    figures->utilization =
        fmax(figures->utilization, ratio(used->bits / used->link.bandwidth, figures->seconds));
    figures->peak = fmax(figures->peak, used->peak);
}

/* NAN where no link was used: fmax passes over it. */
static void measure_links(const struct world *world, double *metrics)
{
    struct link_figures figures = {.utilization = NAN, .peak = NAN};
    figures.seconds = sim_time_to_seconds(sim_engine_now(world->engine) - world->counting_since);
    traffic_visit(world->traffic, measure_link, &figures);
    metrics[METRIC_LINK_UTILIZATION] = figures.utilization;
    metrics[METRIC_LINK_PEAK] = figures.peak;
}

static void measure_tokens(const struct world *world, struct run_result *result)
{
    double *metrics = result->metrics, unit = NAN;
    struct token_counts *tokens = &result->tokens;
    *tokens = (struct token_counts){0};
    if (world->strategy->count_tokens) {
        *tokens = world->strategy->count_tokens(world->strategy_state);
        unit = (double)TOKEN_GRAINS * (double)tokens->fragments;
    }
    metrics[METRIC_TOKENS_TRAINED] = (double)tokens->trained / unit;
    metrics[METRIC_TOKENS_MERGED] = (double)tokens->merged / unit;
    metrics[METRIC_TOKENS_LOST] = (double)tokens->lost / unit;
    metrics[METRIC_TOKENS_PENDING] = (double)tokens->pending / unit;
}

static void measure_repairs(const struct world *world, double *metrics)
{
    struct repair_counts repairs = outages_repairs(world->outages);
    struct spares_counts spares = slots_counts(world->slots), before = world->counts.spares;
    bool plain = repair_is_plain(&world->config->failures.pipeline);
    metrics[METRIC_REPAIRS] = plain ? NAN : (double)repairs.repairs;
    metrics[METRIC_MANUAL_REPAIRS] = plain ? NAN : (double)repairs.manual;
    metrics[METRIC_FAILED_REPAIRS] = plain ? NAN : (double)repairs.broken;
    metrics[METRIC_RETIRED] = plain ? NAN : (double)repairs.retired;
    metrics[METRIC_SWAPS] = world->slots ? (double)(spares.swaps - before.swaps) : NAN;
    metrics[METRIC_COLD_STARTS] = world->slots ? (double)(spares.starts - before.starts) : NAN;
    metrics[METRIC_DRAWS] = world->slots ? (double)(spares.draws - before.draws) : NAN;
}

#define SECONDS_PER_DAY 86400.0
#define ROUNDING 1e-12 /* a share of a square below which it is what rounding left */

/* Of observations by their mean and the mean of their squares. */
static double deviation(double mean, double square)
{
    double variance = square - mean * mean;
    return variance > ROUNDING * square || isnan(variance) ? sqrt(variance) : 0;
}

/* What a job's own log tells: the times of its steps, and of its interruptions. */
static void measure_log(struct world *world, const struct learner_work *work, double *metrics)
{
    sim_time now = sim_engine_now(world->engine);
    double elapsed = sim_time_to_seconds(now - world->counting_since);
    double mean = ratio(work->seconds, work->steps);
    trouble_book(&world->trouble, now);
    metrics[METRIC_TIME_PER_STEP] = ratio(elapsed, work->steps);
    metrics[METRIC_STEP_TIME] = mean;
    metrics[METRIC_STEP_TIME_DEVIATION] = deviation(mean, ratio(work->squares, work->steps));
    metrics[METRIC_INTERRUPTIONS] = (double)world->trouble.count;
    metrics[METRIC_INTERRUPTIONS_PER_DAY] = ratio((double)world->trouble.count * SECONDS_PER_DAY, elapsed);
    metrics[METRIC_INTERRUPTION_TIME] = ratio(world->trouble.seconds, (double)world->trouble.count);
}

static bool stopped(const struct world *world)
{
    return world->stop && atomic_load_explicit(world->stop, memory_order_relaxed);
}

/* Whether LEARNER is up and waits for others or for bytes, and for no moment that is fixed. */
static bool waits(const struct learner *learner)
{
    switch (learner->state) {
    case LEARNER_WAITING:
    case LEARNER_HELD:
        return true;
    case LEARNER_RESTORING:
    case LEARNER_RECONFIGURING:
        return learner->timer.order == 0;
    default:
        return false;
    }
}

/* Nobody has been in a step for the second half of the time that counts; all wait, and nothing that they
 * wait for is on its way. To be asked before the learners' last states end. */
static bool stands_still(const struct world *world)
{
    sim_time now = sim_engine_now(world->engine), since = world->some_stepping.since;
    bool still = now - since >= since - world->counting_since && !traffic_moves(world->traffic);
    for (int64_t i = 0; i < world->layout.learners && still; i++)
        still = waits(&world->learners[i]);
    return still;
}

static enum run_status status_of(const struct world *world, const struct learner_work *work)
{
    if (world->goal.finished > 0)
        return RUN_DONE;
    if (stopped(world) && sim_engine_now(world->engine) < world->config->duration)
        return RUN_INTERRUPTED;
    if (!(work->tokens > 0) || world->stands_still)
        return RUN_STALLED;
    return goal_is_fixed(&world->config->until) ? RUN_UNFINISHED : RUN_DONE;
}

static void measure(struct world *world, struct run_result *result)
{
    const struct sim_ledger sum = cost_sum(world->ledgers, world->ledger_count), *ledger = &sum;
    sim_time now = sim_engine_now(world->engine);
    struct learner_work work = total_work(world);
    double useful = (double)ledger->amount[BUDGET_USEFUL];
    double counted =
        (double)(sim_ledger_total(ledger) - ledger->amount[BUDGET_WARM_UP] - ledger->amount[BUDGET_AWAY]);
    double productive =
        useful + (double)(ledger->amount[BUDGET_STRAGGLER_WAIT] + ledger->amount[BUDGET_COMMUNICATION_WAIT]);
    double failures = (double)outages_count(world->outages);
    double *metrics = result->metrics;
    metrics[METRIC_GOODPUT] = ratio(useful, counted);
    metrics[METRIC_UPTIME] = sim_time_tally_mean(&world->some_stepping, now);
    metrics[METRIC_COMPUTE_UTILIZATION] =
        ratio(useful, useful + (double)ledger->amount[BUDGET_COMMUNICATION_WAIT]);
    metrics[METRIC_STEPS] = work.steps;
    metrics[METRIC_TOKENS] = work.tokens;
    metrics[METRIC_TIME_TO_FINISH] =
        world->goal.finished > 0 ? sim_time_to_seconds(world->goal.finished) : NAN;
    metrics[METRIC_STEPS_LOST] = world->counts.steps_lost;
    metrics[METRIC_MERGES] = (double)world->counts.merges;
    metrics[METRIC_FAILURES] = failures;
    metrics[METRIC_MTTR] = outages_mean_repair(world->outages);
    metrics[METRIC_ETTR] = ratio(productive, counted - (double)ledger->amount[BUDGET_IDLE_SPARE]);
    metrics[METRIC_JOB_GOODPUT] = ratio(work.seconds, sim_time_to_seconds(now - world->counting_since));
    metrics[METRIC_LOST_CHIP_HOURS] = sim_amount_to_seconds(ledger->amount[BUDGET_REDONE]) / 3600;
    metrics[METRIC_MTBF] = ratio(sim_time_to_seconds(now - world->counting_since), failures);
    metrics[METRIC_RECONFIGURATIONS] = (double)world->counts.reconfigurations;
    metrics[METRIC_RESTARTS] = (double)world->counts.restarts;
    measure_log(world, &work, metrics);
    measure_repairs(world, metrics);
    metrics[METRIC_LEARNERS_UP] = sim_time_tally_mean(&world->learners_up, now);
    metrics[METRIC_WAN_BYTES] = traffic_bits(world->traffic) / 8;
    result->ledger = *ledger;
    measure_tokens(world, result);
    measure_links(world, metrics);
    measure_cost(world, result);
    result->simulated = now;
    result->events = sim_engine_events(world->engine) - observer_events(world->observer);
    result->status = status_of(world, &work);
}

static bool run_world(struct world *world, struct run_result *result, struct error *error)
{
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_start(&world->learners[i]);
    if (!sim_engine_run(world->engine, world->config->duration, error))
        return false;
    if (world->failed || outages_failed(world->outages)) {
        error_out_of_memory(error, "the failure process");
        return false;
    }
    if (traffic_failed(world->traffic)) {
        error_out_of_memory(error, "the network");
        return false;
    }
    world->stands_still = stands_still(world);
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_finish(&world->learners[i]);
    if (world->goal.finished > 0 && world->goal.finished < world->config->warm_up)
        end_warm_up(world);
    slots_book(world->slots);
    waste_settle(&world->waste, sim_engine_now(world->engine));
    measure(world, result);
    return true;
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

static bool hand_over_observation(const struct world *world, struct observation **observation,
                                  struct error *error)
{
    if (!observation)
        return true;
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
    if (writer)
        *tape = tape_finish(writer, error);
    return !writer || *tape;
}

bool simulation_run(const struct simulation_config *config, const struct strategy_config *strategy,
                    uint64_t seed, uint32_t replication, const atomic_bool *stop, struct run_result *result,
                    struct tape **tape, struct error *error)
{
    return simulation_run_observed(config, strategy, seed, replication, stop, result, tape, NULL, NULL,
                                   error);
}

static bool run_learners(struct world *world, const struct strategy_config *strategy,
                         struct run_result *result, struct tape **tape, const struct observation_wish *wish,
                         struct observation **observation, struct error *error)
{
    bool done = build_world(world, strategy, error) &&
                (!tape || create_tape_writer(world, strategy, error)) &&
                (!observation || create_observer(world, wish, error)) && run_world(world, result, error) &&
                hand_over_observation(world, observation, error);
    if (done && !hand_over_tape(world, tape, error)) {
        done = false;
        if (observation) {
            observation_destroy(*observation);
            *observation = NULL;
        }
    }
    tear_down(world);
    return done;
}

bool simulation_run_observed(const struct simulation_config *config, const struct strategy_config *strategy,
                             uint64_t seed, uint32_t replication, const atomic_bool *stop,
                             struct run_result *result, struct tape **tape,
                             const struct observation_wish *wish, struct observation **observation,
                             struct error *error)
{
    const struct strategy_functions *functions = strategy_functions[strategy->kind];
    struct world world = {.config = config, .seed = seed, .replication = replication, .stop = stop};
    double begin = sim_wall_seconds();
    *result = (struct run_result){.status = RUN_FAILED};
    for (size_t i = 0; i < RUN_METRICS; i++)
        result->metrics[i] = NAN; /* what nobody measures has no value */
    bool done = functions->run_alone
                    ? functions->run_alone(config, strategy->options, result, observation, error)
                    : run_learners(&world, strategy, result, tape, wish, observation, error);
    if (!done)
        result->status = RUN_FAILED;
    result->wall_seconds = sim_wall_seconds() - begin;
    return done;
}
