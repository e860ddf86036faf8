/*
 * The runs that nobody has taken yet, the longest first: one worker that begins a long run last would work
 * alone at the end. Any thread may take one, or give one back that was lost with its worker.
 */
#ifndef STUDIES_PENDING_H
#define STUDIES_PENDING_H

#include "studies/plan.h"

struct pending;

/* Of these COUNT runs of PLAN, which outlives it. NULL when out of memory. */
struct pending *pending_create(const struct plan *plan, const size_t *runs, size_t count);
void pending_destroy(struct pending *pending); /* NULL is allowed */

/* The next run. False: there is none, for now at least. */
bool pending_take(struct pending *pending, size_t *run);

/* RUN, which was taken, is to be taken again, before all others. */
void pending_give_back(struct pending *pending, size_t run);

#endif
