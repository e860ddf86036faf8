/*
 * Causality: every rule of tape_check broken once by a tape written by hand. The last record breaks it, and
 * the tape without that record is good.
 */
#include "tests/tape/tapes.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_good(const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    ck_assert_msg(tape_check(tape, &error), "%s", error.message);
}

/* Finishes the tape: it is good but for its last record, which is refused by its number, and for WHAT. */
static void assert_broken(struct pen *pen, const char *what)
{
    struct error error = {.kind = ERROR_NONE};
    char number[40];
    struct tape *tape = pen_finish(pen);
    ck_assert(!tape_check(tape, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    snprintf(number, sizeof number, "tape record %zu (", tape->count - 1);
    ck_assert_msg(strstr(error.message, number) && strstr(error.message, what), "\"%s\" without \"%s\"",
                  error.message, what);
    tape->count--;
    assert_good(tape);
    tape_destroy(tape);
}

static void assert_kept(struct pen *pen)
{
    struct tape *tape = pen_finish(pen);
    assert_good(tape);
    tape_destroy(tape);
}

/* Names and order. */

START_TEST(names_are_known)
{
    struct pen pen = pen_create(2, 3);
    pen_write(&pen, TAPE_KINDS, 0, 0);
    assert_broken(&pen, "kind 14 is unknown");
    pen = pen_create(2, 3);
    pen_write(&pen, TAPE_RESET, 2, 0);
    assert_broken(&pen, "no such learner; the tape has 2");
    pen = pen_create(2, 3);
    pen_write(&pen, TAPE_RESET, -2, 0);
    assert_broken(&pen, "no such learner");
    pen = pen_create(2, 3);
    pen_send(&pen, 0, 3, 1);
    assert_broken(&pen, "no fragment 3; the tape has 3");
    pen = pen_create(2, 3);
    pen_send(&pen, 0, -2, 1);
    assert_broken(&pen, "no fragment -2");
    pen = pen_create(2, 3);
    pen_copy(&pen, 0, 2, 0);
    assert_broken(&pen, "no learner 2");
    pen = pen_create(2, 3);
    pen_copy(&pen, 0, -2, 0);
    assert_broken(&pen, "no learner -2");
}
END_TEST

START_TEST(the_syncer_only_merges_and_goes_back)
{
    for (int kind = 0; kind < TAPE_KINDS; kind++) {
        if (kind == TAPE_MERGE || kind == TAPE_SNAPSHOT)
            continue;
        struct pen pen = pen_create(2, 0);
        pen_write(&pen, (enum tape_kind)kind, TAPE_SYNCER, 1);
        assert_broken(&pen, kind == TAPE_ROLLBACK ? "no snapshot of clock 1" : "does nothing of that kind");
    }
    struct pen pen = pen_create(2, 0);
    pen_write(&pen, TAPE_MERGE, 1, 1);
    assert_broken(&pen, "only the syncer merges");
}
END_TEST

START_TEST(time_does_not_run_backwards)
{
    struct error error = {.kind = ERROR_NONE};
    struct pen pen = pen_create(1, 0);
    pen.time = 2;
    pen_begin(&pen, 0, 0, 0);
    pen.time = 1;
    pen_end(&pen, 0, 1);
    struct tape *tape = tape_finish_as_written(pen.writer, &error);
    ck_assert(!tape_check(tape, &error));
    ck_assert_msg(strstr(error.message, "tape record 1 (step_end of learner 0") &&
                      strstr(error.message, "after a record of a later time"),
                  "%s", error.message);
    tape_destroy(tape);
}
END_TEST

START_TEST(the_lost_do_nothing)
{
    for (int kind = 0; kind < TAPE_KINDS; kind++) {
        if (kind == TAPE_MERGE || kind == TAPE_COPY)
            continue;
        struct pen pen = pen_create(2, 0);
        pen_write(&pen, TAPE_LOST, 1, 0);
        pen_write(&pen, (enum tape_kind)kind, 1, 0);
        assert_broken(&pen, kind == TAPE_LOST ? "it was lost before" : "the learner has no state");
    }
    struct pen pen = pen_create(2, 0);
    pen_write(&pen, TAPE_LOST, 1, 0);
    pen_copy(&pen, 1, 0, 4);
    pen_step(&pen, 1, 4);
    assert_kept(&pen);
}
END_TEST

/* Steps. */

START_TEST(steps_begin_and_end_in_turn)
{
    struct pen pen = pen_create(2, 0);
    pen_begin(&pen, 0, 0, 0);
    pen_begin(&pen, 1, 0, 0);
    pen_begin(&pen, 0, 0, 0);
    assert_broken(&pen, "the step before has not ended");
    pen = pen_create(2, 0);
    pen_begin(&pen, 0, 0, 0);
    pen_end(&pen, 1, 1);
    assert_broken(&pen, "no step has begun");
    pen = pen_create(2, 0);
    pen_step(&pen, 0, 0);
    pen_end(&pen, 0, 2);
    assert_broken(&pen, "no step has begun");
    pen = pen_create(2, 0);
    pen_write(&pen, TAPE_STEP_LOST, 0, 0);
    assert_broken(&pen, "no step has begun");
    pen = pen_create(2, 0);
    pen_begin(&pen, 0, 0, 0);
    pen_write(&pen, TAPE_STEP_LOST, 0, 0);
    pen_step(&pen, 0, 0);
    assert_kept(&pen);
}
END_TEST

/* What a step under way was begun with is gone too. */
START_TEST(a_loss_and_a_copy_end_a_step)
{
    for (int copied = 0; copied < 2; copied++) {
        struct pen pen = pen_create(2, 0);
        pen_begin(&pen, 0, 0, 0);
        if (!copied)
            pen_write(&pen, TAPE_LOST, 0, 0);
        pen_copy(&pen, 0, 1, 0);
        pen_end(&pen, 0, 1);
        assert_broken(&pen, "no step has begun");
    }
}
END_TEST

START_TEST(a_step_takes_at_most_a_share)
{
    static const double wrong[] = {-1, NAN, INFINITY, 501, 1e300};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pen pen = pen_create(2, 0);
        pen.tokens = wrong[i];
        pen_begin(&pen, 0, 0, 0);
        assert_broken(&pen, "tokens, of 500 at most");
        pen = pen_create(2, 0);
        pen_begin(&pen, 0, 0, 0);
        pen.tokens = wrong[i];
        pen_end(&pen, 0, 1);
        assert_broken(&pen, "tokens, of 500 at most");
    }
    struct pen pen = pen_create(2, 0);
    pen.tokens = 0;
    pen_step(&pen, 0, 0);
    assert_kept(&pen);
}
END_TEST

START_TEST(data_has_positions_from_0_on)
{
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 51};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pen pen = pen_create(1, 0);
        pen_begin(&pen, 0, 0, wrong[i]);
        assert_broken(&pen, "its data has no position");
    }
}
END_TEST

START_TEST(clocks_advance)
{
    struct pen pen = pen_create(1, 0);
    pen_step(&pen, 0, 0);
    pen_begin(&pen, 0, 1, 1);
    pen_end(&pen, 0, 1);
    assert_broken(&pen, "clock 1 after 1");
    pen = pen_create(1, 0);
    pen_begin(&pen, 0, 0, 0);
    pen_end(&pen, 0, 0);
    assert_broken(&pen, "clock 0 after 0");
}
END_TEST

/* Merges. */

/* Two learners have done a step and sent FRAGMENT for clock 1. */
static struct pen with_sent(int32_t fragment)
{
    struct pen pen = pen_create(2, 2);
    for (int32_t i = 0; i < 2; i++)
        pen_step(&pen, i, 0);
    for (int32_t i = 0; i < 2; i++)
        pen_send(&pen, i, fragment, 1);
    return pen;
}

START_TEST(what_was_sent_is_merged_once)
{
    struct pen pen = with_sent(0);
    pen_send(&pen, 1, 0, 1);
    assert_broken(&pen, "sent for clock 1 before");
    pen = with_sent(0);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    pen_send(&pen, 1, 0, 1);
    assert_broken(&pen, "clock 1 of the fragment is merged already");
    pen = with_sent(0);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    assert_broken(&pen, "clock 1 after 1");
    pen = with_sent(0);
    pen_merge(&pen, 1, 1, 0, 2, 1);
    assert_broken(&pen, "learner 0 sent nothing for clock 1");
    pen = with_sent(0);
    pen_merge(&pen, 0, 2, 1, 1, 1);
    assert_broken(&pen, "learner 1 sent nothing for clock 2");
    pen = with_sent(0);
    pen_merge(&pen, 0, 1, 0, 1, 1); /* without learner 1, whose drift is void with that */
    pen_merge(&pen, 0, 2, 1, 1, 1);
    assert_broken(&pen, "learner 1 sent nothing for clock 2");
}
END_TEST

/* A merge of fragment 0 by learners 0 and 1, each at a clock of its own. */
static void pen_merge_of_two(struct pen *pen, int64_t clock, int64_t first, int64_t second)
{
    struct tape_record record = {
        .kind = TAPE_MERGE, .actor = TAPE_SYNCER, .peer = TAPE_SYNCER, .clock = clock};
    struct tape_part parts[] = {{.learner = 0, .weight = 1, .clock = first},
                                {.learner = 1, .weight = 1, .clock = second}};
    tape_write_merge(pen->writer, record, parts, 2);
}

/* A merge may take in who is behind, but somebody has done its step. */
START_TEST(a_drift_is_of_a_step_done)
{
    struct pen pen = pen_create(2, 2);
    pen_step(&pen, 0, 0);
    pen_send(&pen, 0, 0, 2);
    pen_merge(&pen, 0, 2, 0, 1, 1);
    assert_broken(&pen, "no participant has come to clock 2");
    pen = pen_create(2, 2);
    for (int64_t k = 0; k < 2; k++)
        pen_step(&pen, 0, k);
    pen_step(&pen, 1, 0);
    pen_send(&pen, 0, 0, 2);
    pen_send(&pen, 1, 0, 2);
    pen_merge_of_two(&pen, 2, 2, 1);
    assert_kept(&pen);
    pen = pen_create(2, 2); /* the one that came to it was too late: the other is merged alone */
    for (int64_t k = 0; k < 2; k++)
        pen_step(&pen, 0, k);
    pen_step(&pen, 1, 0);
    pen_send(&pen, 0, 0, 2);
    pen_send(&pen, 1, 0, 2);
    pen_merge(&pen, 0, 2, 1, 1, 1);
    assert_kept(&pen);
    pen = pen_create(2, 2);
    pen_send(&pen, 0, TAPE_WHOLE, 2); /* rounds have numbers of their own */
    assert_kept(&pen);
}
END_TEST

/* Merges of fragment 0 as a record by hand. */
static void merge_part(struct pen *pen, struct tape_part part)
{
    struct tape_record record = pen_record(pen, TAPE_MERGE, TAPE_SYNCER, 1);
    struct tape_part parts[] = {{.learner = 0, .weight = 1, .clock = 1}, part};
    record.fragment = 0;
    tape_write_merge(pen->writer, record, parts, 2);
}

START_TEST(participants_are_those_who_sent)
{
    static const struct {
        struct tape_part part;
        const char *what;
    } wrong[] = {
        {{.learner = 2, .weight = 1, .clock = 1}, "no learner 2"},
        {{.learner = -1, .weight = 1, .clock = 1}, "no learner -1"},
        {{.learner = 0, .weight = 1, .clock = 1}, "learner 0 sent nothing"}, /* twice */
        {{.learner = 1, .weight = -1, .clock = 1}, "learner 1 has weight -1"},
        {{.learner = 1, .weight = NAN, .clock = 1}, "learner 1 has weight"},
        {{.learner = 1, .weight = INFINITY, .clock = 1}, "learner 1 has weight inf"},
        {{.learner = 1, .weight = 1, .clock = 2}, "learner 1 was at clock 1 when it sent, not at 2"},
        {{.learner = 1, .weight = 1, .clock = 0}, "learner 1 was at clock 1 when it sent, not at 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pen pen = with_sent(0);
        merge_part(&pen, wrong[i].part);
        assert_broken(&pen, wrong[i].what);
    }
    struct pen pen = with_sent(0);
    pen_step(&pen, 1, 1); /* its clock goes on while the drift is under way */
    merge_part(&pen, (struct tape_part){.learner = 1, .weight = 0, .clock = 1});
    assert_kept(&pen);
}
END_TEST

START_TEST(participants_are_on_the_tape)
{
    struct error error = {.kind = ERROR_NONE};
    struct pen pen = with_sent(0);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    struct tape *tape = pen_finish(&pen);
    struct tape_record *merge = &tape->records[tape->count - 1];
    merge->first_part = 1;
    ck_assert(!tape_check(tape, &error) && strstr(error.message, "lie beyond the tape's"));
    merge->first_part = UINT32_MAX;
    ck_assert(!tape_check(tape, NULL));
    tape_destroy(tape);
}
END_TEST

/* Somebody's death does not take back what is under way. */
START_TEST(what_the_lost_sent_is_merged)
{
    struct pen pen = with_sent(0);
    pen_write(&pen, TAPE_LOST, 1, 1);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    assert_kept(&pen);
}
END_TEST

START_TEST(what_is_applied_was_merged)
{
    for (int32_t fragment = TAPE_WHOLE; fragment < 2; fragment++) {
        struct pen pen = with_sent(fragment);
        pen_apply(&pen, 0, fragment, 1);
        assert_broken(&pen, "clock 1 is not merged yet");
        pen = with_sent(fragment);
        pen_merge(&pen, fragment, 1, 0, 2, 1);
        pen_apply(&pen, 0, fragment == 0, 1); /* another fragment */
        assert_broken(&pen, "clock 1 is not merged yet");
        pen = with_sent(fragment);
        pen_merge(&pen, fragment, 1, 0, 2, 1);
        pen_apply(&pen, 0, fragment, 1);
        pen_apply(&pen, 1, fragment, 1);
        pen_apply(&pen, 0, fragment, 1);
        assert_broken(&pen, "clock 1 was applied before");
    }
}
END_TEST

/* Learner 1 is in its first step when the merge of learner 0's fifth reaches it. */
static struct pen with_a_merge_within_a_step(void)
{
    struct pen pen = pen_create(2, 1);
    pen_begin(&pen, 1, 0, 0);
    for (int64_t k = 0; k < 5; k++)
        pen_step(&pen, 0, k);
    pen_send(&pen, 0, 0, 5);
    pen_merge(&pen, 0, 5, 0, 1, 5);
    pen_apply(&pen, 1, 0, 5);
    return pen;
}

/* A learner takes over the clock of a fragment when no step is under way, but not the number of a round. */
START_TEST(a_fragment_carries_a_clock)
{
    struct pen pen = pen_create(2, 1);
    for (int64_t k = 0; k < 5; k++)
        pen_step(&pen, 0, k);
    pen_send(&pen, 0, 0, 5);
    pen_merge(&pen, 0, 5, 0, 1, 5);
    pen_apply(&pen, 1, 0, 5);
    pen_begin(&pen, 1, 5, 0);
    pen_end(&pen, 1, 5);
    assert_broken(&pen, "clock 5 after 5");
    pen = with_a_merge_within_a_step();
    pen_end(&pen, 1, 1);
    pen_begin(&pen, 1, 5, 1);
    pen_end(&pen, 1, 6);
    assert_kept(&pen);
    pen = with_a_merge_within_a_step();
    pen_end(&pen, 1, 1);
    pen_begin(&pen, 1, 5, 1);
    pen_end(&pen, 1, 5);
    assert_broken(&pen, "clock 5 after 5");
    pen = pen_create(2, 1);
    pen_send(&pen, 0, TAPE_WHOLE, 5);
    pen_merge(&pen, TAPE_WHOLE, 5, 0, 1, 0);
    pen_apply(&pen, 1, TAPE_WHOLE, 5);
    pen_step(&pen, 1, 0);
    assert_kept(&pen);
}
END_TEST

/* Gossip. */

static struct pen in_round(int32_t learners, int32_t count)
{
    struct pen pen = pen_create(learners, 0);
    for (int32_t i = 0; i < count; i++)
        pen_write(&pen, TAPE_ROUND, i, 0);
    return pen;
}

START_TEST(rounds_begin_and_end_in_turn)
{
    struct pen pen = in_round(3, 2);
    pen_write(&pen, TAPE_ROUND, 1, 0);
    assert_broken(&pen, "the round before has not ended");
    pen = in_round(3, 2);
    pen_write(&pen, TAPE_ROUND_END, 2, 0);
    assert_broken(&pen, "no round has begun");
    pen = in_round(3, 2);
    pen_write(&pen, TAPE_ROUND_END, 1, 0);
    pen_mix(&pen, 1, 0, 1);
    assert_broken(&pen, "no round has begun");
    pen = in_round(3, 2);
    pen_begin(&pen, 1, 0, 0);
    assert_broken(&pen, "the round's mixing has not ended");
    pen = in_round(3, 2);
    pen_mix(&pen, 1, 0, 1);
    pen_write(&pen, TAPE_ROUND_END, 0, 0);
    pen_write(&pen, TAPE_ROUND, 0, 0);
    pen_mix(&pen, 0, 1, 1);
    assert_kept(&pen);
}
END_TEST

START_TEST(partners_mix)
{
    static const int32_t wrong[] = {TAPE_SYNCER, 0, 2};
    static const double weights[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct pen pen = in_round(3, 2);
        pen_mix(&pen, 0, wrong[i], 1);
        assert_broken(&pen, "is in no round");
        pen = in_round(3, 2);
        pen_mix(&pen, 0, 1, weights[i]);
        assert_broken(&pen, "the edge has weight");
    }
    struct pen pen = in_round(3, 2);
    pen_write(&pen, TAPE_LOST, 1, 0);
    pen_mix(&pen, 0, 1, 1);
    assert_broken(&pen, "its partner 1 is in no round");
}
END_TEST

/* Snapshots and copies. */

START_TEST(a_rollback_goes_to_a_snapshot)
{
    struct pen pen = pen_create(2, 0);
    pen_step(&pen, 0, 0);
    pen_write(&pen, TAPE_ROLLBACK, 0, 1);
    assert_broken(&pen, "there is no snapshot of clock 1");
    pen = pen_create(2, 0);
    pen_step(&pen, 0, 0);
    pen_write(&pen, TAPE_SNAPSHOT, 0, 1);
    pen_write(&pen, TAPE_ROLLBACK, 0, 0); /* the start, which drops it */
    pen_write(&pen, TAPE_ROLLBACK, 0, 1);
    assert_broken(&pen, "there is no snapshot of clock 1");
    pen = pen_create(2, 0);
    pen_write(&pen, TAPE_SNAPSHOT, TAPE_SYNCER, 3);
    pen_write(&pen, TAPE_ROLLBACK, TAPE_SYNCER, 2);
    assert_broken(&pen, "there is no snapshot of clock 2");
    pen = pen_create(1, 0);
    pen_write(&pen, TAPE_ROLLBACK, TAPE_SYNCER, -1); /* it has none yet */
    assert_broken(&pen, "there is no snapshot of clock -1");
    pen = pen_create(1, 0);
    pen_write(&pen, TAPE_SNAPSHOT, 0, -1);
    assert_broken(&pen, "clock -1 is negative");
    pen = pen_create(2, 0);
    pen_begin(&pen, 0, 0, 0);
    pen_write(&pen, TAPE_ROLLBACK, 0, 0); /* the start counts as one */
    pen_end(&pen, 0, 1);
    assert_broken(&pen, "no step has begun");
}
END_TEST

START_TEST(what_was_rolled_back_is_done_again)
{
    struct pen pen = pen_create(2, 1);
    pen_write(&pen, TAPE_SNAPSHOT, TAPE_SYNCER, 0);
    for (int again = 0; again < 2; again++) {
        pen_step(&pen, 0, 0);
        pen_send(&pen, 0, 0, 1);
        pen_merge(&pen, 0, 1, 0, 1, 1);
        pen_apply(&pen, 0, 0, 1);
        if (again)
            continue;
        pen_write(&pen, TAPE_ROLLBACK, 0, 0);
        pen_write(&pen, TAPE_ROLLBACK, TAPE_SYNCER, 0);
    }
    assert_kept(&pen);
}
END_TEST

/* What was under way to a learner when it got its copy arrives after it. */
START_TEST(a_copy_takes_in_what_was_under_way)
{
    struct pen pen = with_sent(0);
    pen_merge(&pen, 0, 1, 0, 2, 1);
    pen_apply(&pen, 0, 0, 1);
    pen_apply(&pen, 1, 0, 1);
    pen_copy(&pen, 1, 0, 1);
    pen_apply(&pen, 1, 0, 1);
    assert_kept(&pen);
}
END_TEST

START_TEST(copies_are_of_somebody_else_who_is_there)
{
    struct pen pen = pen_create(2, 0);
    pen_copy(&pen, 1, 1, 0);
    assert_broken(&pen, "it is its own peer");
    pen = pen_create(2, 0);
    pen_write(&pen, TAPE_LOST, 0, 0);
    pen_copy(&pen, 1, 0, 0);
    assert_broken(&pen, "its peer 0 has no state");
}
END_TEST

/* The header. */

static void assert_bad_header(const struct tape *tape, const char *what)
{
    struct error error = {.kind = ERROR_NONE};
    ck_assert(!tape_check(tape, &error));
    ck_assert_msg(strstr(error.message, what), "%s", error.message);
}

START_TEST(the_header_makes_sense)
{
    static const double tokens[] = {0, -1, NAN, INFINITY}, shares[] = {-0.5, NAN, INFINITY, 0.6};
    struct pen pen = pen_create(2, 3);
    struct tape *tape = pen_finish(&pen);
    assert_good(tape);
    for (size_t i = 0; i < 4; i++) {
        tape->full_tokens = tokens[i];
        assert_bad_header(tape, "tokens of a full step");
    }
    tape->full_tokens = 1000;
    for (size_t i = 0; i < 4; i++) {
        tape->shares[1] = shares[i];
        assert_bad_header(tape, "share");
    }
    tape->shares[1] = 0.5;
    tape->fragments = -1;
    assert_bad_header(tape, "fragments -1");
    tape->fragments = INT32_MAX;
    assert_bad_header(tape, "fragments");
    tape->fragments = 3;
    tape->learners = 0;
    assert_bad_header(tape, "learners 0");
    tape_destroy(tape);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causality");
    TCase *order = tcase_create("names and order");
    tcase_add_test(order, names_are_known);
    tcase_add_test(order, the_syncer_only_merges_and_goes_back);
    tcase_add_test(order, time_does_not_run_backwards);
    tcase_add_test(order, the_lost_do_nothing);
    tcase_add_test(order, the_header_makes_sense);
    TCase *steps = tcase_create("steps");
    tcase_add_test(steps, steps_begin_and_end_in_turn);
    tcase_add_test(steps, a_loss_and_a_copy_end_a_step);
    tcase_add_test(steps, a_step_takes_at_most_a_share);
    tcase_add_test(steps, data_has_positions_from_0_on);
    tcase_add_test(steps, clocks_advance);
    TCase *merges = tcase_create("merges");
    tcase_add_test(merges, what_was_sent_is_merged_once);
    tcase_add_test(merges, a_drift_is_of_a_step_done);
    tcase_add_test(merges, participants_are_those_who_sent);
    tcase_add_test(merges, participants_are_on_the_tape);
    tcase_add_test(merges, what_the_lost_sent_is_merged);
    tcase_add_test(merges, what_is_applied_was_merged);
    tcase_add_test(merges, a_fragment_carries_a_clock);
    TCase *states = tcase_create("gossip and states");
    tcase_add_test(states, rounds_begin_and_end_in_turn);
    tcase_add_test(states, partners_mix);
    tcase_add_test(states, a_rollback_goes_to_a_snapshot);
    tcase_add_test(states, what_was_rolled_back_is_done_again);
    tcase_add_test(states, a_copy_takes_in_what_was_under_way);
    tcase_add_test(states, copies_are_of_somebody_else_who_is_there);
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, steps);
    suite_add_tcase(suite, merges);
    suite_add_tcase(suite, states);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
