/*
 * A hidden Markov language: a chain of states, each of which emits a symbol by frequencies of its own. What
 * the next symbol will be depends on all that stand before it, through what they tell of the state. The first
 * state is any, with equal chance.
 */
#include "models/learning/categorical.h"
#include "models/learning/language.h"
#include <math.h>
#include <string.h>

struct hidden_markov {
    size_t states;
    struct categorical transitions; /* [states][states] */
    struct categorical emissions;   /* [states][symbols] */
};

static size_t hidden_markov_bytes(const struct data_config *config)
{
    return (size_t)config->states * (size_t)(config->states + config->symbols) * sizeof(double);
}

static bool hidden_markov_create(void *language, const struct data_config *config, struct sim_stream *stream)
{
    struct hidden_markov *hidden = language;
    hidden->states = (size_t)config->states;
    if (!categorical_create(&hidden->transitions, hidden->states, hidden->states) ||
        !categorical_create(&hidden->emissions, hidden->states, (size_t)config->symbols))
        return false;
    for (size_t state = 0; state < hidden->states; state++) {
        categorical_set_zipf(&hidden->transitions, state, 0, config->contrast, stream);
        categorical_set_zipf(&hidden->emissions, state, config->zipf, config->contrast, stream);
    }
    return true;
}

static void hidden_markov_free(void *language)
{
    struct hidden_markov *hidden = language;
    categorical_free(&hidden->transitions);
    categorical_free(&hidden->emissions);
}

static void hidden_markov_draw(const void *language, struct sim_stream *stream, int64_t length,
                               int32_t *symbols)
{
    const struct hidden_markov *hidden = language;
    size_t state = sim_stream_below(stream, hidden->states);
    for (int64_t i = 0; i < length; i++) {
        symbols[i] = categorical_draw(&hidden->emissions, state, stream);
        state = (size_t)categorical_draw(&hidden->transitions, state, stream);
    }
}

/* From p(state | earlier symbols) in CHANCE to p(next state | SYMBOL too); returns p(SYMBOL | earlier ones).
 */
static double observe(const struct hidden_markov *hidden, int32_t symbol, double *chance)
{
    double next[DATA_STATES_MAXIMUM] = {0}, p = 0;
    for (size_t state = 0; state < hidden->states; state++) {
        double joint = chance[state] * categorical_probability(&hidden->emissions, state, (size_t)symbol);
        p += joint;
        for (size_t to = 0; to < hidden->states; to++)
            next[to] += joint * categorical_probability(&hidden->transitions, state, to);
    }
    for (size_t state = 0; state < hidden->states; state++)
        chance[state] = p > 0 ? next[state] / p : 0;
    return p;
}

/* The forward algorithm, normalised at each symbol (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE
 * 77, 1989, sections III.A and V.A). */
static double hidden_markov_log_probability(const void *language, const int32_t *symbols, int64_t length)
{
    const struct hidden_markov *hidden = language;
    double chance[DATA_STATES_MAXIMUM], sum = 0;
    for (size_t state = 0; state < hidden->states; state++)
        chance[state] = 1 / (double)hidden->states;
    for (int64_t i = 0; i < length; i++)
        sum += log(observe(hidden, symbols[i], chance));
    return sum;
}

static const struct language_kind kind = {
    .size = sizeof(struct hidden_markov),
    .bytes = hidden_markov_bytes,
    .create = hidden_markov_create,
    .free = hidden_markov_free,
    .draw = hidden_markov_draw,
    .log_probability = hidden_markov_log_probability,
};

static struct data *create(const struct data_config *config, int64_t length, uint64_t seed,
                           struct error *error)
{
    (void)length;
    return language_create(&kind, config, seed, error);
}

const struct data_source data_hidden_markov = {create, language_destroy, language_draw, language_held_out,
                                               language_loss};
