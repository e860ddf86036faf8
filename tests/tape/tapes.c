#include "tests/tape/tapes.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FULL_TOKENS 1000

struct pen pen_create(int32_t learners, int32_t fragments)
{
    double *shares = calloc((size_t)learners, sizeof *shares);
    for (int32_t i = 0; i < learners; i++)
        shares[i] = 1.0 / learners;
    struct pen pen = {.writer = tape_writer_create(learners, fragments, FULL_TOKENS, shares),
                      .tokens = FULL_TOKENS * (1.0 / learners)};
    ck_assert_ptr_nonnull(pen.writer);
    free(shares);
    return pen;
}

struct tape *pen_finish(struct pen *pen)
{
    struct error error = {.kind = ERROR_NONE};
    struct tape *tape = tape_finish(pen->writer, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    return tape;
}

struct tape_record pen_record(const struct pen *pen, enum tape_kind kind, int32_t actor, int64_t clock)
{
    return (struct tape_record){.time = pen->time,
                                .kind = (uint8_t)kind,
                                .actor = actor,
                                .peer = TAPE_SYNCER,
                                .fragment = TAPE_WHOLE,
                                .clock = clock};
}

void pen_write(struct pen *pen, enum tape_kind kind, int32_t actor, int64_t clock)
{
    tape_write(pen->writer, pen_record(pen, kind, actor, clock));
}

void pen_begin(struct pen *pen, int32_t learner, int64_t clock, int64_t position)
{
    struct tape_record record = pen_record(pen, TAPE_STEP_BEGIN, learner, clock);
    record.position = position;
    record.tokens = pen->tokens;
    tape_write(pen->writer, record);
}

void pen_end(struct pen *pen, int32_t learner, int64_t clock)
{
    struct tape_record record = pen_record(pen, TAPE_STEP_END, learner, clock);
    record.tokens = pen->tokens;
    tape_write(pen->writer, record);
}

void pen_step(struct pen *pen, int32_t learner, int64_t position)
{
    pen_begin(pen, learner, position, position);
    pen_end(pen, learner, position + 1);
}

void pen_send(struct pen *pen, int32_t learner, int32_t fragment, int64_t clock)
{
    struct tape_record record = pen_record(pen, TAPE_SEND, learner, clock);
    record.fragment = fragment;
    tape_write(pen->writer, record);
}

void pen_apply(struct pen *pen, int32_t learner, int32_t fragment, int64_t clock)
{
    struct tape_record record = pen_record(pen, TAPE_APPLY, learner, clock);
    record.fragment = fragment;
    tape_write(pen->writer, record);
}

void pen_copy(struct pen *pen, int32_t learner, int32_t peer, int64_t clock)
{
    struct tape_record record = pen_record(pen, TAPE_COPY, learner, clock);
    record.peer = peer;
    tape_write(pen->writer, record);
}

void pen_mix(struct pen *pen, int32_t learner, int32_t peer, double weight)
{
    struct tape_record record = pen_record(pen, TAPE_MIX, learner, 0);
    record.peer = peer;
    record.weight = weight;
    tape_write(pen->writer, record);
}

void pen_merge(struct pen *pen, int32_t fragment, int64_t clock, int32_t first, uint32_t count, int64_t at)
{
    struct tape_record record = pen_record(pen, TAPE_MERGE, TAPE_SYNCER, clock);
    struct tape_part *parts = calloc(count + 1, sizeof *parts);
    record.fragment = fragment;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (struct tape_part){.learner = first + (int32_t)i, .weight = 1, .clock = at};
    tape_write_merge(pen->writer, record, parts, count);
    free(parts);
}

/* At random. */

/* Small and large numbers alike, the extremes among them. */
static int64_t any_integer(struct sim_stream *stream)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1};
    uint64_t bits = sim_stream_below(stream, UINT64_MAX);
    if (sim_stream_below(stream, 20) == 0)
        return extremes[sim_stream_below(stream, 4)];
    return (int64_t)bits >> sim_stream_below(stream, 64);
}

static double any_number(struct sim_stream *stream, bool any_bits)
{
    static const double some[] = {0, -0.0, 1, 0.1, 1e300, 5e-324, -3.25};
    if (sim_stream_below(stream, 3) == 0)
        return some[sim_stream_below(stream, sizeof some / sizeof *some)];
    double number;
    do {
        uint64_t bits = sim_stream_below(stream, UINT64_MAX);
        memcpy(&number, &bits, sizeof number);
    } while (!any_bits && !isfinite(number));
    return number;
}

static void write_at_random(struct sim_stream *stream, struct tape_writer *writer, int32_t learners,
                            int32_t fragments, bool any_bits)
{
    struct pen pen = {.writer = writer, .time = any_integer(stream)};
    enum tape_kind kind = (enum tape_kind)sim_stream_below(stream, TAPE_KINDS);
    int32_t actor = (int32_t)sim_stream_below(stream, (uint64_t)learners + 1) - 1;
    struct tape_record record = pen_record(&pen, kind, actor, any_integer(stream));
    struct tape_part parts[5];
    uint32_t count = (uint32_t)sim_stream_below(stream, 6);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (struct tape_part){(int32_t)sim_stream_below(stream, (uint64_t)learners),
                                      any_number(stream, any_bits), any_integer(stream)};
    if (kind == TAPE_SEND || kind == TAPE_MERGE || kind == TAPE_APPLY)
        record.fragment = (int32_t)sim_stream_below(stream, (uint64_t)fragments + 1) - 1;
    if (kind == TAPE_MIX || kind == TAPE_COPY)
        record.peer = (int32_t)sim_stream_below(stream, (uint64_t)learners + 1) - 1;
    if (kind == TAPE_MIX)
        record.weight = any_number(stream, any_bits);
    if (kind == TAPE_STEP_BEGIN || kind == TAPE_STEP_END || kind == TAPE_STEP_LOST)
        record.tokens = any_number(stream, any_bits);
    if (kind == TAPE_STEP_BEGIN) {
        record.position = any_integer(stream);
        record.replayed = sim_stream_below(stream, 2) != 0;
    }
    if (kind == TAPE_MERGE)
        tape_write_merge(writer, record, parts, count);
    else
        tape_write(writer, record);
}

struct tape *tape_at_random(struct sim_stream *stream, bool any_bits)
{
    double shares[40];
    int32_t learners = 1 + (int32_t)sim_stream_below(stream, 40);
    int32_t fragments = (int32_t)sim_stream_below(stream, 30);
    size_t records = sim_stream_below(stream, 400);
    struct error error = {.kind = ERROR_NONE};
    for (int32_t i = 0; i < learners; i++)
        shares[i] = any_number(stream, any_bits);
    struct tape_writer *writer =
        tape_writer_create(learners, fragments, any_number(stream, any_bits), shares);
    for (size_t i = 0; i < records; i++)
        write_at_random(stream, writer, learners, fragments, any_bits);
    struct tape *tape = tape_finish_as_written(writer, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    return tape;
}

/* Comparing. */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_parts(const struct tape *a, const struct tape_record *one, const struct tape *b,
                       const struct tape_record *other)
{
    for (uint32_t i = 0; i < one->parts; i++) {
        const struct tape_part *x = &a->parts[one->first_part + i], *y = &b->parts[other->first_part + i];
        if (x->learner != y->learner || !same_bits(x->weight, y->weight) || x->clock != y->clock)
            return false;
    }
    return true;
}

static bool same_record(const struct tape_record *a, const struct tape_record *b)
{
    return a->time == b->time && a->kind == b->kind && a->replayed == b->replayed && a->actor == b->actor &&
           a->peer == b->peer && a->fragment == b->fragment && a->clock == b->clock &&
           a->position == b->position && same_bits(a->tokens, b->tokens) && same_bits(a->weight, b->weight) &&
           a->parts == b->parts;
}

bool tape_is_equal(const struct tape *a, const struct tape *b)
{
    if (a->learners != b->learners || a->fragments != b->fragments || a->count != b->count ||
        a->part_count != b->part_count || !same_bits(a->full_tokens, b->full_tokens))
        return false;
    for (int32_t i = 0; i < a->learners; i++)
        if (!same_bits(a->shares[i], b->shares[i]))
            return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_record(&a->records[i], &b->records[i]) || !same_parts(a, &a->records[i], b, &b->records[i]))
            return false;
    return true;
}
