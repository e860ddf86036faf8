#include "models/learning/language.h"
#include "models/purpose.h"
#include <math.h>
#include <stdlib.h>

struct languages {
    struct data data;
    const struct language_kind *kind;
    size_t count;          /* of languages: the common one, then the shards' */
    unsigned char *tables; /* count × kind->size */
};

static const size_t bytes_maximum = (size_t)1 << 32;

static void *language_of(const struct languages *languages, int64_t shard)
{
    return languages->tables + (size_t)(shard + 1) * languages->kind->size;
}

void language_destroy(struct data *data)
{
    struct languages *languages = (struct languages *)data;
    if (languages->tables)
        for (size_t i = 0; i < languages->count; i++)
            languages->kind->free(language_of(languages, (int64_t)i - 1));
    free(languages->tables);
    free(languages);
}

static bool draw_languages(struct languages *languages, const struct data_config *config, uint64_t seed)
{
    for (size_t i = 0; i < languages->count; i++) {
        struct sim_stream stream;
        sim_stream_open(&stream, seed, 0, PURPOSE_LANGUAGE, i);
        if (!languages->kind->create(language_of(languages, (int64_t)i - 1), config, &stream))
            return false;
    }
    return true;
}

static bool small_enough(const struct language_kind *kind, const struct data_config *config, size_t count,
                         struct error *error)
{
    double bytes = (double)count * (double)kind->bytes(config);
    if (bytes <= (double)bytes_maximum)
        return true;
    error_set(error, ERROR_INPUT,
              "learning.data: %zu languages of %lld symbols take %.1f GB of tables, more than the %.1f GB "
              "allowed: fewer symbols, a lower order or fewer shards take less",
              count, (long long)config->symbols, bytes / 1e9, (double)bytes_maximum / 1e9);
    return false;
}

struct data *language_create(const struct language_kind *kind, const struct data_config *config,
                             uint64_t seed, struct error *error)
{
    size_t count = config->skew > 0 ? (size_t)config->shards + 1 : 1;
    if (!small_enough(kind, config, count, error))
        return NULL;
    struct languages *languages = calloc(1, sizeof *languages);
    if (!languages) {
        error_out_of_memory(error, "the languages to learn");
        return NULL;
    }
    languages->data.symbols = config->symbols;
    languages->kind = kind;
    languages->count = count;
    languages->tables = calloc(count, kind->size);
    if (!languages->tables || !draw_languages(languages, config, seed)) {
        error_out_of_memory(error, "the languages to learn");
        language_destroy(&languages->data);
        return NULL;
    }
    return &languages->data;
}

void language_draw(const struct data *data, int64_t shard, struct sim_stream *stream, int64_t length,
                   int32_t *symbols)
{
    const struct languages *languages = (const struct languages *)data;
    languages->kind->draw(language_of(languages, shard), stream, length, symbols);
}

void language_held_out(const struct data *data, int64_t index, int64_t length, int32_t *symbols)
{
    struct sim_stream stream;
    sim_stream_open(&stream, data->seed, 0, PURPOSE_HELD_OUT_DATA, (uint64_t)index);
    bool own = sim_stream_uniform(&stream) < data->config.skew;
    int64_t shard = own ? (int64_t)sim_stream_below(&stream, (uint64_t)data->config.shards) : DATA_COMMON;
    language_draw(data, shard, &stream, length, symbols);
}

/* log (e^a + e^b) */
static double log_sum(double a, double b)
{
    double larger = fmax(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(fmin(a, b) - larger));
}

/* log p of SYMBOLS[0 … length−1] under the mixture of all languages. */
static double mixture(const struct languages *languages, const int32_t *symbols, int64_t length)
{
    double skew = languages->data.config.skew, sum = -INFINITY;
    for (size_t i = 0; i < languages->count; i++) {
        double share = i ? skew / (double)languages->data.config.shards : 1 - skew;
        const void *language = language_of(languages, (int64_t)i - 1);
        sum = log_sum(sum, log(share) + languages->kind->log_probability(language, symbols, length));
    }
    return sum;
}

double language_loss(const struct data *data, const int32_t *symbols, int64_t length)
{
    const struct languages *languages = (const struct languages *)data;
    double first = mixture(languages, symbols, 1), all = mixture(languages, symbols, length);
    return (first - all) / (double)(length - 1);
}
