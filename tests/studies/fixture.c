#include "tests/studies/fixture.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char fixture_scenario[] = "name: fixture\n"
                                "seed: 7\n"
                                "replications: 3\n"
                                "duration: 6 h\n"
                                "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}\n"
                                "cluster: {chips: 4096, chips_per_slice: 64}\n"
                                "failures: {chip: {mtbi: 80 d}}\n"
                                "strategies:\n"
                                "  - {name: plain, kind: all-reduce, elastic: false}\n"
                                "  - {name: elastic, kind: all-reduce, elastic: true}\n";

char *fixture_text(const char *more)
{
    char *text = NULL;
    ck_assert_int_gt(asprintf(&text, "%s%s", fixture_scenario, more), 0);
    return text;
}

static struct plan *create(const char *more, struct plan_request request, struct error *error)
{
    char name[] = "fixture.yaml", *bytes = fixture_text(more);
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    request.text = &text;
    struct plan *plan = plan_create(&request, error);
    free(bytes);
    return plan;
}

struct plan *fixture_plan(const char *more, bool sweep)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = create(more, (struct plan_request){.sweep = sweep}, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    return plan;
}

struct error fixture_fault(const char *more, struct plan_request request)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = create(more, request, &error);
    ck_assert_ptr_null(plan);
    ck_assert_int_ne(error.kind, ERROR_NONE);
    return error;
}

void fixture_open(struct fixture_store *fixture)
{
    struct error error = {.kind = ERROR_NONE};
    char folder[] = "/tmp/trainstorm.XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/study.sqlite", folder);
    fixture->store = store_open(fixture->path, &error);
    ck_assert_msg(fixture->store != NULL, "%s", error.message);
}

void fixture_close(struct fixture_store *fixture)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[80];
    store_close(fixture->store);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s%s", fixture->path, suffixes[i]);
        unlink(path);
    }
    *strrchr(fixture->path, '/') = '\0';
    rmdir(fixture->path);
}

char *fixture_query(struct fixture_store *fixture, const char *query)
{
    sqlite3_stmt *statement;
    struct sqlite3 *connection = store_connection(fixture->store);
    ck_assert_int_eq(sqlite3_prepare_v2(connection, query, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    char *copy = strdup(text ? text : "");
    sqlite3_finalize(statement);
    return copy;
}
