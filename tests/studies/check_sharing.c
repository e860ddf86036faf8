/*
 * Runs that are known again, shared out and sent: what steers a run is what it is known by, the shards of a
 * study are all of it, and a run comes out of a parcel as it went in.
 */
#include "studies/parcel.h"
#include "studies/pending.h"
#include "studies/ranks.h"
#include "studies/study.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Identities */

static struct plan *plan_of(const char *text, bool sweep)
{
    struct error error = {.kind = ERROR_NONE};
    char name[] = "a.yaml";
    struct scenario_text scenario = {.name = name, .bytes = (char *)text, .length = strlen(text)};
    struct plan *plan = plan_create(&(struct plan_request){.text = &scenario, .sweep = sweep}, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    return plan;
}

#define BASE                                                                                                 \
    "seed: 7\nduration: 1 h\n"                                                                               \
    "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}\n"                                \
    "failures: {chip: {mtbi: 80 d}}\n"
#define CLUSTER "cluster: {chips: 1024, chips_per_slice: 64}\n"
#define PLAIN "{name: plain, kind: all-reduce, elastic: false}"
#define ELASTIC "{name: elastic, kind: all-reduce, elastic: true}"

/* The identity of the run of STRATEGY at the first point whose JSON is POINT. */
static void identity_of(const char *text, const char *strategy, const char *point, char identity[65])
{
    struct plan *plan = plan_of(text, true);
    identity[0] = '\0';
    for (size_t i = 0; i < plan->run_count; i++)
        if (strcmp(plan->runs[i].strategy->name, strategy) == 0 &&
            strcmp(plan->points[plan->runs[i].point].json, point) == 0)
            snprintf(identity, 65, "%s", plan->runs[i].identity);
    plan_destroy(plan);
    ck_assert_uint_eq(strlen(identity), 64);
}

static void expect_same(const char *a, const char *b, const char *strategy, bool same)
{
    char one[65], other[65];
    identity_of(a, strategy, "{}", one);
    identity_of(b, strategy, "{}", other);
    ck_assert_msg((strcmp(one, other) == 0) == same, "of %s: %s", strategy, b);
}

START_TEST(a_run_is_known_by_what_steers_it)
{
    const char *plain = "name: a\n" BASE CLUSTER "strategies: [" PLAIN "]\n";
    expect_same(plain,
                "name: b\ndescription: another\nnotes: |\n  many\n  lines\nreplications: 5\n" BASE CLUSTER
                "strategies: [" ELASTIC ", " PLAIN "]\n"
                "expect: [{strategy: plain, metric: goodput, min: 0.1}]\n",
                "plain", true);
    expect_same(plain, "name: a\n" BASE CLUSTER "strategies: [" PLAIN "]\nwarm_up: 1 min\n", "plain", false);
    expect_same(plain,
                "name: a\n" BASE "cluster: {chips: 2048, chips_per_slice: 64}\nstrategies: [" PLAIN "]\n",
                "plain", false);
    expect_same(plain,
                "name: a\n" BASE CLUSTER "strategies: [{name: plain, kind: all-reduce, elastic: true}]\n",
                "plain", false);
    char seeded[1000];
    snprintf(seeded, sizeof seeded, "%s", plain);
    memcpy(strstr(seeded, "seed: 7"), "seed: 8", 7);
    expect_same(plain, seeded, "plain", false);
}
END_TEST

START_TEST(points_and_strategies_differ)
{
    char one[65], other[65], longer[65], base[65];
    const char *two = "name: a\n" BASE CLUSTER "strategies: [" PLAIN ", " ELASTIC
                      "]\nsweep: {cluster.chips: [1024, 2048]}\n";
    const char *three =
        "name: a\n" BASE CLUSTER "strategies: [" PLAIN "]\nsweep: {cluster.chips: [4096, 2048, 1024]}\n";
    identity_of(two, "plain", "{\"cluster.chips\":1024}", one);
    identity_of(two, "plain", "{\"cluster.chips\":2048}", other);
    ck_assert_str_ne(one, other);
    identity_of(three, "plain", "{\"cluster.chips\":2048}", longer);
    ck_assert_str_eq(other, longer);
    identity_of(two, "elastic", "{\"cluster.chips\":2048}", longer);
    ck_assert_str_ne(other, longer);
    identity_of("name: a\n" BASE CLUSTER "strategies: [" PLAIN "]\n", "plain", "{}", base);
    ck_assert_str_ne(one, base);
}
END_TEST

/* Reuse */

static struct runner_outcome run(const struct plan *plan, struct store *store,
                                 const struct runner_options *options)
{
    struct study_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    const struct study_request request = {
        .plan = plan, .version = options->version, .command_line = "test", .runner = *options};
    ck_assert_msg(study_run(&request, store, &outcome, &error), "%s", error.message);
    study_outcome_free(&outcome);
    return outcome.runs;
}

static void expect_count(struct fixture_store *fixture, const char *query, const char *count)
{
    char *found = fixture_query(fixture, query);
    ck_assert_str_eq(found, count);
    free(found);
}

START_TEST(finished_runs_are_not_run_again)
{
    struct plan *plan = fixture_plan("", false);
    struct fixture_store fixture;
    fixture_open(&fixture);
    struct runner_options options = {.version = "1", .workers = 2};
    struct runner_outcome outcome = run(plan, fixture.store, &options);
    ck_assert_uint_eq(outcome.reused, 0);
    ck_assert_uint_eq(outcome.finished, 6);
    outcome = run(plan, fixture.store, &options);
    ck_assert_uint_eq(outcome.reused, 6);
    ck_assert_uint_eq(outcome.finished, 6);
    ck_assert_uint_eq(outcome.total, 6);
    expect_count(&fixture, "select count(*) from run", "6");
    expect_count(&fixture, "select count(*) from study_run where study = 2", "6");
    expect_count(&fixture,
                 "select count(*) from (select strategy, metric, n, mean, sd from summary where study = 1"
                 " except select strategy, metric, n, mean, sd from summary where study = 2)",
                 "0");
    options.tapes = true; /* which were not kept */
    ck_assert_uint_eq(run(plan, fixture.store, &options).reused, 0);
    ck_assert_uint_eq(run(plan, fixture.store, &options).reused, 6);
    options.version = "2";
    outcome = run(plan, fixture.store, &options);
    ck_assert_uint_eq(outcome.reused, 0);
    ck_assert_uint_eq(outcome.others, 6);
    options.force = true;
    outcome = run(plan, fixture.store, &options);
    ck_assert_uint_eq(outcome.reused, 0);
    ck_assert_uint_eq(outcome.finished, 6);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Shards */

START_TEST(shards_are_a_study_between_them)
{
    struct plan *plan = fixture_plan("sweep: {cluster.chips: [64, 128, 192]}\n", true);
    for (size_t shards = 1; shards <= 7; shards++) {
        bool *all = calloc(plan->run_count, sizeof *all);
        size_t count = 0;
        for (size_t shard = 1; shard <= shards; shard++) {
            bool *chosen = calloc(plan->run_count, sizeof *chosen);
            size_t mine = rounds_choose(plan, &(struct rounds_options){shard, shards, 0, NULL}, chosen);
            ck_assert_uint_ge(mine, plan->run_count / shards);
            ck_assert_uint_le(mine, plan->run_count / shards + 1);
            for (size_t i = 0; i < plan->run_count; i++) {
                ck_assert(!all[i] || !chosen[i]);
                all[i] |= chosen[i];
            }
            count += mine;
            free(chosen);
        }
        ck_assert_uint_eq(count, plan->run_count);
        free(all);
    }
    plan_destroy(plan);
}
END_TEST

/* What is held against each other stays together. */
START_TEST(shards_keep_units_whole)
{
    struct plan *plan = fixture_plan("sweep: {cluster.chips: [64, 128, 192]}\n", true);
    struct plan *learning =
        fixture_plan("learning: {model: quadratic}\nsweep: {duration: [1 h, 2 h]}\n", true);
    bool chosen[200];
    memset(chosen, 0, sizeof chosen);
    rounds_choose(plan, &(struct rounds_options){2, 2, 0.1, NULL}, chosen);
    for (size_t i = 0; i < plan->run_count; i++)
        ck_assert_int_eq(chosen[i], plan->runs[i].point == 1);
    memset(chosen, 0, sizeof chosen);
    rounds_choose(learning, &(struct rounds_options){1, 2, 0, NULL}, chosen);
    for (size_t i = 0; i < learning->run_count; i++)
        ck_assert_int_eq(chosen[i], (3 * learning->runs[i].point + learning->runs[i].replication) % 2 == 0);
    plan_destroy(plan);
    plan_destroy(learning);
}
END_TEST

/* Replications until a precision */

static struct study_outcome run_until(const struct plan *plan, struct store *store, double precision)
{
    struct study_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    const struct study_request request = {
        .plan = plan, .version = "1", .command_line = "test", .rounds = {.precision = precision}};
    ck_assert_msg(study_run(&request, store, &outcome, &error), "%s", error.message);
    study_outcome_free(&outcome);
    return outcome;
}

START_TEST(points_stop_once_they_are_known_well_enough)
{
    char text[1500];
    snprintf(text, sizeof text, "%s", fixture_scenario);
    memcpy(strstr(text, "replications: 3"), "replications: 9", 15);
    strcat(text, "sweep: {failures.chip.mtbi: [5 d, 10000 d]}\n");
    struct plan *plan = plan_of(text, true);
    struct fixture_store fixture;
    fixture_open(&fixture);
    /* What hardly ever fails is known after the first round; the other point takes all it may. */
    struct study_outcome outcome = run_until(plan, fixture.store, 0.005);
    ck_assert_uint_eq(outcome.figures, 4);
    ck_assert_uint_ge(outcome.wide, 1);
    expect_count(&fixture,
                 "select group_concat(n, ' ') from (select n from summary where metric = 'goodput'"
                 " order by point, strategy)",
                 "5 5 9 9");
    outcome = run_until(plan, fixture.store, 0.9);
    ck_assert_uint_eq(outcome.wide, 0);
    ck_assert_uint_eq(outcome.runs.total, 20);
    ck_assert_uint_eq(outcome.runs.reused, 20);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Pending runs */

START_TEST(pending_runs_come_the_longest_first_and_again_when_given_back)
{
    struct plan *plan = fixture_plan("sweep: {duration: [1 h, 3 h, 2 h]}\n", true);
    const size_t runs[] = {0, 6, 12, 13};
    struct pending *pending = pending_create(plan, runs, 4);
    size_t run;
    ck_assert(pending_take(pending, &run));
    ck_assert_uint_eq(run, 6);
    ck_assert(pending_take(pending, &run));
    ck_assert_uint_eq(run, 12);
    pending_give_back(pending, 6);
    ck_assert(pending_take(pending, &run));
    ck_assert_uint_eq(run, 6);
    ck_assert(pending_take(pending, &run) && run == 13);
    ck_assert(pending_take(pending, &run) && run == 0);
    ck_assert(!pending_take(pending, &run));
    pending_destroy(pending);
    plan_destroy(plan);
}
END_TEST

/* Parcels */

static const char with_network[] =
    "  - {name: far, kind: diloco, learners: 2, inner_steps: 2}\n"
    "network: {sites: [{name: a, uplink: 1 Gbit/s}, {name: b, uplink: 1 Gbit/s}], between: {latency: 0 s}}\n"
    "chaos: [{at: 1 h, fault: kill, target: slice}]\n";

static void expect_equal(const struct execution *a, const struct execution *b)
{
    ck_assert_uint_eq(a->run, b->run);
    ck_assert_mem_eq(&a->result, &b->result, sizeof a->result);
    ck_assert_uint_eq(a->tape_length, b->tape_length);
    if (a->tape_length)
        ck_assert_mem_eq(a->tape, b->tape, a->tape_length);
    ck_assert((a->observation == NULL) == (b->observation == NULL));
    ck_assert((a->failure == NULL) == (b->failure == NULL));
    if (a->failure)
        ck_assert_str_eq(a->failure, b->failure);
    if (!a->observation)
        return;
    const struct observation *seen = a->observation, *sent = b->observation;
    ck_assert_uint_eq(seen->link_count, sent->link_count);
    ck_assert_uint_eq(seen->series_count, sent->series_count);
    ck_assert_uint_eq(seen->interval_count, sent->interval_count);
    ck_assert_mem_eq(seen->ends, sent->ends, seen->interval_count * sizeof *seen->ends);
    for (size_t i = 0; i < seen->link_count; i++) {
        ck_assert_str_eq(seen->links[i].name, sent->links[i].name);
        ck_assert_str_eq(seen->links[i].kind, sent->links[i].kind);
        ck_assert_double_eq(seen->links[i].bytes, sent->links[i].bytes);
    }
    ck_assert_uint_eq(seen->cause_count, sent->cause_count);
    for (size_t i = 0; i < seen->cause_count; i++) {
        ck_assert_str_eq(seen->causes[i].cause.name, sent->causes[i].cause.name);
        ck_assert_mem_eq(seen->causes[i].waste, sent->causes[i].waste, sizeof seen->causes[i].waste);
    }
    ck_assert_ptr_nonnull(seen->chaos);
    ck_assert_uint_gt(seen->chaos->count, 0);
    ck_assert_uint_eq(seen->chaos->count, sent->chaos->count);
    ck_assert_mem_eq(seen->chaos->faults, sent->chaos->faults,
                     seen->chaos->count * sizeof *seen->chaos->faults);
    ck_assert_uint_eq(seen->span_count, sent->span_count);
    for (size_t i = 0; i < seen->span_count; i++)
        ck_assert_str_eq(seen->spans[i].name, sent->spans[i].name);
    for (size_t i = 0; i < seen->series_count; i++)
        ck_assert_mem_eq(seen->series[i].values, sent->series[i].values,
                         seen->interval_count * sizeof *seen->series[i].values);
}

START_TEST(a_run_comes_out_of_a_parcel_as_it_went_in)
{
    struct plan *plan = fixture_plan(with_network, false);
    for (size_t i = 0; i < plan->run_count; i += 3)
        for (int taped = 0; taped < 2; taped++) {
            struct execution execution, opened;
            struct error error = {.kind = ERROR_NONE};
            size_t length;
            atomic_bool stop = false;
            execution_perform(plan, i, taped, &stop, &execution);
            ck_assert_int_eq(execution.result.status, RUN_DONE);
            ck_assert_int_eq(execution.tape != NULL, taped);
            void *bytes = parcel_pack(&execution, &length);
            ck_assert_msg(parcel_open(bytes, length, &opened, &error), "%s", error.message);
            expect_equal(&execution, &opened);
            execution_discard(&opened);
            for (size_t cut = 0; cut < length; cut += 1 + length / 300)
                ck_assert(!parcel_open(bytes, cut, &opened, &error));
            ck_assert(!parcel_open(bytes, length - 1, &opened, &error));
            free(bytes);
            execution_discard(&execution);
        }
    plan_destroy(plan);
}
END_TEST

START_TEST(a_failure_is_sent_with_its_reason)
{
    char reason[] = "strategy a, replication 1: out of memory";
    struct execution failed = {.run = 5, .result = {.status = RUN_FAILED}, .failure = reason}, opened;
    size_t length;
    struct error error = {.kind = ERROR_NONE};
    void *bytes = parcel_pack(&failed, &length);
    ck_assert(parcel_open(bytes, length, &opened, &error));
    ck_assert_str_eq(opened.failure, reason);
    ck_assert_int_eq(opened.result.status, RUN_FAILED);
    execution_discard(&opened);
    free(bytes);
}
END_TEST

START_TEST(processes_agree_in_their_plans_or_not)
{
    char one[65], other[65];
    struct plan *plan = fixture_plan("", false), *same = fixture_plan("", false);
    struct plan *longer = fixture_plan("sweep: {duration: [6 h, 7 h]}\n", true);
    ck_assert(ranks_digest(plan, false, "1", one) && ranks_digest(same, false, "1", other));
    ck_assert_str_eq(one, other);
    ck_assert(ranks_digest(plan, true, "1", other));
    ck_assert_str_ne(one, other);
    ck_assert(ranks_digest(plan, false, "2", other));
    ck_assert_str_ne(one, other);
    ck_assert(ranks_digest(longer, false, "1", other));
    ck_assert_str_ne(one, other);
    plan_destroy(plan);
    plan_destroy(same);
    plan_destroy(longer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sharing");
    TCase *sharing = tcase_create("sharing");
    tcase_add_test(sharing, a_run_is_known_by_what_steers_it);
    tcase_add_test(sharing, points_and_strategies_differ);
    tcase_add_test(sharing, finished_runs_are_not_run_again);
    tcase_add_test(sharing, shards_are_a_study_between_them);
    tcase_add_test(sharing, shards_keep_units_whole);
    tcase_add_test(sharing, points_stop_once_they_are_known_well_enough);
    tcase_add_test(sharing, pending_runs_come_the_longest_first_and_again_when_given_back);
    tcase_add_test(sharing, a_run_comes_out_of_a_parcel_as_it_went_in);
    tcase_add_test(sharing, a_failure_is_sent_with_its_reason);
    tcase_add_test(sharing, processes_agree_in_their_plans_or_not);
    suite_add_tcase(suite, sharing);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
