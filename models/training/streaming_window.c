/*
 * Synchronisations end in the order of their steps. Whether everybody has done a step, or taken a fragment
 * in, is looked at from the learner on that had not when last looked at, so that a look does not begin anew.
 */
#include "models/training/streaming_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* That of STEP, which opens unless it is. */
static struct synchronisation *open_step(struct streaming *streaming, int64_t step)
{
    struct window *window = &streaming->window;
    for (size_t i = 0; i < window->count; i++)
        if (window->open[i].step == step)
            return &window->open[i];
    assert(window->count < window->capacity);
    struct synchronisation *opened = &window->open[window->count++];
    *opened = (struct synchronisation){.step = step, .present = opened->present};
    memset(opened->present, 0, (size_t)streaming_member_count(streaming) * sizeof *opened->present);
    return opened;
}

bool streaming_join(struct streaming *streaming, const struct learner *learner)
{
    struct synchronisation *synchronisation = open_step(streaming, learner->clock);
    if (synchronisation->present[learner->number])
        return false;
    synchronisation->present[learner->number] = true;
    synchronisation->count++;
    return true;
}

/* Everybody who is up has taken STEP's fragment in. */
static bool is_taken(struct streaming *streaming, int64_t step)
{
    int64_t learners = streaming_member_count(streaming);
    for (int64_t i = 0; i < learners; i++) {
        const struct member *member = &streaming->members[streaming->window.untaken];
        if (learner_is_alive(member->learner) && member->applied < step)
            return false;
        streaming->window.untaken = (streaming->window.untaken + 1) % learners;
    }
    return true;
}

/* Their room goes to the end. */
void streaming_drop_taken(struct streaming *streaming)
{
    struct window *window = &streaming->window;
    while (window->count > 0 && window->open[0].over && is_taken(streaming, window->open[0].step)) {
        struct synchronisation head = window->open[0];
        memmove(window->open, window->open + 1, --window->count * sizeof head);
        window->open[window->count] = head;
    }
}

/* Nobody who is up has yet to do the step. */
static bool is_complete(const struct streaming *streaming, struct synchronisation *synchronisation)
{
    int64_t learners = streaming_member_count(streaming);
    for (int64_t i = 0; i < learners; i++) {
        const struct learner *learner = streaming->members[synchronisation->laggard].learner;
        if (learner_is_alive(learner) && learner->clock < synchronisation->step)
            return false;
        synchronisation->laggard = (synchronisation->laggard + 1) % learners;
    }
    return synchronisation->count > 0;
}

static void write_merge(struct streaming *streaming, const struct synchronisation *synchronisation)
{
    struct tape_part *parts = streaming->window.parts;
    struct tape_record record = {.time = sim_engine_now(streaming->world->engine),
                                 .kind = TAPE_MERGE,
                                 .actor = TAPE_SYNCER,
                                 .peer = TAPE_SYNCER,
                                 .fragment =
                                     (int32_t)fragment_due(&streaming->schedule, synchronisation->step),
                                 .clock = synchronisation->step};
    uint32_t count = 0;
    for (int32_t i = 0; i < streaming_member_count(streaming); i++)
        if (synchronisation->present[i])
            parts[count++] = (struct tape_part){.learner = i, .weight = 1, .clock = synchronisation->step};
    tape_write_merge(streaming->world->tape, record, parts, count);
}

void streaming_end_complete(struct streaming *streaming)
{
    struct window *window = &streaming->window;
    bool ended = false;
    for (size_t i = 0; i < window->count; i++) {
        struct synchronisation *synchronisation = &window->open[i];
        int64_t step = synchronisation->step;
        if (synchronisation->over)
            continue;
        if (streaming_progress(streaming, step) != REDUCER_OVER || !is_complete(streaming, synchronisation))
            break;
        synchronisation->over = ended = true;
        window->over_until = step;
        world_merged(streaming->world);
        write_merge(streaming, synchronisation);
    }
    if (!ended)
        return;
    streaming_poke_all(streaming);
    streaming_drop_taken(streaming);
}

int64_t streaming_newest_step(const struct streaming *streaming)
{
    const struct window *window = &streaming->window;
    return window->count > 0 ? window->open[window->count - 1].step : window->over_until;
}

bool streaming_window_create(struct streaming *streaming)
{
    struct window *window = &streaming->window;
    size_t learners = (size_t)streaming_member_count(streaming);
    /* Within τ + 1 steps of each other, with τ more until the last has taken in what the first sent. */
    window->capacity = 2 * (size_t)streaming->options->overlap + 4;
    window->open = calloc(window->capacity, sizeof *window->open);
    window->present = calloc(window->capacity * learners, sizeof *window->present);
    window->parts = calloc(learners, sizeof *window->parts);
    if (!window->open || !window->present || !window->parts)
        return false;
    for (size_t i = 0; i < window->capacity; i++)
        window->open[i].present = window->present + i * learners;
    return true;
}

void streaming_window_free(struct window *window)
{
    free(window->open);
    free(window->present);
    free(window->parts);
}
