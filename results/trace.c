/*
 * Times are microseconds, as the format has them, with the nanoseconds as decimals.
 */
#include "results/trace.h"
#include "results/json.h"
#include "results/notation.h"

#include <inttypes.h>

enum { PRODUCTS = 1, COLLECTIVES = 2, FIRST_LANE = 1 };

void trace_begin(struct trace *trace, FILE *out)
{
    *trace = (struct trace){.out = out};
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", out);
}

void trace_end(struct trace *trace, const char *const *notes, size_t count)
{
    fputs("\n]", trace->out);
    if (count)
        fputs(", \"otherData\": {\"notes\": [", trace->out);
    for (size_t i = 0; i < count; i++) {
        json_separate(trace->out, i);
        json_string(trace->out, notes[i]);
    }
    fputs(count ? "]}}\n" : "}\n", trace->out);
}

/* What all events begin with. */
static void begin_event(struct trace *trace, char phase, int64_t process, const char *name)
{
    fprintf(trace->out, "%s\n{\"ph\": \"%c\", \"pid\": %" PRId64 ", \"name\": ", trace->events++ ? "," : "",
            phase, process);
    json_string(trace->out, name);
}

static void write_time(struct trace *trace, const char *name, sim_time time)
{
    fprintf(trace->out, ", \"%s\": %" PRId64, name, time / SIM_MICROSECOND);
    if (time % SIM_MICROSECOND)
        fprintf(trace->out, ".%03" PRId64, time % SIM_MICROSECOND);
}

static void write_thread(struct trace *trace, int64_t thread)
{
    fprintf(trace->out, ", \"tid\": %" PRId64, thread);
}

static void write_label(struct trace *trace, const char *name)
{
    fputs(", \"args\": {\"name\": ", trace->out);
    json_string(trace->out, name);
    fputs("}}", trace->out);
}

void trace_name_process(struct trace *trace, int64_t process, const char *name)
{
    begin_event(trace, 'M', process, "process_name");
    write_label(trace, name);
}

void trace_name_thread(struct trace *trace, int64_t process, int64_t thread, const char *name)
{
    begin_event(trace, 'M', process, "thread_name");
    write_thread(trace, thread);
    write_label(trace, name);
}

static void end_event(struct trace *trace, const struct trace_event *event)
{
    size_t written = 0;
    for (size_t i = 0; i < sizeof event->details / sizeof event->details[0]; i++) {
        const struct trace_detail *detail = &event->details[i];
        if (!detail->text)
            continue;
        fputs(written++ ? ", " : ", \"args\": {", trace->out);
        json_name(trace->out, detail->name);
        json_string(trace->out, detail->text);
    }
    fputs(written ? "}}" : "}", trace->out);
}

void trace_span(struct trace *trace, const struct trace_event *event, sim_time begin, sim_time end)
{
    begin_event(trace, 'X', event->process, event->name);
    write_thread(trace, event->thread);
    write_time(trace, "ts", begin);
    write_time(trace, "dur", end - begin);
    end_event(trace, event);
}

void trace_instant(struct trace *trace, const struct trace_event *event, sim_time at)
{
    begin_event(trace, 'i', event->process, event->name);
    write_thread(trace, event->thread);
    write_time(trace, "ts", at);
    fputs(", \"s\": \"t\"", trace->out);
    end_event(trace, event);
}

void trace_counter(struct trace *trace, int64_t process, const char *name, sim_time at,
                   const struct trace_value *values, size_t count)
{
    begin_event(trace, 'C', process, name);
    write_time(trace, "ts", at);
    fputs(", \"args\": {", trace->out);
    for (size_t i = 0; i < count; i++) {
        json_separate(trace->out, i);
        json_name(trace->out, values[i].name);
        json_number(trace->out, values[i].value);
    }
    fputs("}}", trace->out);
}

/* Kernels. */

void trace_name_streams(struct trace *trace, int64_t process)
{
    trace_name_thread(trace, process, PRODUCTS, "products");
    trace_name_thread(trace, process, COLLECTIVES, "collectives");
}

void trace_kernel(struct trace *trace, int64_t process, bool collective, int64_t number, sim_time begin,
                  sim_time end)
{
    char name[64];
    snprintf(name, sizeof name, "%s %" PRId64, collective ? "collective" : "product", number);
    const struct trace_event event = {
        .process = process, .thread = collective ? COLLECTIVES : PRODUCTS, .name = name};
    trace_span(trace, &event, begin, end);
}

void trace_multiprocessors(struct trace *trace, int64_t process, sim_time at, double product,
                           double collective)
{
    const struct trace_value values[] = {{"product", product}, {"collective", collective}};
    trace_counter(trace, process, "multiprocessors", at, values, 2);
}

/* Lanes. */

static int64_t thread_of(int64_t lane)
{
    return lane - ACTIVITY_NETWORK + FIRST_LANE;
}

void trace_name_lane(struct trace *trace, int64_t process, int64_t lane, bool syncer)
{
    char name[64];
    snprintf(name, sizeof name, "learner %" PRId64, lane);
    trace_name_thread(trace, process, thread_of(lane),
                      lane == ACTIVITY_NETWORK             ? "network"
                      : lane == ACTIVITY_SYNCER && !syncer ? "merges"
                      : lane == ACTIVITY_SYNCER            ? "syncer"
                                                           : name);
}

void trace_activity(struct trace *trace, int64_t process, const struct activity_span *span, const char *steps,
                    const char *cause)
{
    char name[NOTATION_LENGTH];
    notation_metric(name, budget_metrics[span->category]);
    bool works = span->category == BUDGET_USEFUL;
    const struct trace_event event = {.process = process,
                                      .thread = thread_of(span->lane),
                                      .name = !works                          ? name
                                              : span->lane == ACTIVITY_SYNCER ? "up"
                                                                              : steps,
                                      .details = {{"cause", cause}}};
    trace_span(trace, &event, span->begin, span->end);
}

void trace_fault(struct trace *trace, int64_t process, const struct activity_mark *mark, const char *cause)
{
    char count[32];
    snprintf(count, sizeof count, "%" PRId64, mark->count);
    const struct trace_event event = {.process = process,
                                      .thread = thread_of(mark->lane),
                                      .name = fault_kind_names[mark->kind],
                                      .details = {{"cause", cause}, {"count", count}}};
    trace_instant(trace, &event, mark->at);
}

void trace_merge(struct trace *trace, int64_t process, sim_time at)
{
    const struct trace_event event = {
        .process = process, .thread = thread_of(ACTIVITY_SYNCER), .name = "merge"};
    trace_instant(trace, &event, at);
}
