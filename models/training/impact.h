/*
 * Whom faults strike: what outages tell of slices, links and the syncer reaches the learner, replica, link or
 * syncer whose it is, and whoever watches the run.
 */
#ifndef MODELS_TRAINING_IMPACT_H
#define MODELS_TRAINING_IMPACT_H

#include "models/failures/outages.h"

struct world;

/* Who is to be told of the outages of WORLD, whose strategy is chosen. Valid as long as WORLD is; it may be
 * asked to tell only once the learners, the traffic and the strategy's state are there. */
struct outages_observer impact_observer(struct world *world);

#endif
