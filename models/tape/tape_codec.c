/*
 * A tape as bytes: a small header, then one zstd frame with a content checksum.
 *
 * Inside the frame every record is a kind byte, then the fields that its kind has, as variable-length
 * integers (7 bits a byte, low first, signed ones zigzag). Times and clocks are differences to the record
 * before and to the actor's last clock, both modulo 2⁶⁴; numbers in floating point are 8 bytes after a byte
 * 1, or one byte 0 when they have the bits of the last one of their kind.
 *
 * Bytes from elsewhere may be anything: what is allocated for them grows with what they really hold.
 */
#include "models/tape/tape.h"
#include "models/tape/tape_fields.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char magic[8] = "trnstape";

#define REPLAYED 0x80u    /* in the kind byte */
#define MOST_WINDOW 23    /* log2 of what zstd may look back on; it needs 21 at the level of the encoder */
#define FIRST_ROOM 65536u /* bytes */

/* Growing bytes out, or bounded bytes in; FAILED sticks. */
struct bytes {
    uint8_t *data;
    size_t length, capacity, at;
    bool failed;
};

/* What differences refer to, the same in both directions. */
struct context {
    int64_t time;
    int64_t *clocks; /* by actor, the syncer first */
    double tokens, weight;
};

/* Twice the room, or some at first. */
static bool grow(struct bytes *bytes)
{
    size_t capacity = bytes->capacity ? 2 * bytes->capacity : FIRST_ROOM;
    uint8_t *larger = realloc(bytes->data, capacity);
    if (!larger)
        return false;
    bytes->data = larger;
    bytes->capacity = capacity;
    return true;
}

static void put_byte(struct bytes *bytes, uint8_t byte)
{
    if (!bytes->failed && bytes->length == bytes->capacity)
        bytes->failed = !grow(bytes);
    if (!bytes->failed)
        bytes->data[bytes->length++] = byte;
}

static uint8_t get_byte(struct bytes *bytes)
{
    if (bytes->at >= bytes->length) {
        bytes->failed = true;
        return 0;
    }
    return bytes->data[bytes->at++];
}

static void put_unsigned(struct bytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(bytes, (uint8_t)(value | 0x80));
    put_byte(bytes, (uint8_t)value);
}

static uint64_t get_unsigned(struct bytes *bytes)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_byte(bytes);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    bytes->failed = true;
    return 0;
}

static void put_signed(struct bytes *bytes, int64_t value)
{
    put_unsigned(bytes, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static int64_t get_signed(struct bytes *bytes)
{
    uint64_t value = get_unsigned(bytes);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Differences and sums that may wrap around, as those of forged bytes do. */
static int64_t difference(int64_t value, int64_t last)
{
    return (int64_t)((uint64_t)value - (uint64_t)last);
}

static int64_t sum(int64_t last, int64_t step)
{
    return (int64_t)((uint64_t)last + (uint64_t)step);
}

static void put_double(struct bytes *bytes, double value, double *last)
{
    uint64_t bits;
    if (memcmp(&value, last, sizeof value) == 0) {
        put_byte(bytes, 0);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    put_byte(bytes, 1);
    for (int shift = 0; shift < 64; shift += 8)
        put_byte(bytes, (uint8_t)(bits >> shift));
    *last = value;
}

static double get_double(struct bytes *bytes, double *last)
{
    if (get_byte(bytes) == 0)
        return *last;
    uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8)
        bits |= (uint64_t)get_byte(bytes) << shift;
    memcpy(last, &bits, sizeof bits);
    return *last;
}

static int64_t *clock_of(struct context *context, int32_t actor)
{
    return &context->clocks[actor + 1];
}

static void put_parts(struct bytes *bytes, struct context *context, const struct tape *tape,
                      const struct tape_record *record)
{
    put_unsigned(bytes, record->parts);
    for (uint32_t i = 0; i < record->parts; i++) {
        const struct tape_part *part = &tape->parts[record->first_part + i];
        put_unsigned(bytes, (uint32_t)part->learner);
        put_double(bytes, part->weight, &context->weight);
        put_signed(bytes, difference(part->clock, record->clock));
    }
}

static void put_record(struct bytes *bytes, struct context *context, const struct tape *tape,
                       const struct tape_record *record)
{
    unsigned fields = tape_fields[record->kind];
    put_byte(bytes, (uint8_t)(record->kind | (record->replayed ? REPLAYED : 0)));
    put_signed(bytes, difference(record->time, context->time));
    put_signed(bytes, record->actor);
    put_signed(bytes, difference(record->clock, *clock_of(context, record->actor)));
    context->time = record->time;
    *clock_of(context, record->actor) = record->clock;
    if (fields & TAPE_HAS_PEER)
        put_signed(bytes, record->peer);
    if (fields & TAPE_HAS_FRAGMENT)
        put_signed(bytes, record->fragment);
    if (fields & TAPE_HAS_POSITION)
        put_signed(bytes, difference(record->position, record->clock));
    if (fields & TAPE_HAS_TOKENS)
        put_double(bytes, record->tokens, &context->tokens);
    if (fields & TAPE_HAS_WEIGHT)
        put_double(bytes, record->weight, &context->weight);
    if (fields & TAPE_HAS_PARTS)
        put_parts(bytes, context, tape, record);
}

/* Reads the participants of RECORD into TAPE, whose array has room for CAPACITY. */
static void get_parts(struct bytes *bytes, struct context *context, struct tape *tape, size_t capacity,
                      struct tape_record *record)
{
    uint64_t count = get_unsigned(bytes);
    if (count > capacity - tape->part_count) {
        bytes->failed = true;
        return;
    }
    record->first_part = (uint32_t)tape->part_count;
    record->parts = (uint32_t)count;
    for (uint32_t i = 0; i < record->parts; i++) {
        struct tape_part *part = &tape->parts[tape->part_count++];
        part->learner = (int32_t)get_unsigned(bytes);
        part->weight = get_double(bytes, &context->weight);
        part->clock = sum(record->clock, get_signed(bytes));
    }
}

static void get_record(struct bytes *bytes, struct context *context, struct tape *tape, size_t part_capacity,
                       struct tape_record *record)
{
    uint8_t kind = get_byte(bytes);
    *record = (struct tape_record){.kind = kind & (uint8_t)~REPLAYED,
                                   .replayed = (kind & REPLAYED) != 0,
                                   .peer = TAPE_SYNCER,
                                   .fragment = TAPE_WHOLE};
    record->time = context->time = sum(context->time, get_signed(bytes));
    record->actor = (int32_t)get_signed(bytes);
    if (record->kind >= TAPE_KINDS || record->actor < TAPE_SYNCER || record->actor >= tape->learners) {
        bytes->failed = true;
        return;
    }
    unsigned fields = tape_fields[record->kind];
    int64_t *clock = clock_of(context, record->actor);
    record->clock = *clock = sum(*clock, get_signed(bytes));
    if (fields & TAPE_HAS_PEER)
        record->peer = (int32_t)get_signed(bytes);
    if (fields & TAPE_HAS_FRAGMENT)
        record->fragment = (int32_t)get_signed(bytes);
    if (fields & TAPE_HAS_POSITION)
        record->position = sum(record->clock, get_signed(bytes));
    if (fields & TAPE_HAS_TOKENS)
        record->tokens = get_double(bytes, &context->tokens);
    if (fields & TAPE_HAS_WEIGHT)
        record->weight = get_double(bytes, &context->weight);
    if (fields & TAPE_HAS_PARTS)
        get_parts(bytes, context, tape, part_capacity, record);
}

static void put_header(struct bytes *bytes, const struct tape *tape)
{
    double last = -1;
    put_unsigned(bytes, (uint32_t)tape->learners);
    put_unsigned(bytes, (uint32_t)tape->fragments);
    put_unsigned(bytes, tape->count);
    put_unsigned(bytes, tape->part_count);
    put_double(bytes, tape->full_tokens, &last);
    for (int32_t i = 0; i < tape->learners; i++)
        put_double(bytes, tape->shares[i], &last);
}

static bool compress_bytes(const struct bytes *plain, void **bytes, size_t *length)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t head = sizeof magic + 4, bound = ZSTD_compressBound(plain->length);
    uint8_t *out = malloc(head + bound);
    size_t written = 0;
    bool good = zstd && out;
    if (good) {
        memcpy(out, magic, sizeof magic);
        for (size_t i = 0; i < 4; i++)
            out[sizeof magic + i] = (uint8_t)(TAPE_VERSION >> (8 * i));
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
        written = ZSTD_compress2(zstd, out + head, bound, plain->data, plain->length);
        good = !ZSTD_isError(written);
    }
    ZSTD_freeCCtx(zstd);
    if (!good) {
        free(out);
        return false;
    }
    *bytes = out;
    *length = head + written;
    return true;
}

bool tape_encode(const struct tape *tape, void **bytes, size_t *length, struct error *error)
{
    struct bytes plain = {0};
    struct context context = {.clocks = calloc((size_t)tape->learners + 1, sizeof(int64_t))};
    bool good = context.clocks != NULL;
    if (good) {
        put_header(&plain, tape);
        for (size_t i = 0; i < tape->count; i++)
            put_record(&plain, &context, tape, &tape->records[i]);
        good = !plain.failed && compress_bytes(&plain, bytes, length);
    }
    free(context.clocks);
    free(plain.data);
    if (!good)
        error_out_of_memory(error, "encoding a tape");
    return good;
}

static bool check_prefix(const uint8_t *bytes, size_t length, struct error *error)
{
    if (length < sizeof magic + 4 || memcmp(bytes, magic, sizeof magic) != 0) {
        error_set(error, ERROR_INPUT, "these bytes are no event tape");
        return false;
    }
    uint32_t version = 0;
    for (size_t i = 0; i < 4; i++)
        version |= (uint32_t)bytes[sizeof magic + i] << (8 * i);
    if (version != TAPE_VERSION) {
        error_set(error, ERROR_INPUT, "the event tape is of version %u; this program reads version %d",
                  version, TAPE_VERSION);
        return false;
    }
    return true;
}

/* The content of the frame, which must fill the input. The size that it announces is not believed. */
static bool decompress(const uint8_t *frame, size_t length, struct bytes *plain)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    ZSTD_inBuffer in = {frame, length, 0};
    bool good = zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, MOST_WINDOW));
    for (size_t left = 1; good && left > 0;) {
        good = plain->length < plain->capacity || grow(plain);
        if (!good)
            break;
        ZSTD_outBuffer out = {plain->data, plain->capacity, plain->length};
        left = ZSTD_decompressStream(zstd, &out, &in);
        plain->length = out.pos;
        bool starved = left > 0 && in.pos == in.size && out.pos < out.size;
        good = !ZSTD_isError(left) && !starved;
    }
    ZSTD_freeDCtx(zstd);
    return good && in.pos == in.size;
}

/* Reads the header into a tape with room for what it announces; a record takes four bytes at least, a part
 * three. */
static struct tape *get_header(struct bytes *plain, size_t *records, size_t *parts)
{
    uint64_t learners = get_unsigned(plain), fragments = get_unsigned(plain);
    uint64_t record_count = get_unsigned(plain), part_count = get_unsigned(plain);
    double last = -1, full_tokens = get_double(plain, &last);
    if (plain->failed || learners < 1 || learners > plain->length || learners > INT32_MAX ||
        fragments > TAPE_MOST_FRAGMENTS || record_count > plain->length / 4 || part_count > plain->length / 3)
        return NULL;
    double *shares = calloc(learners, sizeof *shares);
    for (uint64_t i = 0; shares && i < learners; i++)
        shares[i] = get_double(plain, &last);
    struct tape *tape =
        shares ? tape_create((int32_t)learners, (int32_t)fragments, full_tokens, shares) : NULL;
    free(shares);
    if (!tape)
        return NULL;
    tape->records = malloc((record_count + 1) * sizeof *tape->records);
    tape->parts = malloc((part_count + 1) * sizeof *tape->parts);
    *records = record_count;
    *parts = part_count;
    if (tape->records && tape->parts && !plain->failed)
        return tape;
    tape_destroy(tape);
    return NULL;
}

static struct tape *read_tape(struct bytes *plain)
{
    size_t records = 0, parts = 0;
    struct tape *tape = get_header(plain, &records, &parts);
    if (!tape)
        return NULL;
    struct context context = {.clocks = calloc((size_t)tape->learners + 1, sizeof(int64_t))};
    for (size_t i = 0; context.clocks && i < records && !plain->failed; i++)
        get_record(plain, &context, tape, parts, &tape->records[tape->count++]);
    bool good = context.clocks && !plain->failed && tape->count == records && tape->part_count == parts &&
                plain->at == plain->length;
    free(context.clocks);
    if (good)
        return tape;
    tape_destroy(tape);
    return NULL;
}

struct tape *tape_decode(const void *bytes, size_t length, struct error *error)
{
    if (!check_prefix(bytes, length, error))
        return NULL;
    struct bytes plain = {0};
    size_t head = sizeof magic + 4;
    struct tape *tape = NULL;
    if (decompress((const uint8_t *)bytes + head, length - head, &plain))
        tape = read_tape(&plain);
    free(plain.data);
    if (!tape)
        error_set(error, ERROR_INPUT, "the event tape is damaged");
    return tape;
}
