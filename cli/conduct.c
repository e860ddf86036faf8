#include "config.h"

#include "cli/conduct.h"

#include "cli/interrupt.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/shipped.h"
#include "cli/show.h"
#include "results/comparison.h"
#include <stdio.h>

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
                                  .sweep = request->sweep};
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
                   .tapes = running->tapes},
        .learning = {.workers = pool_replays(running->workers),
                     .stop = interrupt_catch(),
                     .progress = progress ? progress_show_learning : NULL,
                     .note = show_remark},
    };
}

bool conduct_study(const struct plan *plan, struct store *store, const struct running_options *running,
                   const char *command_line, bool solve, struct study_outcome *outcome, struct error *error)
{
    bool progress = !running->quiet && progress_is_seen();
    struct study_request request = request_of(plan, running, command_line, progress);
    request.solve = solve;
    bool done = study_run(&request, store, outcome, error);
    if (progress)
        progress_clear();
    return done;
}

bool conduct_questions(const struct plan *plan, struct store *store, const struct running_options *running,
                       const char *command_line, const struct solve_question *questions, size_t count,
                       int64_t *study, struct solve_results *results, struct error *error)
{
    bool progress = !running->quiet && progress_is_seen();
    const struct study_request request = request_of(plan, running, command_line, progress);
    bool done = study_solve(&request, store, questions, count, study, results, error);
    if (progress)
        progress_clear();
    return done;
}

int conduct_status(const struct plan *plan, const struct study_outcome *outcome)
{
    const struct runner_outcome *runs = &outcome->runs;
    if (runs->failed)
        show_note("%zu of %zu runs failed; the first: %s", runs->failed, plan->run_count,
                  runs->failure.message);
    if (runs->interrupted) {
        show_note("interrupted; %zu of %zu runs were finished and are kept", runs->finished, plan->run_count);
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

void conduct_name_study(int64_t study, const char *database)
{
    char text[64];
    snprintf(text, sizeof text, "\nStudy %lld in ", (long long)study);
    show_text(text);
    show_text(database);
    show_text(".\n");
}

static int show_comparison(struct store *store, int64_t study, const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    if (request->json)
        return show_made_text(comparison_json(store, study, &error), &error);
    int status = show_made_text(comparison_table(store, study, &error), &error);
    if (status == STATUS_DONE)
        conduct_name_study(study, request->running->database);
    return status;
}

static int conduct_in(struct store *store, const struct plan *plan, const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    struct study_outcome outcome;
    int status, shown = STATUS_DONE;
    if (conduct_study(plan, store, request->running, request->command_line, false, &outcome, &error)) {
        status = conduct_status(plan, &outcome);
        if (outcome.runs.finished)
            shown = show_comparison(store, outcome.study, request);
    } else {
        status = show_error(&error);
    }
    study_outcome_free(&outcome);
    return shown != STATUS_DONE ? shown : status;
}

/* The database is opened before the first run: better no minutes of work than no place for them. */
int conduct(const struct plan *plan, const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    struct store *store = store_open(request->running->database, &error);
    if (!store)
        return show_error(&error);
    int status = conduct_in(store, plan, request);
    store_close(store);
    return status;
}
