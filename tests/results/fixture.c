#include "tests/results/fixture.h"
#include "results/database.h"
#include "results/learning.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture fixture_create(const char *name)
{
    struct fixture fixture = {0};
    const char *base = getenv("TMPDIR");
    snprintf(fixture.folder, sizeof fixture.folder, "%.40s/results.XXXXXX", base && *base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(fixture.folder));
    snprintf(fixture.path, sizeof fixture.path, "%s/%s", fixture.folder, name);
    return fixture;
}

void fixture_remove(const struct fixture *fixture)
{
    DIR *folder = opendir(fixture->folder);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", fixture->folder, entry->d_name);
        if (unlink(path) != 0)
            rmdir(path);
    }
    closedir(folder);
    rmdir(fixture->folder);
}

struct store *fixture_open(const struct fixture *fixture)
{
    struct error error = {0};
    struct store *store = store_open(fixture->path, &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    return store;
}

int64_t fixture_add_study(struct store *store, const char *name)
{
    const struct study_record study = {
        .name = name,
        .scenario = "name: made-up\n",
        .scenario_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .version = "0.0.1",
        .command_line = "trainstorm run made-up",
        .host = "here",
    };
    struct error error = {0};
    int64_t id = store_add_study(store, &study, &error);
    ck_assert_msg(id > 0, "%s", error.message);
    return id;
}

struct run_result fixture_result(const struct fixture_run *run)
{
    struct run_result result = {
        .status = run->status,
        .simulated = run->seconds * SIM_SECOND,
        .events = 1000,
        .wall_seconds = 0.25,
    };
    sim_amount total = (sim_amount)run->chips * run->seconds * SIM_SECOND;
    sim_amount useful = (sim_amount)((long double)run->goodput * (long double)total);
    result.ledger.amount[BUDGET_USEFUL] = useful;
    result.ledger.amount[run->loss ? run->loss : BUDGET_DOWN] += total - useful;
    for (size_t i = 0; i < RUN_METRICS; i++)
        result.metrics[i] = NAN;
    result.metrics[METRIC_GOODPUT] = run->goodput;
    result.metrics[METRIC_UPTIME] = run->uptime;
    result.metrics[METRIC_STEPS] = run->steps;
    result.metrics[METRIC_TOKENS] = run->steps * 4194304;
    result.metrics[METRIC_FAILURES] = run->failures;
    if (run->failures > 0)
        result.metrics[METRIC_MTBF] = (double)run->seconds / run->failures;
    return result;
}

void fixture_add_runs(struct store *store, int64_t study, const struct fixture_run *runs, size_t count)
{
    struct run_result *results = calloc(count, sizeof *results);
    struct run_record *records = calloc(count, sizeof *records);
    ck_assert(results && records);
    for (size_t i = 0; i < count; i++) {
        results[i] = fixture_result(&runs[i]);
        records[i] = (struct run_record){
            .strategy = runs[i].strategy,
            .point = runs[i].point ? runs[i].point : "{}",
            .replication = runs[i].replication,
            .seed = runs[i].seed,
            .result = &results[i],
        };
    }
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, records, count, &error), "%s", error.message);
    free(results);
    free(records);
}

void fixture_add_observed(struct store *store, int64_t study, const struct fixture_run *run,
                          const struct observation *observation)
{
    const struct run_result result = fixture_result(run);
    const struct run_record record = {.strategy = run->strategy,
                                      .point = run->point ? run->point : "{}",
                                      .replication = run->replication,
                                      .seed = run->seed,
                                      .result = &result,
                                      .observation = observation,
                                      .series = run->replication == 0,
                                      .timeline = run->replication == 0};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
}

static void see_link(struct observation *observation, size_t number, const char *name, double capacity,
                     double rate)
{
    struct observed_link *link = &observation->links[number];
    struct observed_series *series = &observation->series[number];
    double seconds = sim_time_to_seconds(observation->ends[observation->interval_count - 1]);
    *link = (struct observed_link){.kind = number == 2 ? "backbone" : "uplink",
                                   .bytes = rate * seconds / 16,
                                   .mean = rate / 2,
                                   .peak = rate,
                                   .capacity = capacity,
                                   .price = number == 0 ? 12.5 : NAN};
    snprintf(link->name, sizeof link->name, "%s", name);
    snprintf(series->name, sizeof series->name, "link:%s", name);
    for (size_t i = 0; i < observation->interval_count; i++)
        series->values[i] = i < observation->interval_count / 2 ? rate : 0;
}

struct observation *fixture_observation(const char *name, int64_t seconds, double share)
{
    struct observation *observation = calloc(1, sizeof *observation);
    ck_assert_ptr_nonnull(observation);
    observation->link_count = observation->series_count = 3;
    observation->links = calloc(3, sizeof *observation->links);
    observation->series = calloc(3, sizeof *observation->series);
    ck_assert(observation->links && observation->series);
    observation->interval_count = OBSERVATION_INTERVALS;
    for (size_t i = 0; i < OBSERVATION_INTERVALS; i++)
        observation->ends[i] = (sim_time)(i + 1) * seconds * SIM_SECOND / OBSERVATION_INTERVALS;
    see_link(observation, 0, name, 1e9, share * 1e9);
    see_link(observation, 1, "uplink of z", 10e9, share * 1e9);
    see_link(observation, 2, "backbone x", NAN, share * 5e8);
    return observation;
}

static void act(struct activity *activity, int64_t lane, int category, int32_t cause, sim_time begin,
                sim_time end)
{
    activity->spans[activity->span_count++] = (struct activity_span){
        .lane = lane, .category = category, .cause = cause, .begin = begin, .end = end};
}

void fixture_add_activity(struct store *store, int64_t study, const char *strategy, const char *point,
                          int64_t learners, int64_t seconds)
{
    const sim_time end = seconds * SIM_SECOND, half = end / 2, quarter = end / 4;
    struct observed_cause cause = {.cause = {"rack", FAULT_STOP, FAULT_OF_RACK, false},
                                   .struck = 1,
                                   .first = half,
                                   .last = half,
                                   .cost_since = half};
    struct activity_mark mark = {0, half, FAULT_STOP, 0, 16};
    sim_time merges[] = {quarter, half + quarter};
    struct observation observation = {.causes = &cause,
                                      .cause_count = 1,
                                      .activity = {.learners = learners,
                                                   .marks = &mark,
                                                   .mark_count = 1,
                                                   .merges = merges,
                                                   .merge_count = 2,
                                                   .all_merges = 2}};
    struct activity *activity = &observation.activity;
    activity->spans = calloc(3 * (size_t)learners + 1, sizeof *activity->spans);
    ck_assert_ptr_nonnull(activity->spans);
    act(activity, ACTIVITY_SYNCER, BUDGET_USEFUL, FAULT_NO_CAUSE, 0, end);
    for (int64_t i = 0; i < learners && i < ACTIVITY_LANES; i++) {
        act(activity, i, BUDGET_USEFUL, FAULT_NO_CAUSE, 0, half);
        act(activity, i, i ? BUDGET_QUORUM_WAIT : BUDGET_DOWN, 0, half, half + quarter);
        act(activity, i, BUDGET_USEFUL, FAULT_NO_CAUSE, half + quarter, end);
    }
    const struct fixture_run run = {
        .strategy = strategy, .point = point, .chips = 64, .seconds = seconds, .goodput = 0.75};
    fixture_add_observed(store, study, &run, &observation);
    free(activity->spans);
}

static struct observation *observe_kernels(void)
{
    struct observation *observation = calloc(1, sizeof *observation);
    ck_assert_ptr_nonnull(observation);
    observation->series = calloc(2, sizeof *observation->series);
    observation->spans = calloc(4, sizeof *observation->spans);
    ck_assert(observation->series && observation->spans);
    observation->series_count = 2;
    observation->span_count = 4;
    observation->interval_count = 3; /* a millisecond each */
    snprintf(observation->series[0].name, sizeof observation->series[0].name, "sms:product");
    snprintf(observation->series[1].name, sizeof observation->series[1].name, "sms:collective");
    for (int i = 0; i < 3; i++) {
        observation->ends[i] = (i + 1) * SIM_MILLISECOND;
        observation->series[0].values[i] = i < 2 ? 80 : 0;
        observation->series[1].values[i] = i > 0 ? 4 : 0;
    }
    for (int i = 0; i < 4; i++)
        observation->spans[i] = (struct observed_span){.name = i % 2 ? "kernel:collective" : "kernel:product",
                                                       .number = i / 2 + 1,
                                                       .begin = (i / 2 + i % 2) * SIM_MILLISECOND,
                                                       .end = (i / 2 + i % 2 + 1) * SIM_MILLISECOND};
    return observation;
}

void fixture_add_kernels(struct store *store, int64_t study, const char *strategy, const char *point,
                         double ratio, double bound, double saved)
{
    const struct fixture_run run = {
        .strategy = strategy, .point = point, .chips = 4, .seconds = 10, .goodput = 0.5};
    struct run_result result = fixture_result(&run);
    struct observation *observation = observe_kernels();
    for (size_t i = 0; i < RUN_METRICS; i++)
        result.metrics[i] = NAN;
    result.metrics[METRIC_PAIR_TIME] = 1e-3 * ratio;
    result.metrics[METRIC_TIME_RATIO] = ratio;
    result.metrics[METRIC_TIME_BOUND] = bound;
    result.metrics[METRIC_TIME_SAVED] = saved;
    result.metrics[METRIC_OVERLAP_RATE] = (1 - ratio) / (1 - bound);
    const struct run_record record = {
        .strategy = strategy, .point = point, .result = &result, .observation = observation, .series = true};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
    observation_destroy(observation);
}

/* A real that SQL gives for the replay's run. */
static double run_real(struct store *store, const char *sql, const struct fixture_replay *replay)
{
    const struct database_value key[] = {
        database_text(replay->strategy),
        database_text(replay->point ? replay->point : "{}"),
        database_integer(replay->replication),
    };
    struct error error = {0};
    sqlite3_stmt *query = database_query(store_database(store), sql, 3, key, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    double real = database_column_real(query, 0);
    sqlite3_finalize(query);
    return real;
}

#define NEWEST "(select max(id) from run where strategy = ?1 and point = ?2 and replication = ?3)"

static struct replay_point *make_curve(struct store *store, const struct fixture_replay *replay, size_t count)
{
    double seconds = run_real(store, "select simulated_s from run where id = " NEWEST, replay);
    double tokens = replay->tokens;
    if (tokens <= 0)
        tokens = run_real(store, "select value from metric where name = 'tokens' and run = " NEWEST, replay);
    struct replay_point *points = calloc(count, sizeof *points);
    ck_assert_ptr_nonnull(points);
    for (size_t i = 0; i < count; i++) {
        double x = (double)i / (double)(count - 1);
        points[i] = (struct replay_point){
            .time_s = seconds * x,
            .step = tokens * x / 4194304,
            .tokens = tokens * x,
            .value = replay->final + (replay->start - replay->final) * (1 - x) / (1 + 30 * x),
        };
    }
    if (replay->diverged)
        points[count - 1].value = NAN;
    return points;
}

void fixture_add_replay(struct store *store, const struct fixture_replay *replay)
{
    size_t count = replay->points ? replay->points : 3;
    struct replay_point *points = make_curve(store, replay, count);
    double final = replay->diverged ? NAN : replay->final, floor = replay->floor > 0 ? replay->floor : NAN;
    const struct replay_metric metrics[] = {
        {"final_loss", "nats", final},
        {"floor_loss", "nats", floor},
        {"excess_loss", "nats", final - floor},
        {"statistical_goodput", "1", replay->statistical_goodput > 0 ? replay->statistical_goodput : NAN},
    };
    const struct replay_record record = {
        .run = (int64_t)run_real(store, "select " NEWEST, replay),
        .learning = replay->learning ? replay->learning : "learning",
        .learning_sha256 = replay->sha256 ? replay->sha256 : "abcd",
        .status = replay->diverged ? "diverged" : "done",
        .loss = points,
        .point_count = count,
        .metrics = metrics,
        .metric_count = sizeof metrics / sizeof metrics[0],
    };
    struct error error = {0};
    ck_assert_msg(store_add_replay(store, &record, &error), "%s", error.message);
    free(points);
}

int64_t fixture_integer(struct store *store, const char *sql)
{
    struct error error = {0};
    int64_t integer = 0;
    ck_assert_msg(database_read_integer(store_database(store), sql, &integer, &error), "%s", error.message);
    return integer;
}

double fixture_real(struct store *store, const char *sql)
{
    struct error error = {0};
    sqlite3_stmt *query = database_query(store_database(store), sql, 0, NULL, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    double real = database_column_real(query, 0);
    sqlite3_finalize(query);
    return real;
}
