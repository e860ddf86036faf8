/*
 * A bounded inbox between workers and writer: a worker that finds it full waits for room, the writer takes
 * all of it at once and commits without holding the lock. Everything is allocated before the first run, so
 * that a finished run can't be lost for want of memory.
 *
 * Other processes are served by the writer: it gives them runs and lays what they bring into the inbox.
 */
#include "studies/runner.h"

#include "sim/wall.h"
#include "studies/execution.h"
#include "studies/pending.h"
#include "studies/ranks.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INBOX_SIZE = 256,
    TICK_MILLISECONDS = 100,   /* how often the writer looks at stop and reports progress */
    RANKS_TICK = 2,            /* and at other processes, if there are any */
    COMMIT_MILLISECONDS = 500, /* leaves as much again for the commit itself */
};

/* What workers and writer share. LOCK guards everything below it. */
struct crew {
    const struct plan *plan;
    bool tapes;
    struct pending *pending; /* the runs that nobody has taken yet */
    atomic_bool stop;

    pthread_mutex_t lock;
    pthread_cond_t news; /* for the writer: the inbox is full, or a worker has left */
    pthread_cond_t room; /* for workers: the inbox is empty */
    pthread_cond_t
        more; /* for workers: other processes are done, or have lost runs that are to be done again */
    struct execution *inbox;
    size_t inbox_count;
    size_t working;   /* workers that have not left */
    bool others_busy; /* other processes have runs in hand */
};

/* The writer's side. */
struct writer {
    struct crew *crew;
    struct store *store;
    int64_t study;
    const struct runner_options *options;
    struct execution *batch; /* changes places with the inbox */
    struct run_record *records;
    double started, committed, reported; /* seconds of the monotonic clock */
    struct runner_outcome *outcome;
    double work_done, work_total;
    double events;
};

size_t runner_processors(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        return (size_t)CPU_COUNT(&processors);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

void runner_outcome_add(struct runner_outcome *outcome, const struct runner_outcome *more)
{
    if (!outcome->failed && more->failed)
        outcome->failure = more->failure;
    outcome->total += more->total;
    outcome->finished += more->finished;
    outcome->reused += more->reused;
    outcome->failed += more->failed;
    outcome->others += more->others;
    outcome->interrupted |= more->interrupted;
}

/* Workers */

static void hand_over(struct crew *crew, const struct execution *execution)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->inbox_count == INBOX_SIZE)
        pthread_cond_wait(&crew->room, &crew->lock);
    crew->inbox[crew->inbox_count++] = *execution;
    if (crew->inbox_count == INBOX_SIZE)
        pthread_cond_signal(&crew->news);
    pthread_mutex_unlock(&crew->lock);
}

/* The next run. While other processes are at work one of theirs may come back. */
static bool take(struct crew *crew, size_t *run)
{
    bool taken = false;
    pthread_mutex_lock(&crew->lock);
    while (!atomic_load(&crew->stop) && !(taken = pending_take(crew->pending, run)) && crew->others_busy)
        pthread_cond_wait(&crew->more, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return taken;
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    size_t run;
    while (take(crew, &run)) {
        struct execution execution;
        execution_perform(crew->plan, run, crew->tapes, &crew->stop, &execution);
        if (execution.result.status != RUN_INTERRUPTED)
            hand_over(crew, &execution);
        else
            execution_discard(&execution);
    }
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_signal(&crew->news);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Writer */

static void report(struct writer *writer)
{
    double now = sim_wall_seconds(), left = writer->work_total - writer->work_done;
    const struct runner_outcome *outcome = writer->outcome;
    if (!writer->options->progress ||
        (outcome->finished < outcome->total && now - writer->reported < TICK_MILLISECONDS * 1e-3))
        return;
    double elapsed = now - writer->started;
    struct runner_progress progress = {
        .finished = outcome->finished,
        .total = outcome->total,
        .events_per_second = elapsed > 0 ? writer->events / elapsed : 0,
        .seconds_left = writer->work_done > 0 ? elapsed * left / writer->work_done : NAN,
    };
    writer->reported = now;
    writer->options->progress(writer->options->context, &progress);
}

static bool is_idle(const struct crew *crew)
{
    return crew->working == 0 && !crew->others_busy;
}

/* Waits for news, or for a tick; then takes what lies in the inbox if a commit is due. True: somebody is
 * still at work, or may have left something behind. */
static bool collect(struct writer *writer, size_t *count)
{
    struct crew *crew = writer->crew;
    const struct timespec tick = sim_wall_in(writer->options->ranks ? RANKS_TICK : TICK_MILLISECONDS);

    pthread_mutex_lock(&crew->lock);
    if (!is_idle(crew) && crew->inbox_count < INBOX_SIZE)
        pthread_cond_timedwait(&crew->news, &crew->lock, &tick);
    bool last = is_idle(crew);
    bool due = last || crew->inbox_count == INBOX_SIZE ||
               sim_wall_seconds() - writer->committed >= COMMIT_MILLISECONDS * 1e-3;
    *count = due ? crew->inbox_count : 0;
    if (*count) {
        struct execution *filled = crew->inbox;
        crew->inbox = writer->batch;
        crew->inbox_count = 0;
        writer->batch = filled;
        pthread_cond_broadcast(&crew->room);
    }
    pthread_mutex_unlock(&crew->lock);
    return !last;
}

static struct run_record record_of(const struct writer *writer, const struct execution *execution)
{
    const struct plan *plan = writer->crew->plan;
    const struct plan_run *run = &plan->runs[execution->run];
    return (struct run_record){
        .strategy = run->strategy->name,
        .point = plan->points[run->point].json,
        .replication = run->replication,
        .seed = plan->points[run->point].scenario->seed,
        .result = &execution->result,
        .observation = execution->observation,
        .series = execution->observation && execution_keeps_series(plan, execution->run),
        .timeline = execution->observation && execution_keeps_timeline(plan, execution->run),
        .tape = execution->tape,
        .tape_length = execution->tape_length,
        .identity = run->identity,
        .version = writer->options->version};
}

static void count_run(struct writer *writer, const struct execution *execution)
{
    struct runner_outcome *outcome = writer->outcome;
    outcome->finished++;
    writer->events += (double)execution->result.events;
    writer->work_done += writer->crew->plan->runs[execution->run].work;
    if (execution->result.status != RUN_FAILED)
        return;
    if (outcome->failed++ == 0)
        error_set(&outcome->failure, ERROR_SYSTEM, "%s",
                  execution->failure ? execution->failure : "out of memory");
}

static bool commit(struct writer *writer, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        writer->records[i] = record_of(writer, &writer->batch[i]);
    if (!store_add_runs(writer->store, writer->study, writer->records, count, error))
        return false;
    for (size_t i = 0; i < count; i++)
        count_run(writer, &writer->batch[i]);
    writer->committed = sim_wall_seconds();
    return true;
}

/* Takes from other processes what they have, as far as there is room for it, and gives them runs. */
static bool serve_ranks(struct writer *writer, struct error *error)
{
    struct crew *crew = writer->crew;
    struct ranks *ranks = writer->options->ranks;
    struct execution execution;
    bool served = true, more = true;
    pthread_mutex_lock(&crew->lock);
    while (served && more && crew->inbox_count < INBOX_SIZE) {
        served = ranks_receive(ranks, &execution, &more, error);
        if (served && more)
            crew->inbox[crew->inbox_count++] = execution;
    }
    ranks_give_back_lost(ranks, crew->pending);
    if (served && !atomic_load(&crew->stop))
        ranks_give(ranks, crew->pending);
    crew->others_busy = ranks_are_busy(ranks);
    pthread_cond_broadcast(&crew->more);
    pthread_mutex_unlock(&crew->lock);
    return served;
}

static void tell_to_stop(struct writer *writer)
{
    struct crew *crew = writer->crew;
    pthread_mutex_lock(&crew->lock);
    if (!atomic_exchange(&crew->stop, true) && writer->options->ranks)
        ranks_stop(writer->options->ranks);
    crew->others_busy = false;
    pthread_cond_broadcast(&crew->more);
    pthread_mutex_unlock(&crew->lock);
}

/* Until the last worker has left. When the database fails, the workers are told to stop, and what they still
 * bring is taken off their hands. */
static bool write_results(struct writer *writer, struct error *error)
{
    bool written = true, working = true;
    while (working) {
        size_t count;
        if (writer->options->ranks && !serve_ranks(writer, written ? error : NULL))
            written = false;
        working = collect(writer, &count);
        if (written && count)
            written = commit(writer, count, error);
        for (size_t i = 0; i < count; i++)
            execution_discard(&writer->batch[i]);
        if (!written || (writer->options->stop && atomic_load(writer->options->stop)))
            tell_to_stop(writer);
        report(writer);
    }
    return written;
}

/* What is there already */

static void ask(const struct plan *plan, const struct runner_options *options, const size_t *runs,
                size_t count, struct run_wanted *wanted)
{
    for (size_t i = 0; i < count; i++)
        wanted[i] = (struct run_wanted){.identity = plan->runs[runs[i]].identity,
                                        .replication = plan->runs[runs[i]].replication,
                                        .tape = execution_is_taped(plan, runs[i], options->tapes),
                                        .series = execution_keeps_series(plan, runs[i]),
                                        .timeline = execution_keeps_timeline(plan, runs[i])};
}

/* Takes those of the COUNT runs that the database has into the study, and keeps the others in RUNS. */
static bool reuse(const struct writer *writer, size_t *runs, size_t *count, struct error *error)
{
    const struct runner_options *options = writer->options;
    const struct plan *plan = writer->crew->plan;
    if (!options->version || options->force)
        return true;
    struct run_wanted *wanted = calloc(*count + 1, sizeof *wanted);
    int64_t *ids = calloc(*count + 1, sizeof *ids);
    bool good = wanted && ids;
    if (good)
        ask(plan, options, runs, *count, wanted);
    else
        error_out_of_memory(error, "the runs that are there already");
    good = good &&
           store_find_runs(writer->store, options->version, wanted, *count, ids, &writer->outcome->others,
                           error) &&
           store_use_runs(writer->store, writer->study, ids, *count, error);
    size_t left = 0;
    for (size_t i = 0; good && i < *count; i++)
        if (ids[i] < 0)
            runs[left++] = runs[i];
    if (good) {
        writer->outcome->reused = writer->outcome->finished = *count - left;
        *count = left;
    }
    free(wanted);
    free(ids);
    return good;
}

/* The crew */

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
    if (started == 0 && workers > 0) {
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
    pthread_mutex_init(&crew->lock, NULL);
    sim_wall_condition(&crew->news);
    pthread_cond_init(&crew->room, NULL);
    pthread_cond_init(&crew->more, NULL);
}

static void close_crew(struct crew *crew)
{
    pthread_cond_destroy(&crew->room);
    pthread_cond_destroy(&crew->more);
    pthread_cond_destroy(&crew->news);
    pthread_mutex_destroy(&crew->lock);
}

static size_t *list_chosen(const struct plan *plan, const bool *chosen, size_t *count)
{
    size_t *runs = calloc(plan->run_count + 1, sizeof *runs);
    *count = 0;
    for (size_t i = 0; runs && i < plan->run_count; i++)
        if (!chosen || chosen[i])
            runs[(*count)++] = i;
    return runs;
}

static size_t worker_count(const struct runner_options *options, size_t runs)
{
    size_t usual = options->ranks ? 1 : runner_processors();
    size_t workers = options->workers ? options->workers : usual;
    return workers < runs ? workers : runs;
}

/* With RUNS, those of the plan that are wanted and not there. */
static bool run_all(struct writer *writer, const size_t *runs, size_t count, struct error *error)
{
    struct crew *crew = writer->crew;
    size_t workers = worker_count(writer->options, count);
    pthread_t *threads = calloc(workers + 1, sizeof *threads);
    crew->inbox = calloc(INBOX_SIZE, sizeof *crew->inbox);
    crew->pending = pending_create(crew->plan, runs, count);
    writer->batch = calloc(INBOX_SIZE, sizeof *writer->batch);
    writer->records = calloc(INBOX_SIZE, sizeof *writer->records);
    bool done = threads && crew->inbox && crew->pending && writer->batch && writer->records;
    open_crew(crew);
    if (done)
        done = work_and_write(writer, threads, workers, error);
    else
        error_out_of_memory(error, "the workers");
    close_crew(crew);
    pending_destroy(crew->pending);
    free(threads);
    free(crew->inbox);
    free(writer->batch);
    free(writer->records);
    return done;
}

static double total_work(const struct plan *plan, const size_t *runs, size_t count)
{
    double work = 0;
    for (size_t i = 0; i < count; i++)
        work += plan->runs[runs[i]].work;
    return work;
}

bool runner_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *options, struct runner_outcome *outcome, struct error *error)
{
    struct crew crew = {.plan = plan, .tapes = options->tapes};
    struct writer writer = {.crew = &crew,
                            .store = store,
                            .study = study,
                            .options = options,
                            .outcome = outcome,
                            .started = sim_wall_seconds()};
    writer.committed = writer.started;
    size_t count, *runs = list_chosen(plan, options->chosen, &count);
    *outcome = (struct runner_outcome){.total = count};
    if (!runs) {
        error_out_of_memory(error, "the list of runs");
        return false;
    }
    bool done =
        reuse(&writer, runs, &count, error) && (!options->ranks || ranks_attach(options->ranks, plan, error));
    writer.work_total = total_work(plan, runs, count);
    done = done && run_all(&writer, runs, count, error);
    outcome->interrupted = atomic_load(&crew.stop) && outcome->finished < outcome->total;
    free(runs);
    return done;
}
