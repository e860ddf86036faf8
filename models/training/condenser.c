#include "models/training/condenser.h"

#include <assert.h>
#include <stdlib.h>

static bool is_same(const struct activity_span *a, const struct activity_span *b)
{
    return a->category == b->category && a->cause == b->cause;
}

static bool make_room(struct condenser *condenser)
{
    if (condenser->count < condenser->room)
        return true;
    size_t room = condenser->room ? 2 * condenser->room : 16;
    struct activity_span *more = realloc(condenser->spans, room * sizeof *more);
    condenser->failed |= !more;
    if (!more)
        return false;
    condenser->spans = more;
    condenser->room = room;
    return true;
}

static void keep(struct condenser *condenser, const struct activity_span *span)
{
    struct activity_span *last = condenser->count ? &condenser->spans[condenser->count - 1] : NULL;
    if (condenser->failed)
        return;
    assert(!last || last->end == span->begin);
    if (last && is_same(last, span))
        last->end = span->end;
    else if (make_room(condenser))
        condenser->spans[condenser->count++] = *span;
}

/* What was put aside up to NOW becomes a span. */
static void settle(struct condenser *condenser, int64_t lane, sim_time now)
{
    int most = 0;
    if (condenser->aside == 0)
        return;
    for (int i = 1; i < BUDGET_CATEGORIES; i++)
        if (condenser->owed[i] > condenser->owed[most])
            most = i;
    keep(condenser, &(struct activity_span){.lane = lane,
                                            .category = most,
                                            .cause = condenser->causes[most],
                                            .begin = now - condenser->aside,
                                            .end = now});
    condenser->owed[most] -= condenser->aside;
    condenser->aside = 0;
}

static void end_run(struct condenser *condenser)
{
    const struct activity_span *run = &condenser->run;
    sim_time length = run->end - run->begin;
    condenser->running = false;
    if (length >= condenser->resolution) {
        settle(condenser, run->lane, run->begin);
        keep(condenser, run);
        return;
    }
    condenser->owed[run->category] += length;
    condenser->causes[run->category] = run->cause;
    condenser->aside += length;
    if (condenser->aside >= condenser->resolution)
        settle(condenser, run->lane, run->end);
}

void condenser_add(struct condenser *condenser, const struct activity_span *span)
{
    if (condenser->running && is_same(&condenser->run, span)) {
        condenser->run.end = span->end;
        return;
    }
    if (condenser->running)
        end_run(condenser);
    condenser->run = *span;
    condenser->run.chip_time = 0;
    condenser->running = true;
}

void condenser_finish(struct condenser *condenser)
{
    if (condenser->running)
        end_run(condenser);
    settle(condenser, condenser->run.lane, condenser->run.end);
}

void condenser_coarsen(struct condenser *condenser, sim_time resolution)
{
    condenser_finish(condenser);
    struct condenser coarser = {.resolution = resolution, .failed = condenser->failed};
    for (size_t i = 0; i < condenser->count; i++)
        condenser_add(&coarser, &condenser->spans[i]);
    condenser_finish(&coarser);
    condenser_free(condenser);
    *condenser = coarser;
}

void condenser_free(struct condenser *condenser)
{
    free(condenser->spans);
    *condenser = (struct condenser){.resolution = condenser->resolution};
}
