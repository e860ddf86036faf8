/*
 * Invariant: the queue is in the order of reductions, without two of one place; only its head ever runs, and
 * everything up to OVER has been at the head.
 */
#include "models/training/reducer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct place {
    int64_t step, layer;
};

struct reduction {
    struct place place;
    double bits;
    int64_t count; /* learners that have released it */
    bool *released;
    int64_t laggard; /* awaited when last looked at: the first to look at again */
};

struct reducer {
    struct world *world;
    int64_t algorithm;
    struct reducer_user user;
    size_t room;
    struct reduction *all;    /* ROOM of them, in the queue or idle */
    bool *released;           /* what theirs point into */
    struct reduction **queue; /* 2 · ROOM places, QUEUED from HEAD on */
    size_t head, queued;
    struct reduction **idle;
    size_t idle_count;
    int64_t *present;
    struct operation *running; /* of the head */
    struct place over;
};

static int64_t learner_count(const struct reducer *reducer)
{
    return reducer->world->layout.learners;
}

static bool comes_before(struct place one, struct place other)
{
    return one.step < other.step || (one.step == other.step && one.layer > other.layer);
}

static bool is_over(const struct reducer *reducer, struct place place)
{
    return !comes_before(reducer->over, place);
}

/* The queue. */

static struct reduction **queue_end(const struct reducer *reducer)
{
    return reducer->queue + reducer->head + reducer->queued;
}

/* Where in the queue PLACE is, or would be. */
static struct reduction **find(const struct reducer *reducer, struct place place)
{
    struct reduction **at = queue_end(reducer), **first = reducer->queue + reducer->head;
    while (at > first && !comes_before(at[-1]->place, place))
        at--;
    return at;
}

static bool is_at(const struct reducer *reducer, struct reduction **at, struct place place)
{
    return at < queue_end(reducer) && !comes_before(place, (*at)->place);
}

static struct reduction *insert(struct reducer *reducer, struct place place, double bits)
{
    assert(reducer->idle_count > 0);
    if (reducer->head + reducer->queued == 2 * reducer->room) {
        memmove(reducer->queue, reducer->queue + reducer->head, reducer->queued * sizeof *reducer->queue);
        reducer->head = 0;
    }
    struct reduction **at = find(reducer, place), *reduction = reducer->idle[--reducer->idle_count];
    memmove(at + 1, at, (size_t)(queue_end(reducer) - at) * sizeof *at);
    reducer->queued++;
    *at = reduction;
    *reduction = (struct reduction){.place = place, .bits = bits, .released = reduction->released};
    memset(reduction->released, 0, (size_t)learner_count(reducer) * sizeof *reduction->released);
    return reduction;
}

static void take_out(struct reducer *reducer, struct reduction **at)
{
    reducer->idle[reducer->idle_count++] = *at;
    reducer->queued--;
    if (at == reducer->queue + reducer->head)
        reducer->head++;
    else
        memmove(at, at + 1, (size_t)(queue_end(reducer) - at) * sizeof *at);
}

/* Running. */

static bool is_complete(const struct reducer *reducer, struct reduction *reduction)
{
    const struct reducer_user *user = &reducer->user;
    for (int64_t i = 0; i < learner_count(reducer); i++) {
        int64_t learner = reduction->laggard;
        if (!reduction->released[learner] && user->awaits(user->context, learner, reduction->place.step))
            return false;
        reduction->laggard = (learner + 1) % learner_count(reducer);
    }
    return true;
}

static void on_done(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct reducer *reducer = context;
    struct place place = reducer->queue[reducer->head]->place;
    reducer->running = NULL;
    reducer->over = place;
    take_out(reducer, reducer->queue + reducer->head);
    reducer->user.changed(reducer->user.context, place.step, place.layer);
    reducer_look(reducer);
    world_waits_changed(reducer->world);
}

static void start(struct reducer *reducer, const struct reduction *reduction)
{
    size_t count = 0;
    for (int64_t i = 0; i < learner_count(reducer); i++)
        if (reduction->released[i])
            reducer->present[count++] = i;
    struct traffic_collective collective = {.algorithm = (enum collective_algorithm)reducer->algorithm,
                                            .learners = reducer->present,
                                            .learner_count = count,
                                            .bits = reduction->bits,
                                            .done = on_done,
                                            .context = reducer};
    reducer->running = traffic_start(reducer->world->traffic, &collective);
}

void reducer_look(struct reducer *reducer)
{
    if (reducer->running || reducer->queued == 0)
        return;
    struct reduction *head = reducer->queue[reducer->head];
    if (!is_complete(reducer, head))
        return;
    start(reducer, head);
    reducer->user.changed(reducer->user.context, head->place.step, head->place.layer);
    world_waits_changed(reducer->world);
}

void reducer_release(struct reducer *reducer, int64_t learner, int64_t step, int64_t layer, double bits)
{
    struct place place = {step, layer};
    if (is_over(reducer, place))
        return;
    struct reduction **at = find(reducer, place);
    struct reduction *reduction = is_at(reducer, at, place) ? *at : insert(reducer, place, bits);
    bool runs = reducer->running && reduction == reducer->queue[reducer->head];
    if (reduction->released[learner] || runs)
        return;
    reduction->released[learner] = true;
    reduction->count++;
    if (!reducer->running)
        reducer_look(reducer);
    else if (is_complete(reducer, reduction))
        reducer->user.changed(reducer->user.context, step, layer);
}

void reducer_withdraw(struct reducer *reducer, int64_t learner, int64_t step)
{
    for (size_t i = reducer->running ? 1 : 0; i < reducer->queued;) {
        struct reduction **at = reducer->queue + reducer->head + i, *reduction = *at;
        if (reduction->place.step == step && reduction->released[learner]) {
            reduction->released[learner] = false;
            reduction->count--;
        }
        if (reduction->count == 0)
            take_out(reducer, at);
        else
            i++;
    }
}

void reducer_clear(struct reducer *reducer, int64_t step)
{
    struct place before = {step - 1, 0};
    while (reducer->queued > 0 && comes_before(before, queue_end(reducer)[-1]->place)) {
        if (reducer->running && reducer->queued == 1) {
            traffic_stop(reducer->world->traffic, reducer->running);
            reducer->running = NULL;
        }
        take_out(reducer, queue_end(reducer) - 1);
    }
    if (comes_before(before, reducer->over))
        reducer->over = before;
}

enum reducer_progress reducer_progress(const struct reducer *reducer, int64_t step, int64_t layer)
{
    struct place place = {step, layer};
    if (is_over(reducer, place))
        return REDUCER_OVER;
    struct reduction **at = find(reducer, place);
    if (!is_at(reducer, at, place))
        return REDUCER_GATHERS;
    bool runs = reducer->running && at == reducer->queue + reducer->head;
    return runs || is_complete(reducer, *at) ? REDUCER_RUNS : REDUCER_GATHERS;
}

struct traffic_blame reducer_blame(const struct reducer *reducer)
{
    return reducer->running ? traffic_blame_operation(reducer->world->traffic, reducer->running)
                            : TRAFFIC_NO_BLAME;
}

/* Life. */

static bool allocate(struct reducer *reducer)
{
    size_t learners = (size_t)learner_count(reducer);
    reducer->all = calloc(reducer->room, sizeof *reducer->all);
    reducer->released = calloc(reducer->room * learners, sizeof *reducer->released);
    reducer->queue = calloc(2 * reducer->room, sizeof *reducer->queue);
    reducer->idle = calloc(reducer->room, sizeof(struct reduction *));
    reducer->present = calloc(learners, sizeof *reducer->present);
    if (!reducer->all || !reducer->released || !reducer->queue || !reducer->idle || !reducer->present)
        return false;
    for (size_t i = 0; i < reducer->room; i++) {
        reducer->all[i].released = reducer->released + i * learners;
        reducer->idle[i] = &reducer->all[i];
    }
    reducer->idle_count = reducer->room;
    return true;
}

struct reducer *reducer_create(struct world *world, int64_t algorithm, size_t room,
                               const struct reducer_user *user, struct error *error)
{
    struct reducer *reducer = calloc(1, sizeof *reducer);
    if (reducer)
        *reducer = (struct reducer){.world = world, .algorithm = algorithm, .user = *user, .room = room};
    if (!reducer || !allocate(reducer)) {
        error_out_of_memory(error, "the reductions");
        reducer_destroy(reducer);
        return NULL;
    }
    return reducer;
}

void reducer_destroy(struct reducer *reducer)
{
    if (!reducer)
        return;
    free(reducer->all);
    free(reducer->released);
    free(reducer->queue);
    free(reducer->idle);
    free(reducer->present);
    free(reducer);
}
