#include "studies/rounds.h"

#include "results/inference.h"
#include <math.h>
#include <stdlib.h>

#define SUMMARY_CONFIDENCE 0.95 /* of the intervals that all tables show */

/* The unit of RUN among the plan's, from 0. BEFORE: replications of the points before its own. */
static size_t unit_of(const struct plan *plan, const struct rounds_options *options, size_t run,
                      size_t before)
{
    if (options->precision > 0)
        return plan->runs[run].point;
    return scenario_learns(plan->base) ? before + plan->runs[run].replication : run;
}

size_t rounds_choose(const struct plan *plan, const struct rounds_options *options, bool *chosen)
{
    size_t count = 0, before = 0, point = 0;
    for (size_t i = 0; i < plan->run_count; i++) {
        if (plan->runs[i].point != point) {
            before += (size_t)plan->points[point].scenario->replications;
            point = plan->runs[i].point;
        }
        chosen[i] =
            options->shards == 0 || unit_of(plan, options, i, before) % options->shards == options->shard - 1;
        count += chosen[i];
    }
    return count;
}

struct rounds {
    const struct plan *plan;
    struct store *store;
    int64_t study;
    const struct rounds_options *options;
    bool *chosen, *due; /* by the plan's runs: of the shard, and of this round */
    size_t *wanted;     /* replications, by the plan's points */
    struct rounds_outcome *outcome;
};

/* Whether the interval of the strategy that RUN is of is too wide at its point. */
static bool is_wide(const struct rounds *rounds, const struct plan_run *run)
{
    struct store_mean mean;
    const char *metric = rounds->options->metric ? rounds->options->metric : "goodput";
    if (!store_mean(rounds->store, rounds->study, run->strategy->name, rounds->plan->points[run->point].json,
                    metric, &mean))
        return true;
    return !inference_is_narrow((size_t)mean.count, mean.mean, mean.deviation, SUMMARY_CONFIDENCE,
                                rounds->options->precision);
}

/* The strategies of a point that are still too wide; each has a run of replication 0. */
static size_t count_wide(const struct rounds *rounds, size_t point, size_t *figures)
{
    const struct plan_point *at = &rounds->plan->points[point];
    size_t wide = 0;
    for (size_t i = at->first_run; i < at->first_run + at->run_count; i++) {
        const struct plan_run *run = &rounds->plan->runs[i];
        if (run->replication != 0 || !rounds->chosen[i])
            continue;
        ++*figures;
        wide += is_wide(rounds, run);
    }
    return wide;
}

/* Sets how far each point is to go next. False: none goes on. */
static bool advance(struct rounds *rounds)
{
    bool any = false;
    rounds->outcome->figures = rounds->outcome->wide = 0;
    for (size_t i = 0; i < rounds->plan->point_count; i++) {
        size_t most = (size_t)rounds->plan->points[i].scenario->replications;
        size_t wide = count_wide(rounds, i, &rounds->outcome->figures);
        size_t next = rounds->wanted[i] + rounds->wanted[i] / 2;
        rounds->outcome->wide += wide;
        any |= wide && rounds->wanted[i] < most;
        if (wide)
            rounds->wanted[i] = next < most ? next : most;
    }
    return any;
}

/* The runs of this round: those that no earlier one had. */
static void mark_due(struct rounds *rounds, bool *ran)
{
    for (size_t i = 0; i < rounds->plan->run_count; i++) {
        const struct plan_run *run = &rounds->plan->runs[i];
        rounds->due[i] = rounds->chosen[i] && !ran[i] && run->replication < rounds->wanted[run->point];
        ran[i] |= rounds->due[i];
    }
}

static bool run_rounds(struct rounds *rounds, const struct runner_options *runner, bool *ran,
                       struct error *error)
{
    struct runner_options options = *runner;
    struct runner_outcome *total = &rounds->outcome->runs;
    options.chosen = rounds->due;
    for (size_t i = 0; i < rounds->plan->point_count; i++)
        rounds->wanted[i] = ROUNDS_FIRST;
    do {
        struct runner_outcome outcome;
        mark_due(rounds, ran);
        bool done = runner_run(rounds->plan, rounds->store, rounds->study, &options, &outcome, error);
        runner_outcome_add(total, &outcome);
        if (!done || total->interrupted)
            return done;
        if (!store_summarise(rounds->store, rounds->study, error))
            return false;
    } while (advance(rounds));
    return true;
}

static bool run_until(struct rounds *rounds, const struct runner_options *runner, struct error *error)
{
    bool *ran = calloc(rounds->plan->run_count + 1, sizeof *ran);
    rounds->due = calloc(rounds->plan->run_count + 1, sizeof *rounds->due);
    rounds->wanted = calloc(rounds->plan->point_count + 1, sizeof *rounds->wanted);
    bool done = ran && rounds->due && rounds->wanted;
    if (done)
        done = run_rounds(rounds, runner, ran, error);
    else
        error_out_of_memory(error, "the rounds of replications");
    free(ran);
    free(rounds->due);
    free(rounds->wanted);
    return done;
}

bool rounds_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *runner, const struct rounds_options *options,
                struct rounds_outcome *outcome, struct error *error)
{
    struct rounds rounds = {
        .plan = plan, .store = store, .study = study, .options = options, .outcome = outcome};
    *outcome = (struct rounds_outcome){.figures = 0};
    rounds.chosen = calloc(plan->run_count + 1, sizeof *rounds.chosen);
    if (!rounds.chosen) {
        error_out_of_memory(error, "the list of runs");
        return false;
    }
    rounds_choose(plan, options, rounds.chosen);
    struct runner_options all = *runner;
    all.chosen = rounds.chosen;
    bool done = options->precision > 0 ? run_until(&rounds, runner, error)
                                       : runner_run(plan, store, study, &all, &outcome->runs, error);
    free(rounds.chosen);
    return done;
}
