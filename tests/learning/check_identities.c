/*
 * Strategies that are one another where their options say so, through the whole path: a scenario's text, the
 * simulation, its tape as the database keeps it, the replay.
 *
 * Steps last a second and the network takes next to nothing; nothing fails, so that a run is so many steps.
 */
#include "scenarios/scenario.h"
#include "tests/learning/replayed.h"
#include "tests/tape/tapes.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, H = 5 };

static const char *const precisions[] = {"single", "double"};
enum { PRECISIONS = 2 };

/* What the paths of a test differ in, and what they share. */
struct path {
    const char *model; /* lines of section learning */
    const char *precision;
    int steps;
    const char *strategy; /* one in braces, without a name */
};

static const char transformer[] = "model: transformer, transformer: {layers: 1, width: 16, heads: 2, "
                                  "context: 16}, data: {symbols: 16, order: 1}";
static const char quadratic[] = "model: quadratic, quadratic: {dimension: 40, noise: 0.5}";

static struct scenario *scenario_of(const struct path *path)
{
    struct error error = {.kind = ERROR_NONE};
    char *text = NULL, name[] = "identity";
    ck_assert_int_gt(asprintf(&text,
                              "name: identity\n"
                              "duration: %d.5 s\n"
                              "workload: {parameters: 1e6, tokens_per_step: 4096, step_time: 1 s}\n"
                              "cluster: {chips: 12, chips_per_slice: 1}\n"
                              "failures: {enabled: false}\n"
                              "network: {wan: {bandwidth: 1e6 Gbit/s, latency: 0 s}}\n"
                              "learning: {batch: 12, precision: %s, evaluate_every: 40, "
                              "evaluate_sequences: 16, %s}\n"
                              "strategies:\n"
                              "  - {name: it, %s}\n",
                              path->steps, path->precision, path->model, path->strategy),
                     0);
    struct scenario_text file = {.name = name, .bytes = text, .length = strlen(text)};
    struct scenario *scenario = scenario_create(&file, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    free(text);
    return scenario;
}

static struct tape *simulated(const struct scenario *scenario)
{
    struct error error = {.kind = ERROR_NONE};
    struct simulation_fault fault;
    struct run_result result;
    struct tape *tape = NULL;
    ck_assert_msg(simulation_check(&scenario->simulation, &scenario->strategies[0], &fault), "%s",
                  fault.message);
    ck_assert_msg(simulation_run(&scenario->simulation, &scenario->strategies[0], scenario->seed, 0, NULL,
                                 &result, &tape, &error),
                  "%s", error.message);
    return tape;
}

/* The tape as it comes out of the database. */
static struct tape *stored(struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    void *bytes;
    size_t length;
    ck_assert_msg(tape_encode(tape, &bytes, &length, &error), "%s", error.message);
    tape_destroy(tape);
    tape = tape_decode(bytes, length, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    free(bytes);
    return tape;
}

static int64_t steps_of(const struct tape *tape, int32_t learner)
{
    int64_t steps = 0;
    for (size_t i = 0; i < tape->count; i++)
        steps += tape->records[i].kind == TAPE_STEP_END && tape->records[i].actor == learner;
    return steps;
}

static struct replayed follow(struct path path)
{
    struct scenario *scenario = scenario_of(&path);
    struct tape *tape = stored(simulated(scenario));
    struct learning_rule rule = strategy_rule(&scenario->strategies[0]);
    for (int32_t i = 0; i < tape->learners; i++)
        ck_assert_int_eq(steps_of(tape, i), path.steps);
    struct replay_request request = replayed_request(&scenario->learning, &rule, tape);
    struct replayed replayed = replayed_whole(&request);
    ck_assert(!replayed.curve.diverged);
    replayed_assert_conserved(&replayed);
    tape_destroy(tape);
    scenario_destroy(scenario);
    return replayed;
}

static double final_loss(const struct replayed *replayed)
{
    return replayed->curve.points[replayed->curve.count - 1].loss;
}

/* Whether there is something to be told apart: the loss has moved. */
static void assert_learned(const struct replayed *replayed)
{
    double first = replayed->curve.points[0].loss, last = final_loss(replayed);
    ck_assert_msg(last < 0.98 * first, "the loss went from %g to %g", first, last);
}

/* Two strategies that are one, on the same model. */
struct pair {
    const char *one, *other;
    const char *inner; /* the inner optimiser */
};

static struct replayed follow_one(const char *strategy, const char *model, const char *inner,
                                  const char *precision, int steps)
{
    char *section = NULL;
    ck_assert_int_gt(asprintf(&section, "%s, inner: {%s}", model, inner), 0);
    struct replayed replayed =
        follow((struct path){.model = section, .precision = precision, .steps = steps, .strategy = strategy});
    free(section);
    return replayed;
}

/* Same bits: parameters, and losses at the same tokens. Times differ by what the network takes. */
static void assert_same_bits(const struct pair *pair, const char *model, const char *precision)
{
    struct replayed one = follow_one(pair->one, model, pair->inner, precision, STEPS);
    struct replayed other = follow_one(pair->other, model, pair->inner, precision, STEPS);
    assert_learned(&one);
    ck_assert_uint_eq(one.curve.count, other.curve.count);
    for (size_t i = 0; i < one.curve.count; i++) {
        ck_assert_double_eq(one.curve.points[i].tokens, other.curve.points[i].tokens);
        ck_assert_msg(one.curve.points[i].loss == other.curve.points[i].loss, "loss %.17g and %.17g",
                      one.curve.points[i].loss, other.curve.points[i].loss);
    }
    ck_assert_uint_eq(one.count, other.count);
    ck_assert_mem_eq(one.parameters, other.parameters, one.count * sizeof *one.parameters);
    replayed_free(&one);
    replayed_free(&other);
}

static void assert_loss_within(const struct replayed *one, const struct replayed *other, double relative)
{
    double difference = fabs(final_loss(one) - final_loss(other)) / fabs(final_loss(other));
    ck_assert_msg(difference <= relative, "loss %.17g and %.17g: %.3g apart", final_loss(one),
                  final_loss(other), difference);
}

static double furthest(const struct replayed *one, const struct replayed *other)
{
    double distance = 0;
    ck_assert_uint_eq(one->count, other->count);
    for (size_t i = 0; i < one->count; i++)
        distance = fmax(distance, fabs(one->parameters[i] - other->parameters[i]));
    return distance;
}

/* To rounding: after 200 steps the loss is within 1e-3 in single and 1e-11 in double precision; after the
 * first synchronisation, FIRST steps on, parameters are within 1e-5. */
static void assert_to_rounding(const struct pair *pair, const char *model, int precision, int first)
{
    struct replayed one = follow_one(pair->one, model, pair->inner, precisions[precision], STEPS);
    struct replayed other = follow_one(pair->other, model, pair->inner, precisions[precision], STEPS);
    assert_learned(&one);
    assert_loss_within(&one, &other, precision == 0 ? 1e-3 : 1e-11);
    replayed_free(&one);
    replayed_free(&other);
    one = follow_one(pair->one, model, pair->inner, precisions[precision], first);
    other = follow_one(pair->other, model, pair->inner, precisions[precision], first);
    double distance = furthest(&one, &other);
    ck_assert_msg(distance <= (precision == 0 ? 1e-5 : 1e-13), "parameters are %.3g apart", distance);
    replayed_free(&one);
    replayed_free(&other);
}

#define ADAMW "optimizer: adamw, warm_up_steps: 10"
#define SGD "optimizer: sgd, rate: 0.1, warm_up_steps: 10, weight_decay: 0.01"
#define MUON "optimizer: muon, rate: 0.01, warm_up_steps: 10"

/* θ − (θ − θ_i) is θ_i but for rounding. */
START_TEST(one_replica_in_step_is_the_inner_optimiser)
{
    static const struct pair pairs[] = {
        {"kind: all-reduce", "kind: diloco, learners: 1, inner_steps: 1, outer_rate: 1, outer_momentum: 0",
         ADAMW},
        {"kind: all-reduce", "kind: diloco, learners: 1, inner_steps: 1, outer_optimiser: average", SGD},
        {"kind: all-reduce",
         "kind: streaming-diloco, learners: 1, inner_steps: 1, fragments: 1, overlap: 0, blend: 0, "
         "outer_rate: 1, outer_momentum: 0",
         MUON},
        {"kind: all-reduce",
         "kind: decoupled-diloco, learners: 1, inner_steps: 1, fragments: 1, overlap: 0, merge: mean, "
         "outer_rate: 1, outer_momentum: 0",
         ADAMW},
    };
    assert_to_rounding(&pairs[_i / 2], transformer, _i % 2, 1);
}
END_TEST

/* The learners share out the batch. */
START_TEST(all_reduce_is_one_learner_with_the_whole_batch)
{
    static const char *const others[] = {
        "kind: diloco, learners: 4, inner_steps: 1, outer_optimiser: average",
        "kind: diloco, learners: 3, inner_steps: 1, outer_rate: 1, outer_momentum: 0",
        "kind: streaming-diloco, learners: 6, inner_steps: 1, fragments: 1, overlap: 0, blend: 0, "
        "outer_optimiser: average",
        "kind: decoupled-diloco, learners: 4, quorum: 4, inner_steps: 1, fragments: 1, overlap: 0, "
        "merge: mean, outer_optimiser: average",
        "kind: gossip, learners: 4, inner_steps: 1, topology: complete, outer_rate: 1, outer_momentum: 0",
    };
    struct pair pair = {"kind: all-reduce", others[_i / 2], SGD};
    if (strstr(pair.other, "gossip")) /* whose learners have no momentum in common */
        pair.inner = SGD ", momentum: 0";
    assert_to_rounding(&pair, transformer, _i % 2, 1);
}
END_TEST

#define DILOCO "kind: diloco, learners: 4, inner_steps: 5"

START_TEST(decoupled_with_all_learners_is_diloco)
{
    static const char *const graces[] = {"0", "1"};
    char *decoupled = NULL;
    ck_assert_int_gt(asprintf(&decoupled,
                              "kind: decoupled-diloco, learners: 4, quorum: 4, inner_steps: %d, "
                              "fragments: 1, overlap: 0, grace: %s, merge: mean, weighting: equal",
                              H, graces[_i / 2]),
                     0);
    struct pair pair = {DILOCO, decoupled, _i / 2 ? MUON : ADAMW};
    assert_same_bits(&pair, transformer, precisions[_i % 2]);
    free(decoupled);
}
END_TEST

/* Weights by tokens are all alike where learners are. */
START_TEST(equal_learners_weigh_alike)
{
    struct pair pair = {DILOCO,
                        "kind: decoupled-diloco, learners: 4, quorum: 4, inner_steps: 5, fragments: 1, "
                        "overlap: 0, merge: mean",
                        ADAMW};
    assert_same_bits(&pair, transformer, precisions[_i]);
}
END_TEST

START_TEST(streaming_of_one_fragment_is_diloco)
{
    struct pair pair = {DILOCO,
                        "kind: streaming-diloco, learners: 4, inner_steps: 5, fragments: 1, overlap: 0, "
                        "blend: 0",
                        ADAMW};
    assert_same_bits(&pair, transformer, precisions[_i]);
}
END_TEST

/* Streamed fragments are merged as the decoupled syncer's are, with all learners at the same steps; what
 * overlaps takes effect as many steps later. */
START_TEST(decoupled_with_all_learners_is_streaming)
{
    struct pair pair = {"kind: streaming-diloco, learners: 4, inner_steps: 6, fragments: 3, overlap: 0, "
                        "blend: 0",
                        "kind: decoupled-diloco, learners: 4, quorum: 4, inner_steps: 6, fragments: 3, "
                        "overlap: 0, merge: mean",
                        ADAMW};
    assert_same_bits(&pair, transformer, precisions[_i]);
}
END_TEST

/* Every worker of gossip-all on the complete graph is DiLoCo with Nesterov momentum. */
START_TEST(gossip_of_all_is_diloco)
{
    static const struct pair pairs[] = {
        {"kind: diloco, learners: 2, inner_steps: 5",
         "kind: gossip, learners: 2, inner_steps: 5, peers: 1, mixing: 1, outer_rate: 0.7, "
         "outer_momentum: 0.9",
         ADAMW},
        {DILOCO, "kind: gossip, learners: 4, inner_steps: 5, topology: complete", ADAMW},
        {"kind: diloco, learners: 6, inner_steps: 5, outer_rate: 0.4, outer_momentum: 0.8",
         "kind: gossip, learners: 6, inner_steps: 5, topology: complete, outer_rate: 0.4, "
         "outer_momentum: 0.8",
         ADAMW},
    };
    assert_to_rounding(&pairs[_i / 2], transformer, _i % 2, H);
}
END_TEST

/* On any graph the workers' mean is, where gradients are linear: of a quadratic, by an optimiser that is. */
START_TEST(the_mean_of_gossip_is_diloco)
{
    static const char *const graphs[] = {"peers: 1",
                                         "peers: 2",
                                         "topology: ring",
                                         "topology: exponential",
                                         "topology: complete",
                                         "peers: 1, algorithm: gasloc-literal",
                                         "peers: 2, mixing: 0.3, algorithm: gasloc-literal",
                                         "topology: ring, algorithm: gasloc-literal"};
    char *gossip = NULL;
    ck_assert_int_gt(asprintf(&gossip,
                              "kind: gossip, learners: 6, inner_steps: 5, outer_rate: 0.5, "
                              "outer_momentum: 0.6, %s",
                              graphs[_i / 2]),
                     0);
    struct pair pair = {"kind: diloco, learners: 6, inner_steps: 5, outer_rate: 0.5, outer_momentum: 0.6",
                        gossip, SGD};
    assert_to_rounding(&pair, quadratic, _i % 2, H);
    free(gossip);
}
END_TEST

/* Whatever may be replayed is replayed the same, as often as one likes. */
START_TEST(replaying_gives_the_same_run)
{
    static const char *const strategies[] = {
        "kind: all-reduce",
        DILOCO ", compression: linear, bits: 4, error_feedback: true",
        "kind: streaming-diloco, learners: 4, inner_steps: 6, fragments: 3, compression: e3m0",
        "kind: decoupled-diloco, learners: 4, inner_steps: 6, fragments: 3",
        "kind: gossip, learners: 4, inner_steps: 2, algorithm: noloco",
    };
    struct pair pair = {strategies[_i / 2], strategies[_i / 2], ADAMW};
    assert_same_bits(&pair, transformer, precisions[_i % 2]);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("identities");
    TCase *bits = tcase_create("to the bit");
    tcase_add_loop_test(bits, decoupled_with_all_learners_is_diloco, 0, 2 * PRECISIONS);
    tcase_add_loop_test(bits, equal_learners_weigh_alike, 0, PRECISIONS);
    tcase_add_loop_test(bits, streaming_of_one_fragment_is_diloco, 0, PRECISIONS);
    tcase_add_loop_test(bits, decoupled_with_all_learners_is_streaming, 0, PRECISIONS);
    tcase_add_loop_test(bits, replaying_gives_the_same_run, 0, 5 * PRECISIONS);
    TCase *rounding = tcase_create("to rounding");
    tcase_add_loop_test(rounding, one_replica_in_step_is_the_inner_optimiser, 0, 4 * PRECISIONS);
    tcase_add_loop_test(rounding, all_reduce_is_one_learner_with_the_whole_batch, 0, 5 * PRECISIONS);
    tcase_add_loop_test(rounding, gossip_of_all_is_diloco, 0, 3 * PRECISIONS);
    tcase_add_loop_test(rounding, the_mean_of_gossip_is_diloco, 0, 8 * PRECISIONS);
    suite_add_tcase(suite, bits);
    suite_add_tcase(suite, rounding);
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
