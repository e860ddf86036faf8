#include "studies/tracing.h"

#include "models/failures/causes.h"
#include "models/training/condenser.h"
#include "results/trace.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE = 300, MOST_NOTES = 64 };

/* How spans are written. */
enum detail { EACH, JOINED, SHORTENED };

struct tracing {
    const struct tracing_options *options;
    struct trace trace;
    atomic_bool stop; /* the caller's wish, or the stream takes no more */
    char notes[MOST_NOTES][NOTE];
    size_t note_count;

    /* Of the run that is under way. */
    const struct plan_run *run;
    int64_t process;
    const struct causes *causes;
    enum detail detail;
    uint64_t spans, merges, marks, changes; /* told so far */
    int64_t lanes;
    struct condenser *kept; /* by lane, the syncer's first */
    bool failed;            /* memory ran out */
};

static void add_note(struct tracing *tracing, const char *text)
{
    char note[NOTE];
    snprintf(note, NOTE, "%s: %s", tracing->run->strategy->name, text);
    if (tracing->note_count < MOST_NOTES)
        memcpy(tracing->notes[tracing->note_count++], note, NOTE);
    if (tracing->options->note)
        tracing->options->note(tracing->options->context, note);
}

static bool is_told_to_stop(const struct tracing *tracing)
{
    return tracing->options->stop && atomic_load(tracing->options->stop);
}

static void look_at_stream(struct tracing *tracing)
{
    if (ferror(tracing->trace.out) || is_told_to_stop(tracing))
        atomic_store(&tracing->stop, true);
}

static const char *name_of(const struct tracing *tracing, int32_t cause)
{
    return cause == FAULT_NO_CAUSE ? NULL : tracing->causes->records[cause].cause.name;
}

/* What a run tells. */

static void write_span(struct tracing *tracing, const struct activity_span *span)
{
    trace_activity(&tracing->trace, tracing->process, span, tracing->detail == EACH ? "step" : "steps",
                   name_of(tracing, span->cause));
}

/* All that are there but the newest, which may go on; at the END that, too. */
static void drain(struct tracing *tracing, struct condenser *kept, bool end)
{
    size_t ready = end ? kept->count : kept->count ? kept->count - 1 : 0;
    for (size_t i = 0; i < ready; i++)
        write_span(tracing, &kept->spans[i]);
    tracing->failed |= kept->failed;
    if (ready == 0)
        return;
    memmove(kept->spans, kept->spans + ready, (kept->count - ready) * sizeof *kept->spans);
    kept->count -= ready;
}

static void shorten(struct tracing *tracing)
{
    sim_time resolution =
        (sim_time)((__int128)tracing->run->simulation->duration * tracing->lanes / TRACING_PARTS) + 1;
    for (int64_t i = 0; i <= tracing->lanes; i++)
        tracing->kept[i].resolution = resolution;
    tracing->detail = SHORTENED;
    add_note(tracing, "there are too many spans; from here on, short ones are put together");
}

static void join(struct tracing *tracing)
{
    tracing->detail = JOINED;
    add_note(tracing, "there are too many steps; those without a pause between them are one span");
}

/* Tells of more spans are more detail than the file is to hold. */
static void limit_detail(struct tracing *tracing)
{
    if (tracing->detail == EACH && tracing->spans > TRACING_SPANS)
        join(tracing);
    else if (tracing->detail == JOINED && tracing->spans > 2 * TRACING_SPANS)
        shorten(tracing);
}

static void on_span(void *context, const struct activity_span *span)
{
    struct tracing *tracing = context;
    if (tracing->failed)
        return;
    struct condenser *kept = &tracing->kept[span->lane - ACTIVITY_SYNCER];
    if (tracing->detail == EACH) {
        write_span(tracing, span);
        tracing->spans++;
    } else {
        size_t before = kept->count;
        condenser_add(kept, span);
        tracing->spans += kept->count > before;
        drain(tracing, kept, false);
    }
    limit_detail(tracing);
    look_at_stream(tracing);
}

/* Whether one more of those that are COUNTED goes into the file; the first that doesn't is told of. */
static bool is_told(struct tracing *tracing, uint64_t *counted, const char *note)
{
    if (++*counted == TRACING_INSTANTS + 1)
        add_note(tracing, note);
    return *counted <= TRACING_INSTANTS;
}

static void on_mark(void *context, const struct activity_mark *mark)
{
    struct tracing *tracing = context;
    if (is_told(tracing, &tracing->marks, "there are too many faults; from here on, they are left out"))
        trace_fault(&tracing->trace, tracing->process, mark, name_of(tracing, mark->cause));
}

static void on_merge(void *context, sim_time at)
{
    struct tracing *tracing = context;
    if (is_told(tracing, &tracing->merges, "there are too many merges; from here on, they are left out"))
        trace_merge(&tracing->trace, tracing->process, at);
}

static void on_learners_up(void *context, sim_time at, int64_t up)
{
    struct tracing *tracing = context;
    const struct trace_value value = {"learners", (double)up};
    if (is_told(tracing, &tracing->changes,
                "learners go and come too often; from here on, how many are up is left out"))
        trace_counter(&tracing->trace, tracing->process, "learners up", at, &value, 1);
}

static void on_end(void *context)
{
    struct tracing *tracing = context;
    for (int64_t i = 0; tracing->kept && i <= tracing->lanes; i++) {
        condenser_finish(&tracing->kept[i]);
        drain(tracing, &tracing->kept[i], true);
    }
}

static void on_begin(void *context, const struct activity_plan *plan)
{
    struct tracing *tracing = context;
    tracing->causes = plan->causes;
    tracing->lanes = plan->learners;
    tracing->kept = calloc((size_t)plan->learners + 1, sizeof *tracing->kept);
    tracing->failed |= !tracing->kept;
    if (tracing->failed)
        return;
    for (int64_t lane = ACTIVITY_NETWORK; lane < plan->learners; lane++)
        trace_name_lane(&tracing->trace, tracing->process, lane, plan->syncer);
}

/* What is known at its end. */

static void write_kernels(struct tracing *tracing, const struct observation *seen)
{
    struct trace *trace = &tracing->trace;
    sim_time begin = 0;
    trace_name_streams(trace, tracing->process);
    for (size_t i = 0; i < seen->span_count; i++) {
        const struct observed_span *span = &seen->spans[i];
        trace_kernel(trace, tracing->process, strcmp(span->name, "kernel:collective") == 0, span->number,
                     span->begin, span->end);
    }
    for (size_t i = 0; i < seen->interval_count; begin = seen->ends[i++])
        trace_multiprocessors(trace, tracing->process, begin, seen->series[0].values[i],
                              seen->series[1].values[i]);
    trace_multiprocessors(trace, tracing->process, begin, 0, 0);
}

/* Means over intervals; the value of each holds from where the one before ended. */
static void write_link(struct tracing *tracing, const struct observation *seen,
                       const struct observed_series *series)
{
    sim_time begin = 0;
    char name[OBSERVATION_NAME + 32];
    snprintf(name, sizeof name, "%s (bit/s)", series->name + strlen("link:"));
    for (size_t i = 0; i <= seen->interval_count; begin = seen->ends[i++]) {
        const struct trace_value value = {"traffic", i < seen->interval_count ? series->values[i] : 0};
        trace_counter(&tracing->trace, tracing->process, name, begin, &value, 1);
        if (i == seen->interval_count)
            break;
    }
}

static void write_links(struct tracing *tracing, const struct observation *seen)
{
    size_t written = 0;
    for (size_t i = 0; i < seen->series_count && written < TRACING_LINKS; i++)
        if (strncmp(seen->series[i].name, "link:", strlen("link:")) == 0) {
            write_link(tracing, seen, &seen->series[i]);
            written++;
        }
}

static void free_lanes(struct tracing *tracing)
{
    for (int64_t i = 0; tracing->kept && i <= tracing->lanes; i++)
        condenser_free(&tracing->kept[i]);
    free(tracing->kept);
    tracing->kept = NULL;
}

/* Runs. */

static void name_run(struct tracing *tracing, const struct plan_point *point)
{
    char *name = NULL;
    int length =
        asprintf(&name, "%s%s%s", tracing->run->strategy->name, *point->label ? " at " : "", point->label);
    tracing->failed = length < 0;
    if (length >= 0)
        trace_name_process(&tracing->trace, tracing->process, name);
    free(length >= 0 ? name : NULL);
}

static bool simulate(struct tracing *tracing, const struct plan_point *point, struct error *error)
{
    const struct activity_listener listener = {.context = tracing,
                                               .begin = on_begin,
                                               .span = on_span,
                                               .mark = on_mark,
                                               .merge = on_merge,
                                               .learners_up = on_learners_up,
                                               .end = on_end};
    const struct observation_wish wish = {.listener = &listener};
    struct observation *seen = NULL;
    struct run_result result;
    const struct simulation_request request = {.config = tracing->run->simulation,
                                               .strategy = tracing->run->strategy,
                                               .seed = point->scenario->seed,
                                               .replication = tracing->run->replication,
                                               .stop = &tracing->stop,
                                               .wish = &wish,
                                               .observation = &seen};
    bool done = simulation_run_observed(&request, &result, error);
    if (done && seen->span_count)
        write_kernels(tracing, seen);
    else if (done)
        write_links(tracing, seen);
    observation_destroy(seen);
    free_lanes(tracing);
    return done;
}

static bool trace_run(struct tracing *tracing, const struct plan *plan, const struct plan_run *run,
                      struct error *error)
{
    tracing->run = run;
    tracing->process++;
    tracing->spans = tracing->merges = tracing->marks = tracing->changes = 0;
    tracing->detail = EACH;
    name_run(tracing, &plan->points[run->point]);
    if (run->work > TRACING_SPANS)
        join(tracing);
    bool done = simulate(tracing, &plan->points[run->point], error);
    if (done && tracing->failed)
        error_out_of_memory(error, "a trace");
    return done && !tracing->failed;
}

static bool trace_runs(struct tracing *tracing, const struct plan *plan, struct error *error)
{
    for (size_t i = 0; i < plan->run_count && plan->runs[i].point == 0; i++) {
        look_at_stream(tracing);
        if (atomic_load(&tracing->stop))
            return true;
        if (plan->runs[i].replication == 0 && !trace_run(tracing, plan, &plan->runs[i], error))
            return false;
    }
    return true;
}

static void end_document(struct tracing *tracing, bool interrupted)
{
    const char *notes[MOST_NOTES + 1];
    size_t count = tracing->note_count;
    for (size_t i = 0; i < count; i++)
        notes[i] = tracing->notes[i];
    if (interrupted)
        notes[count++] = "interrupted: the end is missing";
    trace_end(&tracing->trace, notes, count);
}

bool tracing_write(const struct plan *plan, const struct tracing_options *options, FILE *out,
                   bool *interrupted, struct error *error)
{
    struct tracing *tracing = calloc(1, sizeof *tracing);
    if (!tracing) {
        error_out_of_memory(error, "a trace");
        return false;
    }
    tracing->options = options;
    trace_begin(&tracing->trace, out);
    bool done = trace_runs(tracing, plan, error);
    *interrupted = is_told_to_stop(tracing);
    end_document(tracing, *interrupted);
    free(tracing);
    if (!done)
        return false;
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return true;
    error_set(error, ERROR_SYSTEM, "%s: the trace can not be written: %s", options->output,
              errno ? strerror(errno) : "writing failed");
    return false;
}
