/*
 * A text file: its symbols are the different bytes in it, in their order. The end of the file is held out;
 * the rest is cut into as many contiguous shards as there are, and sequences are windows at random places.
 */
#include "models/learning/data_source.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every replay that is under way keeps the text of its own. */
static const size_t bytes_maximum = (size_t)1 << 30;

struct text {
    struct data data;
    int64_t length;   /* bytes in all */
    int64_t training; /* of them before the held-out part */
    unsigned char *symbols;
};

static void text_destroy(struct data *data)
{
    struct text *text = (struct text *)data;
    free(text->symbols);
    free(text);
}

static bool refuse_large(const char *name, struct error *error)
{
    error_set(error, ERROR_INPUT, "%s: the text is too large: %zu MiB are read at most", name,
              bytes_maximum >> 20);
    return false;
}

/* Reads FILE to its end, wherever that is: a file may grow, and some have no size. */
static bool read_all(FILE *file, struct text *text, const char *name, struct error *error)
{
    size_t room = 0, length = 0, got;
    do {
        if (length > bytes_maximum)
            return refuse_large(name, error);
        if (length == room) {
            room = room ? 2 * room : 1 << 16;
            unsigned char *larger = realloc(text->symbols, room);
            if (!larger) {
                error_out_of_memory(error, name);
                return false;
            }
            text->symbols = larger;
        }
        got = fread(text->symbols + length, 1, room - length, file);
        length += got;
    } while (got > 0);
    text->length = (int64_t)length;
    if (ferror(file))
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", name, strerror(errno));
    return !ferror(file);
}

/* A device may have no end, and a pipe nobody who writes to it. */
static bool check_file(int descriptor, const char *name, struct error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", name, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        error_set(error, ERROR_INPUT, "%s: is no regular file: a text is read from nothing else", name);
        return false;
    }
    return status.st_size <= (off_t)bytes_maximum || refuse_large(name, error);
}

static bool load(struct text *text, const char *name, struct error *error)
{
    int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is not waited for */
    if (descriptor < 0) {
        error_set(error, ERROR_INPUT, "%s: cannot be opened: %s", name, strerror(errno));
        return false;
    }
    if (!check_file(descriptor, name, error)) {
        close(descriptor);
        return false;
    }
    FILE *file = fdopen(descriptor, "rb");
    if (!file) {
        error_out_of_memory(error, name);
        close(descriptor);
        return false;
    }
    bool good = read_all(file, text, name, error);
    fclose(file);
    return good;
}

/* Replaces bytes by symbols 0, 1 … */
static void number_symbols(struct text *text)
{
    bool present[256] = {false};
    unsigned char symbol_of[256] = {0};
    for (int64_t i = 0; i < text->length; i++)
        present[text->symbols[i]] = true;
    for (size_t byte = 0; byte < 256; byte++)
        if (present[byte])
            symbol_of[byte] = (unsigned char)text->data.symbols++;
    for (int64_t i = 0; i < text->length; i++)
        text->symbols[i] = symbol_of[text->symbols[i]];
}

/* Whether every part can be read in sequences of LENGTH. */
static bool long_enough(const struct text *text, const struct data_config *config, int64_t length,
                        struct error *error)
{
    int64_t held_out = text->length - text->training;
    int64_t shard = config->skew > 0 ? text->training / config->shards : text->training;
    if (text->length == 0)
        error_set(error, ERROR_INPUT, "%s: the text is empty", config->file);
    else if (held_out < length)
        error_set(error, ERROR_INPUT,
                  "%s: the text is too short: of its %lld bytes, learning.data.held_out: %g holds out %lld, "
                  "and one sequence takes %lld",
                  config->file, (long long)text->length, config->held_out, (long long)held_out,
                  (long long)length);
    else if (shard < length)
        error_set(error, ERROR_INPUT,
                  "%s: the text is too short: each of %lld shards has %lld bytes of it, and one sequence "
                  "takes %lld",
                  config->file, config->skew > 0 ? (long long)config->shards : 1LL, (long long)shard,
                  (long long)length);
    return held_out >= length && shard >= length;
}

static struct data *text_create(const struct data_config *config, int64_t length, uint64_t seed,
                                struct error *error)
{
    (void)seed;
    if (!config->file) {
        error_set(error, ERROR_INPUT, "learning.data.file is missing: source text needs a text file");
        return NULL;
    }
    struct text *text = calloc(1, sizeof *text);
    if (!text) {
        error_out_of_memory(error, config->file);
        return NULL;
    }
    if (load(text, config->file, error)) {
        text->training = text->length - (int64_t)((double)text->length * config->held_out);
        if (long_enough(text, config, length, error)) {
            number_symbols(text);
            return &text->data;
        }
    }
    text_destroy(&text->data);
    return NULL;
}

static void copy(const struct text *text, int64_t from, int64_t length, int32_t *symbols)
{
    for (int64_t i = 0; i < length; i++)
        symbols[i] = text->symbols[from + i];
}

static void text_draw(const struct data *data, int64_t shard, struct sim_stream *stream, int64_t length,
                      int32_t *symbols)
{
    const struct text *text = (const struct text *)data;
    int64_t begin = 0, bytes = text->training;
    if (shard != DATA_COMMON) {
        bytes = text->training / data->config.shards;
        begin = shard * bytes;
    }
    int64_t place = (int64_t)sim_stream_below(stream, (uint64_t)(bytes - length + 1));
    copy(text, begin + place, length, symbols);
}

/* Windows one after the other, each beginning with the last symbol of the one before, then from the first
 * again. */
static void text_held_out(const struct data *data, int64_t index, int64_t length, int32_t *symbols)
{
    const struct text *text = (const struct text *)data;
    int64_t windows = (text->length - text->training - 1) / (length - 1);
    copy(text, text->training + index % windows * (length - 1), length, symbols);
}

static double text_loss(const struct data *data, const int32_t *symbols, int64_t length)
{
    (void)data, (void)symbols, (void)length;
    return (double)NAN;
}

const struct data_source data_text = {text_create, text_destroy, text_draw, text_held_out, text_loss};
