/*
 * failures.chip: chips that stop, each with its own lives.
 *
 * Chips without memory (exponential) fail as one Poisson process; under any other law each chip lives its own
 * lives, and starts a new one when its slice returns. The n-th life of a chip is drawn by (chip, n). Cost and
 * memory grow with failures, not with chips, but for one draw per chip where ages matter.
 */
#ifndef MODELS_FAILURES_CHIP_FAILURES_H
#define MODELS_FAILURES_CHIP_FAILURES_H

#include "models/failures/outages.h"

struct chip_failures;

/* Lets the chips of OUTAGES' units fail up to HORIZON, if failures are enabled. NULL with ERROR when out of
 * memory; the caller destroys it. */
struct chip_failures *chip_failures_create(struct sim_engine *engine, struct outages *outages,
                                           const struct failure_config *config, uint64_t seed,
                                           uint32_t replication, sim_time horizon, struct error *error);
void chip_failures_destroy(struct chip_failures *failures); /* NULL is allowed */

/* CHIP is back from a repair whose length was not known when it failed. */
void chip_failures_renew(struct chip_failures *failures, int64_t chip);

bool chip_failures_failed(const struct chip_failures *failures); /* memory ran out */

#endif
