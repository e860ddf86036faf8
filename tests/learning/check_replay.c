/*
 * Replays: what each record of a tape does to the learning, by tapes written by hand; broken off and gone on
 * with to the bit; and what holds for the tape of any run.
 */
#include "tests/learning/replayed.h"
#include "tests/models/random_run.h"
#include "tests/tape/tapes.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_RUNS = 1000, MEDDLED = 1000, PRECISIONS = 2 };

static struct learning_config learning;
static struct learning_rule rule;

static void set_up(void)
{
    learning = replayed_quadratic(LEARNING_DOUBLE_PRECISION);
    rule = replayed_rule();
}

/* Plays the tape and destroys it. */
static struct replayed play_tape(struct tape *tape)
{
    struct replay_request request = replayed_request(&learning, &rule, tape);
    struct replayed replayed = replayed_whole(&request);
    replayed_assert_conserved(&replayed);
    tape_destroy(tape);
    return replayed;
}

static struct replayed play(struct pen *pen)
{
    return play_tape(pen_finish(pen));
}

static void assert_same_parameters(const struct replayed *a, const struct replayed *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_mem_eq(a->parameters, b->parameters, a->count * sizeof *a->parameters);
}

static void assert_other_parameters(const struct replayed *a, const struct replayed *b)
{
    ck_assert_mem_ne(a->parameters, b->parameters, a->count * sizeof *a->parameters);
}

static void free_both(struct replayed *a, struct replayed *b)
{
    replayed_free(a);
    replayed_free(b);
}

/* STEPS steps of one learner from POSITION on. */
static void steps(struct pen *pen, int32_t learner, int64_t position, int64_t count)
{
    for (int64_t k = position; k < position + count; k++)
        pen_step(pen, learner, k);
}

/* Breaking off. */

static struct replay *open_replay(const struct replay_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    struct replay *replay = replay_create(request, &error);
    ck_assert_msg(replay != NULL, "%s", error.message);
    return replay;
}

/* A replay in the same state, in another memory. */
static struct replay *moved(const struct replay_request *request, struct replay *replay)
{
    struct error error = {.kind = ERROR_NONE};
    struct replay *other = open_replay(request);
    void *bytes;
    size_t length;
    ck_assert_msg(replay_save(replay, &bytes, &length, &error), "%s", error.message);
    ck_assert_msg(replay_load(other, bytes, length, &error), "%s", error.message);
    free(bytes);
    replay_destroy(replay);
    return other;
}

/* Plays COUNT records one by one, moving after each EVERY of them. */
static struct replay *play_in_pieces(const struct replay_request *request, size_t count, size_t every)
{
    struct replay *replay = open_replay(request);
    bool finished = false;
    for (size_t i = 1; i <= count && !finished; i++) {
        ck_assert(replay_advance(replay, 0, &finished, NULL));
        if (i % every == 0)
            replay = moved(request, replay);
    }
    return replay;
}

static void assert_may_break_off(const struct tape *tape, size_t every)
{
    struct replay_request request = replayed_request(&learning, &rule, tape);
    struct replayed whole = replayed_whole(&request);
    struct replayed pieces = replayed_rest(play_in_pieces(&request, tape->count + 1, every));
    replayed_assert_same(&whole, &pieces);
    free_both(&whole, &pieces);
}

/* With a record of each kind that the strategy knows, and whatever has a state. */
START_TEST(a_replay_may_be_broken_off_anywhere)
{
    int64_t kind = _i / PRECISIONS;
    enum learning_precision precision = (enum learning_precision)(_i % PRECISIONS);
    struct fixture fixture = replayed_troubled(kind);
    struct run_result result;
    struct tape *tape = replayed_tape(&fixture, 1, &result);
    learning = replayed_quadratic(precision);
    learning.steps_per_step = 1.5;
    learning.quadratic.dimension = 100; /* so that compression leaves something out */
    rule.compression = COMPRESSION_LINEAR;
    rule.error_feedback = true;
    rule.outer = OUTER_ADAM;
    rule.blend = 0.25;
    assert_may_break_off(tape, 1);
    learning = replayed_transformer(precision);
    learning.inner.optimiser = INNER_MUON;
    assert_may_break_off(tape, tape->count / 3);
    tape_destroy(tape);
}
END_TEST

/* The syncer's snapshot, and a learner's, are part of the state. */
START_TEST(snapshots_survive_a_break)
{
    struct pen pen = pen_create(2, 1);
    steps(&pen, 0, 0, 2);
    pen_send(&pen, 0, 0, 2);
    pen_merge(&pen, 0, 2, 0, 1, 2);
    pen_write(&pen, TAPE_SNAPSHOT, TAPE_SYNCER, 2);
    pen_write(&pen, TAPE_SNAPSHOT, 0, 2);
    steps(&pen, 0, 2, 2);
    pen_send(&pen, 0, 0, 4);
    pen_merge(&pen, 0, 4, 0, 1, 4);
    pen_begin(&pen, 0, 4, 4);
    pen_write(&pen, TAPE_ROLLBACK, TAPE_SYNCER, 2);
    pen_write(&pen, TAPE_ROLLBACK, 0, 2);
    steps(&pen, 0, 2, 2);
    pen_send(&pen, 0, 0, 4);
    pen_merge(&pen, 0, 4, 0, 1, 4);
    struct tape *tape = pen_finish(&pen);
    assert_may_break_off(tape, 1);
    tape_destroy(tape);
}
END_TEST

START_TEST(a_state_of_something_else_is_refused)
{
    struct fixture fixture = replayed_troubled(STRATEGY_DECOUPLED);
    struct run_result result;
    struct tape *tape = replayed_tape(&fixture, 1, &result);
    struct replay_request request = replayed_request(&learning, &rule, tape);
    struct replay *replay = play_in_pieces(&request, tape->count / 2, SIZE_MAX);
    void *bytes;
    size_t length;
    ck_assert(replay_save(replay, &bytes, &length, NULL));
    for (size_t cut = 0; cut<length; cut += length> 500 ? length / 500 : 1) {
        struct error error = {.kind = ERROR_NONE};
        struct replay *other = open_replay(&request);
        uint8_t *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        ck_assert(!replay_load(other, part, cut, &error));
        ck_assert_int_eq(error.kind, ERROR_INPUT);
        free(part);
        replay_destroy(other);
    }
    struct learning_config larger = learning;
    larger.quadratic.dimension++;
    request.learning = &larger;
    struct replay *other = open_replay(&request);
    ck_assert(!replay_load(other, bytes, length, NULL));
    replay_destroy(other);
    free(bytes);
    replay_destroy(replay);
    tape_destroy(tape);
}
END_TEST

START_TEST(a_stop_is_heeded)
{
    atomic_bool stop = true;
    struct pen pen = pen_create(1, 0);
    steps(&pen, 0, 0, 9);
    struct tape *tape = pen_finish(&pen);
    struct replay_request request = replayed_request(&learning, &rule, tape);
    request.stop = &stop;
    struct replay *replay = open_replay(&request);
    bool finished = true;
    ck_assert(replay_advance(replay, 1e9, &finished, NULL));
    ck_assert(!finished && replay_share(replay) < 0.1);
    atomic_store(&stop, false);
    ck_assert(replay_advance(replay, 1e9, &finished, NULL));
    ck_assert(finished && replay_share(replay) == 1);
    size_t points = replay_curve(replay)->count;
    ck_assert(replay_advance(replay, 1e9, &finished, NULL)); /* over is over */
    ck_assert(finished && replay_curve(replay)->count == points);
    replay_destroy(replay);
    tape_destroy(tape);
}
END_TEST

/* Steps. */

static struct replayed one_learner(int64_t count)
{
    struct pen pen = pen_create(1, 0);
    steps(&pen, 0, 0, count);
    return play(&pen);
}

START_TEST(several_inner_steps_a_step)
{
    learning.evaluate_every = 1000;
    struct replayed wanted = one_learner(12);
    learning.steps_per_step = 3;
    struct replayed three = one_learner(4);
    assert_same_parameters(&wanted, &three);
    learning.steps_per_step = 0.25;
    struct replayed quarter = one_learner(48), less = one_learner(47);
    assert_same_parameters(&wanted, &quarter);
    assert_other_parameters(&wanted, &less);
    ck_assert_double_eq(quarter.curve.tokens_trained, 48000);
    replayed_free(&quarter);
    replayed_free(&less);
    free_both(&wanted, &three);
}
END_TEST

START_TEST(a_lost_step_leaves_no_trace)
{
    struct pen pen = pen_create(1, 0);
    pen_step(&pen, 0, 0);
    pen_begin(&pen, 0, 1, 1);
    pen_write(&pen, TAPE_STEP_LOST, 0, 1);
    pen_step(&pen, 0, 1);
    struct replayed lost = play(&pen), plain = one_learner(2);
    assert_same_parameters(&lost, &plain);
    ck_assert_double_eq(lost.curve.tokens_trained, 2000);
    free_both(&lost, &plain);
}
END_TEST

/* What a gradient is of is what stands at the step's begin, and what it is taken from is what stands at its
 * end. */
START_TEST(a_gradient_is_of_the_parameters_at_the_begin)
{
    struct replayed replays[3];
    learning.inner.optimiser = INNER_SGD;
    learning.inner.momentum = learning.inner.weight_decay = 0;
    learning.inner.warm_up_steps = 0;
    learning.inner.rate = 0.5;
    learning.quadratic.condition = 1;
    learning.quadratic.noise = 0;
    rule.outer = OUTER_AVERAGE;
    for (int when = 0; when < 3; when++) { /* the merged model arrives before, in or after step 1 */
        struct pen pen = pen_create(1, 1);
        pen_step(&pen, 0, 0);
        pen_send(&pen, 0, 0, 1);
        pen_step(&pen, 0, 1);
        pen_merge(&pen, 0, 1, 0, 1, 1);
        if (when == 0)
            pen_apply(&pen, 0, 0, 1);
        pen_begin(&pen, 0, 2, 2);
        if (when == 1)
            pen_apply(&pen, 0, 0, 1);
        pen_end(&pen, 0, 3);
        if (when == 2)
            pen_apply(&pen, 0, 0, 1);
        pen_send(&pen, 0, 0, 3);
        pen_merge(&pen, 0, 3, 0, 1, 3);
        replays[when] = play(&pen);
    }
    /* With optimum x and rate 1/2 from 0: step 0 gives x/2, which is merged; step 1 gives 3x/4. From x/2 the
     * gradient is -x/2, from 3x/4 -x/4. */
    for (size_t i = 0; i < replays[0].count; i++) {
        double half = replays[2].parameters[i];
        ck_assert_double_eq_tol(replays[0].parameters[i], half + half / 2, 1e-12);
        ck_assert_double_eq_tol(replays[1].parameters[i], half + half / 4, 1e-12);
    }
    for (int when = 0; when < 3; when++)
        replayed_free(&replays[when]);
}
END_TEST

/* Lost slices make the batch smaller: with half the tokens, half the sequences. */
START_TEST(a_batch_is_as_large_as_its_tokens)
{
    struct pen pen = pen_create(1, 0);
    pen.tokens = 500;
    steps(&pen, 0, 0, 5);
    struct replayed half = play(&pen);
    learning.batch = 4;
    struct replayed small = one_learner(5);
    assert_same_parameters(&half, &small);
    ck_assert_double_eq(half.curve.tokens_trained, 2500);
    free_both(&half, &small);
}
END_TEST

START_TEST(evaluations_come_by_tokens)
{
    static const double wanted[] = {1, 5, 10, 15, 17};
    struct pen pen = pen_create(1, 0);
    for (int64_t k = 0; k < 17; k++) {
        pen.time = k * SIM_SECOND;
        pen_begin(&pen, 0, k, k);
        pen.time = (k + 1) * SIM_SECOND;
        pen_end(&pen, 0, k + 1);
    }
    struct replayed replayed = play(&pen);
    ck_assert_uint_eq(replayed.curve.count, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_double_eq(replayed.curve.points[i].steps, wanted[i]);
        ck_assert_double_eq(replayed.curve.points[i].tokens, 1000 * wanted[i]);
        ck_assert_int_eq(replayed.curve.points[i].time, (sim_time)wanted[i] * SIM_SECOND);
    }
    replayed_free(&replayed);
}
END_TEST

/* Shares of a third add up to whole steps but for rounding, which must not put evaluations off. */
START_TEST(rounding_puts_no_evaluation_off)
{
    struct pen pen = pen_create(3, 0);
    for (int64_t k = 0; k < 100; k++)
        for (int32_t i = 0; i < 3; i++)
            pen_step(&pen, i, k);
    learning.evaluate_every = 1;
    struct replayed replayed = play(&pen);
    ck_assert_uint_eq(replayed.curve.count, 1 + 100 + 1); /* after the first step of any, and at the end */
    for (size_t i = 1; i <= 100; i++)
        ck_assert_double_eq_tol(replayed.curve.points[i].steps, (double)i, 1e-9);
    replayed_free(&replayed);
}
END_TEST

START_TEST(no_records_are_a_curve_of_one_point)
{
    for (int32_t learners = 1; learners < 3; learners++) {
        struct pen pen = pen_create(learners, 0);
        struct replayed replayed = play(&pen);
        ck_assert_uint_eq(replayed.curve.count, 1);
        ck_assert_double_eq(replayed.curve.points[0].steps, 0);
        ck_assert_int_eq(replayed.curve.points[0].time, 0);
        ck_assert(isfinite(replayed.curve.points[0].loss));
        replayed_free(&replayed);
    }
}
END_TEST

/* Merges. */

/* A run that ended while its first drifts were under way has sent, and merged nothing. */
START_TEST(what_is_never_merged_is_pending)
{
    struct pen pen = pen_create(2, 0), none = pen_create(2, 0);
    steps(&pen, 0, 0, 3);
    pen_send(&pen, 0, TAPE_WHOLE, 1);
    steps(&pen, 1, 0, 1);
    struct replayed replayed = play(&pen), start = play(&none);
    ck_assert_double_eq(replayed.curve.tokens_pending, 4 * 500);
    assert_same_parameters(&replayed, &start); /* of the syncer */
    free_both(&replayed, &start);
}
END_TEST

/* Too late, or from the lost: it goes nowhere, and is counted. */
START_TEST(what_comes_too_late_is_lost)
{
    struct pen pen = pen_create(3, 2);
    for (int32_t i = 0; i < 3; i++) {
        steps(&pen, i, 0, 2);
        pen_send(&pen, i, 0, 2);
    }
    pen_merge(&pen, 0, 2, 0, 1, 2);
    pen_write(&pen, TAPE_LOST, 2, 2);
    struct replayed replayed = play(&pen);
    double tokens = 2 * 1000 / 3.0;
    ck_assert_double_eq_tol(replayed.curve.tokens_trained, 3 * tokens, 1e-9);
    ck_assert_double_eq_tol(replayed.curve.tokens_merged, tokens / 2, 1e-9);
    ck_assert_double_eq_tol(replayed.curve.tokens_lost, 2 * tokens / 2 + tokens / 2, 1e-9);
    ck_assert_double_eq_tol(replayed.curve.tokens_pending, 2 * tokens / 2, 1e-9);
    const struct curve_point *last = &replayed.curve.points[replayed.curve.count - 1];
    ck_assert_double_eq_tol(last->tokens, 3 * tokens - 3 * tokens / 2, 1e-9);
    replayed_free(&replayed);
}
END_TEST

/* Weights count, not their sum. */
START_TEST(a_merge_weighs_its_participants)
{
    struct replayed replays[3];
    for (int which = 0; which < 3; which++) {
        struct pen pen = pen_create(2, 0);
        struct tape_record record = pen_record(&pen, TAPE_MERGE, TAPE_SYNCER, 1);
        struct tape_part parts[] = {{0, which ? 6 : 1, 1}, {1, which ? 2 : 1, 1}};
        for (int32_t i = 0; i < 2; i++) {
            pen_step(&pen, i, 0);
            pen_send(&pen, i, TAPE_WHOLE, 1);
        }
        parts[0].weight /= which == 2 ? 4 : 1;
        parts[1].weight /= which == 2 ? 4 : 1;
        tape_write_merge(pen.writer, record, parts, 2);
        replays[which] = play(&pen);
    }
    assert_same_parameters(&replays[1], &replays[2]);
    assert_other_parameters(&replays[0], &replays[1]);
    for (int which = 0; which < 3; which++)
        replayed_free(&replays[which]);
}
END_TEST

/* Snapshots. */

static void two_rounds(struct pen *pen, int64_t first)
{
    for (int64_t t = first; t < first + 2; t++)
        for (int32_t i = 0; i < 2; i++) {
            pen_step(pen, i, t);
            if (i == 0)
                continue;
            pen_send(pen, 0, 0, t + 1);
            pen_send(pen, 1, 0, t + 1);
            pen_merge(pen, 0, t + 1, 0, 2, t + 1);
            pen_apply(pen, 0, 0, t + 1);
            pen_apply(pen, 1, 0, t + 1);
        }
}

START_TEST(a_rollback_returns_to_the_snapshot)
{
    struct pen plain = pen_create(1, 0), back = pen_create(1, 0);
    steps(&plain, 0, 0, 8);
    steps(&back, 0, 0, 3);
    pen_write(&back, TAPE_SNAPSHOT, 0, 3);
    steps(&back, 0, 3, 4);
    pen_begin(&back, 0, 7, 7);
    pen_write(&back, TAPE_ROLLBACK, 0, 3);
    steps(&back, 0, 3, 2);
    pen_write(&back, TAPE_ROLLBACK, 0, 3); /* it is there still */
    steps(&back, 0, 3, 5);
    struct replayed wanted = play(&plain), got = play(&back);
    assert_same_parameters(&wanted, &got);
    ck_assert_double_eq(got.curve.tokens_trained, 14000);
    ck_assert_double_eq(got.curve.tokens_lost, 6000);
    ck_assert_double_eq(got.curve.tokens_merged, 8000);
    ck_assert_double_eq(got.curve.points[got.curve.count - 1].steps, 8);
    free_both(&wanted, &got);
}
END_TEST

/* Snapshots of 2, 4 and 6 steps: back to 6, to 4 and at last to 2, which all have to be there still. */
START_TEST(older_snapshots_are_there_still)
{
    struct pen plain = pen_create(1, 0), back = pen_create(1, 0);
    steps(&plain, 0, 0, 5);
    for (int64_t clock = 0; clock < 6; clock += 2) {
        steps(&back, 0, clock, 2);
        pen_write(&back, TAPE_SNAPSHOT, 0, clock + 2);
    }
    for (int64_t clock = 6; clock > 0; clock -= 2) {
        steps(&back, 0, clock, 3);
        pen_write(&back, TAPE_ROLLBACK, 0, clock);
        if (clock > 2)
            pen_write(&back, TAPE_ROLLBACK, 0, clock - 2);
    }
    steps(&back, 0, 2, 3);
    struct replayed wanted = play(&plain), got = play(&back);
    assert_same_parameters(&wanted, &got);
    ck_assert_double_eq(got.curve.tokens_merged, 5000);
    ck_assert_double_eq(got.curve.tokens_lost, 13000);
    free_both(&wanted, &got);
}
END_TEST

START_TEST(the_start_is_a_snapshot)
{
    struct pen pen = pen_create(1, 0);
    steps(&pen, 0, 0, 3);
    pen_write(&pen, TAPE_ROLLBACK, 0, 0);
    steps(&pen, 0, 0, 2);
    struct replayed wanted = one_learner(2), got = play(&pen);
    assert_same_parameters(&wanted, &got);
    free_both(&wanted, &got);
}
END_TEST

/* Everybody goes back: learners, syncer, outer optimiser. */
START_TEST(a_rollback_of_all_undoes_all)
{
    struct pen plain = pen_create(2, 1), back = pen_create(2, 1);
    two_rounds(&plain, 0);
    two_rounds(&plain, 2);
    two_rounds(&back, 0);
    for (int32_t actor = -1; actor < 2; actor++)
        pen_write(&back, TAPE_SNAPSHOT, actor, 2);
    two_rounds(&back, 2);
    for (int32_t actor = -1; actor < 2; actor++)
        pen_write(&back, TAPE_ROLLBACK, actor, 2);
    two_rounds(&back, 2);
    struct replayed wanted = play(&plain), got = play(&back);
    assert_same_parameters(&wanted, &got);
    ck_assert_double_eq(got.curve.tokens_trained, 6000);
    ck_assert_double_eq(got.curve.tokens_merged, 4000);
    ck_assert_double_eq(got.curve.tokens_lost, 2000);
    free_both(&wanted, &got);
}
END_TEST

/* What was sent since the snapshot is not sent again by who goes back to it. */
START_TEST(tokens_are_sent_once)
{
    struct pen pen = pen_create(2, 1);
    steps(&pen, 0, 0, 2);
    pen_write(&pen, TAPE_SNAPSHOT, 0, 2);
    steps(&pen, 0, 2, 1);
    pen_send(&pen, 0, 0, 3);
    pen_write(&pen, TAPE_ROLLBACK, 0, 2);
    pen_merge(&pen, 0, 3, 0, 1, 3);
    struct replayed replayed = play(&pen);
    ck_assert_double_eq(replayed.curve.tokens_merged, 1500);
    ck_assert_double_eq(replayed.curve.tokens_lost, 0);
    ck_assert_double_eq(replayed.curve.tokens_pending, 0);
    replayed_free(&replayed);
}
END_TEST

/* Copies. */

/* All learners have the same gradients, so that one goes on as another would. */
static void without_noise(void)
{
    learning.quadratic.noise = 0;
    learning.inner.warm_up_steps = 3;
}

/* Learner 0 does 6 steps and sends; or learner 1 takes over from it after 4, having been elsewhere, and does
 * the rest. */
static struct replayed with_copy(bool copied, bool in_step)
{
    struct pen pen = pen_create(2, 1);
    steps(&pen, 0, 0, 4);
    if (!copied) {
        steps(&pen, 0, 4, 2);
        pen_send(&pen, 0, 0, 6);
        pen_merge(&pen, 0, 6, 0, 1, 6);
        return play(&pen);
    }
    steps(&pen, 1, 0, 1);
    pen_write(&pen, TAPE_LOST, 1, 1);
    if (in_step)
        pen_begin(&pen, 0, 4, 4);
    pen_copy(&pen, 1, 0, 4);
    steps(&pen, 1, 4, 2);
    pen_send(&pen, 1, 0, 6);
    pen_merge(&pen, 0, 6, 1, 1, 6);
    return play(&pen);
}

START_TEST(a_copy_is_a_peer_s_parameters_and_optimiser)
{
    without_noise();
    struct replayed wanted = with_copy(false, false), got = with_copy(true, false);
    struct replayed in_step = with_copy(true, true);
    assert_same_parameters(&wanted, &got);
    assert_same_parameters(&wanted, &in_step);
    ck_assert_double_eq(got.curve.tokens_lost, 500);
    ck_assert_double_eq(got.curve.tokens_merged, 1000);
    ck_assert_double_eq(got.curve.tokens_pending, 2000);
    replayed_free(&in_step);
    free_both(&wanted, &got);
}
END_TEST

/* Learner 1, lost after COUNT steps, begins where learner 0 did. Its schedule goes on. */
START_TEST(a_copy_of_the_syncer_has_a_fresh_optimiser)
{
    without_noise();
    struct replayed replays[2];
    for (int copied = 0; copied < 2; copied++) {
        struct pen pen = pen_create(2, 1);
        if (copied) {
            steps(&pen, 1, 0, 7);
            pen_write(&pen, TAPE_LOST, 1, 7);
            pen_copy(&pen, 1, TAPE_SYNCER, 0);
        } else {
            learning.inner.warm_up_steps = 0;
        }
        steps(&pen, copied, 0, 4);
        pen_send(&pen, copied, 0, 4);
        pen_merge(&pen, 0, 4, copied, 1, 4);
        replays[copied] = play(&pen);
    }
    assert_same_parameters(&replays[0], &replays[1]);
    free_both(&replays[0], &replays[1]);
}
END_TEST

/* What learner 0's first message left out is forgotten by WHAT follows it; then it sends another. */
enum forgetting { NOTHING_FORGETS, RESET_FORGETS, COPY_FORGETS, SYNCER_COPY_FORGETS, ROLLBACK_FORGETS };

static struct replayed with_feedback(enum forgetting what, bool error_feedback)
{
    struct pen pen = pen_create(2, 1);
    learning.quadratic.dimension = 200; /* tensors of many numbers, which 4 bits can't all name */
    rule.compression = COMPRESSION_LINEAR;
    rule.error_feedback = error_feedback;
    for (int32_t i = 0; i < 2; i++) {
        steps(&pen, i, 0, 3);
        pen_send(&pen, i, 0, 3);
    }
    pen_merge(&pen, 0, 3, 0, 2, 3);
    if (what == RESET_FORGETS)
        pen_write(&pen, TAPE_RESET, 0, 3);
    else if (what == ROLLBACK_FORGETS)
        pen_write(&pen, TAPE_ROLLBACK, 0, 0);
    else if (what != NOTHING_FORGETS)
        pen_copy(&pen, 0, what == COPY_FORGETS ? 1 : TAPE_SYNCER, 3);
    steps(&pen, 0, 3, 3);
    pen_send(&pen, 0, 0, 6);
    pen_merge(&pen, 0, 6, 0, 1, 6);
    return play(&pen);
}

START_TEST(feedback_is_kept_until_it_is_forgotten)
{
    struct replayed kept = with_feedback((enum forgetting)_i, true);
    struct replayed none = with_feedback((enum forgetting)_i, false);
    if (_i == NOTHING_FORGETS)
        assert_other_parameters(&kept, &none);
    else
        assert_same_parameters(&kept, &none);
    free_both(&kept, &none);
}
END_TEST

/* Gossip. */

static void in_rounds(struct pen *pen, int32_t learners, int64_t first, int64_t count)
{
    for (int64_t k = first; k < first + count; k++) {
        for (int32_t i = 0; i < learners; i++) {
            pen_step(pen, i, k);
            pen_write(pen, TAPE_ROUND, i, k + 1);
        }
        for (int32_t i = 0; i + 1 < learners; i += 2)
            pen_mix(pen, i, i + 1, 1);
        for (int32_t i = 0; i < learners; i++)
            pen_write(pen, TAPE_ROUND_END, i, k + 1);
    }
}

/* Pairs that average are one model; the lost are not asked. */
START_TEST(the_lost_have_no_say)
{
    struct pen pair = pen_create(4, 0), all = pen_create(4, 0);
    in_rounds(&pair, 2, 0, 4);
    in_rounds(&all, 2, 0, 4);
    for (int32_t i = 2; i < 4; i++) {
        pen_step(&all, i, 0);
        pen_write(&all, TAPE_ROUND, i, 1);
        pen_write(&all, TAPE_LOST, i, 1);
        pen_write(&pair, TAPE_LOST, i, 0);
    }
    struct replayed one = play(&pair), other = play(&all);
    assert_same_parameters(&one, &other);
    ck_assert_double_eq(other.curve.tokens_lost, 500);
    free_both(&one, &other);
}
END_TEST

/* Taken over between rounds or in the middle of one, after its mixing: the copy goes on as the donor does. */
START_TEST(a_copy_in_a_round_has_what_is_mixed_by_then)
{
    static const int64_t algorithms[] = {MIXING_GASLOC, MIXING_GASLOC_LITERAL, MIXING_NOLOCO, MIXING_D_PSGD,
                                         MIXING_AD_PSGD};
    without_noise();
    rule.algorithm = algorithms[_i];
    struct replayed replays[2];
    for (int early = 0; early < 2; early++) {
        struct pen pen = pen_create(3, 0);
        pen_write(&pen, TAPE_LOST, 2, 0);
        in_rounds(&pen, 2, 0, 3);
        for (int32_t i = 0; i < 2; i++) {
            pen_step(&pen, i, 3);
            pen_write(&pen, TAPE_ROUND, i, 4);
        }
        pen_mix(&pen, 0, 1, 1);
        if (early)
            pen_copy(&pen, 2, 0, 4);
        for (int32_t i = 0; i < 2; i++)
            pen_write(&pen, TAPE_ROUND_END, i, 4);
        if (!early)
            pen_copy(&pen, 2, 0, 4);
        pen_step(&pen, 2, 4);
        pen_write(&pen, TAPE_ROUND, 2, 5);
        pen_write(&pen, TAPE_ROUND_END, 2, 5);
        replays[early] = play(&pen);
    }
    assert_same_parameters(&replays[0], &replays[1]);
    free_both(&replays[0], &replays[1]);
}
END_TEST

/* With nobody left, a learner begins at what all had, without momentum: a round without steps, in which a
 * momentum would move it, leaves it there. */
START_TEST(gossip_begins_anew)
{
    static const int64_t algorithms[] = {MIXING_GASLOC, MIXING_GASLOC_LITERAL, MIXING_NOLOCO, MIXING_D_PSGD,
                                         MIXING_AD_PSGD};
    without_noise();
    rule.algorithm = algorithms[_i];
    struct pen pen = pen_create(2, 0), still = pen_create(2, 0), start = pen_create(2, 0);
    in_rounds(&still, 2, 0, 3);
    in_rounds(&pen, 2, 0, 3);
    for (int32_t i = 0; i < 2; i++)
        pen_write(&pen, TAPE_LOST, i, 0);
    for (int32_t i = 0; i < 2; i++)
        pen_copy(&pen, i, TAPE_SYNCER, 0);
    for (int32_t i = 0; i < 2; i++)
        pen_write(&pen, TAPE_ROUND, i, 4);
    pen_mix(&pen, 0, 1, 1);
    for (int32_t i = 0; i < 2; i++)
        pen_write(&pen, TAPE_ROUND_END, i, 4);
    struct replayed got = play(&pen), wanted = play(&still), begin = play(&start);
    assert_same_parameters(&got, &wanted);
    assert_other_parameters(&got, &begin);
    replayed_free(&begin);
    free_both(&got, &wanted);
}
END_TEST

/* Where nobody has come to a round yet, the model is what the learners have in the mean all the same. */
START_TEST(gossip_before_the_first_round)
{
    without_noise();
    rule.gossips = true;
    struct pen pen = pen_create(2, 0);
    for (int32_t i = 0; i < 2; i++)
        steps(&pen, i, 0, 4);
    struct replayed got = play(&pen);
    rule.gossips = false;
    learning.batch /= 2; /* as many sequences as each of them had */
    struct replayed wanted = one_learner(4);
    assert_same_parameters(&got, &wanted);
    ck_assert_double_eq(got.curve.tokens_pending, 4000);
    ck_assert_double_eq(got.curve.tokens_merged, 0);
    free_both(&got, &wanted);
}
END_TEST

/* A learner in the middle of a step mixes with another: as for what is applied within a step, the gradient is
 * that of the step's begin. */
START_TEST(a_gradient_is_of_what_stood_before_the_mixing)
{
    learning.inner.optimiser = INNER_SGD;
    learning.inner.momentum = learning.inner.weight_decay = 0;
    learning.inner.warm_up_steps = 0;
    learning.inner.rate = 0.5;
    learning.quadratic.condition = 1;
    learning.quadratic.noise = 0;
    rule.algorithm = MIXING_AD_PSGD;
    struct pen pen = pen_create(2, 0);
    pen_step(&pen, 1, 0);
    pen_begin(&pen, 0, 0, 0);
    for (int32_t i = 0; i < 2; i++)
        pen_write(&pen, TAPE_ROUND, i, 1);
    pen_mix(&pen, 0, 1, 1);
    for (int32_t i = 0; i < 2; i++)
        pen_write(&pen, TAPE_ROUND_END, i, 1);
    pen_end(&pen, 0, 1);
    /* With optimum x and rate 1/2 from 0: learner 1 is at x/2, both at x/4 after the mixing. Learner 0 then
     * takes its gradient at 0, -x, and comes to 3x/4; the mean is x/2. At x/4 it would have been -3x/4. */
    struct replayed got = play(&pen), wanted = one_learner(1);
    for (size_t i = 0; i < wanted.count; i++)
        ck_assert_double_eq_tol(got.parameters[i], wanted.parameters[i], 1e-12);
    free_both(&got, &wanted);
}
END_TEST

/* Any run. */

static double step_tokens(const struct tape *tape)
{
    double tokens = 0;
    for (size_t i = 0; i < tape->count; i++)
        if (tape->records[i].kind == TAPE_STEP_END)
            tokens += tape->records[i].tokens;
    return tokens;
}

/* Tokens are conserved, and those that the curve ends with are those that the simulation counted, but for the
 * steps that the end cut. What DiLoCo's lost had sent is pending until the merge that leaves it out. */
static void assert_tokens(const struct fixture *fixture, uint64_t seed)
{
    struct run_result result;
    struct tape *tape = replayed_tape(fixture, seed, &result);
    struct replay_request request = replayed_request(&learning, &rule, tape);
    struct replayed replayed = replayed_whole(&request);
    const struct curve *curve = &replayed.curve;
    replayed_assert_conserved(&replayed);
    ck_assert(!curve->diverged);
    ck_assert_double_eq_tol(curve->tokens_trained, step_tokens(tape), 1e-9 * curve->tokens_trained + 1e-300);
    double kept = curve->points[curve->count - 1].tokens, counted = result.metrics[METRIC_TOKENS];
    double slack = 1e-9 * curve->tokens_trained;
    double known = kept - (fixture->kind == STRATEGY_DILOCO ? curve->tokens_pending : 0);
    ck_assert_msg(known <= counted + slack && counted <= kept + tape->full_tokens + slack,
                  "seed %d, kind %d: the curve ends with %.17g tokens, the run with %.17g; a step has %.17g",
                  (int)seed, (int)fixture->kind, kept, counted, tape->full_tokens);
    replayed_free(&replayed);
    tape_destroy(tape);
}

START_TEST(tokens_are_conserved_in_any_run)
{
    learning = replayed_quadratic((enum learning_precision)_i);
    learning.batch = 1;
    learning.evaluate_every = 1000;
    for (uint64_t i = (uint64_t)_i; i < RANDOM_RUNS; i += PRECISIONS) {
        struct fixture fixture = random_run(i);
        fixture.config.warm_up = 0;
        assert_tokens(&fixture, i);
    }
}
END_TEST

/* Tapes that were meddled with: what the check lets pass, the replay can play. */

static void swap_records(struct tape_record *a, struct tape_record *b)
{
    struct tape_record record = *a;
    *a = *b;
    *b = record;
}

/* Changes one thing about one record, or where it stands. */
static void meddle(struct sim_stream *stream, struct tape *tape)
{
    size_t at = sim_stream_below(stream, tape->count), other = sim_stream_below(stream, tape->count);
    int64_t by = (int64_t)sim_stream_below(stream, 5) - 2;
    struct tape_record *record = &tape->records[at];
    switch (sim_stream_below(stream, 10)) {
    case 0:
        record->kind = (uint8_t)sim_stream_below(stream, TAPE_KINDS);
        break;
    case 1:
        record->actor += (int32_t)by;
        break;
    case 2:
        record->peer += (int32_t)by;
        break;
    case 3:
        record->fragment += (int32_t)by;
        break;
    case 4:
        record->clock += by;
        break;
    case 5:
        record->position += by;
        break;
    case 6:
        record->tokens *= sim_stream_uniform(stream);
        break;
    case 7:
        record->weight += (double)by;
        break;
    case 8:
        memmove(record, record + 1, (--tape->count - at) * sizeof *record);
        break;
    default:
        swap_records(record, &tape->records[other]);
    }
}

static struct tape *copy_of(const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    void *bytes;
    size_t length;
    ck_assert_msg(tape_encode(tape, &bytes, &length, &error), "%s", error.message);
    struct tape *copy = tape_decode(bytes, length, &error);
    free(bytes);
    return copy;
}

START_TEST(what_the_check_lets_pass_can_be_replayed)
{
    struct fixture fixture = replayed_troubled(_i);
    fixture.config.duration = 200 * SIM_SECOND;
    struct run_result result;
    struct tape *tape = replayed_tape(&fixture, 2, &result);
    struct sim_stream stream;
    size_t passed = 0;
    learning.batch = 1;
    learning.evaluate_every = 1000;
    rule.error_feedback = true;
    sim_stream_open(&stream, 1, (uint32_t)_i, 1, 0);
    for (int i = 0; i < MEDDLED; i++) {
        struct tape *meddled = copy_of(tape);
        for (uint64_t k = sim_stream_below(&stream, 3); k < 3; k++)
            meddle(&stream, meddled);
        for (size_t k = 0; k < meddled->count; k++)
            meddled->records[k].time = 0;
        if (tape_check(meddled, NULL)) {
            struct replayed replayed = play_tape(meddled);
            replayed_free(&replayed);
            passed++;
        } else {
            tape_destroy(meddled);
        }
    }
    ck_assert_uint_gt(passed, MEDDLED / 20);
    tape_destroy(tape);
}
END_TEST

/* Divergence is a result. */

START_TEST(divergence_is_a_result)
{
    static const int64_t optimisers[] = {INNER_ADAMW, INNER_SGD, INNER_MUON};
    int64_t kind = _i / 6;
    learning = replayed_transformer((enum learning_precision)(_i % 2));
    learning.inner.optimiser = optimisers[_i / 2 % 3];
    learning.inner.rate = 1e3;
    learning.inner.warm_up_steps = 0;
    learning.inner.weight_decay = 1;
    struct fixture fixture = replayed_troubled(kind);
    fixture.config.duration *= learning.precision == LEARNING_DOUBLE_PRECISION ? 2 : 1;
    struct run_result result;
    struct replayed replayed = play_tape(replayed_tape(&fixture, 1, &result));
    const struct curve *curve = &replayed.curve;
    ck_assert(curve->diverged && curve->count > 0);
    ck_assert(!isfinite(curve->points[curve->count - 1].loss));
    for (size_t i = 0; i + 1 < curve->count; i++)
        ck_assert(isfinite(curve->points[i].loss));
    replayed_free(&replayed);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("replay");
    TCase *breaks = tcase_create("breaking off");
    tcase_add_loop_test(breaks, a_replay_may_be_broken_off_anywhere, 0, STRATEGY_TRAINING_KINDS * PRECISIONS);
    tcase_add_test(breaks, snapshots_survive_a_break);
    tcase_add_test(breaks, a_state_of_something_else_is_refused);
    tcase_add_test(breaks, a_stop_is_heeded);
    TCase *stepping = tcase_create("steps");
    tcase_add_test(stepping, several_inner_steps_a_step);
    tcase_add_test(stepping, a_lost_step_leaves_no_trace);
    tcase_add_test(stepping, a_gradient_is_of_the_parameters_at_the_begin);
    tcase_add_test(stepping, a_batch_is_as_large_as_its_tokens);
    tcase_add_test(stepping, evaluations_come_by_tokens);
    tcase_add_test(stepping, rounding_puts_no_evaluation_off);
    tcase_add_test(stepping, no_records_are_a_curve_of_one_point);
    TCase *merges = tcase_create("merges");
    tcase_add_test(merges, what_is_never_merged_is_pending);
    tcase_add_test(merges, what_comes_too_late_is_lost);
    tcase_add_test(merges, a_merge_weighs_its_participants);
    TCase *states = tcase_create("snapshots and copies");
    tcase_add_test(states, a_rollback_returns_to_the_snapshot);
    tcase_add_test(states, older_snapshots_are_there_still);
    tcase_add_test(states, the_start_is_a_snapshot);
    tcase_add_test(states, a_rollback_of_all_undoes_all);
    tcase_add_test(states, tokens_are_sent_once);
    tcase_add_test(states, a_copy_is_a_peer_s_parameters_and_optimiser);
    tcase_add_test(states, a_copy_of_the_syncer_has_a_fresh_optimiser);
    tcase_add_loop_test(states, feedback_is_kept_until_it_is_forgotten, NOTHING_FORGETS,
                        ROLLBACK_FORGETS + 1);
    TCase *gossip = tcase_create("gossip");
    tcase_add_test(gossip, the_lost_have_no_say);
    tcase_add_loop_test(gossip, a_copy_in_a_round_has_what_is_mixed_by_then, 0, 5);
    tcase_add_loop_test(gossip, gossip_begins_anew, 0, 5);
    tcase_add_test(gossip, gossip_before_the_first_round);
    tcase_add_test(gossip, a_gradient_is_of_what_stood_before_the_mixing);
    TCase *runs = tcase_create("any run");
    tcase_add_loop_test(runs, tokens_are_conserved_in_any_run, 0, PRECISIONS);
    tcase_add_loop_test(runs, what_the_check_lets_pass_can_be_replayed, 0, STRATEGY_TRAINING_KINDS);
    tcase_add_loop_test(runs, divergence_is_a_result, 0, STRATEGY_TRAINING_KINDS * 6);
    TCase *cases[] = {breaks, stepping, merges, states, gossip, runs};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tcase_add_checked_fixture(cases[i], set_up, NULL);
        suite_add_tcase(suite, cases[i]);
    }
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(make_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
