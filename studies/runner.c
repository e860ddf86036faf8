/*
 * A bounded inbox between workers and writer: a worker that finds it full waits for room, the writer takes
 * all of it at once and commits without holding the lock. Everything is allocated before the first run, so
 * that a finished run can't be lost for want of memory.
 */
#include "studies/runner.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    INBOX_SIZE = 256,
    TICK_MILLISECONDS = 100,   /* how often the writer looks at stop and reports progress */
    COMMIT_MILLISECONDS = 500, /* leaves as much again for the commit itself */
    SERIES_POINTS = 10,        /* whose first replications' series are kept */
};

struct finished {
    size_t run; /* of the plan */
    struct run_result result;
    struct observation *observation; /* or NULL */
    void *tape;                      /* encoded, or NULL */
    size_t tape_length;
};

/* What workers and writer share. LOCK guards everything below it. */
struct crew {
    const struct plan *plan;
    bool tapes;
    size_t *order; /* the plan's runs, the longest first */
    atomic_size_t next;
    atomic_bool stop;

    pthread_mutex_t lock;
    pthread_cond_t news; /* for the writer: the inbox is full, or a worker has left */
    pthread_cond_t room; /* for workers: the inbox is empty */
    struct finished *inbox;
    size_t inbox_count;
    size_t working; /* workers that have not left */
    size_t failed;
    struct error failure;
};

/* The writer's side. */
struct writer {
    struct crew *crew;
    struct store *store;
    int64_t study;
    const struct runner_options *options;
    struct finished *batch; /* changes places with the inbox */
    struct run_record *records;
    double started, committed; /* seconds of the monotonic clock */
    size_t finished;
    double work_done, work_total;
    double events;
};

/* Frees what a run left beside its result. */
static void discard(struct finished *finished)
{
    observation_destroy(finished->observation);
    free(finished->tape);
    finished->observation = NULL;
    finished->tape = NULL;
}

static double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

size_t runner_processors(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return (size_t)CPU_COUNT(&processors);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

/* Workers */

static void describe_failure(struct crew *crew, const struct plan_run *run, const struct error *error)
{
    const struct plan_point *point = &crew->plan->points[run->point];
    error_set(&crew->failure, ERROR_SYSTEM, "strategy %s%s%s, replication %u: %s", run->strategy->name,
              *point->label ? " at " : "", point->label, run->replication, error->message);
}

/* A run that failed leaves its status and nothing else. */
static void clear_result(struct run_result *result)
{
    *result = (struct run_result){.status = RUN_FAILED};
    for (int i = 0; i < RUN_METRICS; i++)
        result->metrics[i] = NAN;
}

static bool simulate(const struct crew *crew, const struct plan_run *run, struct finished *finished,
                     struct error *error)
{
    const struct scenario *scenario = crew->plan->points[run->point].scenario;
    bool taped = crew->tapes || scenario->learning.model != PARAMETER_UNSET;
    struct tape *tape = NULL;
    bool done =
        simulation_run_observed(run->simulation, run->strategy, scenario->seed, run->replication, &crew->stop,
                                &finished->result, taped ? &tape : NULL, &finished->observation, error);
    if (done && tape)
        done = tape_encode(tape, &finished->tape, &finished->tape_length, error);
    tape_destroy(tape);
    return done;
}

static void execute(struct crew *crew, size_t number, struct finished *finished)
{
    const struct plan_run *run = &crew->plan->runs[number];
    struct error error = {.kind = ERROR_NONE};
    *finished = (struct finished){.run = number};
    if (simulate(crew, run, finished, &error))
        return;
    discard(finished);
    clear_result(&finished->result);
    pthread_mutex_lock(&crew->lock);
    crew->failed++;
    describe_failure(crew, run, &error);
    pthread_mutex_unlock(&crew->lock);
}

static void hand_over(struct crew *crew, const struct finished *finished)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->inbox_count == INBOX_SIZE)
        pthread_cond_wait(&crew->room, &crew->lock);
    crew->inbox[crew->inbox_count++] = *finished;
    if (crew->inbox_count == INBOX_SIZE)
        pthread_cond_signal(&crew->news);
    pthread_mutex_unlock(&crew->lock);
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    size_t position;
    while (!atomic_load(&crew->stop) &&
           (position = atomic_fetch_add(&crew->next, 1)) < crew->plan->run_count) {
        struct finished finished;
        execute(crew, crew->order[position], &finished);
        if (finished.result.status != RUN_INTERRUPTED)
            hand_over(crew, &finished);
        else
            discard(&finished);
    }
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_signal(&crew->news);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Writer */

/* Series would be nearly all that a study of many points holds, and what searches try is of no interest. */
static bool keeps_series(const struct plan *plan, const struct plan_run *run)
{
    return plan->base && run->replication == 0 && run->point < SERIES_POINTS;
}

static void report(const struct writer *writer)
{
    if (!writer->options->progress)
        return;
    double elapsed = monotonic_seconds() - writer->started;
    double left = writer->work_total - writer->work_done;
    struct runner_progress progress = {
        .finished = writer->finished,
        .total = writer->crew->plan->run_count,
        .events_per_second = elapsed > 0 ? writer->events / elapsed : 0,
        .seconds_left = writer->finished ? elapsed * left / writer->work_done : NAN,
    };
    writer->options->progress(writer->options->context, &progress);
}

/* Waits for news, or for a tick; then takes what lies in the inbox if a commit is due. True: a worker is
 * still there, or may have left something behind. */
static bool collect(struct writer *writer, size_t *count)
{
    struct crew *crew = writer->crew;
    struct timespec tick;
    clock_gettime(CLOCK_MONOTONIC, &tick);
    tick.tv_nsec += TICK_MILLISECONDS * 1000000L;
    tick.tv_sec += tick.tv_nsec / 1000000000;
    tick.tv_nsec %= 1000000000;

    pthread_mutex_lock(&crew->lock);
    if (crew->working && crew->inbox_count < INBOX_SIZE)
        pthread_cond_timedwait(&crew->news, &crew->lock, &tick);
    bool last = crew->working == 0;
    bool due = last || crew->inbox_count == INBOX_SIZE ||
               monotonic_seconds() - writer->committed >= COMMIT_MILLISECONDS * 1e-3;
    *count = due ? crew->inbox_count : 0;
    if (*count) {
        struct finished *filled = crew->inbox;
        crew->inbox = writer->batch;
        crew->inbox_count = 0;
        writer->batch = filled;
        pthread_cond_broadcast(&crew->room);
    }
    pthread_mutex_unlock(&crew->lock);
    return !last;
}

static bool commit(struct writer *writer, size_t count, struct error *error)
{
    const struct plan *plan = writer->crew->plan;
    for (size_t i = 0; i < count; i++) {
        const struct finished *finished = &writer->batch[i];
        const struct plan_run *run = &plan->runs[finished->run];
        writer->records[i] = (struct run_record){.strategy = run->strategy->name,
                                                 .point = plan->points[run->point].json,
                                                 .replication = run->replication,
                                                 .seed = plan->points[run->point].scenario->seed,
                                                 .result = &finished->result,
                                                 .observation = finished->observation,
                                                 .series = finished->observation && keeps_series(plan, run),
                                                 .tape = finished->tape,
                                                 .tape_length = finished->tape_length};
        writer->events += (double)finished->result.events;
        writer->work_done += run->work;
    }
    if (!store_add_runs(writer->store, writer->study, writer->records, count, error))
        return false;
    writer->finished += count;
    writer->committed = monotonic_seconds();
    return true;
}

/* Until the last worker has left. When the database fails, the workers are told to stop, and what they still
 * bring is taken off their hands. */
static bool write_results(struct writer *writer, struct error *error)
{
    bool written = true, working = true;
    while (working) {
        size_t count;
        working = collect(writer, &count);
        if (written && count)
            written = commit(writer, count, error);
        for (size_t i = 0; i < count; i++)
            discard(&writer->batch[i]);
        if (!written || (writer->options->stop && atomic_load(writer->options->stop)))
            atomic_store(&writer->crew->stop, true);
        report(writer);
    }
    return written;
}

/* The crew */

static int longer_first(const void *a, const void *b, void *context)
{
    const struct plan_run *runs = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    if (runs[left].work != runs[right].work)
        return runs[left].work > runs[right].work ? -1 : 1;
    return left < right ? -1 : 1;
}

/* One worker that begins a long run last would work alone at the end. */
static size_t *longest_first(const struct plan *plan)
{
    size_t *order = calloc(plan->run_count + 1, sizeof *order);
    if (!order)
        return NULL;
    for (size_t i = 0; i < plan->run_count; i++)
        order[i] = i;
    qsort_r(order, plan->run_count, sizeof *order, longer_first, plan->runs);
    return order;
}

static size_t start_workers(struct crew *crew, pthread_t *threads, size_t wanted)
{
    size_t started = 0;
    pthread_mutex_lock(&crew->lock);
    while (started < wanted && pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    crew->working = started;
    pthread_mutex_unlock(&crew->lock);
    return started;
}

/* Fewer threads than wanted are enough; none is a failure. */
static bool work_and_write(struct writer *writer, pthread_t *threads, size_t workers, struct error *error)
{
    size_t started = start_workers(writer->crew, threads, workers);
    if (started == 0) {
        error_set(error, ERROR_SYSTEM, "no thread can be started");
        return false;
    }
    bool written = write_results(writer, error);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return written;
}

static void open_crew(struct crew *crew)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->news, &monotonic);
    pthread_cond_init(&crew->room, NULL);
    pthread_condattr_destroy(&monotonic);
}

static void close_crew(struct crew *crew)
{
    pthread_cond_destroy(&crew->room);
    pthread_cond_destroy(&crew->news);
    pthread_mutex_destroy(&crew->lock);
    free(crew->inbox);
    free(crew->order);
}

static double total_work(const struct plan *plan)
{
    double work = 0;
    for (size_t i = 0; i < plan->run_count; i++)
        work += plan->runs[i].work;
    return work;
}

static void conclude(const struct writer *writer, struct runner_outcome *outcome)
{
    const struct crew *crew = writer->crew;
    *outcome = (struct runner_outcome){
        .finished = writer->finished,
        .failed = crew->failed,
        .interrupted = atomic_load(&crew->stop) && writer->finished < crew->plan->run_count,
        .failure = crew->failure,
    };
}

bool runner_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *options, struct runner_outcome *outcome, struct error *error)
{
    size_t workers = options->workers ? options->workers : runner_processors();
    if (workers > plan->run_count)
        workers = plan->run_count ? plan->run_count : 1;
    struct crew crew = {.plan = plan, .tapes = options->tapes, .order = longest_first(plan)};
    crew.inbox = calloc(INBOX_SIZE, sizeof *crew.inbox);
    struct writer writer = {.crew = &crew,
                            .store = store,
                            .study = study,
                            .options = options,
                            .batch = calloc(INBOX_SIZE, sizeof *writer.batch),
                            .records = calloc(INBOX_SIZE, sizeof *writer.records),
                            .started = monotonic_seconds(),
                            .work_total = total_work(plan)};
    writer.committed = writer.started;
    pthread_t *threads = calloc(workers, sizeof *threads);
    open_crew(&crew);
    bool done = crew.order && crew.inbox && writer.batch && writer.records && threads;
    if (done)
        done = work_and_write(&writer, threads, workers, error);
    else
        error_out_of_memory(error, "the workers");
    conclude(&writer, outcome);
    close_crew(&crew);
    free(threads);
    free(writer.batch);
    free(writer.records);
    return done;
}
