/*
 * Two queues under one lock: runs that came and executions to be sent. The thread that calls serve has the
 * channel to itself and looks at both every other millisecond; it says once a second that it is there,
 * however long the runs take. A run more than there are workers is in hand, so that none waits for its next
 * one.
 */
#include "studies/serve.h"

#include "sim/wall.h"
#include "studies/channel.h"
#include "studies/execution.h"
#include "studies/parcel.h"
#include "studies/ranks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MILLISECONDS = 2, IDLE_MILLISECONDS = 50, IDLE_SECONDS = 5 };

struct server {
    const struct plan *plan;
    const struct runner_options *options;
    struct channel *channel;
    size_t capacity;  /* of either queue */
    atomic_bool drop; /* what is in hand is not wanted */

    pthread_mutex_t lock;
    pthread_cond_t work; /* for workers: there is a run, or the end has come */
    pthread_cond_t news; /* for the server: there is an execution */
    size_t *runs;
    struct execution *executions;
    size_t run_count, execution_count, in_hand;
    bool leaving;
};

/* False: the end has come. */
static bool take(struct server *server, size_t *run)
{
    pthread_mutex_lock(&server->lock);
    while (!server->run_count && !server->leaving)
        pthread_cond_wait(&server->work, &server->lock);
    bool any = server->run_count > 0;
    if (any) {
        *run = server->runs[0];
        memmove(server->runs, server->runs + 1, --server->run_count * sizeof *server->runs);
    }
    pthread_mutex_unlock(&server->lock);
    return any;
}

static void *work(void *argument)
{
    struct server *server = argument;
    size_t run;
    while (take(server, &run)) {
        struct execution execution;
        execution_perform(server->plan, run, server->options->tapes, &server->drop, &execution);
        pthread_mutex_lock(&server->lock);
        server->executions[server->execution_count++] = execution;
        pthread_cond_signal(&server->news);
        pthread_mutex_unlock(&server->lock);
    }
    return NULL;
}

static bool say_hello(struct server *server, struct error *error)
{
    struct ranks_hello hello;
    memset(&hello, 0, sizeof hello);
    hello.wanted = server->capacity;
    if (!ranks_digest(server->plan, server->options->tapes, server->options->version, hello.digest)) {
        error_out_of_memory(error, "a greeting");
        return false;
    }
    return channel_send(server->channel, 0, RANKS_HELLO, &hello, sizeof hello, error);
}

/* What was interrupted is not sent. */
static bool send_executions(struct server *server, const struct execution *executions, size_t count,
                            struct error *error)
{
    bool sent = true;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        struct execution execution = executions[i];
        bool wanted = execution.result.status != RUN_INTERRUPTED && !atomic_load(&server->drop);
        void *bytes = sent && wanted ? parcel_pack(&execution, &length) : NULL;
        if (sent && wanted && !bytes) {
            error_out_of_memory(error, "a run for another process");
            sent = false;
        }
        sent = sent && (!bytes || channel_send(server->channel, 0, RANKS_RESULT, bytes, length, error));
        free(bytes);
        execution_discard(&execution);
    }
    return sent;
}

/* Waits a little for executions and takes all of them; their number. */
static size_t collect(struct server *server, struct execution *executions, long milliseconds)
{
    const struct timespec tick = sim_wall_in(milliseconds);
    pthread_mutex_lock(&server->lock);
    if (!server->execution_count)
        pthread_cond_timedwait(&server->news, &server->lock, &tick);
    size_t count = server->execution_count;
    memcpy(executions, server->executions, count * sizeof *executions);
    server->execution_count = 0;
    server->in_hand -= count;
    if (!server->in_hand)
        atomic_store(&server->drop, false);
    pthread_mutex_unlock(&server->lock);
    return count;
}

/* Drops what is in hand: runs that nobody has begun at once, the others when they look. */
static void drop(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->in_hand -= server->run_count;
    server->run_count = 0;
    if (server->in_hand)
        atomic_store(&server->drop, true);
    pthread_mutex_unlock(&server->lock);
}

static bool add_run(struct server *server, const struct channel_message *message, struct error *error)
{
    size_t run;
    pthread_mutex_lock(&server->lock);
    bool good = message->length == sizeof run && server->run_count < server->capacity;
    if (good)
        memcpy(&run, message->bytes, sizeof run);
    good = good && run < server->plan->run_count;
    if (good) {
        server->runs[server->run_count++] = run;
        server->in_hand++;
        pthread_cond_signal(&server->work);
    }
    pthread_mutex_unlock(&server->lock);
    if (!good)
        error_set(error, ERROR_SYSTEM, "the first process sent what is no run");
    return good;
}

/* Reads all messages that have come; *LEAVE with the last one. */
static bool read_messages(struct server *server, bool *dismissed, struct ranks_leave *leave,
                          struct error *error)
{
    struct channel_message message;
    bool come = true, good = true;
    while (good && !*dismissed) {
        if (!channel_receive(server->channel, &message, &come, error))
            return false;
        if (!come)
            break;
        if (message.kind == RANKS_RUN)
            good = add_run(server, &message, error);
        else if (message.kind == RANKS_STOP)
            drop(server);
        else if (message.kind == RANKS_LEAVE && message.length == sizeof *leave) {
            memcpy(leave, message.bytes, sizeof *leave);
            *dismissed = true;
        }
        free(message.bytes);
    }
    return good;
}

/* Between two studies, or while the first process looks at the results, nothing is urgent. */
static long tick_of(const struct server *server, double busy)
{
    return server->in_hand || sim_wall_seconds() - busy < IDLE_SECONDS ? TICK_MILLISECONDS
                                                                       : IDLE_MILLISECONDS;
}

static bool serve_until_dismissed(struct server *server, struct execution *executions,
                                  struct ranks_leave *leave, struct error *error)
{
    double beaten = 0, busy = sim_wall_seconds();
    bool dismissed = false, good = true;
    while (good && !dismissed) {
        size_t count = collect(server, executions, tick_of(server, busy));
        good = send_executions(server, executions, count, error) &&
               read_messages(server, &dismissed, leave, error);
        if (server->options->stop && atomic_load(server->options->stop))
            drop(server);
        double now = sim_wall_seconds();
        busy = server->in_hand ? now : busy;
        if (good && now - beaten >= RANKS_BEAT_SECONDS) {
            good = channel_send(server->channel, 0, RANKS_BEAT, NULL, 0, error);
            beaten = now;
        }
    }
    return good;
}

static size_t start_workers(struct server *server, pthread_t *threads, size_t wanted)
{
    size_t started = 0;
    while (started < wanted && pthread_create(&threads[started], NULL, work, server) == 0)
        started++;
    return started;
}

static void finish_workers(struct server *server, pthread_t *threads, size_t count)
{
    drop(server);
    pthread_mutex_lock(&server->lock);
    server->leaving = true;
    pthread_cond_broadcast(&server->work);
    pthread_mutex_unlock(&server->lock);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < server->execution_count; i++)
        execution_discard(&server->executions[i]);
}

static bool serve_with(struct server *server, pthread_t *threads, size_t workers,
                       struct execution *executions, struct ranks_leave *leave, struct error *error)
{
    size_t started = start_workers(server, threads, workers);
    if (!started)
        error_set(error, ERROR_SYSTEM, "no thread can be started");
    bool good =
        started && say_hello(server, error) && serve_until_dismissed(server, executions, leave, error);
    finish_workers(server, threads, started);
    return good;
}

static void open_server(struct server *server)
{
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->work, NULL);
    sim_wall_condition(&server->news);
}

static void close_server(struct server *server)
{
    pthread_cond_destroy(&server->work);
    pthread_cond_destroy(&server->news);
    pthread_mutex_destroy(&server->lock);
    free(server->runs);
    free(server->executions);
}

bool serve(struct channel *channel, const struct plan *plan, const struct runner_options *options,
           struct ranks_leave *leave, struct error *error)
{
    size_t workers = options->workers ? options->workers : 1, capacity = workers + 1;
    struct server server = {.plan = plan,
                            .options = options,
                            .channel = channel,
                            .capacity = capacity,
                            .runs = calloc(capacity, sizeof *server.runs),
                            .executions = calloc(capacity, sizeof *server.executions)};
    struct execution *executions = calloc(capacity, sizeof *executions);
    pthread_t *threads = calloc(workers, sizeof *threads);
    leave->orderly = false;
    open_server(&server);
    bool good = server.runs && server.executions && executions && threads;
    if (good)
        good = serve_with(&server, threads, workers, executions, leave, error);
    else
        error_out_of_memory(error, "the workers");
    close_server(&server);
    free(executions);
    free(threads);
    return good;
}
