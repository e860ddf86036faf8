/*
 * What a replay's curve is drawn of: what would be deployed at a moment, and its loss on data held out.
 */
#include "models/learning/replay_curve.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDED 1e-12 /* what sums of tokens may be short of a whole step */

static bool everybody_is_lost(const struct replay_engine *engine)
{
    for (int32_t m = 0; m < engine->tape->learners; m++)
        if (!engine->replicas[m]->lost)
            return false;
    return true;
}

const real *replay_deployed(struct replay_engine *engine)
{
    size_t count = engine->shape.parameters, learners = (size_t)engine->tape->learners;
    if (engine->syncer)
        return syncer_parameters(engine->syncer);
    if (learners == 1)
        return engine->replicas[0]->parameters;
    bool nobody = everybody_is_lost(engine);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        size_t present = 0;
        for (size_t m = 0; m < learners; m++)
            if (nobody || !engine->replicas[m]->lost) {
                sum += (double)engine->replicas[m]->parameters[i];
                present++;
            }
        engine->consensus[i] = (real)(sum / (double)present);
    }
    return engine->consensus;
}

static double tokens_kept(const struct replay_engine *engine)
{
    return engine->curve.tokens_trained - engine->curve.tokens_lost;
}

static bool add_point(struct replay_engine *engine, sim_time time, double loss, struct error *error)
{
    struct curve *curve = &engine->curve;
    double tokens = tokens_kept(engine);
    if (curve->count == curve->capacity) {
        size_t capacity = curve->capacity ? 2 * curve->capacity : 64;
        struct curve_point *larger = realloc(curve->points, capacity * sizeof *larger);
        if (!larger) {
            error_out_of_memory(error, "a learning curve");
            return false;
        }
        curve->points = larger;
        curve->capacity = capacity;
    }
    curve->points[curve->count++] = (struct curve_point){
        .time = time, .tokens = tokens, .steps = tokens / engine->tape->full_tokens, .loss = loss};
    if (!isfinite(loss))
        curve->diverged = true;
    return true;
}

static bool evaluate(struct replay_engine *engine, sim_time time, struct error *error)
{
    double loss =
        model_held_out_loss(engine->model, replay_deployed(engine), engine->learning->evaluate_sequences);
    return add_point(engine, time, loss, error);
}

bool replay_evaluate_if_due(struct replay_engine *engine, sim_time time, struct error *error)
{
    double steps = tokens_kept(engine) / engine->tape->full_tokens * (1 + ROUNDED);
    if (steps < engine->next_evaluation || engine->curve.diverged)
        return true;
    double every = (double)engine->learning->evaluate_every;
    engine->next_evaluation = every * (floor(steps / every) + 1);
    return evaluate(engine, time, error);
}

bool replay_end_curve(struct replay_engine *engine, struct error *error)
{
    const struct curve *curve = &engine->curve;
    sim_time time = engine->next > 0 ? engine->tape->records[engine->next - 1].time : 0;
    if (!curve->diverged)
        return evaluate(engine, time, error);
    bool told = curve->count > 0 && !isfinite(curve->points[curve->count - 1].loss);
    return told || add_point(engine, time, NAN, error);
}
