/*
 * What learners and syncer do over time: spans of runs made up at random, and what is kept of spans made up
 * by hand.
 */
#include "models/training/condenser.h"
#include "models/training/mark_board.h"
#include "tests/models/random_run.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 150, MOST_LANES = 300 };

/* Everything that a run tells. */
struct heard {
    uint64_t number; /* of the run */
    sim_time ends[MOST_LANES];
    int64_t lanes;
    sim_amount amount[BUDGET_CATEGORIES];
    sim_time times[MOST_LANES][BUDGET_CATEGORIES];
    uint64_t marks, merges, spans;
    sim_time last_mark, last_merge;
    int64_t up;
};

static void hear_span(void *context, const struct activity_span *span)
{
    struct heard *heard = context;
    int64_t lane = span->lane - ACTIVITY_SYNCER;
    ck_assert(lane >= 0 && lane < MOST_LANES);
    ck_assert_msg(span->begin == heard->ends[lane] && span->end > span->begin,
                  "run %llu, lane %lld: a span from %lld to %lld follows one to %lld",
                  (unsigned long long)heard->number, (long long)span->lane, (long long)span->begin,
                  (long long)span->end, (long long)heard->ends[lane]);
    heard->ends[lane] = span->end;
    heard->times[lane][span->category] += span->end - span->begin;
    heard->spans++;
    if (span->lane != ACTIVITY_SYNCER)
        heard->amount[span->category] += span->chip_time;
    heard->lanes = span->lane >= heard->lanes ? span->lane + 1 : heard->lanes;
}

static void hear_mark(void *context, const struct activity_mark *mark)
{
    struct heard *heard = context;
    ck_assert(mark->count > 0 && mark->at >= heard->last_mark && mark->cause >= 0);
    heard->last_mark = mark->at;
    heard->marks++;
}

static void hear_merge(void *context, sim_time at)
{
    struct heard *heard = context;
    ck_assert(at >= heard->last_merge);
    heard->last_merge = at;
    heard->merges++;
}

static void hear_up(void *context, sim_time at, int64_t up)
{
    (void)at;
    ((struct heard *)context)->up = up;
}

/* What working chips spend by their state alone; other chips are in these categories, or time is moved to
 * them and from them. */
static bool is_of_states(int category)
{
    return category == BUDGET_QUORUM_WAIT || category == BUDGET_DATA_WAIT ||
           category == BUDGET_CHECKPOINT_SAVE || category == BUDGET_DETECTION || category == BUDGET_RESTORE ||
           category == BUDGET_RESTART || category == BUDGET_INITIALISATION;
}

/* Steps are useful, lost, waits for the slowest chip in them, and what they expose of their own
 * communication; waits for communication between them come on top. */
static sim_amount in_steps(const struct sim_ledger *ledger, const struct heard *heard)
{
    const sim_amount *amount = ledger->amount;
    return amount[BUDGET_USEFUL] + amount[BUDGET_STRAGGLER_WAIT] + amount[BUDGET_REDONE] +
           amount[BUDGET_COMMUNICATION_WAIT] - heard->amount[BUDGET_COMMUNICATION_WAIT];
}

static void assert_agree(const struct heard *heard, const struct run_result *result)
{
    for (int64_t lane = 1; lane <= heard->lanes; lane++)
        ck_assert_msg(heard->ends[lane] == result->simulated, "run %llu, learner %lld ends at %lld of %lld",
                      (unsigned long long)heard->number, (long long)lane - 1, (long long)heard->ends[lane],
                      (long long)result->simulated);
    for (int i = 0; i < BUDGET_CATEGORIES; i++)
        ck_assert_msg(is_of_states(i)      ? heard->amount[i] == result->ledger.amount[i]
                      : i == BUDGET_USEFUL ? heard->amount[i] == in_steps(&result->ledger, heard)
                                           : heard->amount[i] <= result->ledger.amount[i],
                      "run %llu: %.17g chip-seconds of %s in spans, %.17g in the ledger",
                      (unsigned long long)heard->number, sim_amount_to_seconds(heard->amount[i]),
                      budget_names[i], sim_amount_to_seconds(result->ledger.amount[i]));
}

/* Kept spans are disjoint, cover the run, and their time by state is right to a few resolutions. */
static void assert_kept(const struct heard *heard, const struct activity *kept, sim_time simulated)
{
    const struct activity_span *before = NULL;
    sim_time times[MOST_LANES][BUDGET_CATEGORIES] = {0};
    for (size_t i = 0; i < kept->span_count; i++) {
        const struct activity_span *span = &kept->spans[i];
        bool first = !before || before->lane != span->lane;
        ck_assert(first ? span->begin == 0 : span->begin == before->end);
        ck_assert(!first || !before || (before->lane < span->lane && before->end == simulated));
        times[span->lane - ACTIVITY_SYNCER][span->category] += span->end - span->begin;
        before = span;
    }
    ck_assert(before && before->end == simulated);
    ck_assert_uint_le(kept->span_count, ACTIVITY_SPANS);
    for (int lane = 0; lane < MOST_LANES; lane++)
        for (int i = 0; i < BUDGET_CATEGORIES && times[lane][BUDGET_USEFUL]; i++)
            ck_assert_int_le(llabs(times[lane][i] - heard->times[lane][i]), 8 * kept->resolution);
    ck_assert_uint_eq(kept->all_merges, heard->merges);
    ck_assert_uint_eq(kept->merge_count, heard->merges <= ACTIVITY_MERGES ? heard->merges : 0);
}

START_TEST(spans_cover_the_run_and_agree_with_the_ledger)
{
    static struct heard heard;
    const struct activity_listener listener = {
        .context = &heard, .span = hear_span, .mark = hear_mark, .merge = hear_merge, .learners_up = hear_up};
    const struct observation_wish wish = {.activity = true, .listener = &listener};
    uint64_t marks = 0, checked = 0;
    for (uint64_t i = (uint64_t)_i * RUNS; i < (uint64_t)(_i + 1) * RUNS; i++) {
        struct fixture fixture = random_run(i);
        fixture.config.warm_up = 0;
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        struct simulation_fault fault = {.path = ""};
        struct run_result plain, result;
        struct observation *observation = NULL;
        const struct simulation_request request = {.config = &fixture.config,
                                                   .strategy = &strategy,
                                                   .seed = 1,
                                                   .wish = &wish,
                                                   .observation = &observation};
        if (!simulation_check(&fixture.config, &strategy, &fault))
            continue; /* what is made up at random is not always sound */
        memset(&heard, 0, sizeof heard);
        heard.number = i;
        ck_assert(simulation_run(&fixture.config, &strategy, 1, 0, NULL, &plain, NULL, NULL));
        ck_assert(simulation_run_observed(&request, &result, NULL));
        ck_assert_mem_eq(&plain.ledger, &result.ledger, sizeof plain.ledger);
        ck_assert_mem_eq(plain.metrics, result.metrics, sizeof plain.metrics);
        ck_assert_uint_eq(plain.events, result.events);
        assert_agree(&heard, &result);
        assert_kept(&heard, &observation->activity, result.simulated);
        ck_assert_int_eq(observation->activity.learners, heard.lanes);
        ck_assert_double_eq(result.metrics[METRIC_MERGES], (double)heard.merges);
        marks += heard.marks;
        checked++;
        observation_destroy(observation);
    }
    ck_assert_uint_gt(marks, RUNS);
    ck_assert_uint_gt(checked, RUNS / 2);
}
END_TEST

/* By hand. */

static struct activity_span span_of(sim_time begin, sim_time end, int category)
{
    return (struct activity_span){.begin = begin, .end = end, .category = category, .cause = FAULT_NO_CAUSE};
}

static void assert_spans(const struct condenser *condenser, const struct activity_span *wanted, size_t count)
{
    ck_assert_uint_eq(condenser->count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(condenser->spans[i].begin, wanted[i].begin);
        ck_assert_int_eq(condenser->spans[i].end, wanted[i].end);
        ck_assert_int_eq(condenser->spans[i].category, wanted[i].category);
    }
}

START_TEST(neighbours_of_one_state_are_one)
{
    struct condenser condenser = {.resolution = 0};
    const struct activity_span spans[] = {span_of(0, 10, BUDGET_USEFUL), span_of(10, 20, BUDGET_USEFUL),
                                          span_of(20, 21, BUDGET_DOWN), span_of(21, 30, BUDGET_DOWN),
                                          span_of(30, 31, BUDGET_USEFUL)};
    const struct activity_span wanted[] = {span_of(0, 20, BUDGET_USEFUL), span_of(20, 30, BUDGET_DOWN),
                                           span_of(30, 31, BUDGET_USEFUL)};
    for (size_t i = 0; i < 5; i++)
        condenser_add(&condenser, &spans[i]);
    condenser_finish(&condenser);
    assert_spans(&condenser, wanted, 3);
    condenser_free(&condenser);
}
END_TEST

/* Three parts of steps to one of waiting, all shorter than the resolution, around an outage that is not. */
START_TEST(short_spans_share_their_time)
{
    struct condenser condenser = {.resolution = 100};
    sim_time useful = 0, length = 0;
    for (int i = 0; i < 1000; i++) {
        struct activity_span step = span_of(length, length + 6, BUDGET_USEFUL),
                             wait = span_of(length + 6, length + 8, BUDGET_COMMUNICATION_WAIT),
                             outage = span_of(length + 8, length + 158, BUDGET_DOWN);
        condenser_add(&condenser, &step);
        condenser_add(&condenser, &wait);
        length += 8;
        if (i == 500) {
            condenser_add(&condenser, &outage);
            length += 150;
        }
    }
    condenser_finish(&condenser);
    ck_assert_uint_lt(condenser.count, 85);
    ck_assert_int_eq(condenser.spans[0].begin, 0);
    ck_assert_int_eq(condenser.spans[condenser.count - 1].end, length);
    bool outage = false;
    for (size_t i = 0; i < condenser.count; i++) {
        const struct activity_span *span = &condenser.spans[i];
        ck_assert(i == 0 || span->begin == span[-1].end);
        if (span->category == BUDGET_USEFUL)
            useful += span->end - span->begin;
        outage |= span->category == BUDGET_DOWN && span->begin == 501 * 8 && span->end == 501 * 8 + 150;
    }
    ck_assert(outage);
    ck_assert_int_le(llabs(useful - 6000), 200);
    condenser_coarsen(&condenser, 10000);
    ck_assert_uint_eq(condenser.count, 1);
    ck_assert_int_eq(condenser.spans[0].end, length);
    condenser_free(&condenser);
}
END_TEST

START_TEST(marks_of_one_cell_are_one)
{
    struct mark_board board = {.resolution = 10, .longest = 1000, .most = 1000};
    for (sim_time at = 0; at < 100; at++)
        mark_board_add(&board, &(struct activity_mark){.lane = at % 2, .at = at, .cause = 1, .count = 2});
    ck_assert_uint_eq(board.count, 20);
    ck_assert_int_eq(board.marks[0].count, 10);
    ck_assert_int_eq(board.marks[3].at, 11);
    mark_board_add(&board, &(struct activity_mark){.lane = 0, .at = 99, .cause = 2, .count = 1});
    ck_assert_uint_eq(board.count, 21);
    mark_board_limit(&board, 6);
    ck_assert_uint_le(board.count, 6);
    int64_t count = 0;
    for (size_t i = 0; i < board.count; i++)
        count += board.marks[i].count;
    ck_assert_int_eq(count, 201);
    mark_board_limit(&board, 1);
    ck_assert_uint_eq(board.count, 3); /* lanes and causes stay apart */
    mark_board_free(&board);
}
END_TEST

/* Of 40 learners, those that stood still longest are kept, in their order; steps enough to be put together.
 */
START_TEST(of_many_lanes_the_worst_are_kept)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.chips = 640;
    fixture.config.duration = 200000 * SIM_SECOND;
    fixture.config.failures.enabled = true;
    fixture.config.failures.restart_time = 700 * SIM_SECOND;
    fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 4e6);
    fixture.options.learner.learners = 40;
    const struct observation_wish wish = {.activity = true};
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct run_result result;
    struct observation *observation;
    const struct simulation_request request = {.config = &fixture.config,
                                               .strategy = &strategy,
                                               .seed = 1,
                                               .wish = &wish,
                                               .observation = &observation};
    ck_assert(simulation_run_observed(&request, &result, NULL));
    const struct activity *kept = &observation->activity;
    ck_assert_int_eq(kept->learners, 40);
    ck_assert_int_gt(kept->resolution, 0);
    ck_assert_uint_gt(kept->span_count, ACTIVITY_SPANS / 10);
    ck_assert_uint_le(kept->span_count, ACTIVITY_SPANS);
    size_t lanes = 0;
    for (size_t i = 0; i < kept->span_count; i++)
        lanes += i == 0 || kept->spans[i].lane != kept->spans[i - 1].lane;
    ck_assert_uint_eq(lanes, ACTIVITY_LANES);
    ck_assert_uint_gt(kept->mark_count, 10);
    for (size_t i = 1; i < kept->mark_count; i++)
        ck_assert_int_le(kept->marks[i - 1].at, kept->marks[i].at);
    observation_destroy(observation);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("activity");
    TCase *tests = tcase_create("activity");
    tcase_add_loop_test(tests, spans_cover_the_run_and_agree_with_the_ledger, 0, 4);
    tcase_add_test(tests, neighbours_of_one_state_are_one);
    tcase_add_test(tests, short_spans_share_their_time);
    tcase_add_test(tests, marks_of_one_cell_are_one);
    tcase_add_test(tests, of_many_lanes_the_worst_are_kept);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
