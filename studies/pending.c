/*
 * A stack: what was taken and comes back is on top, and it never holds more than at the beginning.
 */
#include "studies/pending.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pending {
    pthread_mutex_t lock;
    size_t *runs; /* the next one last */
    size_t count, capacity;
};

/* Of runs of equal length the plan's order counts. */
static int longer_last(const void *a, const void *b, void *context)
{
    const struct plan_run *runs = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    if (runs[left].work != runs[right].work)
        return runs[left].work < runs[right].work ? -1 : 1;
    return left > right ? -1 : left < right;
}

struct pending *pending_create(const struct plan *plan, const size_t *runs, size_t count)
{
    struct pending *pending = calloc(1, sizeof *pending);
    if (pending)
        pending->runs = calloc(count + 1, sizeof *pending->runs);
    if (!pending || !pending->runs) {
        free(pending);
        return NULL;
    }
    pthread_mutex_init(&pending->lock, NULL);
    pending->count = pending->capacity = count;
    for (size_t i = 0; i < count; i++)
        pending->runs[i] = runs[i];
    qsort_r(pending->runs, count, sizeof *pending->runs, longer_last, plan->runs);
    return pending;
}

void pending_destroy(struct pending *pending)
{
    if (!pending)
        return;
    pthread_mutex_destroy(&pending->lock);
    free(pending->runs);
    free(pending);
}

bool pending_take(struct pending *pending, size_t *run)
{
    pthread_mutex_lock(&pending->lock);
    bool any = pending->count > 0;
    if (any)
        *run = pending->runs[--pending->count];
    pthread_mutex_unlock(&pending->lock);
    return any;
}

void pending_give_back(struct pending *pending, size_t run)
{
    pthread_mutex_lock(&pending->lock);
    assert(pending->count < pending->capacity);
    pending->runs[pending->count++] = run;
    pthread_mutex_unlock(&pending->lock);
}
