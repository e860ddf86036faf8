/*
 * A tape as JSON Lines: a header object, then one object per record with the fields that its kind has.
 * Integers stay integers and floating-point numbers are printed so that they read back the same. Reading
 * wants every one of these fields, so that a slip of who edits a tape is no silent 0.
 */
#include "models/tape/tape.h"
#include "models/tape/tape_fields.h"

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
    bool good = shares != NULL;
    for (int32_t i = 0; good && i < tape->learners; i++)
        good = json_array_append_new(shares, json_real(tape->shares[i])) == 0;
    if (good)
        return json_pack("{s:i, s:i, s:i, s:f, s:o}", "tape", TAPE_VERSION, "learners", tape->learners,
                         "fragments", tape->fragments, "full_tokens", tape->full_tokens, "shares", shares);
    json_decref(shares);
    return NULL;
}

static json_t *parts_array(const struct tape *tape, const struct tape_record *record)
{
    json_t *parts = json_array();
    bool good = parts != NULL;
    for (uint32_t i = 0; good && i < record->parts; i++) {
        const struct tape_part *part = &tape->parts[record->first_part + i];
        good = json_array_append_new(parts, json_pack("{s:i, s:f, s:I}", "learner", part->learner, "weight",
                                                      part->weight, "clock", (json_int_t)part->clock)) == 0;
    }
    if (good)
        return parts;
    json_decref(parts);
    return NULL;
}

/* Adds VALUE, which may be NULL after a failure, and becomes the object's. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool set_fields(json_t *object, const struct tape *tape, const struct tape_record *record)
{
    unsigned fields = tape_fields[record->kind];
    return (!(fields & TAPE_HAS_PEER) || set(object, "peer", json_integer(record->peer))) &&
           (!(fields & TAPE_HAS_FRAGMENT) || set(object, "fragment", json_integer(record->fragment))) &&
           (!(fields & TAPE_HAS_POSITION) || (set(object, "position", json_integer(record->position)) &&
                                              set(object, "replayed", json_boolean(record->replayed)))) &&
           (!(fields & TAPE_HAS_TOKENS) || set(object, "tokens", json_real(record->tokens))) &&
           (!(fields & TAPE_HAS_WEIGHT) || set(object, "weight", json_real(record->weight))) &&
           (!(fields & TAPE_HAS_PARTS) || set(object, "parts", parts_array(tape, record)));
}

static json_t *record_object(const struct tape *tape, const struct tape_record *record)
{
    json_t *object =
        json_pack("{s:s, s:I, s:i, s:I}", "kind", tape_kind_names[record->kind], "time_ns",
                  (json_int_t)record->time, "actor", record->actor, "clock", (json_int_t)record->clock);
    if (object && set_fields(object, tape, record))
        return object;
    json_decref(object);
    return NULL;
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

/* Reading. A getter is false where OBJECT has no such value under KEY. */

static bool get_integer(const json_t *object, const char *key, int64_t *value)
{
    const json_t *found = json_object_get(object, key);
    *value = json_integer_value(found);
    return json_is_integer(found);
}

static bool get_int32(const json_t *object, const char *key, int32_t *value)
{
    int64_t wide;
    if (!get_integer(object, key, &wide) || wide < INT32_MIN || wide > INT32_MAX)
        return false;
    *value = (int32_t)wide;
    return true;
}

static bool get_number(const json_t *object, const char *key, double *value)
{
    const json_t *found = json_object_get(object, key);
    *value = json_number_value(found);
    return json_is_number(found);
}

static bool get_boolean(const json_t *object, const char *key, bool *value)
{
    const json_t *found = json_object_get(object, key);
    *value = json_is_true(found);
    return json_is_boolean(found);
}

static bool get_kind(const json_t *object, uint8_t *kind)
{
    const char *name = json_string_value(json_object_get(object, "kind"));
    for (*kind = 0; name && *kind < TAPE_KINDS; ++*kind)
        if (strcmp(name, tape_kind_names[*kind]) == 0)
            return true;
    return false;
}

static bool read_shares(const json_t *list, double *shares)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *share = json_array_get(list, i);
        if (!json_is_number(share))
            return false;
        shares[i] = json_number_value(share);
    }
    return true;
}

static struct tape_writer *read_header(const json_t *object)
{
    const json_t *list = json_object_get(object, "shares");
    int32_t version, learners, fragments;
    double full_tokens;
    if (!get_int32(object, "tape", &version) || version != TAPE_VERSION ||
        !get_int32(object, "learners", &learners) || learners < 1 ||
        !get_int32(object, "fragments", &fragments) || fragments < 0 || fragments > TAPE_MOST_FRAGMENTS ||
        !get_number(object, "full_tokens", &full_tokens) || json_array_size(list) != (size_t)learners)
        return NULL;
    double *shares = calloc((size_t)learners, sizeof *shares);
    struct tape_writer *writer = NULL;
    if (shares && read_shares(list, shares))
        writer = tape_writer_create(learners, fragments, full_tokens, shares);
    free(shares);
    return writer;
}

static bool read_part(const json_t *object, struct tape_part *part)
{
    return get_int32(object, "learner", &part->learner) && get_number(object, "weight", &part->weight) &&
           get_integer(object, "clock", &part->clock);
}

static bool read_merge(struct tape_writer *writer, struct tape_record record, const json_t *parts)
{
    size_t count = json_array_size(parts);
    struct tape_part *list = calloc(count + 1, sizeof *list);
    bool good = list && json_is_array(parts);
    for (size_t i = 0; good && i < count; i++)
        good = read_part(json_array_get(parts, i), &list[i]);
    if (good)
        tape_write_merge(writer, record, list, (uint32_t)count);
    free(list);
    return good;
}

/* The fields that RECORD's kind has, but for the participants. */
static bool read_fields(const json_t *object, struct tape_record *record)
{
    unsigned fields = tape_fields[record->kind];
    return (!(fields & TAPE_HAS_PEER) || get_int32(object, "peer", &record->peer)) &&
           (!(fields & TAPE_HAS_FRAGMENT) || get_int32(object, "fragment", &record->fragment)) &&
           (!(fields & TAPE_HAS_POSITION) || (get_integer(object, "position", &record->position) &&
                                              get_boolean(object, "replayed", &record->replayed))) &&
           (!(fields & TAPE_HAS_TOKENS) || get_number(object, "tokens", &record->tokens)) &&
           (!(fields & TAPE_HAS_WEIGHT) || get_number(object, "weight", &record->weight));
}

static bool read_record(struct tape_writer *writer, const json_t *object)
{
    struct tape_record record = {.peer = TAPE_SYNCER, .fragment = TAPE_WHOLE};
    if (!get_kind(object, &record.kind) || !get_integer(object, "time_ns", &record.time) ||
        !get_int32(object, "actor", &record.actor) || !get_integer(object, "clock", &record.clock) ||
        !read_fields(object, &record))
        return false;
    if (tape_fields[record.kind] & TAPE_HAS_PARTS)
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
