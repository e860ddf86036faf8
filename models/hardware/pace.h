/*
 * How much slower than nominal the slowest of a learner's chips is, now and in this step.
 *
 * Chips are slow for good (a law over chips, lemon hosts), for a while (episodes of hosts) or in one step (a
 * law over chips and steps). There is no state for a single chip: of each kind of host the slowest chip is
 * known (slowest.h), lemon hosts are counted, and the slowest of n in a step is one draw.
 */
#ifndef MODELS_HARDWARE_PACE_H
#define MODELS_HARDWARE_PACE_H

#include "models/hardware/slowest.h"
#include "models/hardware/stragglers.h"
#include "sim/error.h"

/* The laws of a run, which all learners share. */
struct pace_laws {
    const struct straggler_config *config;
    struct sim_distribution *chip;    /* NULL where it is constantly 1 */
    struct sim_distribution *lasting; /* likewise */
    struct sim_distribution *episode; /* durations; NULL where there are no episodes */
};

/* False with ERROR when out of memory; destroy either way. */
bool pace_laws_create(struct pace_laws *laws, const struct straggler_config *config, struct error *error);
void pace_laws_destroy(struct pace_laws *laws);

/* Of each chip, in the mean over chips and steps, episodes and lemons included; for estimates. */
double pace_mean(const struct pace_laws *laws);

/* Episodes of CHIPS chips on hosts of HOST_CHIPS in SECONDS, in the mean. */
double pace_episodes(const struct straggler_config *config, int64_t chips, int64_t host_chips,
                     double seconds);

struct pace {
    const struct pace_laws *laws;
    int64_t host_chips;
    int64_t chips, most_chips;
    int64_t lemon_hosts;
    struct slowest healthy, lemons; /* chips, and the slowest of them for good, apart from being lemons */
    struct sim_stream lasting_draws, episode_draws;
    sim_time next_episode, episode_ends;
    struct slowest episode_host; /* chips of the host that is slow until episode_ends */
};

/* CHIPS on hosts of HOST_CHIPS, for the learner that ENTITY names in the streams of SEED and REPLICATION. */
void pace_start(struct pace *pace, const struct pace_laws *laws, int64_t chips, int64_t host_chips,
                uint64_t seed, uint32_t replication, uint64_t entity);

/* CHIPS of its chips leave; or join, new to it. Together never more than it started with. */
void pace_leave(struct pace *pace, int64_t chips);
void pace_join(struct pace *pace, int64_t chips);

/* The factor of the slowest chip in a step that begins NOW, and in *MEAN that of all chips in the mean; there
 * are chips. One or two draws from DRAWS for the step's own law. */
double pace_slowest(struct pace *pace, sim_time now, struct sim_stream *draws, double *mean);

/* The factor of the slowest of CHIPS of its chips in a step, apart from how slow they are for good. */
double pace_of_chips(const struct pace *pace, int64_t chips, struct sim_stream *draws);

#endif
