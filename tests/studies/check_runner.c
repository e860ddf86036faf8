/*
 * The runner against a simulation that does as it is told: the linker puts __wrap_simulation_run_observed in
 * the place of simulation_run_observed (see local.mk), which goes on to the real one unless a test asks for
 * something else.
 */
#include "studies/runner.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NO_REPLICATION = -1 };

/* What the simulation does; each test runs in a process of its own. */
static struct {
    int failing_replication; /* ends for want of memory */
    int waiting_replication; /* waits to be stopped */
    atomic_int began, waiting;
    atomic_bool reached; /* a worker is waiting */
} play = {.failing_replication = NO_REPLICATION, .waiting_replication = NO_REPLICATION};

typedef bool simulation(const struct simulation_request *request, struct run_result *result,
                        struct error *error);
simulation __real_simulation_run_observed, __wrap_simulation_run_observed;

bool __wrap_simulation_run_observed(const struct simulation_request *request, struct run_result *result,
                                    struct error *error)
{
    atomic_fetch_add(&play.began, 1);
    if ((int)request->replication == play.failing_replication) {
        error_out_of_memory(error, "this test");
        return false;
    }
    if ((int)request->replication == play.waiting_replication) {
        atomic_store(&play.reached, true);
        while (!atomic_load(request->stop))
            usleep(1000);
        *result = (struct run_result){.status = RUN_INTERRUPTED};
        return true;
    }
    return __real_simulation_run_observed(request, result, error);
}

static int64_t add_study(struct store *store)
{
    struct study_record record = {.name = "fixture",
                                  .scenario = fixture_scenario,
                                  .scenario_sha256 = "",
                                  .version = "0",
                                  .command_line = "check_runner",
                                  .host = "here"};
    struct error error = {.kind = ERROR_NONE};
    int64_t study = store_add_study(store, &record, &error);
    ck_assert_msg(study >= 0, "%s", error.message);
    return study;
}

static struct runner_outcome run(const struct plan *plan, struct store *store,
                                 const struct runner_options *options)
{
    struct runner_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    ck_assert_msg(runner_run(plan, store, add_study(store), options, &outcome, &error), "%s", error.message);
    return outcome;
}

static const char all_figures[] =
    "select group_concat(line, x'0a') from (select strategy || replication || name || printf('%.17g', value) "
    "as line from run join metric on metric.run = run.id where name not like 'wall%' order by line)";

START_TEST(figures_do_not_depend_on_the_workers)
{
    struct plan *plan = fixture_plan("", false);
    char *figures[3];
    for (size_t workers = 1; workers <= 3; workers++) {
        struct fixture_store fixture;
        fixture_open(&fixture);
        struct runner_outcome outcome =
            run(plan, fixture.store, &(struct runner_options){.workers = workers});
        ck_assert_uint_eq(outcome.finished, plan->run_count);
        ck_assert_uint_eq(outcome.failed, 0);
        ck_assert(!outcome.interrupted);
        figures[workers - 1] = fixture_query(&fixture, all_figures);
        fixture_close(&fixture);
    }
    ck_assert_uint_gt(strlen(figures[0]), 100);
    ck_assert_str_eq(figures[0], figures[1]);
    ck_assert_str_eq(figures[0], figures[2]);
    for (size_t i = 0; i < 3; i++)
        free(figures[i]);
    plan_destroy(plan);
}
END_TEST

static void expect_count(struct fixture_store *fixture, const char *query, const char *count)
{
    char *found = fixture_query(fixture, query);
    ck_assert_str_eq(found, count);
    free(found);
}

START_TEST(a_run_that_fails_does_not_lose_the_others)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    fixture_open(&fixture);
    play.failing_replication = 1;
    struct runner_outcome outcome = run(plan, fixture.store, &(struct runner_options){.workers = 2});
    ck_assert_uint_eq(outcome.finished, 6);
    ck_assert_uint_eq(outcome.failed, 2);
    ck_assert_ptr_nonnull(strstr(outcome.failure.message, "replication 1: out of memory"));
    expect_count(&fixture, "select count(*) from run where status = 'done'", "4");
    expect_count(&fixture, "select count(*) from run where status = 'failed'", "2");
    expect_count(&fixture, "select count(*) from metric join run on run = run.id where status = 'failed'",
                 "0");
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Links of all runs; series of a strategy's first replication, at as many points as are worth the room. */
START_TEST(series_are_kept_of_a_few_runs)
{
    struct plan *plan = fixture_plan(
        "  - {name: far, kind: diloco, learners: 2, inner_steps: 2}\n"
        "network: {sites: [{name: a, uplink: 1 Gbit/s}, {name: b, uplink: 1 Gbit/s}], between: {latency: 0 "
        "s}}\n"
        "sweep: {workload.step_time: [1 s, 2 s, 3 s, 4 s, 5 s, 6 s, 7 s, 8 s, 9 s, 10 s, 11 s, 12 s]}\n",
        true);
    struct fixture_store fixture;
    fixture_open(&fixture);
    run(plan, fixture.store, &(struct runner_options){.workers = 2});
    expect_count(&fixture,
                 "select count(*) from link join run on run.id = link.run where strategy = 'far'"
                 " and link.name = 'uplink of a'",
                 "36");
    expect_count(
        &fixture,
        "select count(distinct point) || ' ' || count(*) || ' ' || max(replication) from series"
        " join run on run.id = series.run where series.name = 'link:uplink of a' and strategy = 'far'",
        "10 2000 0");
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Wishes to stop as soon as a run has been committed and another is under way. */
struct wish {
    atomic_bool stop;
    size_t reports, seen_finished;
};

static void wish_to_stop(void *context, const struct runner_progress *progress)
{
    struct wish *wish = context;
    wish->reports++;
    ck_assert_uint_eq(progress->total, 6);
    ck_assert_uint_ge(progress->finished, wish->seen_finished);
    ck_assert(progress->finished == 0 || progress->seconds_left >= 0);
    wish->seen_finished = progress->finished;
    if (progress->finished > 0 && atomic_load(&play.reached))
        atomic_store(&wish->stop, true);
}

START_TEST(finished_runs_are_kept_when_interrupted)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    struct wish wish = {.reports = 0};
    fixture_open(&fixture);
    play.waiting_replication = 2;
    struct runner_outcome outcome =
        run(plan, fixture.store,
            &(struct runner_options){
                .workers = 1, .stop = &wish.stop, .progress = wish_to_stop, .context = &wish});
    ck_assert(outcome.interrupted);
    ck_assert_uint_eq(outcome.finished, 2); /* the first strategy's, up to the one that waits */
    ck_assert_int_eq(atomic_load(&play.began), 3);
    expect_count(&fixture, "select count(*) from run", "2");
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

START_TEST(a_wish_to_stop_that_came_before_leaves_nothing)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    atomic_bool stop = true;
    fixture_open(&fixture);
    play.waiting_replication = 0;
    struct runner_outcome outcome =
        run(plan, fixture.store, &(struct runner_options){.workers = 1, .stop = &stop});
    ck_assert(outcome.interrupted);
    ck_assert_uint_eq(outcome.finished, 0);
    expect_count(&fixture, "select count(*) from run", "0");
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

START_TEST(progress_ends_with_all_runs)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    struct wish wish = {.reports = 0};
    fixture_open(&fixture);
    run(plan, fixture.store,
        &(struct runner_options){.workers = 2, .progress = wish_to_stop, .context = &wish});
    ck_assert_uint_eq(wish.seen_finished, 6);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

START_TEST(more_runs_than_the_inbox_holds_all_arrive)
{
    struct plan *plan = fixture_plan("sweep: {duration: [1 min, 2 min], replications: [200, 300]}\n", true);
    struct fixture_store fixture;
    fixture_open(&fixture);
    struct runner_outcome outcome = run(plan, fixture.store, &(struct runner_options){.workers = 8});
    ck_assert_uint_eq(outcome.finished, 2 * 2 * 500);
    expect_count(&fixture, "select count(*) from run", "2000");
    expect_count(&fixture, "select count(distinct strategy || point || replication) from run", "2000");
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

START_TEST(a_database_that_fails_ends_the_study)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    struct runner_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    fixture_open(&fixture);
    ck_assert(!runner_run(plan, fixture.store, 12345, &(struct runner_options){.workers = 2}, &outcome,
                          &error)); /* there is no such study */
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_uint_eq(outcome.finished, 0);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

START_TEST(there_is_a_processor)
{
    ck_assert_uint_ge(runner_processors(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runner");
    TCase *runs = tcase_create("runs");
    tcase_add_test(runs, figures_do_not_depend_on_the_workers);
    tcase_add_test(runs, a_run_that_fails_does_not_lose_the_others);
    tcase_add_test(runs, series_are_kept_of_a_few_runs);
    tcase_add_test(runs, finished_runs_are_kept_when_interrupted);
    tcase_add_test(runs, a_wish_to_stop_that_came_before_leaves_nothing);
    tcase_add_test(runs, progress_ends_with_all_runs);
    tcase_add_test(runs, more_runs_than_the_inbox_holds_all_arrive);
    tcase_add_test(runs, a_database_that_fails_ends_the_study);
    tcase_add_test(runs, there_is_a_processor);
    suite_add_tcase(suite, runs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
