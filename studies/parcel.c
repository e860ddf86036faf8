/*
 * A head of fixed size, then what it announces, in this order: links, series, the kinds of links (texts, one
 * after another, each with its zero), tape, failure. Structures travel as they lie in memory; pointers within
 * them are made anew.
 */
#include "studies/parcel.h"

#include <stdlib.h>
#include <string.h>

struct head {
    size_t run;
    struct run_result result;
    bool observed;
    sim_time ends[OBSERVATION_INTERVALS];
    size_t interval_count, link_count, series_count;
    size_t kinds_length, tape_length, failure_length; /* the latter with its zero; 0: none */
};

static size_t kinds_length(const struct observation *observation)
{
    size_t length = 0;
    for (size_t i = 0; i < observation->link_count; i++)
        length += strlen(observation->links[i].kind) + 1;
    return length;
}

static struct head head_of(const struct execution *execution)
{
    const struct observation *observation = execution->observation;
    struct head head;
    memset(&head, 0, sizeof head); /* also what lies between members */
    head.run = execution->run;
    head.result = execution->result;
    head.tape_length = execution->tape_length;
    head.failure_length = execution->failure ? strlen(execution->failure) + 1 : 0;
    head.observed = observation != NULL;
    if (!observation)
        return head;
    memcpy(head.ends, observation->ends, sizeof head.ends);
    head.interval_count = observation->interval_count;
    head.link_count = observation->link_count;
    head.series_count = observation->series_count;
    head.kinds_length = kinds_length(observation);
    return head;
}

static size_t length_of(const struct head *head)
{
    return sizeof *head + head->link_count * sizeof(struct observed_link) +
           head->series_count * sizeof(struct observed_series) + head->kinds_length + head->tape_length +
           head->failure_length;
}

static char *put(char *to, const void *bytes, size_t length)
{
    if (length)
        memcpy(to, bytes, length);
    return to + length;
}

static char *put_observation(char *to, const struct observation *observation)
{
    to = put(to, observation->links, observation->link_count * sizeof *observation->links);
    to = put(to, observation->series, observation->series_count * sizeof *observation->series);
    for (size_t i = 0; i < observation->link_count; i++)
        to = put(to, observation->links[i].kind, strlen(observation->links[i].kind) + 1);
    return to;
}

void *parcel_pack(const struct execution *execution, size_t *length)
{
    const struct head head = head_of(execution);
    *length = length_of(&head);
    char *bytes = malloc(*length), *to = bytes;
    if (!bytes)
        return NULL;
    to = put(to, &head, sizeof head);
    if (execution->observation)
        to = put_observation(to, execution->observation);
    to = put(to, execution->tape, head.tape_length);
    put(to, execution->failure, head.failure_length);
    return bytes;
}

/* A copy of the next LENGTH bytes, with room for MORE; NULL when out of memory. */
static void *get(const char **from, size_t length, size_t more)
{
    char *copy = malloc(length + more + 1);
    if (copy)
        memcpy(copy, *from, length);
    *from += length;
    return copy;
}

/* The kinds lie behind the links and go with them. */
static void set_kinds(struct observation *observation, const char *kinds, size_t length)
{
    char *kept = (char *)(observation->links + observation->link_count);
    memcpy(kept, kinds, length);
    for (size_t i = 0; i < observation->link_count; i++) {
        observation->links[i].kind = kept;
        kept += strlen(kept) + 1;
    }
}

static struct observation *get_observation(const char **from, const struct head *head)
{
    struct observation *observation = calloc(1, sizeof *observation);
    if (!observation)
        return NULL;
    memcpy(observation->ends, head->ends, sizeof head->ends);
    observation->interval_count = head->interval_count;
    observation->link_count = head->link_count;
    observation->series_count = head->series_count;
    observation->links = get(from, head->link_count * sizeof *observation->links, head->kinds_length);
    observation->series = get(from, head->series_count * sizeof *observation->series, 0);
    if (!observation->links || !observation->series) {
        observation_destroy(observation);
        return NULL;
    }
    set_kinds(observation, *from, head->kinds_length);
    *from += head->kinds_length;
    return observation;
}

static bool get_parts(const char *from, const struct head *head, struct execution *execution)
{
    if (head->observed && !(execution->observation = get_observation(&from, head)))
        return false;
    if (head->tape_length && !(execution->tape = get(&from, head->tape_length, 0)))
        return false;
    return !head->failure_length || (execution->failure = get(&from, head->failure_length, 0));
}

bool parcel_open(const void *bytes, size_t length, struct execution *execution, struct error *error)
{
    struct head head;
    if (length >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (length < sizeof head || length != length_of(&head)) {
        error_set(error, ERROR_SYSTEM, "another process sent what is no run: is it the same program?");
        return false;
    }
    *execution = (struct execution){.run = head.run, .result = head.result, .tape_length = head.tape_length};
    if (get_parts((const char *)bytes + sizeof head, &head, execution))
        return true;
    execution_discard(execution);
    error_out_of_memory(error, "the run of another process");
    return false;
}
