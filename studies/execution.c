#include "studies/execution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIES_POINTS = 10 };

void execution_discard(struct execution *execution)
{
    observation_destroy(execution->observation);
    free(execution->tape);
    free(execution->failure);
    execution->observation = NULL;
    execution->tape = NULL;
    execution->failure = NULL;
}

bool execution_is_taped(const struct plan *plan, size_t run, bool tapes)
{
    return tapes || plan->points[plan->runs[run].point].scenario->learning.model != PARAMETER_UNSET;
}

bool execution_keeps_series(const struct plan *plan, size_t run)
{
    return plan->base && plan->runs[run].replication == 0 && plan->runs[run].point < SERIES_POINTS;
}

bool execution_keeps_timeline(const struct plan *plan, size_t run)
{
    return plan->base && plan->runs[run].replication == 0 && plan->runs[run].point == 0;
}

static bool simulate(const struct plan *plan, bool tapes, const atomic_bool *stop,
                     struct execution *execution, struct error *error)
{
    const struct plan_run *run = &plan->runs[execution->run];
    const struct observation_wish wish = {.activity = execution_keeps_timeline(plan, execution->run)};
    struct tape *tape = NULL;
    const struct simulation_request request = {
        .config = run->simulation,
        .strategy = run->strategy,
        .seed = plan->points[run->point].scenario->seed,
        .replication = run->replication,
        .stop = stop,
        .wish = &wish,
        .observation = &execution->observation,
        .tape = execution_is_taped(plan, execution->run, tapes) ? &tape : NULL,
    };
    bool done = simulation_run_observed(&request, &execution->result, error);
    if (done && tape)
        done = tape_encode(tape, &execution->tape, &execution->tape_length, error);
    tape_destroy(tape);
    return done;
}

static char *describe(const struct plan *plan, const struct plan_run *run, const struct error *error)
{
    const char *label = plan->points[run->point].label;
    char *text = NULL;
    if (asprintf(&text, "strategy %s%s%s, replication %u: %s", run->strategy->name, *label ? " at " : "",
                 label, run->replication, error->message) < 0)
        return NULL;
    return text;
}

void execution_perform(const struct plan *plan, size_t run, bool tapes, const atomic_bool *stop,
                       struct execution *execution)
{
    struct error error = {.kind = ERROR_NONE};
    *execution = (struct execution){.run = run};
    if (simulate(plan, tapes, stop, execution, &error))
        return;
    execution_discard(execution);
    *execution = (struct execution){.run = run, .failure = describe(plan, &plan->runs[run], &error)};
    execution->result.status = RUN_FAILED;
    for (int i = 0; i < RUN_METRICS; i++)
        execution->result.metrics[i] = NAN;
}
