/*
 * Workers take runs from a list under one lock, which also guards the database and the units library:
 * preparing and storing are short, replaying is long.
 */
#include "studies/learning.h"

#include "models/learning/blas.h"
#include "models/learning/replay.h"
#include "results/database.h"
#include "sim/wall.h"
#include "studies/learning_figures.h"
#include "studies/plan.h"
#include "studies/point.h"
#include "studies/runner.h"
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SLICE_SECONDS = 1, /* between looks at the stop wish */
    KEEP_SECONDS = 20, /* between saves of a long replay's state */
    MANY_BYTES = 1000000000,
};

/* One run being replayed. */
struct task {
    struct stored_run run;
    bool has_run, is_replayed;
    struct scenario *scenario;
    char digest[65], reference_digest[65];
    struct learning_rule rule;
    struct tape *tape;
    struct replay *replay;
    struct replay_request request;
};

struct crew {
    struct store *store;
    const struct learning_options *options;
    int64_t *ids;
    bool *is_reference; /* by ids */
    size_t count, next;
    bool references; /* the phase: references, or the others */
    double shares;   /* sum over finished and running replays */
    double started;
    size_t finished, diverged;
    bool told_memory;
    atomic_bool failed;
    struct error *error;
    pthread_mutex_t lock;
};

/* Preparing. */

/* The length of the section that TEXT begins with: a line, and those that are indented. */
static size_t section_length(const char *text)
{
    size_t length = 1 + strcspn(text + 1, "\n");
    while (text[length] == '\n' && text[length + 1] == ' ')
        length += 1 + strcspn(text + length + 1, "\n");
    return length;
}

/* Of the text that is learned from; empty where none is, or where it can't be read, as building the data will
 * say. */
static void digest_text(const struct data_config *data, char digest[65])
{
    struct stat status;
    digest[0] = 0;
    if (data->source == SOURCE_TEXT && data->file && stat(data->file, &status) == 0 &&
        S_ISREG(status.st_mode))
        SHA256File(data->file, digest);
}

/* The digest of how a run learns: its scenario's SECTION, the digest of its text, its strategy's name and
 * rule.
 */
static bool learning_digest(const char *section, const char *text, const char *strategy,
                            const struct learning_rule *rule, char digest[65])
{
    char *key = NULL;
    if (asprintf(&key,
                 "%.*s\n%s%s\n%" PRId64 " %a %a %" PRId64 " %" PRId64 " %a %" PRId64 " %" PRId64
                 " %d %" PRId64 " %a",
                 (int)section_length(section), section, text, strategy, rule->outer, rule->outer_rate,
                 rule->outer_momentum, rule->outer_delay, rule->merge, rule->blend, rule->compression,
                 rule->compression_bits, rule->error_feedback, rule->algorithm, rule->mixing) < 0)
        return false;
    scenario_digest(key, digest);
    free(key);
    return true;
}

/* The run's scenario with COUNT of the user's overrides laid over it. */
static struct scenario *load_with(const struct crew *crew, const struct stored_run *run, size_t count,
                                  struct error *error)
{
    struct scenario_text text = {
        .name = (char *)"the study's scenario", .bytes = run->scenario, .length = strlen(run->scenario)};
    struct point_overrides point;
    if (!point_overrides_parse(run->point, crew->options->overrides, count, &point, error))
        return NULL;
    struct scenario *scenario = scenario_create(&text, point.items, point.count, error);
    point_overrides_free(&point);
    return scenario;
}

/* What is wrong without the user's overrides is the database's fault, and what is wrong with them alone the
 * user's.
 */
static struct scenario *load_scenario(const struct crew *crew, const struct stored_run *run,
                                      struct error *error)
{
    struct error damage = {.kind = ERROR_NONE};
    struct scenario *stored = load_with(crew, run, 0, &damage);
    if (!stored) {
        error_set(error, ERROR_SYSTEM, "%s: the scenario of run %" PRId64 ": %s",
                  store_database(crew->store)->path, run->id, damage.message);
        return NULL;
    }
    struct scenario *scenario = stored;
    if (crew->options->override_count > 0) {
        scenario_destroy(stored);
        scenario = load_with(crew, run, crew->options->override_count, error);
    }
    if (scenario && scenario->learning.model == PARAMETER_UNSET) {
        error_set(error, ERROR_INPUT, "the scenario of run %lld sets no learning.model: give one with --set",
                  (long long)run->id);
        scenario_destroy(scenario);
        return NULL;
    }
    return scenario;
}

static struct learning_rule rule_of(const struct scenario *scenario, const char *name)
{
    static const struct all_reduce_options plain;
    static const struct strategy_config reference = {.kind = STRATEGY_ALL_REDUCE, .options = (void *)&plain};
    const struct strategy_config *strategy = scenario_strategy(scenario, name);
    return strategy_rule(strategy ? strategy : &reference);
}

static bool find_digests(struct task *task, struct error *error)
{
    char *text = scenario_print(task->scenario);
    const char *section = text ? strstr(text, "\nlearning:\n") : NULL;
    struct learning_rule reference = rule_of(task->scenario, PLAN_REFERENCE);
    char of_text[65];
    digest_text(&task->scenario->learning.data, of_text);
    bool found = section &&
                 learning_digest(section, of_text, task->run.strategy, &task->rule, task->digest) &&
                 learning_digest(section, of_text, PLAN_REFERENCE, &reference, task->reference_digest);
    free(text);
    if (!found)
        error_out_of_memory(error, "a replay");
    return found;
}

/* From the state that was kept, if any; one of another version of the program, say, is no use, and the replay
 * begins anew. */
static bool open_replay(struct crew *crew, struct task *task, struct error *error)
{
    void *state;
    size_t length;
    if (!store_read_replay_state(crew->store, task->run.id, task->digest, &state, &length, error))
        return false;
    task->replay = replay_create(&task->request, error);
    if (task->replay && state && !replay_load(task->replay, state, length, NULL)) {
        replay_destroy(task->replay);
        task->replay = replay_create(&task->request, error);
    }
    free(state);
    return task->replay != NULL;
}

static void tell_memory(struct crew *crew, const struct task *task)
{
    size_t workers = crew->options->workers ? crew->options->workers : runner_processors();
    if (crew->told_memory || !crew->options->note)
        return;
    double bytes = (double)workers * replay_memory(&task->request, NULL);
    if (!(bytes > MANY_BYTES))
        return;
    char text[120];
    snprintf(text, sizeof text, "replaying takes about %.1f GB of memory, %zu at a time", bytes * 1e-9,
             workers);
    crew->told_memory = true;
    crew->options->note(crew->options->context, text);
}

/* Whether the database has this learning's replay of the run. */
static bool look_for_replay(struct crew *crew, struct task *task, struct error *error)
{
    return crew->options->again ||
           store_has_replay(crew->store, task->run.id, task->digest, &task->is_replayed, error);
}

/* Loads the run and how it learns; the rest follows only if it isn't replayed yet. */
static bool identify(struct crew *crew, int64_t id, struct task *task, struct error *error)
{
    task->has_run = store_read_run(crew->store, id, &task->run, error);
    if (!task->has_run)
        return false;
    task->scenario = load_scenario(crew, &task->run, error);
    if (!task->scenario)
        return false;
    task->rule = rule_of(task->scenario, task->run.strategy);
    return find_digests(task, error) && look_for_replay(crew, task, error);
}

static bool prepare(struct crew *crew, struct task *task, struct error *error)
{
    task->tape = store_load_tape(crew->store, task->run.id, error);
    if (!task->tape)
        return false;
    task->request = (struct replay_request){.learning = &task->scenario->learning,
                                            .rule = &task->rule,
                                            .tape = task->tape,
                                            .seed = task->run.seed + (uint64_t)task->run.replication,
                                            .stop = crew->options->stop};
    tell_memory(crew, task);
    return open_replay(crew, task, error);
}

static void release(struct task *task)
{
    replay_destroy(task->replay);
    tape_destroy(task->tape);
    scenario_destroy(task->scenario);
    if (task->has_run)
        stored_run_free(&task->run);
}

/* Replaying. */

static bool is_stopped(const struct crew *crew)
{
    return atomic_load(&crew->failed) || (crew->options->stop && atomic_load(crew->options->stop));
}

static void report(struct crew *crew)
{
    if (!crew->options->progress)
        return;
    double share = crew->shares / (double)crew->count, elapsed = sim_wall_seconds() - crew->started;
    struct learning_progress progress = {.finished = crew->finished,
                                         .total = crew->count,
                                         .share = share,
                                         .seconds_left = share > 0 ? elapsed * (1 - share) / share : NAN};
    crew->options->progress(crew->options->context, &progress);
}

static bool keep_state(struct crew *crew, const struct task *task, struct error *error)
{
    void *state;
    size_t length;
    if (!replay_save(task->replay, &state, &length, error))
        return false;
    pthread_mutex_lock(&crew->lock);
    bool kept = store_keep_replay_state(crew->store, task->run.id, task->digest, state, length, error);
    pthread_mutex_unlock(&crew->lock);
    free(state);
    return kept;
}

/* Adds what has been done since *SHARE to the whole, and tells of it. */
static void count_share(struct crew *crew, double now, double *share)
{
    pthread_mutex_lock(&crew->lock);
    crew->shares += now - *share;
    *share = now;
    report(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* Until it is finished, or stopped with its state kept. */
static bool play(struct crew *crew, struct task *task, bool *finished, struct error *error)
{
    double share = 0, kept = sim_wall_seconds();
    *finished = false;
    while (!*finished) {
        if (!replay_advance(task->replay, SLICE_SECONDS, finished, error))
            return false;
        bool stopped = is_stopped(crew);
        if (!*finished && (stopped || sim_wall_seconds() - kept > KEEP_SECONDS)) {
            if (!keep_state(crew, task, error))
                return false;
            kept = sim_wall_seconds();
        }
        count_share(crew, *finished ? 1 : replay_share(task->replay), &share);
        if (stopped)
            break;
    }
    return true;
}

/* Under the lock. */
static bool store_replay(struct crew *crew, const struct task *task, struct error *error)
{
    struct learning_figures figures;
    const struct curve *curve = replay_curve(task->replay);
    if (!learning_figures_create(&figures, crew->store, &task->run, &task->scenario->learning,
                                 task->reference_digest, curve, error))
        return false;
    bool unfinished = task->scenario->simulation.until.loss > 0 && !learning_figures_finish(&figures);
    struct replay_record record = {.run = task->run.id,
                                   .learning = task->scenario->learning.name,
                                   .learning_sha256 = task->digest,
                                   .status = curve->diverged ? "diverged"
                                             : unfinished    ? "unfinished"
                                                             : "done",
                                   .loss = figures.points,
                                   .point_count = curve->count,
                                   .metrics = figures.metrics,
                                   .metric_count = figures.metric_count};
    bool stored = store_add_replay(crew->store, &record, error);
    learning_figures_free(&figures);
    if (stored) {
        crew->finished++;
        crew->diverged += curve->diverged;
    }
    return stored;
}

static bool replay_one(struct crew *crew, int64_t id, struct error *error)
{
    struct task task = {.has_run = false};
    pthread_mutex_lock(&crew->lock);
    bool good = identify(crew, id, &task, error) && (task.is_replayed || prepare(crew, &task, error));
    if (good && task.is_replayed) {
        crew->finished++;
        crew->shares++;
    }
    pthread_mutex_unlock(&crew->lock);
    bool finished = false;
    good = good && (task.is_replayed || play(crew, &task, &finished, error));
    if (finished) {
        pthread_mutex_lock(&crew->lock);
        good = store_replay(crew, &task, error);
        pthread_mutex_unlock(&crew->lock);
    }
    release(&task);
    return good;
}

/* The next run of this phase, or -1. */
static int64_t take(struct crew *crew)
{
    int64_t id = -1;
    pthread_mutex_lock(&crew->lock);
    while (id < 0 && crew->next < crew->count) {
        size_t i = crew->next++;
        if (crew->is_reference[i] == crew->references)
            id = crew->ids[i];
    }
    pthread_mutex_unlock(&crew->lock);
    return id;
}

static void *work(void *argument)
{
    struct crew *crew = argument;
    int64_t id;
    while (!is_stopped(crew) && (id = take(crew)) >= 0) {
        struct error error = {.kind = ERROR_NONE};
        if (replay_one(crew, id, &error))
            continue;
        pthread_mutex_lock(&crew->lock);
        error_set(crew->error, error.kind, "%s", error.message);
        atomic_store(&crew->failed, true);
        pthread_mutex_unlock(&crew->lock);
    }
    return NULL;
}

static void run_phase(struct crew *crew, bool references)
{
    size_t wanted = crew->options->workers ? crew->options->workers : runner_processors(), started = 0;
    pthread_t *threads = calloc(wanted, sizeof *threads);
    crew->references = references;
    crew->next = 0;
    while (threads && started < wanted && started < crew->count &&
           pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    if (started == 0 && crew->count > 0)
        work(crew); /* this thread will do */
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* The runs to replay. */

static bool mark_references(struct crew *crew, struct error *error)
{
    crew->is_reference = calloc(crew->count + 1, sizeof *crew->is_reference);
    if (!crew->is_reference) {
        error_out_of_memory(error, "the list of replays");
        return false;
    }
    for (size_t i = 0; i < crew->count; i++)
        if (!store_run_is_by(crew->store, crew->ids[i], PLAN_REFERENCE, &crew->is_reference[i], error))
            return false;
    return true;
}

static bool list_runs(struct crew *crew, int64_t study, int64_t run, struct error *error)
{
    if (run < 0)
        return store_taped_runs(crew->store, study, NULL, &crew->ids, &crew->count, error);
    crew->ids = malloc(sizeof *crew->ids);
    if (!crew->ids) {
        error_out_of_memory(error, "the list of replays");
        return false;
    }
    crew->ids[0] = run;
    crew->count = 1;
    return true;
}

bool learning_replay(struct store *store, int64_t study, int64_t run, const struct learning_options *options,
                     struct learning_outcome *outcome, struct error *error)
{
    struct crew crew = {.store = store, .options = options, .started = sim_wall_seconds(), .error = error};
    *outcome = (struct learning_outcome){.finished = 0};
    blas_pin_to_one_thread();
    bool listed = list_runs(&crew, study, run, error) && mark_references(&crew, error);
    if (listed) {
        pthread_mutex_init(&crew.lock, NULL);
        run_phase(&crew, true);
        if (!is_stopped(&crew))
            run_phase(&crew, false);
        pthread_mutex_destroy(&crew.lock);
    }
    *outcome = (struct learning_outcome){.finished = crew.finished,
                                         .total = crew.count,
                                         .diverged = crew.diverged,
                                         .interrupted = crew.finished < crew.count};
    free(crew.ids);
    free(crew.is_reference);
    return listed && !atomic_load(&crew.failed);
}
