/*
 * Where the cluster has spares (cluster.spares), learners hold slots, and slices fill them: what outages tell
 * of slices is told on of slots, at the moment at which a slot is empty or filled again. Slots are numbered
 * as layout.h numbers slices; spares follow.
 */
#ifndef MODELS_TRAINING_SLOTS_H
#define MODELS_TRAINING_SLOTS_H

#include "models/failures/outages.h"
#include "models/failures/spares.h"

struct world;
struct slots;

/* Slots of WORLD, all filled; OF_SLOTS is told what concerns them, of WORLD's ledger and waste what the
 * spares do. NULL with ERROR when out of memory; the caller destroys. */
struct slots *slots_create(struct world *world, struct outages_observer of_slots, struct error *error);
void slots_destroy(struct slots *slots); /* NULL is allowed */

/* Who is to be told of slices. Valid as long as SLOTS is. */
struct outages_observer slots_observer(struct slots *slots);

/* Charges spares up to now. NULL: there are none. */
void slots_book(struct slots *slots);

/* What the spares did since the start; all 0 for NULL. */
struct spares_counts slots_counts(const struct slots *slots);

#endif
