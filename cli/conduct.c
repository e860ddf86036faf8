#include "config.h"

#include "cli/conduct.h"

#include "cli/assembly.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/shipped.h"
#include "cli/show.h"
#include "cli/step_notes.h"
#include "cli/trace_file.h"
#include "models/learning/metrics.h"
#include "results/comparison.h"
#include "results/junit.h"
#include "results/markdown.h"
#include "results/sensitivity.h"
#include "scenarios/question.h"
#include "sim/wall.h"
#include "studies/channel.h"
#include "studies/ranks.h"
#include "studies/serve.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process that is heard of every second is not lost because of a moment in which its machine is busy. */
#define PATIENCE_SECONDS 10

struct plan *conduct_plan(const struct conduct_request *request, struct error *error)
{
    struct scenario_text text;
    if (!shipped_read(request->scenario->scenario, &text, error))
        return NULL;
    struct plan_request wanted = {.text = &text,
                                  .overrides = request->scenario->overrides,
                                  .override_count = request->scenario->override_count,
                                  .strategies = request->scenario->strategies.items,
                                  .strategy_count = request->scenario->strategies.count,
                                  .sweep = request->sweep,
                                  .sensitivity = request->sensitivity};
    if (request->axes) {
        wanted.axes = request->axes->items;
        wanted.axis_count = request->axes->count;
    }
    if (request->conditions) {
        wanted.conditions = request->conditions->items;
        wanted.condition_count = request->conditions->count;
    }
    struct plan *plan = plan_create(&wanted, error);
    scenario_text_free(&text);
    return plan;
}

/* How a study of PLAN runs here. */
static struct study_request request_of(const struct plan *plan, const struct running_options *running,
                                       const char *command_line, bool progress)
{
    return (struct study_request){
        .plan = plan,
        .version = PACKAGE_VERSION,
        .command_line = command_line,
        .runner = {.workers = running->workers,
                   .stop = interrupt_catch(),
                   .progress = progress ? progress_show : NULL,
                   .force = running->force,
                   .tapes = running->tapes},
        .learning = {.workers = pool_replays(running->workers),
                     .stop = interrupt_catch(),
                     .progress = progress ? progress_show_learning : NULL,
                     .note = show_remark},
    };
}

static bool show_study(const struct study_request *request, struct store *store,
                       struct study_outcome *outcome, struct error *error)
{
    bool done = study_run(request, store, outcome, error);
    if (request->runner.progress)
        progress_clear();
    return done;
}

struct study_request conduct_study_request(const struct plan *plan, const struct running_options *running,
                                           const char *command_line)
{
    return request_of(plan, running, command_line, !running->quiet && progress_is_seen());
}

bool conduct_study(const struct plan *plan, struct store *store, const struct running_options *running,
                   const char *command_line, bool solve, struct study_outcome *outcome, struct error *error)
{
    struct study_request request = conduct_study_request(plan, running, command_line);
    request.solve = solve;
    return show_study(&request, store, outcome, error);
}

static void note_runs(const struct study_outcome *outcome)
{
    const struct runner_outcome *runs = &outcome->runs;
    if (runs->others)
        show_note(
            "%zu of %zu runs are in the database by another version of the program: they are kept apart, and "
            "were done by this one",
            runs->others, runs->total);
    if (runs->failed)
        show_note("%zu of %zu runs failed; the first: %s", runs->failed, runs->total, runs->failure.message);
    if (outcome->wide)
        show_note("%zu of %zu intervals are still wider than asked for: more replications are needed",
                  outcome->wide, outcome->figures);
}

int conduct_status(const struct plan *plan, const struct study_outcome *outcome)
{
    const struct runner_outcome *runs = &outcome->runs;
    note_runs(outcome);
    if (runs->interrupted) {
        show_note("interrupted; %zu of %zu runs were finished and are kept", runs->finished, runs->total);
        return STATUS_INTERRUPTED;
    }
    if (outcome->learning.diverged)
        show_note("%zu of %zu replays diverged", outcome->learning.diverged, outcome->learning.total);
    if (outcome->learning.interrupted) {
        show_note(
            "interrupted; %zu of %zu replays were finished, and `trainstorm replay' goes on with the rest",
            outcome->learning.finished, outcome->learning.total);
        return STATUS_INTERRUPTED;
    }
    if (outcome->interrupted) {
        show_note("interrupted while looking for the values of fields; the runs that were finished are kept");
        return STATUS_INTERRUPTED;
    }
    if (outcome->expectations.solvable)
        show_note(
            "%zu of %zu expectations are about what a field has to be, which `trainstorm validate' looks for",
            outcome->expectations.solvable, plan->base->expectation_count);
    if (outcome->expectations.skipped)
        show_note("%zu of %zu expectations were not judged: their strategy or point was not run, or but once",
                  outcome->expectations.skipped, plan->base->expectation_count);
    if (runs->failed)
        return STATUS_TROUBLE;
    return outcome->expectations.missed ? STATUS_MISSED : STATUS_DONE;
}

static void put_seconds(char text[64], double seconds)
{
    if (seconds < 99.5) /* which %.2g would make 1e+02 */
        snprintf(text, 64, "%.2g s", seconds);
    else
        snprintf(text, 64, "%.0f s", seconds);
}

void conduct_name_study(int64_t study, const char *database, const struct runner_outcome *runs,
                        double seconds)
{
    char text[200], took[64];
    snprintf(text, sizeof text, "\nStudy %lld in ", (long long)study);
    show_text(text);
    show_text(database);
    if (runs) {
        put_seconds(took, seconds);
        snprintf(text, sizeof text, ": %zu runs done, %zu reused, %zu failed; %s",
                 runs->finished - runs->reused - runs->failed, runs->reused, runs->failed, took);
        show_text(text);
    }
    show_text(".\n");
}

/* A part of the points says nothing yet about which matter most. */
static int show_ranking(struct store *store, const struct study_outcome *outcome,
                        const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    if (outcome->interrupted || request->rounds.shards)
        return STATUS_DONE;
    return show_made_text(sensitivity_table(store, outcome->study, request->baseline.metric, &error), &error);
}

static int show_comparison(struct store *store, const struct study_outcome *outcome, double seconds,
                           const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    if (request->json)
        return show_made_text(comparison_json(store, outcome->study, &error), &error);
    int status = STATUS_DONE;
    if (request->sensitivity > 0)
        status = show_ranking(store, outcome, request);
    else if (outcome->runs.finished) /* not of a shard that has none, for one */
        status = show_made_text(comparison_table(store, outcome->study, &error), &error);
    if (status == STATUS_DONE)
        conduct_name_study(outcome->study, request->running->database, &outcome->runs, seconds);
    return status;
}

/* Against the baseline; of what was not finished there is nothing to say yet. ERROR is shown. */
static int hold_against_baseline(struct store *store, const struct study_outcome *outcome,
                                 const struct conduct_request *request, struct error *error)
{
    struct baseline_outcome changes;
    if (!request->baseline.database || outcome->interrupted)
        return STATUS_DONE;
    if (!baseline_judge(store, outcome->study, &request->baseline, &changes, error))
        return show_error(error);
    if (changes.missing)
        show_note("%zu of %zu figures are not in the baseline", changes.missing,
                  changes.missing + changes.compared);
    if (changes.gone)
        show_note("%zu of %zu figures of the baseline are not in this study: their strategy or point was not "
                  "run, or has no value",
                  changes.gone, changes.gone + changes.compared);
    return changes.regressed ? STATUS_MISSED : STATUS_DONE;
}

/* Writes TEXT, which it frees, to the file PATH; NULL is shown as ERROR. */
static int write_made_file(const char *path, char *text, struct error *error)
{
    bool written = text && output_file_write(path, "report", text, error);
    free(text);
    return written ? STATUS_DONE : show_error(error);
}

/* TROUBLE, or NULL, kept the study from being judged. */
static int write_files(struct store *store, int64_t study, const char *trouble,
                       const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    int status = STATUS_DONE;
    if (request->junit)
        status = write_made_file(request->junit, junit_report(store, study, trouble, &error), &error);
    if (request->markdown && status == STATUS_DONE)
        status = write_made_file(request->markdown, markdown_summary(store, study, trouble, &error), &error);
    return status;
}

/* Of several the gravest counts: a failure more than a miss. */
static int graver(int a, int b)
{
    return a > b ? a : b;
}

/* Where a study that was broken off got to. */
static void describe_break(const struct study_outcome *outcome, char text[100])
{
    bool replays = outcome->learning.interrupted && !outcome->runs.interrupted;
    snprintf(text, 100, "interrupted; %zu of %zu %s were finished",
             replays ? outcome->learning.finished : outcome->runs.finished,
             replays ? outcome->learning.total : outcome->runs.total, replays ? "replays" : "runs");
}

/* A study that was broken off, or has nothing to be held against, is no pass to those who read the reports
 * alone. */
static int judge_and_write(struct store *store, const struct study_outcome *outcome,
                           const struct conduct_request *request, double seconds, int *shown)
{
    struct error error = {.kind = ERROR_NONE};
    char interrupted[100];
    int status = hold_against_baseline(store, outcome, request, &error);
    const char *trouble = error.kind == ERROR_NONE ? NULL : error.message;
    if (outcome->interrupted) {
        describe_break(outcome, interrupted);
        trouble = interrupted;
    }
    *shown = graver(show_comparison(store, outcome, seconds, request),
                    write_files(store, outcome->study, trouble, request));
    return status;
}

void conduct_note_variations(const struct plan *plan)
{
    for (size_t i = 0; i < plan->refusal_count; i++)
        show_note("left out: %s=%s: %s", plan->refusals[i].variation->setting.path,
                  plan->refusals[i].variation->setting.value, plan->refusals[i].message);
    for (size_t i = 0; i < plan->variations.count; i++)
        if (plan->variations.items[i].clamped)
            show_note("%s ends at %s", plan->variations.items[i].setting.path,
                      plan->variations.items[i].setting.value);
}

static int conduct_in(struct store *store, const struct plan *plan, const struct conduct_request *request,
                      struct ranks *ranks)
{
    struct error error = {.kind = ERROR_NONE};
    struct study_outcome outcome;
    double begun = sim_wall_seconds();
    int status, shown = STATUS_DONE;
    step_notes_write_doubts(plan->base);
    conduct_note_variations(plan);
    struct study_request study = conduct_study_request(plan, request->running, request->command_line);
    study.rounds = request->rounds;
    study.runner.ranks = ranks;
    if (show_study(&study, store, &outcome, &error)) {
        status = conduct_status(plan, &outcome);
        status =
            graver(status, judge_and_write(store, &outcome, request, sim_wall_seconds() - begun, &shown));
        if (request->trace && outcome.interrupted)
            show_note("interrupted; no trace was written");
        else if (request->trace)
            shown = graver(shown, trace_file_write(plan, request->trace));
    } else {
        status = show_error(&error);
    }
    study_outcome_free(&outcome);
    return shown != STATUS_DONE ? shown : status;
}

bool conduct_check_metric(const struct plan *plan, const char *metric, struct error *error)
{
    if (!scenario_metric_check(metric, "--metric", error))
        return false;
    if (!learning_has_metric(metric) || scenario_learns(plan->base))
        return true;
    error_set(error, ERROR_INPUT,
              "--metric: %s is measured of what is learned, and nothing is; give learning.model", metric);
    return false;
}

/* Whether the runs will have the metric, and the baseline can be read. */
static int check_baseline(const struct plan *plan, const struct baseline_options *baseline)
{
    struct error error = {.kind = ERROR_NONE};
    if (baseline->metric && !conduct_check_metric(plan, baseline->metric, &error))
        return show_error(&error);
    if (!baseline->database)
        return STATUS_DONE;
    struct store *store = store_open_read_only(baseline->database, &error);
    store_close(store);
    return store ? STATUS_DONE : show_error(&error);
}

/* Whether the file PATH, or NULL, can be written, or made where it is to be; nothing is made here. */
static int check_output(const char *path)
{
    struct stat status;
    char *folder = path ? strdup(path) : NULL;
    if (!folder)
        return STATUS_DONE;
    bool there = stat(path, &status) == 0 || errno != ENOENT;
    int cause = 0;
    if (access(there ? path : dirname(folder), there ? W_OK : W_OK | X_OK) != 0)
        cause = errno;
    else if (there && S_ISDIR(status.st_mode))
        cause = EISDIR;
    free(folder);
    if (cause)
        show_note("%s: %s", path, strerror(cause));
    return cause ? STATUS_TROUBLE : STATUS_DONE;
}

/* All that is needed is looked at before the first run, the database opened: better no minutes of work than
 * no place for them. */
static int conduct_here(const struct plan *plan, const struct conduct_request *request, struct ranks *ranks)
{
    struct error error = {.kind = ERROR_NONE};
    int ready = graver(check_baseline(plan, &request->baseline),
                       graver(graver(check_output(request->junit), check_output(request->markdown)),
                              check_output(request->trace)));
    if (ready != STATUS_DONE)
        return ready;
    struct store *store = store_open(request->running->database, &error);
    if (!store)
        return show_error(&error);
    int status = conduct_in(store, plan, request, ranks);
    store_close(store);
    return status;
}

/* The first of several processes. */
static int conduct_first(struct channel *channel, const struct plan *plan,
                         const struct conduct_request *request, bool *orderly)
{
    struct error error = {.kind = ERROR_NONE};
    char digest[65];
    struct ranks *ranks = ranks_create(channel, PATIENCE_SECONDS, &error);
    if (!ranks)
        return show_error(&error);
    if (!ranks_digest(plan, request->running->tapes, PACKAGE_VERSION, digest)) {
        error_out_of_memory(&error, "the other processes");
        return show_error(&error);
    }
    ranks_expect(ranks, digest);
    int status = show_flush(conduct_here(plan, request, ranks)); /* mpirun ends all when one ends badly */
    *orderly = ranks_dismiss(ranks, status);
    if (ranks_lost(ranks))
        show_note("%zu of %zu processes got lost on the way; others did their runs", ranks_lost(ranks),
                  ranks_count(ranks) + 1);
    ranks_destroy(ranks);
    return status;
}

/* Any other one. */
static int conduct_for_first(struct channel *channel, const struct plan *plan,
                             const struct conduct_request *request, bool *orderly)
{
    struct error error = {.kind = ERROR_NONE};
    const struct study_request study = request_of(plan, request->running, request->command_line, false);
    struct runner_options runner = study.runner;
    runner.version = PACKAGE_VERSION;
    struct ranks_leave leave;
    bool served = serve(channel, plan, &runner, &leave, &error);
    *orderly = leave.orderly;
    return served ? leave.status : show_error(&error);
}

/* Where not all are there to leave in good order, MPI would wait for them; the system cleans up, too. */
static int conduct_with_others(const struct plan *plan, const struct conduct_request *request)
{
    bool orderly = true;
    int status = STATUS_DONE;
    struct channel *channel = assembly_meet(&status);
    if (!channel)
        return status;
    if (status == STATUS_DONE)
        status = channel_number(channel) == 0 ? conduct_first(channel, plan, request, &orderly)
                                              : conduct_for_first(channel, plan, request, &orderly);
    channel_close(channel, orderly);
    if (!orderly)
        _exit(show_flush(status));
    return status;
}

int conduct(const struct plan *plan, const struct conduct_request *request)
{
    return channel_is_launched() ? conduct_with_others(plan, request) : conduct_here(plan, request, NULL);
}
