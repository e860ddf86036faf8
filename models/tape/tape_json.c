/*
 * A tape as JSON Lines: a header object, then one object per record with the fields that its kind has.
 * Integers stay integers and floating-point numbers are printed so that they read back the same.
 */
#include "models/tape/tape.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t length, capacity;
};

static bool append(struct text *text, const char *line)
{
    size_t length = strlen(line);
    if (text->length + length + 2 > text->capacity) {
        size_t capacity = 2 * (text->capacity + length + 2);
        char *larger = realloc(text->bytes, capacity);
        if (!larger)
            return false;
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, line, length);
    text->length += length;
    text->bytes[text->length++] = '\n';
    text->bytes[text->length] = '\0';
    return true;
}

static bool append_object(struct text *text, json_t *object)
{
    char *line = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    bool good = line && append(text, line);
    free(line);
    json_decref(object);
    return good;
}

static json_t *header_object(const struct tape *tape)
{
    json_t *shares = json_array();
    for (int32_t i = 0; i < tape->learners; i++)
        json_array_append_new(shares, json_real(tape->shares[i]));
    return json_pack("{s:i, s:i, s:i, s:f, s:o}", "tape", TAPE_VERSION, "learners", tape->learners,
                     "fragments", tape->fragments, "full_tokens", tape->full_tokens, "shares", shares);
}

static json_t *parts_array(const struct tape *tape, const struct tape_record *record)
{
    json_t *parts = json_array();
    for (uint32_t i = 0; i < record->parts; i++) {
        const struct tape_part *part = &tape->parts[record->first_part + i];
        json_array_append_new(parts, json_pack("{s:i, s:f, s:I}", "learner", part->learner, "weight",
                                               part->weight, "clock", (json_int_t)part->clock));
    }
    return parts;
}

static json_t *record_object(const struct tape *tape, const struct tape_record *record)
{
    json_t *object =
        json_pack("{s:s, s:I, s:i, s:I}", "kind", tape_kind_names[record->kind], "time_ns",
                  (json_int_t)record->time, "actor", record->actor, "clock", (json_int_t)record->clock);
    switch ((enum tape_kind)record->kind) {
    case TAPE_STEP_BEGIN:
        json_object_set_new(object, "position", json_integer(record->position));
        json_object_set_new(object, "replayed", json_boolean(record->replayed));
        json_object_set_new(object, "tokens", json_real(record->tokens));
        break;
    case TAPE_STEP_END:
    case TAPE_STEP_LOST:
        json_object_set_new(object, "tokens", json_real(record->tokens));
        break;
    case TAPE_MERGE:
        json_object_set_new(object, "parts", parts_array(tape, record));
        json_object_set_new(object, "fragment", json_integer(record->fragment));
        break;
    case TAPE_SEND:
    case TAPE_APPLY:
        json_object_set_new(object, "fragment", json_integer(record->fragment));
        break;
    case TAPE_MIX:
        json_object_set_new(object, "weight", json_real(record->weight));
        json_object_set_new(object, "peer", json_integer(record->peer));
        break;
    case TAPE_COPY:
        json_object_set_new(object, "peer", json_integer(record->peer));
        break;
    default:
        break;
    }
    return object;
}

char *tape_to_json(const struct tape *tape, struct error *error)
{
    struct text text = {0};
    bool good = append_object(&text, header_object(tape));
    for (size_t i = 0; good && i < tape->count; i++)
        good = append_object(&text, record_object(tape, &tape->records[i]));
    if (good)
        return text.bytes;
    free(text.bytes);
    error_out_of_memory(error, "exporting a tape");
    return NULL;
}

/* Reading. */

static int64_t integer_of(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static int kind_of(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "kind"));
    for (int kind = 0; name && kind < TAPE_KINDS; kind++)
        if (strcmp(name, tape_kind_names[kind]) == 0)
            return kind;
    return -1;
}

static struct tape_writer *read_header(const json_t *object)
{
    const json_t *shares = json_object_get(object, "shares");
    int64_t learners = integer_of(object, "learners", 0), fragments = integer_of(object, "fragments", -1);
    if (integer_of(object, "tape", 0) != TAPE_VERSION || learners < 1 || learners > INT32_MAX ||
        fragments < 0 || fragments > INT32_MAX || json_array_size(shares) != (size_t)learners)
        return NULL;
    double *copy = malloc((size_t)learners * sizeof *copy);
    struct tape_writer *writer = NULL;
    if (copy) {
        for (size_t i = 0; i < (size_t)learners; i++)
            copy[i] = json_number_value(json_array_get(shares, i));
        writer =
            tape_writer_create((int32_t)learners, (int32_t)fragments, number_of(object, "full_tokens"), copy);
    }
    free(copy);
    return writer;
}

static bool read_merge(struct tape_writer *writer, struct tape_record record, const json_t *parts)
{
    size_t count = json_array_size(parts);
    struct tape_part *list = malloc((count + 1) * sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *part = json_array_get(parts, i);
        list[i] = (struct tape_part){.learner = (int32_t)integer_of(part, "learner", -1),
                                     .weight = number_of(part, "weight"),
                                     .clock = integer_of(part, "clock", 0)};
    }
    tape_write_merge(writer, record, list, (uint32_t)count);
    free(list);
    return true;
}

static bool read_record(struct tape_writer *writer, const json_t *object)
{
    int kind = kind_of(object);
    int64_t actor = integer_of(object, "actor", INT32_MIN);
    if (kind < 0 || actor < TAPE_SYNCER || actor > INT32_MAX)
        return false;
    struct tape_record record = {.kind = (uint8_t)kind,
                                 .time = integer_of(object, "time_ns", 0),
                                 .actor = (int32_t)actor,
                                 .peer = (int32_t)integer_of(object, "peer", TAPE_SYNCER),
                                 .fragment = (int32_t)integer_of(object, "fragment", TAPE_WHOLE),
                                 .clock = integer_of(object, "clock", 0),
                                 .position = integer_of(object, "position", 0),
                                 .tokens = number_of(object, "tokens"),
                                 .weight = number_of(object, "weight"),
                                 .replayed = json_is_true(json_object_get(object, "replayed"))};
    if (kind == TAPE_MERGE)
        return read_merge(writer, record, json_object_get(object, "parts"));
    tape_write(writer, record);
    return true;
}

/* One line, which is not empty, into WRITER; the first makes it. */
static bool read_line(const char *line, size_t length, struct tape_writer **writer)
{
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    bool good = json_is_object(object);
    if (good && !*writer)
        good = (*writer = read_header(object)) != NULL;
    else if (good)
        good = read_record(*writer, object);
    json_decref(object);
    return good;
}

struct tape *tape_from_json(const char *text, struct error *error)
{
    struct tape_writer *writer = NULL;
    size_t number = 0;
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");
        if (length > 0 && !read_line(line, length, &writer)) {
            error_set(error, ERROR_INPUT, "line %zu of the tape is no %s", number + 1,
                      writer ? "tape record" : "tape header of this version");
            tape_writer_abandon(writer);
            return NULL;
        }
        line += length + (line[length] == '\n');
    }
    if (!writer) {
        error_set(error, ERROR_INPUT, "the tape is empty");
        return NULL;
    }
    return tape_finish_as_written(writer, error);
}
