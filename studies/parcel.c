/*
 * Values, arrays and texts one after another. Structures travel as they lie in memory; pointers within them
 * are made anew. Texts that belong to the program (kinds of links, names of spans) come to lie behind the
 * array that points to them, and go with it.
 */
#include "studies/parcel.h"

#include <stdlib.h>
#include <string.h>

struct known_activity {
    int64_t learners, resolution;
    void *spans, *marks, *merges;
    size_t span_count, mark_count, merge_count;
    uint64_t all_merges;
};

/* What an observation consists of. A member that is new there has to be packed here. */
struct known_members {
    void *causes, *links, *series, *spans, *chaos;
    struct known_activity activity;
    size_t cause_count, link_count, interval_count, series_count, span_count;
    sim_time ends[OBSERVATION_INTERVALS];
};
_Static_assert(sizeof(struct known_members) == sizeof(struct observation), "an observation has a new member");
_Static_assert(sizeof(struct known_activity) == sizeof(struct activity), "an activity has a new member");
_Static_assert(sizeof(struct chaos_schedule) == 2 * sizeof(void *) + 2 * sizeof(size_t),
               "a schedule has a new member");

/* Packing */

struct parcel {
    char *bytes;
    size_t length, capacity;
    bool failed;
};

static void put(struct parcel *parcel, const void *bytes, size_t length)
{
    if (parcel->failed || !length)
        return;
    if (parcel->length + length > parcel->capacity) {
        size_t capacity = 2 * (parcel->length + length);
        char *grown = realloc(parcel->bytes, capacity);
        parcel->failed = !grown;
        if (!grown)
            return;
        parcel->bytes = grown;
        parcel->capacity = capacity;
    }
    memcpy(parcel->bytes + parcel->length, bytes, length);
    parcel->length += length;
}

static void put_array(struct parcel *parcel, const void *items, size_t count, size_t size)
{
    put(parcel, &count, sizeof count);
    put(parcel, items, count * size);
}

/* An array and, behind it, the texts that it points to; TEXT_OF says which the item at an index has. */
static void put_with_texts(struct parcel *parcel, const struct observation *observation, const void *items,
                           size_t count, size_t size,
                           const char *(*text_of)(const struct observation *, size_t))
{
    size_t texts = 0;
    for (size_t i = 0; i < count; i++)
        texts += strlen(text_of(observation, i)) + 1;
    put(parcel, &texts, sizeof texts);
    put_array(parcel, items, count, size);
    for (size_t i = 0; i < count; i++)
        put(parcel, text_of(observation, i), strlen(text_of(observation, i)) + 1);
}

static const char *kind_of(const struct observation *observation, size_t link)
{
    return observation->links[link].kind;
}

static const char *name_of(const struct observation *observation, size_t span)
{
    return observation->spans[span].name;
}

static void put_chaos(struct parcel *parcel, const struct chaos_schedule *chaos)
{
    bool any = chaos != NULL;
    put(parcel, &any, sizeof any);
    if (!any)
        return;
    put_array(parcel, chaos->faults, chaos->count, sizeof *chaos->faults);
    put_array(parcel, chaos->causes, chaos->cause_count, sizeof *chaos->causes);
}

static void put_activity(struct parcel *parcel, const struct activity *activity)
{
    put(parcel, &activity->learners, sizeof activity->learners);
    put(parcel, &activity->resolution, sizeof activity->resolution);
    put(parcel, &activity->all_merges, sizeof activity->all_merges);
    put_array(parcel, activity->spans, activity->span_count, sizeof *activity->spans);
    put_array(parcel, activity->marks, activity->mark_count, sizeof *activity->marks);
    put_array(parcel, activity->merges, activity->merge_count, sizeof *activity->merges);
}

static void put_observation(struct parcel *parcel, const struct observation *seen)
{
    bool any = seen != NULL;
    put(parcel, &any, sizeof any);
    if (!any)
        return;
    put_array(parcel, seen->causes, seen->cause_count, sizeof *seen->causes);
    put_with_texts(parcel, seen, seen->links, seen->link_count, sizeof *seen->links, kind_of);
    put_array(parcel, seen->ends, seen->interval_count, sizeof *seen->ends);
    put_array(parcel, seen->series, seen->series_count, sizeof *seen->series);
    put_with_texts(parcel, seen, seen->spans, seen->span_count, sizeof *seen->spans, name_of);
    put_activity(parcel, &seen->activity);
    put_chaos(parcel, seen->chaos);
}

void *parcel_pack(const struct execution *execution, size_t *length)
{
    struct parcel parcel = {.bytes = NULL};
    const char *failure = execution->failure;
    put(&parcel, &execution->run, sizeof execution->run);
    put(&parcel, &execution->result, sizeof execution->result);
    put_observation(&parcel, execution->observation);
    put_array(&parcel, execution->tape, execution->tape_length, 1);
    put_array(&parcel, failure, failure ? strlen(failure) + 1 : 0, 1);
    *length = parcel.length;
    if (!parcel.failed)
        return parcel.bytes;
    free(parcel.bytes);
    return NULL;
}

/* Opening */

struct source {
    const char *at;
    size_t left;
    bool short_of_bytes, short_of_memory;
};

static bool is_good(const struct source *source)
{
    return !source->short_of_bytes && !source->short_of_memory;
}

static void get(struct source *source, void *to, size_t length)
{
    source->short_of_bytes |= length > source->left;
    if (!is_good(source) || !length)
        return;
    memcpy(to, source->at, length);
    source->at += length;
    source->left -= length;
}

/* Of items of SIZE, which must be there; 0 otherwise. */
static size_t get_count(struct source *source, size_t size)
{
    size_t count = 0;
    get(source, &count, sizeof count);
    source->short_of_bytes |= count > source->left / size;
    return is_good(source) ? count : 0;
}

/* With room for MORE bytes behind it; NULL and none when there are none or something is short. */
static void *get_array(struct source *source, size_t *count, size_t size, size_t more)
{
    *count = get_count(source, size);
    char *items = *count ? malloc(*count * size + more) : NULL;
    source->short_of_memory |= *count && !items;
    if (items)
        get(source, items, *count * size);
    else
        *count = 0;
    return items;
}

/* The texts that lie behind an array. */
struct texts {
    char *next;
    size_t left;
};

static void *get_with_texts(struct source *source, size_t *count, size_t size, struct texts *texts)
{
    size_t length = get_count(source, 1);
    char *items = get_array(source, count, size, length);
    *texts = (struct texts){.next = items ? items + *count * size : NULL, .left = items ? length : 0};
    get(source, texts->next, texts->left);
    return items;
}

/* Empty when there is none. */
static const char *next_text(struct source *source, struct texts *texts)
{
    size_t length = texts->left && is_good(source) ? strnlen(texts->next, texts->left) : 0;
    if (length >= texts->left || !is_good(source)) {
        source->short_of_bytes = true;
        return "";
    }
    const char *text = texts->next;
    texts->next += length + 1;
    texts->left -= length + 1;
    return text;
}

static void get_links(struct source *source, struct observation *seen)
{
    struct texts texts;
    seen->links = get_with_texts(source, &seen->link_count, sizeof *seen->links, &texts);
    for (size_t i = 0; i < seen->link_count; i++)
        seen->links[i].kind = next_text(source, &texts);
}

static void get_spans(struct source *source, struct observation *seen)
{
    struct texts texts;
    seen->spans = get_with_texts(source, &seen->span_count, sizeof *seen->spans, &texts);
    for (size_t i = 0; i < seen->span_count; i++)
        seen->spans[i].name = next_text(source, &texts);
}

static void get_ends(struct source *source, struct observation *seen)
{
    size_t count = get_count(source, sizeof *seen->ends);
    source->short_of_bytes |= count > OBSERVATION_INTERVALS;
    seen->interval_count = is_good(source) ? count : 0;
    get(source, seen->ends, seen->interval_count * sizeof *seen->ends);
}

static struct chaos_schedule *get_chaos(struct source *source)
{
    bool any = false;
    get(source, &any, sizeof any);
    struct chaos_schedule *chaos = any ? calloc(1, sizeof *chaos) : NULL;
    source->short_of_memory |= any && !chaos;
    if (!chaos)
        return NULL;
    chaos->faults = get_array(source, &chaos->count, sizeof *chaos->faults, 0);
    chaos->causes = get_array(source, &chaos->cause_count, sizeof *chaos->causes, 0);
    return chaos;
}

static void get_activity(struct source *source, struct activity *activity)
{
    get(source, &activity->learners, sizeof activity->learners);
    get(source, &activity->resolution, sizeof activity->resolution);
    get(source, &activity->all_merges, sizeof activity->all_merges);
    activity->spans = get_array(source, &activity->span_count, sizeof *activity->spans, 0);
    activity->marks = get_array(source, &activity->mark_count, sizeof *activity->marks, 0);
    activity->merges = get_array(source, &activity->merge_count, sizeof *activity->merges, 0);
}

static struct observation *get_observation(struct source *source)
{
    bool any = false;
    get(source, &any, sizeof any);
    struct observation *seen = any ? calloc(1, sizeof *seen) : NULL;
    source->short_of_memory |= any && !seen;
    if (!seen)
        return NULL;
    seen->causes = get_array(source, &seen->cause_count, sizeof *seen->causes, 0);
    get_links(source, seen);
    get_ends(source, seen);
    seen->series = get_array(source, &seen->series_count, sizeof *seen->series, 0);
    get_spans(source, seen);
    get_activity(source, &seen->activity);
    seen->chaos = get_chaos(source);
    return seen;
}

bool parcel_open(const void *bytes, size_t length, struct execution *execution, struct error *error)
{
    struct source source = {.at = bytes, .left = length};
    size_t failure_length;
    *execution = (struct execution){.run = 0};
    get(&source, &execution->run, sizeof execution->run);
    get(&source, &execution->result, sizeof execution->result);
    execution->observation = get_observation(&source);
    execution->tape = get_array(&source, &execution->tape_length, 1, 0);
    execution->failure = get_array(&source, &failure_length, 1, 0);
    bool whole = !execution->failure || !execution->failure[failure_length - 1];
    if (is_good(&source) && whole && !source.left)
        return true;
    execution_discard(execution);
    if (source.short_of_memory)
        error_out_of_memory(error, "the run of another process");
    else
        error_set(error, ERROR_SYSTEM, "another process sent what is no run: is it the same program?");
    return false;
}
