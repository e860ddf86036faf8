/*
 * Tapes in memory: written by appending, sorted by time when finished.
 */
#include "models/tape/tape.h"
#include "models/tape/tape_fields.h"

#include <stdlib.h>
#include <string.h>

const char *const tape_kind_names[TAPE_KINDS] = {
    [TAPE_STEP_BEGIN] = "step_begin",
    [TAPE_STEP_END] = "step_end",
    [TAPE_STEP_LOST] = "step_lost",
    [TAPE_SEND] = "send",
    [TAPE_MERGE] = "merge",
    [TAPE_APPLY] = "apply",
    [TAPE_ROUND] = "round",
    [TAPE_MIX] = "mix",
    [TAPE_ROUND_END] = "round_end",
    [TAPE_SNAPSHOT] = "snapshot",
    [TAPE_ROLLBACK] = "rollback",
    [TAPE_LOST] = "lost",
    [TAPE_COPY] = "copy",
    [TAPE_RESET] = "reset",
};

const unsigned tape_fields[TAPE_KINDS] = {
    [TAPE_STEP_BEGIN] = TAPE_HAS_POSITION | TAPE_HAS_TOKENS,
    [TAPE_STEP_END] = TAPE_HAS_TOKENS,
    [TAPE_STEP_LOST] = TAPE_HAS_TOKENS,
    [TAPE_SEND] = TAPE_HAS_FRAGMENT,
    [TAPE_MERGE] = TAPE_HAS_FRAGMENT | TAPE_HAS_PARTS,
    [TAPE_APPLY] = TAPE_HAS_FRAGMENT,
    [TAPE_MIX] = TAPE_HAS_PEER | TAPE_HAS_WEIGHT,
    [TAPE_COPY] = TAPE_HAS_PEER,
};

struct tape_writer {
    struct tape *tape;
    size_t capacity, part_capacity;
    bool failed;
};

struct tape *tape_create(int32_t learners, int32_t fragments, double full_tokens, const double *shares)
{
    struct tape *tape = calloc(1, sizeof *tape);
    double *copy = malloc((size_t)learners * sizeof *copy);
    if (!tape || !copy) {
        free(tape);
        free(copy);
        return NULL;
    }
    memcpy(copy, shares, (size_t)learners * sizeof *copy);
    *tape = (struct tape){
        .learners = learners, .fragments = fragments, .full_tokens = full_tokens, .shares = copy};
    return tape;
}

void tape_destroy(struct tape *tape)
{
    if (!tape)
        return;
    free(tape->shares);
    free(tape->records);
    free(tape->parts);
    free(tape);
}

struct tape_writer *tape_writer_create(int32_t learners, int32_t fragments, double full_tokens,
                                       const double *shares)
{
    struct tape_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->tape = tape_create(learners, fragments, full_tokens, shares);
    if (!writer->tape) {
        free(writer);
        return NULL;
    }
    return writer;
}

/* Room for COUNT elements of SIZE bytes, doubling; false when out of memory. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 1024;
    while (wanted < count)
        wanted *= 2;
    void *larger = realloc(*array, wanted * size);
    if (!larger)
        return false;
    *array = larger;
    *capacity = wanted;
    return true;
}

void tape_write(struct tape_writer *writer, struct tape_record record)
{
    if (!writer || writer->failed)
        return;
    struct tape *tape = writer->tape;
    if (!reserve((void **)&tape->records, &writer->capacity, tape->count + 1, sizeof record)) {
        writer->failed = true;
        return;
    }
    tape->records[tape->count++] = record;
}

void tape_write_merge(struct tape_writer *writer, struct tape_record record, const struct tape_part *parts,
                      uint32_t count)
{
    if (!writer || writer->failed)
        return;
    struct tape *tape = writer->tape;
    if (!reserve((void **)&tape->parts, &writer->part_capacity, tape->part_count + count, sizeof *parts)) {
        writer->failed = true;
        return;
    }
    record.first_part = (uint32_t)tape->part_count;
    record.parts = count;
    if (count > 0)
        memcpy(tape->parts + tape->part_count, parts, count * sizeof *parts);
    tape->part_count += count;
    tape_write(writer, record);
}

/* Records come nearly sorted: those written ahead of their time move back by insertion, which is stable. */
static void sort_by_time(struct tape *tape)
{
    for (size_t i = 1; i < tape->count; i++) {
        struct tape_record record = tape->records[i];
        size_t j = i;
        for (; j > 0 && tape->records[j - 1].time > record.time; j--)
            tape->records[j] = tape->records[j - 1];
        tape->records[j] = record;
    }
}

struct tape *tape_finish_as_written(struct tape_writer *writer, struct error *error)
{
    struct tape *tape = writer->tape;
    bool failed = writer->failed;
    free(writer);
    if (!failed)
        return tape;
    tape_destroy(tape);
    error_out_of_memory(error, "the event tape");
    return NULL;
}

struct tape *tape_finish(struct tape_writer *writer, struct error *error)
{
    struct tape *tape = tape_finish_as_written(writer, error);
    if (tape)
        sort_by_time(tape);
    return tape;
}

void tape_writer_fail(struct tape_writer *writer)
{
    writer->failed = true;
}

void tape_writer_abandon(struct tape_writer *writer)
{
    if (!writer)
        return;
    tape_destroy(writer->tape);
    free(writer);
}
