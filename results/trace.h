/*
 * A JSON document in Chrome's trace event format, which Perfetto and chrome://tracing open, written as its
 * events come. Events may come in any order but for those of one thread, whose spans don't overlap. Each run
 * is a process; its learners, its syncer or the streams of its GPU are threads.
 *
 * Whether the stream took it all is for the caller to see (ferror).
 */
#ifndef RESULTS_TRACE_H
#define RESULTS_TRACE_H

#include "models/training/activity.h"
#include "sim/clock.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct trace {
    FILE *out;
    uint64_t events;
};

void trace_begin(struct trace *trace, FILE *out);

/* Ends the document, which tells the COUNT notes under "otherData". */
void trace_end(struct trace *trace, const char *const *notes, size_t count);

void trace_name_process(struct trace *trace, int64_t process, const char *name);
void trace_name_thread(struct trace *trace, int64_t process, int64_t thread, const char *name);

/* A remark on an event; TEXT NULL: there is none. */
struct trace_detail {
    const char *name, *text;
};
struct trace_event {
    int64_t process, thread;
    const char *name;
    struct trace_detail details[2];
};
void trace_span(struct trace *trace, const struct trace_event *event, sim_time begin, sim_time end);
void trace_instant(struct trace *trace, const struct trace_event *event, sim_time at);

/* A curve NAME of a process has these values from now on, stacked upon each other. */
struct trace_value {
    const char *name;
    double value;
};
void trace_counter(struct trace *trace, int64_t process, const char *name, sim_time at,
                   const struct trace_value *values, size_t count);

/* A GPU's kernels: two threads, and the multiprocessors at work. */
void trace_name_streams(struct trace *trace, int64_t process);
void trace_kernel(struct trace *trace, int64_t process, bool collective, int64_t number, sim_time begin,
                  sim_time end);
void trace_multiprocessors(struct trace *trace, int64_t process, sim_time at, double product,
                           double collective);

/* Learners, and besides them the syncer, or merges where there is none, and the network. LANE as in
 * activity.h. CAUSE is a cause's name, or NULL; STEPS what a span of steps is called. */
void trace_name_lane(struct trace *trace, int64_t process, int64_t lane, bool syncer);
void trace_activity(struct trace *trace, int64_t process, const struct activity_span *span, const char *steps,
                    const char *cause);
void trace_fault(struct trace *trace, int64_t process, const struct activity_mark *mark, const char *cause);
void trace_merge(struct trace *trace, int64_t process, sim_time at);

#endif
