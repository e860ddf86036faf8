#include "tests/learning/replayed.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct learning_config common(enum learning_precision precision)
{
    return (struct learning_config){
        .precision = precision,
        .transformer = {.layers = 1, .width = 16, .heads = 2, .context = 16},
        .quadratic = {.dimension = 12, .condition = 10, .noise = 0.1},
        .data = {.source = SOURCE_MARKOV, .symbols = 16, .order = 1, .zipf = 1, .contrast = 3, .shards = 4},
        .inner = {.optimiser = INNER_ADAMW,
                  .rate = 0.003,
                  .adamw_rate = NAN,
                  .warm_up_steps = 10,
                  .decay_steps = PARAMETER_UNSET,
                  .final_share = 0.1,
                  .beta1 = 0.9,
                  .beta2 = 0.99,
                  .epsilon = 1e-8,
                  .weight_decay = 0.01,
                  .momentum = 0.9,
                  .clip = NAN},
        .batch = 8,
        .steps_per_step = 1,
        .evaluate_every = 5,
        .evaluate_sequences = 8,
        .target_loss = NAN,
    };
}

struct learning_config replayed_transformer(enum learning_precision precision)
{
    struct learning_config config = common(precision);
    config.model = LEARNING_TRANSFORMER;
    return config;
}

struct learning_config replayed_quadratic(enum learning_precision precision)
{
    struct learning_config config = common(precision);
    config.model = LEARNING_QUADRATIC;
    return config;
}

struct learning_rule replayed_rule(void)
{
    return (struct learning_rule){.outer = OUTER_NESTEROV,
                                  .outer_rate = 0.7,
                                  .outer_momentum = 0.9,
                                  .outer_delay = 4,
                                  .merge = MERGE_MEAN,
                                  .compression_bits = 4,
                                  .mixing = 1};
}

struct replay_request replayed_request(const struct learning_config *learning,
                                       const struct learning_rule *rule, const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    ck_assert_msg(tape_check(tape, &error), "%s", error.message);
    return (struct replay_request){.learning = learning, .rule = rule, .tape = tape, .seed = 3};
}

struct replayed replayed_rest(struct replay *replay)
{
    struct error error = {.kind = ERROR_NONE};
    struct replayed replayed;
    bool finished = false;
    while (!finished)
        ck_assert_msg(replay_advance(replay, 100, &finished, &error), "%s", error.message);
    ck_assert_double_ge(replay_share(replay), replay_curve(replay)->diverged ? 0 : 1);
    replayed.curve = *replay_curve(replay);
    replayed.curve.points = calloc(replayed.curve.count, sizeof *replayed.curve.points);
    memcpy(replayed.curve.points, replay_curve(replay)->points,
           replayed.curve.count * sizeof *replayed.curve.points);
    replayed.parameters = replay_parameters(replay, &replayed.count);
    replay_destroy(replay);
    return replayed;
}

struct replayed replayed_whole(const struct replay_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    struct replay *replay = replay_create(request, &error);
    ck_assert_msg(replay != NULL, "%s", error.message);
    return replayed_rest(replay);
}

void replayed_free(struct replayed *replayed)
{
    free(replayed->curve.points);
    free(replayed->parameters);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

void replayed_assert_same(const struct replayed *a, const struct replayed *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_mem_eq(a->parameters, b->parameters, a->count * sizeof *a->parameters);
    ck_assert_uint_eq(a->curve.count, b->curve.count);
    for (size_t i = 0; i < a->curve.count; i++) {
        const struct curve_point *one = &a->curve.points[i], *other = &b->curve.points[i];
        ck_assert_msg(one->time == other->time && same_bits(one->steps, other->steps) &&
                          same_bits(one->tokens, other->tokens) && same_bits(one->loss, other->loss),
                      "point %zu: loss %.17g at step %.17g, and %.17g at step %.17g", i, one->loss,
                      one->steps, other->loss, other->steps);
    }
    ck_assert(a->curve.diverged == b->curve.diverged);
    ck_assert_double_eq(a->curve.tokens_trained, b->curve.tokens_trained);
    ck_assert_double_eq(a->curve.tokens_merged, b->curve.tokens_merged);
    ck_assert_double_eq(a->curve.tokens_lost, b->curve.tokens_lost);
    ck_assert_double_eq(a->curve.tokens_pending, b->curve.tokens_pending);
}

void replayed_assert_conserved(const struct replayed *replayed)
{
    const struct curve *curve = &replayed->curve;
    double known = curve->tokens_merged + curve->tokens_lost + curve->tokens_pending;
    double slack = 1e-9 * curve->tokens_trained;
    ck_assert_msg(fabs(known - curve->tokens_trained) <= slack,
                  "trained %.17g, merged %.17g, lost %.17g, pending %.17g", curve->tokens_trained,
                  curve->tokens_merged, curve->tokens_lost, curve->tokens_pending);
    ck_assert(curve->tokens_merged >= -slack && curve->tokens_lost >= -slack &&
              curve->tokens_pending >= -slack);
}

struct fixture replayed_troubled(int64_t kind)
{
    struct fixture fixture = fixture_of(kind);
    struct simulation_config *config = &fixture.config;
    config->duration = 600 * SIM_SECOND;
    config->cluster.chips_per_slice = 64;
    config->failures.enabled = true;
    config->failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 80 * 256);
    config->failures.repair = fixture_law(SIM_LAW_EXPONENTIAL, 20);
    config->failures.restart_time = 3 * SIM_SECOND;
    config->checkpoints = (struct checkpoint_config){.interval = 35 * SIM_SECOND, .load_time = SIM_SECOND};
    config->stragglers.step = fixture_spread(SIM_LAW_LOG_NORMAL, 1, 0.1);
    return fixture;
}

struct tape *replayed_tape(const struct fixture *fixture, uint64_t seed, struct run_result *result)
{
    struct strategy_config strategy = {.kind = fixture->kind, .options = (void *)&fixture->options};
    struct error error = {.kind = ERROR_NONE};
    struct tape *tape = NULL;
    ck_assert_msg(simulation_run(&fixture->config, &strategy, seed, 0, NULL, result, &tape, &error), "%s",
                  error.message);
    return tape;
}
