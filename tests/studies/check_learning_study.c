/*
 * Replays of a study: in the database, each run once, against a reference under the same learning; broken off
 * and gone on with.
 */
#include "models/learning/replay.h"
#include "studies/learning.h"
#include "studies/learning_figures.h"
#include "studies/study.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture_store fixture;
static int64_t study;

/* Ten minutes of the fixture's chips under its two strategies and DiLoCo, a quadratic learning. */
static const char section[] = "  - {name: diloco, kind: diloco, learners: 2, inner_steps: 3}\n"
                              "learning: {model: quadratic, quadratic: {dimension: 9}, evaluate_every: 5, "
                              "inner: {warm_up_steps: 5, rate: 0.05}}\n";

static struct study_outcome conduct(void)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan_request wanted = {.sweep = false};
    char name[] = "fixture.yaml", *bytes = fixture_text(section);
    struct scenario_override shorter = {"duration", "10 min", "test"};
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    wanted.text = &text;
    wanted.overrides = &shorter;
    wanted.override_count = 1;
    struct plan *plan = plan_create(&wanted, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    struct study_request request = {.plan = plan, .version = "1", .command_line = ""};
    struct study_outcome outcome;
    ck_assert_msg(study_run(&request, fixture.store, &outcome, &error), "%s", error.message);
    plan_destroy(plan);
    free(bytes);
    return outcome;
}

static void set_up(void)
{
    fixture_open(&fixture);
    struct study_outcome outcome = conduct();
    study = outcome.study;
    ck_assert_uint_eq(outcome.learning.total, 4 * 3); /* with the reference, in 3 replications */
    ck_assert_uint_eq(outcome.learning.finished, 4 * 3);
    study_outcome_free(&outcome);
}

static void tear_down(void)
{
    fixture_close(&fixture);
}

static int64_t number(const char *query)
{
    char *text = fixture_query(&fixture, query);
    int64_t value = strtoll(text, NULL, 10);
    free(text);
    return value;
}

static double real(const char *query)
{
    char *text = fixture_query(&fixture, query);
    double value = strtod(text, NULL);
    free(text);
    return value;
}

static struct learning_outcome replay_again(int64_t run, struct learning_options options)
{
    struct error error = {.kind = ERROR_NONE};
    struct learning_outcome outcome;
    options.workers = 2;
    ck_assert_msg(learning_replay(fixture.store, study, run, &options, &outcome, &error), "%s",
                  error.message);
    return outcome;
}

/* Figures. */

START_TEST(time_to_loss_is_interpolated)
{
    const struct replay_point points[] = {{.time_s = 10, .value = 5},
                                          {.time_s = 20, .value = 4},
                                          {.time_s = 30, .value = 4.5},
                                          {.time_s = 40, .value = 2},
                                          {.time_s = 50, .value = NAN}};
    ck_assert_double_eq(learning_time_to_loss(points, 5, 6), 10);
    ck_assert_double_eq(learning_time_to_loss(points, 5, 5), 10);
    ck_assert_double_eq(learning_time_to_loss(points, 5, 4.25), 17.5);
    ck_assert_double_eq(learning_time_to_loss(points, 5, 4), 20);
    ck_assert_double_eq(learning_time_to_loss(points, 5, 3), 36);
    ck_assert_double_nan(learning_time_to_loss(points, 5, 1));
    ck_assert_double_nan(learning_time_to_loss(points, 5, NAN));
    ck_assert_double_nan(learning_time_to_loss(points, 0, 4));
}
END_TEST

START_TEST(loss_is_interpolated_between_tokens)
{
    const struct replay_point points[] = {{.tokens = 10, .value = 5},
                                          {.tokens = 20, .value = 4},
                                          {.tokens = 40, .value = 2},
                                          {.tokens = 40, .value = 3}};
    ck_assert_double_eq(learning_loss_at(points, 4, 10), 5);
    ck_assert_double_eq(learning_loss_at(points, 4, 12.5), 4.75);
    ck_assert_double_eq(learning_loss_at(points, 4, 20), 4);
    ck_assert_double_eq(learning_loss_at(points, 4, 25), 3.5);
    ck_assert_double_eq(learning_loss_at(points, 4, 40), 3);
    ck_assert_double_nan(learning_loss_at(points, 4, 9.9));
    ck_assert_double_nan(learning_loss_at(points, 4, 40.1));
    ck_assert_double_nan(learning_loss_at(points, 0, 1));
    ck_assert_double_eq(learning_loss_at(points, 1, 10), 5);
}
END_TEST

/* From the curves in the database alone. */
START_TEST(loss_over_reference_is_at_the_same_tokens)
{
    char *loss = fixture_query(
        &fixture,
        "with last as (select run.strategy, run.replication, series.tokens, series.value from series"
        " join run on run.id = series.run where name = 'loss' and not exists (select 1 from series later"
        "  where later.replay = series.replay and later.name = 'loss' and later.rowid > series.rowid)),"
        " curve as (select run.replication, tokens, value, lead(tokens) over same next,"
        "  lead(value) over same next_value from series join run on run.id = series.run"
        "  where name = 'loss' and strategy = 'reference' window same as (partition by run order by "
        "series.rowid)),"
        " wanted as (select strategy, last.replication, last.value / (curve.value + (last.tokens - "
        "curve.tokens)"
        "  / (next - curve.tokens) * (next_value - curve.value)) - 1 as value from last join curve on"
        "  curve.replication = last.replication and last.tokens > curve.tokens and last.tokens <= next)"
        " select count(*) || ' ' || (max(abs(metric.value - wanted.value)) < 1e-9) from metric"
        " join run on run.id = metric.run join wanted on wanted.strategy = run.strategy"
        " and wanted.replication = run.replication where metric.name = 'loss_over_reference'");
    ck_assert_str_eq(loss, "12 1");
    free(loss);
    ck_assert_int_eq(number("select count(*) from metric join run on run.id = metric.run where strategy ="
                            " 'reference' and name = 'loss_over_reference' and value = 0.0"),
                     3);
}
END_TEST

#define GOODPUT                                                                                              \
    " metric join run on run.id = metric.run where metric.name = 'statistical_goodput' and run.strategy"

START_TEST(the_reference_is_the_measure)
{
    ck_assert_int_eq(number("select count(*) from" GOODPUT " = 'reference' and metric.value = 1.0"), 3);
    ck_assert_int_ge(number("select count(*) from" GOODPUT " != 'reference'"), 6);
    ck_assert_double_gt(real("select min(metric.value) from" GOODPUT " != 'reference'"), 0);
    /* Nothing fails in the reference, and everybody trains on the same data. */
    ck_assert_double_le(real("select avg(metric.value) from" GOODPUT " = 'plain'"), 1.2);
    ck_assert_int_eq(number("select count(*) from metric join run on run.id = metric.run"
                            " where run.strategy = 'reference' and metric.name = 'steps_lost'"
                            " and metric.value = 0.0"),
                     3);
}
END_TEST

START_TEST(tokens_are_told)
{
    ck_assert_int_eq(number("select count(*) from (select sum(case name when 'tokens_trained' then value"
                            " when 'tokens_merged' then -value when 'tokens_lost' then -value"
                            " when 'tokens_pending' then -value else 0 end) as rest,"
                            " sum(value) as all_of_it from metric where replay is not null and"
                            " name glob 'tokens_*' group by replay) where abs(rest) > 1e-9 * all_of_it"),
                     0);
    ck_assert_double_gt(real("select min(value) from metric where name = 'tokens_trained'"), 0);
    ck_assert_int_eq(number("select count(*) from metric share join metric merged using (replay) join metric"
                            " trained using (replay) where share.name = 'merged_share' and merged.name ="
                            " 'tokens_merged' and trained.name = 'tokens_trained'"
                            " and abs(share.value * trained.value - merged.value) < 1e-9 * trained.value"),
                     12);
}
END_TEST

/* Each run once. */

START_TEST(what_was_replayed_is_left_alone)
{
    int64_t newest = number("select max(id) from replay");
    struct learning_outcome outcome = replay_again(-1, (struct learning_options){.again = false});
    ck_assert_uint_eq(outcome.finished, 12);
    ck_assert_uint_eq(outcome.total, 12);
    ck_assert(!outcome.interrupted);
    ck_assert_int_eq(number("select max(id) from replay"), newest);
    ck_assert_int_eq(number("select count(*) from replay"), 12);
}
END_TEST

#define CURVES "select group_concat(run || ':' || t_s || ':' || tokens || ':' || value) from"

START_TEST(a_replay_made_again_replaces_its_like)
{
    const char query[] = CURVES " (select * from series where name = 'loss' order by run, t_s, rowid)";
    char *before = fixture_query(&fixture, query);
    int64_t newest = number("select max(id) from replay");
    replay_again(-1, (struct learning_options){.again = true});
    char *after = fixture_query(&fixture, query);
    ck_assert_int_eq(number("select count(*) from replay"), 12);
    ck_assert_int_gt(number("select min(id) from replay"), newest - 12);
    ck_assert_int_gt(number("select max(id) from replay"), newest);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

/* Another way to learn, whether in the section or in a strategy's own options, is another replay. */
START_TEST(variants_are_kept_apart)
{
    static const struct scenario_override overrides[][2] = {
        {{"learning.inner.rate", "0.02", "test"}, {"learning.name", "slow", "test"}},
        {{"strategies.diloco.outer_rate", "0.3", "test"}, {"learning.name", "learning", "test"}},
    };
    struct learning_options options = {.overrides = overrides[_i], .override_count = 2};
    replay_again(-1, options);
    /* The rate of the outer optimiser concerns DiLoCo alone. */
    ck_assert_int_eq(number("select count(*) from replay"), _i == 0 ? 24 : 12 + 3);
    ck_assert_int_eq(number("select count(*) from replay where learning = 'slow'"), _i == 0 ? 12 : 0);
    ck_assert_int_eq(number("select count(distinct value) from series join run on run.id = series.run"
                            " where name = 'loss' and strategy = 'diloco' and replication = 0 and t_s ="
                            " (select max(t_s) from series where series.run = run.id)"),
                     2);
}
END_TEST

static void write_text(const char *path, const char *words)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 100; i++)
        fputs(words, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* A text is known by what is in it, not by its name. */
START_TEST(another_text_is_another_variant)
{
    char path[] = "/tmp/check_learning_study.XXXXXX";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    const struct scenario_override overrides[] = {
        {"learning.model", "transformer", "test"},     {"learning.transformer.width", "8", "test"},
        {"learning.transformer.heads", "1", "test"},   {"learning.transformer.layers", "1", "test"},
        {"learning.transformer.context", "4", "test"}, {"learning.data.source", "text", "test"},
        {"learning.data.shards", "1", "test"},         {"learning.data.file", path, "test"},
    };
    struct learning_options options = {.overrides = overrides,
                                       .override_count = sizeof overrides / sizeof *overrides};
    const char variants[] = "select count(distinct learning_sha256) from replay where run = 1";
    write_text(path, "one and two ");
    replay_again(1, options);
    ck_assert_int_eq(number(variants), 2);
    write_text(path, "two and one ");
    replay_again(1, options);
    ck_assert_int_eq(number(variants), 3);
    replay_again(1, options);
    ck_assert_int_eq(number(variants), 3);
    remove(path);
}
END_TEST

/* Measured against a reference that learns otherwise, statistical goodput would mean nothing. */
START_TEST(the_reference_learns_alike)
{
    static const struct scenario_override slow = {"learning.inner.rate", "0.02", "test"};
    int64_t run = number("select id from run where strategy = 'plain' and replication = 1");
    replay_again(run, (struct learning_options){.overrides = &slow, .override_count = 1});
    const char query[] = "select count(*) from metric where name = 'statistical_goodput' and replay ="
                         " (select max(id) from replay)";
    ck_assert_int_eq(number(query), 0); /* of the reference there is no such replay */
    replay_again(-1, (struct learning_options){.overrides = &slow, .override_count = 1});
    replay_again(run, (struct learning_options){.overrides = &slow, .override_count = 1, .again = true});
    ck_assert_int_eq(number(query), 1);
}
END_TEST

/* Broken off. */

/* The newest replay of run RUN, played to the half by hand and kept. */
static void keep_half(int64_t run, const void *garbage, size_t length)
{
    char query[200];
    struct error error = {.kind = ERROR_NONE};
    snprintf(query, sizeof query, "select learning_sha256 from replay where run = %d", (int)run);
    char *digest = fixture_query(&fixture, query);
    ck_assert_msg(store_keep_replay_state(fixture.store, run, digest, garbage, length, &error), "%s",
                  error.message);
    free(digest);
}

/* By a seed that is LATER than the run's own. */
static void save_half(int64_t id, uint64_t later)
{
    struct error error = {.kind = ERROR_NONE};
    struct stored_run run;
    void *bytes;
    size_t length;
    bool finished = false;
    ck_assert(store_read_run(fixture.store, id, &run, &error));
    ck_assert(store_read_tape(fixture.store, id, &bytes, &length, &error));
    struct tape *tape = tape_decode(bytes, length, &error);
    free(bytes);
    char name[] = "stored";
    struct scenario_text text = {.name = name, .bytes = run.scenario, .length = strlen(run.scenario)};
    struct scenario *scenario = scenario_create(&text, NULL, 0, &error);
    struct learning_rule rule = strategy_rule(scenario_strategy(scenario, run.strategy));
    struct replay_request request = {.learning = &scenario->learning,
                                     .rule = &rule,
                                     .tape = tape,
                                     .seed = run.seed + (uint64_t)run.replication + later};
    struct replay *replay = replay_create(&request, &error);
    while (replay_share(replay) < 0.5)
        ck_assert(replay_advance(replay, 0, &finished, &error));
    ck_assert(replay_save(replay, &bytes, &length, &error));
    keep_half(id, bytes, length);
    free(bytes);
    replay_destroy(replay);
    scenario_destroy(scenario);
    tape_destroy(tape);
    stored_run_free(&run);
}

/* From a state that fits, and from one that doesn't: the same curve. It does go on from what was kept: a
 * state of other data leads elsewhere. */
START_TEST(a_broken_off_replay_goes_on)
{
    int64_t run = number("select id from run where strategy = 'diloco' and replication = 2");
    const char query[] = CURVES " (select series.* from series join run on run.id = series.run where"
                                " strategy = 'diloco' and replication = 2 order by series.rowid)";
    char *before = fixture_query(&fixture, query);
    if (_i == 0)
        save_half(run, 0);
    else if (_i == 1)
        keep_half(run, "rubbish", 7);
    else
        save_half(run, 1);
    ck_assert_int_eq(number("select count(*) from replay_state"), 1);
    struct learning_outcome outcome = replay_again(run, (struct learning_options){.again = true});
    ck_assert_uint_eq(outcome.finished, 1);
    char *after = fixture_query(&fixture, query);
    ck_assert(_i < 2 ? strcmp(before, after) == 0 : strcmp(before, after) != 0);
    ck_assert_int_eq(number("select count(*) from replay_state"), 0);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_stop_is_an_interruption)
{
    static const struct scenario_override slow = {"learning.inner.rate", "0.02", "test"};
    atomic_bool stop = true;
    struct learning_outcome outcome =
        replay_again(-1, (struct learning_options){.overrides = &slow, .override_count = 1, .stop = &stop});
    ck_assert(outcome.interrupted);
    ck_assert_uint_eq(outcome.finished, 0);
    ck_assert_int_eq(number("select count(*) from replay"), 12);
}
END_TEST

/* Points may learn where the base does not. */
START_TEST(a_point_may_learn_alone)
{
    struct error error = {.kind = ERROR_NONE};
    struct study_outcome outcome;
    struct plan *plan = fixture_plan("learning: {quadratic: {dimension: 3}, evaluate_every: 1000}\n"
                                     "sweep: {learning.model: [quadratic], duration: [5 min]}\n",
                                     true);
    struct study_request request = {.plan = plan, .version = "1", .command_line = ""};
    ck_assert_msg(study_run(&request, fixture.store, &outcome, &error), "%s", error.message);
    ck_assert_uint_eq(outcome.learning.finished, 3 * 3);
    study_outcome_free(&outcome);
    plan_destroy(plan);
}
END_TEST

/* What can't be. */

static void assert_refused_with(const struct scenario_override *overrides, size_t count, int64_t run,
                                enum error_kind kind, const char *what)
{
    struct error error = {.kind = ERROR_NONE};
    struct learning_options options = {
        .workers = 2, .again = true, .overrides = overrides, .override_count = count};
    struct learning_outcome outcome;
    ck_assert(!learning_replay(fixture.store, study, run, &options, &outcome, &error));
    ck_assert_int_eq(error.kind, kind);
    ck_assert_msg(strstr(error.message, what), "%s", error.message);
}

static void assert_refused(int64_t run, enum error_kind kind, const char *what)
{
    assert_refused_with(NULL, 0, run, kind, what);
}

static void execute(const char *sql)
{
    ck_assert_int_eq(sqlite3_exec(store_connection(fixture.store), sql, NULL, NULL, NULL), SQLITE_OK);
}

START_TEST(what_cannot_be_replayed_is_told)
{
    assert_refused(1000, ERROR_INPUT, "there is no run 1000");
    execute("delete from tape where run = 1");
    assert_refused(1, ERROR_INPUT, "without a tape");
    execute("delete from replay_state; delete from metric where replay is not null;"
            " delete from series; delete from replay;"
            " update tape set bytes = x'00' where run = 2;"
            " update tape set bytes = substr(bytes, 1, 30) where run = 3;"
            " update tape set bytes = cast(x'74726e7374617065' || x'09000000' || substr(bytes, 13) as blob)"
            " where run = 4");
    assert_refused(2, ERROR_SYSTEM, "no event tape");
    assert_refused(3, ERROR_SYSTEM, "damaged");
    assert_refused(4, ERROR_SYSTEM, "is of version 9");
    const struct scenario_override wrong = {"learning.batch", "many", "--set"};
    assert_refused_with(&wrong, 1, 5, ERROR_INPUT, "--set learning.batch=many");
    execute("update study set scenario = 'name: ['");
    assert_refused(5, ERROR_SYSTEM, "the scenario of run 5: ");
    assert_refused_with(&wrong, 1, 5, ERROR_SYSTEM, "the scenario of run 5: ");
}
END_TEST

START_TEST(a_scenario_without_learning_is_told)
{
    execute("update study set scenario = substr(scenario, 1, instr(scenario, 'learning:') - 1)"
            " || substr(scenario, instr(scenario, 'strategies:'))");
    assert_refused(5, ERROR_INPUT, "learning.model");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("learning of a study");
    TCase *figures = tcase_create("figures");
    tcase_add_test(figures, time_to_loss_is_interpolated);
    tcase_add_test(figures, loss_is_interpolated_between_tokens);
    tcase_add_test(figures, loss_over_reference_is_at_the_same_tokens);
    tcase_add_test(figures, the_reference_is_the_measure);
    tcase_add_test(figures, tokens_are_told);
    TCase *once = tcase_create("each run once");
    tcase_add_test(once, what_was_replayed_is_left_alone);
    tcase_add_test(once, a_replay_made_again_replaces_its_like);
    tcase_add_loop_test(once, variants_are_kept_apart, 0, 2);
    tcase_add_test(once, another_text_is_another_variant);
    tcase_add_test(once, the_reference_learns_alike);
    tcase_add_test(once, a_point_may_learn_alone);
    TCase *broken = tcase_create("broken off");
    tcase_add_loop_test(broken, a_broken_off_replay_goes_on, 0, 3);
    tcase_add_test(broken, a_stop_is_an_interruption);
    TCase *wrong = tcase_create("what can't be");
    tcase_add_test(wrong, what_cannot_be_replayed_is_told);
    tcase_add_test(wrong, a_scenario_without_learning_is_told);
    TCase *cases[] = {figures, once, broken, wrong};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tcase_add_checked_fixture(cases[i], set_up, tear_down);
        suite_add_tcase(suite, cases[i]);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
