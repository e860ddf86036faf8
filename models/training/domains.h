/*
 * The domain tree of a run (models/failures/units.h): its cluster's slices, hosts and racks, and its
 * network's sites, where they are for this strategy's learners.
 */
#ifndef MODELS_TRAINING_DOMAINS_H
#define MODELS_TRAINING_DOMAINS_H

#include "models/failures/units.h"
#include "models/training/layout.h"

/* False with ERROR when out of memory; units_free either way. */
bool domains_create(struct units *units, const struct simulation_config *config, const struct layout *layout,
                    struct error *error);

#endif
