/*
 * The shipped day of chaos: recorded, and played again from the record.
 */
#include "results/database.h"
#include "results/export.h"
#include "scenarios/scenario.h"
#include "tests/studies/fixture.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 11, REPLICATION = 2 };

/* What a strategy's run left. */
struct outcome {
    struct run_result result;
    struct observation *observation;
};

/* chaos-day, six hours of it, with one more override unless its path is NULL. */
static struct scenario *load(const char *name, const char *path, const char *value)
{
    char file[500];
    const char *root = getenv("top_srcdir");
    const struct scenario_override overrides[] = {{"replications", "1", "--set"}, {path, value, "--set"}};
    struct scenario_text text;
    struct error error = {.kind = ERROR_NONE};
    snprintf(file, sizeof file, "%s/scenarios/%s.yaml", root ? root : ".", name);
    ck_assert_msg(scenario_text_read(file, &text, &error), "%s", error.message);
    struct scenario *scenario = scenario_create(&text, overrides, path ? 2 : 1, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    scenario_text_free(&text);
    return scenario;
}

static struct outcome run(const struct scenario *scenario, size_t strategy, uint64_t seed)
{
    struct outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    const struct simulation_request request = {.config = &scenario->simulation,
                                               .strategy = &scenario->strategies[strategy],
                                               .seed = seed,
                                               .replication = REPLICATION,
                                               .observation = &outcome.observation};
    bool done = simulation_run_observed(&request, &outcome.result, &error);
    ck_assert_msg(done, "%s", error.message);
    return outcome;
}

static void assert_exact(const struct scenario *scenario, const struct run_result *result)
{
    const struct token_counts *tokens = &result->tokens;
    ck_assert(sim_ledger_total(&result->ledger) ==
              (sim_amount)scenario->simulation.cluster.chips * result->simulated);
    ck_assert(tokens->trained == tokens->merged + tokens->lost + tokens->pending);
}

static void assert_same_run(const struct run_result *one, const struct run_result *other)
{
    ck_assert(memcmp(&one->ledger, &other->ledger, sizeof one->ledger) == 0);
    ck_assert(memcmp(one->metrics, other->metrics, sizeof one->metrics) == 0);
    ck_assert_uint_eq(one->events, other->events);
}

static void assert_same_fault(const struct chaos_fault *one, const struct chaos_fault *other)
{
    const struct fault *a = &one->fault, *b = &other->fault;
    ck_assert(one->at == other->at && one->spared == other->spared);
    ck_assert(a->kind == b->kind && a->domain == b->domain && a->unit == b->unit);
    ck_assert(a->duration == b->duration && a->detection == b->detection && a->notice == b->notice);
    ck_assert_double_eq(a->factor, b->factor);
    ck_assert_int_eq(a->cause, b->cause);
}

static void assert_same_schedule(const struct chaos_schedule *one, const struct chaos_schedule *other)
{
    ck_assert_uint_eq(one->count, other->count);
    ck_assert_uint_eq(one->cause_count, other->cause_count);
    for (size_t i = 0; i < one->count; i++)
        assert_same_fault(&one->faults[i], &other->faults[i]);
    for (size_t i = 0; i < one->cause_count; i++)
        ck_assert_str_eq(one->causes[i].name, other->causes[i].name);
}

static void store_run(struct fixture_store *fixture, const struct outcome *outcome)
{
    struct error error = {.kind = ERROR_NONE};
    const struct study_record study = {.name = "chaos",
                                       .scenario = "name: chaos",
                                       .scenario_sha256 = "0",
                                       .version = "0",
                                       .command_line = "",
                                       .host = ""};
    const struct run_record record = {.strategy = "any",
                                      .point = "{}",
                                      .replication = REPLICATION,
                                      .seed = SEED,
                                      .result = &outcome->result,
                                      .observation = outcome->observation};
    int64_t id = store_add_study(fixture->store, &study, &error);
    ck_assert_msg(id >= 0 && store_add_runs(fixture->store, id, &record, 1, &error), "%s", error.message);
}

/* Writes the schedule of the run that is kept in FIXTURE to a file beside it. */
static void export_to(struct fixture_store *fixture, char path[80])
{
    struct error error = {.kind = ERROR_NONE};
    snprintf(path, 80, "%.*s/chaos.csv", (int)(strrchr(fixture->path, '/') - fixture->path), fixture->path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_msg(export_chaos(fixture->store, 1, file, &error), "%s", error.message);
    fclose(file);
}

/* In the strategy that left it and in all others. */
START_TEST(test_played_again)
{
    struct scenario *scenario = load("chaos-day", NULL, NULL);
    struct fixture_store fixture;
    char path[80];
    struct outcome recorded = run(scenario, scenario->strategy_count - 2, SEED);
    ck_assert_uint_gt(recorded.observation->chaos->count, 50);
    fixture_open(&fixture);
    store_run(&fixture, &recorded);
    export_to(&fixture, path);
    struct scenario *again = load("chaos-day", "chaos_file", path);
    ck_assert_uint_eq(again->simulation.chaos.schedule.count, recorded.observation->chaos->count);
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        struct outcome first = run(scenario, i, SEED), second = run(again, i, SEED);
        assert_exact(scenario, &first.result);
        assert_same_run(&first.result, &second.result);
        assert_same_schedule(recorded.observation->chaos, first.observation->chaos);
        assert_same_schedule(first.observation->chaos, second.observation->chaos);
        for (size_t k = 0; k < first.observation->chaos->count; k++)
            ck_assert_int_eq(first.observation->chaos->faults[k].outcome,
                             second.observation->chaos->faults[k].outcome);
        observation_destroy(first.observation);
        observation_destroy(second.observation);
    }
    unlink(path);
    observation_destroy(recorded.observation);
    fixture_close(&fixture);
    scenario_destroy(scenario);
    scenario_destroy(again);
}
END_TEST

/* Another seed has another day, but not when it is played. */
START_TEST(test_another_seed)
{
    struct scenario *scenario = load("chaos-day", "duration", "6 h");
    struct outcome one = run(scenario, 4, SEED), other = run(scenario, 4, SEED + 1);
    ck_assert_int_ne(one.observation->chaos->faults[0].at, other.observation->chaos->faults[0].at);
    observation_destroy(one.observation);
    observation_destroy(other.observation);
    scenario_destroy(scenario);
}
END_TEST

static int64_t count(struct fixture_store *fixture, const char *query)
{
    char *text = fixture_query(fixture, query);
    int64_t number = atoll(text);
    free(text);
    return number;
}

/* Of this strategy: strikes that took slices down, and have no cost. At the same time as another, a strike
 * may take what was taken already. */
#define FREE                                                                                                 \
    "select count(*) from cause where domain in ('slice', 'rack', 'site') and fault = 'stop' and struck > 0" \
    " and name like 'crash%' and not exists (select 1 from waste where waste.run = cause.run"                \
    " and waste.cause = cause.number and chip_s > 0)"

/* Each fault of the schedule has a row and a cause, and what slices were down for has a cost. */
START_TEST(test_every_fault_is_kept)
{
    struct scenario *scenario = load("chaos-day", NULL, NULL);
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        struct outcome outcome = run(scenario, i, SEED);
        const struct chaos_schedule *schedule = outcome.observation->chaos;
        struct fixture_store fixture;
        size_t struck = 0;
        for (size_t k = 0; k < schedule->count; k++)
            struck += schedule->faults[k].outcome == FAULT_STRUCK;
        fixture_open(&fixture);
        store_run(&fixture, &outcome);
        ck_assert_int_eq(count(&fixture, "select count(*) from chaos"), (int64_t)schedule->count);
        ck_assert_int_eq(count(&fixture, "select count(*) from chaos where outcome = 'struck'"),
                         (int64_t)struck);
        ck_assert_int_eq(count(&fixture, "select count(distinct cause) from chaos"),
                         (int64_t)schedule->cause_count);
        ck_assert_int_eq(count(&fixture, "select count(distinct chaos.cause) from chaos join cause"
                                         " on cause.run = chaos.run and cause.name = chaos.cause"),
                         (int64_t)schedule->cause_count);
        if (scenario->strategies[i].kind == STRATEGY_DECOUPLED)
            ck_assert_int_eq(count(&fixture, FREE), 0);
        ck_assert_int_eq(count(&fixture,
                               "select count(*) from (select category, sum(chip_s) + 1e-9 * sum(chip_ns) cost"
                               " from waste group by category) wasted join budget using (category)"
                               " where cost > chip_s + 1e-9 * chip_ns + 1e-3"),
                         0);
        fixture_close(&fixture);
        observation_destroy(outcome.observation);
    }
    scenario_destroy(scenario);
}
END_TEST

/* The outcome of fault NUMBER under STRATEGY. */
static enum fault_outcome outcome_of(const struct outcome *outcome, size_t number)
{
    return outcome->observation->chaos->faults[number].outcome;
}

/* A strategy without a syncer has none to lose; one that has goes on training. */
START_TEST(test_the_syncer)
{
    struct scenario *scenario = load("syncer-loss", "duration", "12 h");
    struct outcome decoupled = run(scenario, 0, SEED), diloco = run(scenario, 4, SEED);
    const struct token_counts *tokens = &decoupled.result.tokens;
    ck_assert_uint_gt(decoupled.observation->chaos->count, 1);
    ck_assert_int_eq(outcome_of(&decoupled, 0), FAULT_STRUCK);
    ck_assert_int_eq(outcome_of(&diloco, 0), FAULT_IGNORED);
    ck_assert_double_eq(decoupled.result.metrics[METRIC_UPTIME], 1);
    ck_assert(decoupled.result.ledger.amount[BUDGET_QUORUM_WAIT] == 0);
    ck_assert(decoupled.result.ledger.amount[BUDGET_COMMUNICATION_WAIT] == 0);
    ck_assert(decoupled.result.ledger.amount[BUDGET_REDONE] > 0);
    ck_assert(tokens->lost > 0 && tokens->trained == tokens->merged + tokens->lost + tokens->pending);
    observation_destroy(decoupled.observation);
    observation_destroy(diloco.observation);
    scenario_destroy(scenario);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chaos");
    TCase *tests = tcase_create("days");
    tcase_add_test(tests, test_played_again);
    tcase_add_test(tests, test_another_seed);
    tcase_add_test(tests, test_every_fault_is_kept);
    tcase_add_test(tests, test_the_syncer);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
