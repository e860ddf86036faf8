/*
 * Capacity over time: the factor by which a link's bandwidth is multiplied,
 *
 *   factor = schedule × daily × random × outage
 *
 * each 1 where the profile does not have it. It is constant between changes, and each link draws its own
 * changes, in wall time and from its own streams: whatever a strategy does, it meets the same network. The
 * two ways of one link change together.
 */
#ifndef MODELS_NETWORK_CAPACITY_H
#define MODELS_NETWORK_CAPACITY_H

#include "models/network/network.h"
#include "sim/distribution.h"
#include "sim/error.h"

/* An entry of "network.profiles". A law whose `law` is PARAMETER_UNSET is left out. */
struct network_profile {
    char *name;

    /* schedule: from at[i] seconds on the factor is factor[i]. Before at[0] it is 1; where it repeats, what
     * it was at the end of the period before, from the start of the run on. */
    struct sim_values schedule_at, schedule_factor;
    sim_time schedule_every; /* period; PARAMETER_UNSET: it does not repeat */

    /* daily: the factor falls to LOWEST at the hour AT (time since midnight; a run starts at midnight) and is
     * 1 twelve hours later, along a cosine in steps of a quarter of an hour. */
    double daily_lowest; /* NAN: no such pattern */
    sim_time daily_at;

    /* random: pieces one after another, each with a factor and a length in seconds. */
    struct sim_law_spec random_factor, random_lasting;

    /* outages: up for a time, then down (factor 0) for a time, seconds. */
    struct sim_law_spec outage_after, outage_lasting;
};

static inline const struct network_profile *profiles_of(const struct network_config *network)
{
    return (const struct network_profile *)network->profiles.items;
}

/* The profile called NAME; NULL where NAME is NULL or unknown. */
const struct network_profile *profiles_find(const struct network_config *network, const char *name);

/* Changes that PROFILE makes in SECONDS of one link, in the mean and roughly: for estimates of events. */
double profile_changes(const struct network_profile *profile, double seconds);

struct capacity; /* of one link in one run */

/* Opens the capacity of the link numbered LINK under PROFILE, at time 0. Pieces and outages last a
 * millisecond at least, so that time goes on. NULL when out of memory; the caller destroys it. */
struct capacity *capacity_create(const struct network_profile *profile, uint64_t seed, uint32_t replication,
                                 uint64_t link, struct error *error);
void capacity_destroy(struct capacity *capacity); /* NULL is allowed */

/* The factor >= 0 at time T, which never goes back: T is not below that of the last call. No allocation. */
double capacity_at(struct capacity *capacity, sim_time t);

/* When the factor may next be another one than at the T of the last call to capacity_at: the time of that
 * change, after T; SIM_NEVER: it stays. */
sim_time capacity_next(const struct capacity *capacity);

#endif
