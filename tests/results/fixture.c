#include "tests/results/fixture.h"
#include "results/database.h"

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
