/*
 * A Markov language of order k by mixture transition distributions (Raftery, "A model for high-order Markov
 * chains", J. R. Stat. Soc. B 47, 1985): the next symbol follows one of the last k, each with the chance
 * 1/k, by a table of that lag's own,
 *
 *   p(x | …) = 1/k Σ_j q_j(x | the symbol j places back).
 *
 * That takes k tables of symbols² numbers where a full table would take symbols^(k+1). No single lag tells
 * the next symbol, so that a model which sees only one loses clearly. Where a sequence's beginning leaves a
 * lag empty, the common frequencies stand in for it.
 */
#include "models/learning/categorical.h"
#include "models/learning/language.h"
#include <math.h>

struct markov {
    int64_t order;
    size_t symbols;
    struct categorical laws; /* row 0: common frequencies; then, by lag, one of each symbol */
};

static size_t rows_of(const struct data_config *config)
{
    return 1 + (size_t)config->order * (size_t)config->symbols;
}

static size_t markov_bytes(const struct data_config *config)
{
    return rows_of(config) * (size_t)config->symbols * sizeof(double);
}

static bool markov_create(void *language, const struct data_config *config, struct sim_stream *stream)
{
    struct markov *markov = language;
    markov->order = config->order;
    markov->symbols = (size_t)config->symbols;
    if (!categorical_create(&markov->laws, rows_of(config), markov->symbols))
        return false;
    categorical_set_zipf(&markov->laws, 0, config->zipf, 0, stream);
    for (size_t row = 1; row < markov->laws.rows; row++)
        categorical_set_zipf(&markov->laws, row, config->zipf, config->contrast, stream);
    return true;
}

static void markov_free(void *language)
{
    struct markov *markov = language;
    categorical_free(&markov->laws);
}

/* The row of the law of symbol PLACE by what stands LAG + 1 places before it. */
static size_t row_of(const struct markov *markov, const int32_t *symbols, int64_t place, int64_t lag)
{
    if (place <= lag)
        return 0;
    return 1 + (size_t)lag * markov->symbols + (size_t)symbols[place - lag - 1];
}

static void markov_draw(const void *language, struct sim_stream *stream, int64_t length, int32_t *symbols)
{
    const struct markov *markov = language;
    for (int64_t i = 0; i < length; i++) {
        int64_t lag = (int64_t)sim_stream_below(stream, (uint64_t)markov->order);
        symbols[i] = categorical_draw(&markov->laws, row_of(markov, symbols, i, lag), stream);
    }
}

static double markov_log_probability(const void *language, const int32_t *symbols, int64_t length)
{
    const struct markov *markov = language;
    double sum = 0;
    for (int64_t i = 0; i < length; i++) {
        double p = 0;
        for (int64_t lag = 0; lag < markov->order; lag++)
            p += categorical_probability(&markov->laws, row_of(markov, symbols, i, lag), (size_t)symbols[i]);
        sum += log(p / (double)markov->order);
    }
    return sum;
}

static const struct language_kind kind = {
    .size = sizeof(struct markov),
    .bytes = markov_bytes,
    .create = markov_create,
    .free = markov_free,
    .draw = markov_draw,
    .log_probability = markov_log_probability,
};

static struct data *create(const struct data_config *config, int64_t length, uint64_t seed,
                           struct error *error)
{
    (void)length;
    return language_create(&kind, config, seed, error);
}

const struct data_source data_markov = {create, language_destroy, language_draw, language_held_out,
                                        language_loss};
