/*
 * Invariant: healthy.units + lemons.units = chips, and lemons.units = lemon_hosts × host_chips as far as
 * there are as many chips.
 */
#include "models/hardware/pace.h"

#include "models/purpose.h"
#include <assert.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* Leaves *LAW at NULL for the law that is constantly 1, so that the common case draws nothing. */
static bool create_factor(const struct sim_law_spec *spec, struct sim_distribution **law, struct error *error)
{
    if (spec->law == SIM_LAW_CONSTANT && spec->mean == 1)
        return true;
    *law = sim_distribution_create(spec, error);
    return *law != NULL;
}

static bool has_episodes(const struct straggler_config *config)
{
    return config->fail_slow_between > 0;
}

bool pace_laws_create(struct pace_laws *laws, const struct straggler_config *config, struct error *error)
{
    *laws = (struct pace_laws){.config = config};
    if (!create_factor(&config->chip, &laws->chip, error) ||
        !create_factor(&config->lasting, &laws->lasting, error))
        return false;
    if (has_episodes(config))
        laws->episode = sim_distribution_create(&config->fail_slow_duration, error);
    return !has_episodes(config) || laws->episode;
}

void pace_laws_destroy(struct pace_laws *laws)
{
    sim_distribution_destroy(laws->chip);
    sim_distribution_destroy(laws->lasting);
    sim_distribution_destroy(laws->episode);
}

static double mean_of(const struct sim_distribution *law)
{
    return law ? sim_distribution_mean(law) : 1;
}

static double own_mean(const struct pace_laws *laws)
{
    return mean_of(laws->chip) * mean_of(laws->lasting);
}

double pace_mean(const struct pace_laws *laws)
{
    return own_mean(laws) * (1 + laws->config->lemon_share * (laws->config->lemon_factor - 1));
}

double pace_episodes(const struct straggler_config *config, int64_t chips, int64_t host_chips, double seconds)
{
    if (!has_episodes(config))
        return 0;
    return ceil((double)chips / (double)host_chips) * seconds /
           sim_time_to_seconds(config->fail_slow_between);
}

/* Hosts of CHIPS chips, the last one perhaps not full. */
static int64_t hosts_of(const struct pace *pace, int64_t chips)
{
    return (chips + pace->host_chips - 1) / pace->host_chips;
}

static void resize(struct slowest *slowest, int64_t units, struct sim_stream *stream)
{
    if (units < slowest->units)
        slowest_leave(slowest, slowest->units - units, stream);
    else
        slowest_join(slowest, units - slowest->units, stream);
}

/* Divides the chips anew among healthy and lemon hosts. */
static void divide(struct pace *pace)
{
    int64_t lemon_chips = pace->lemon_hosts * pace->host_chips;
    if (lemon_chips > pace->chips)
        lemon_chips = pace->chips;
    resize(&pace->lemons, lemon_chips, &pace->lasting_draws);
    resize(&pace->healthy, pace->chips - lemon_chips, &pace->lasting_draws);
}

static bool chips_differ(const struct pace *pace)
{
    return pace->laws->lasting || pace->laws->config->lemon_share > 0;
}

void pace_join(struct pace *pace, int64_t chips)
{
    int64_t hosts = hosts_of(pace, pace->chips + chips) - hosts_of(pace, pace->chips);
    pace->chips += chips;
    assert(chips >= 0 && pace->chips <= pace->most_chips);
    if (!chips_differ(pace))
        return;
    gsl_rng generator = sim_stream_as_gsl(&pace->lasting_draws);
    pace->lemon_hosts += gsl_ran_binomial(&generator, pace->laws->config->lemon_share, (unsigned)hosts);
    divide(pace);
}

void pace_leave(struct pace *pace, int64_t chips)
{
    int64_t before = hosts_of(pace, pace->chips), after = hosts_of(pace, pace->chips - chips);
    assert(chips >= 0 && chips <= pace->chips);
    pace->chips -= chips;
    if (!chips_differ(pace))
        return;
    gsl_rng generator = sim_stream_as_gsl(&pace->lasting_draws);
    if (after == 0)
        pace->lemon_hosts = 0;
    else if (pace->lemon_hosts > 0 && before > after)
        pace->lemon_hosts -=
            gsl_ran_hypergeometric(&generator, (unsigned)pace->lemon_hosts,
                                   (unsigned)(before - pace->lemon_hosts), (unsigned)(before - after));
    divide(pace);
}

/* Episodes of all hosts that the learner started with are one Poisson process; those of hosts that are away
 * are left out below. */
static sim_time time_to_next_episode(struct pace *pace)
{
    double hosts = (double)hosts_of(pace, pace->most_chips);
    double mean = sim_time_to_seconds(pace->laws->config->fail_slow_between) / hosts;
    sim_time time = sim_time_from_seconds(mean * sim_stream_exponential(&pace->episode_draws));
    return time > 0 ? time : 1;
}

void pace_start(struct pace *pace, const struct pace_laws *laws, int64_t chips, int64_t host_chips,
                uint64_t seed, uint32_t replication, uint64_t entity)
{
    *pace = (struct pace){.laws = laws,
                          .host_chips = host_chips,
                          .most_chips = chips,
                          .healthy = slowest_none(),
                          .lemons = slowest_none(),
                          .episode_host = slowest_none(),
                          .next_episode = SIM_NEVER};
    sim_stream_open(&pace->lasting_draws, seed, replication, PURPOSE_LASTING_PACE, entity);
    sim_stream_open(&pace->episode_draws, seed, replication, PURPOSE_FAIL_SLOW, entity);
    if (laws->episode)
        pace->next_episode = time_to_next_episode(pace);
    pace_join(pace, chips);
}

/* Of several episodes at a time the one that ends last counts; they all have the same factor. */
static void begin_episode(struct pace *pace)
{
    double seconds = sim_distribution_sample(pace->laws->episode, &pace->episode_draws);
    bool present = sim_stream_uniform(&pace->episode_draws) * (double)pace->most_chips < (double)pace->chips;
    sim_time end = sim_time_add(pace->next_episode, sim_time_from_seconds(seconds));
    if (present && end > pace->episode_ends) {
        pace->episode_ends = end;
        pace->episode_host = slowest_none();
        slowest_join(&pace->episode_host, pace->host_chips, &pace->episode_draws);
    }
    pace->next_episode = sim_time_add(pace->next_episode, time_to_next_episode(pace));
}

/* The slowest of GROUP in this step. */
static double slowest_of(const struct pace *pace, const struct slowest *group, struct sim_stream *draws)
{
    if (pace->laws->chip)
        return sim_distribution_maximum(pace->laws->chip, (uint64_t)group->units, draws);
    return pace->laws->lasting ? slowest_factor(group, pace->laws->lasting) : 1;
}

/* Without lasting differences nothing is known of the groups: all chips are one. */
static double slowest_of_all(const struct pace *pace, struct sim_stream *draws)
{
    const struct slowest everybody = {.units = pace->chips};
    if (!chips_differ(pace))
        return slowest_of(pace, &everybody, draws);
    double slowest = 0;
    if (pace->healthy.units > 0)
        slowest = slowest_of(pace, &pace->healthy, draws);
    if (pace->lemons.units > 0)
        slowest = fmax(slowest, pace->laws->config->lemon_factor * slowest_of(pace, &pace->lemons, draws));
    return slowest;
}

double pace_slowest(struct pace *pace, sim_time now, struct sim_stream *draws, double *mean)
{
    const struct straggler_config *config = pace->laws->config;
    assert(pace->chips > 0);
    while (pace->next_episode <= now)
        begin_episode(pace);
    double slowest = slowest_of_all(pace, draws), chips = (double)pace->chips;
    double extra = (double)pace->lemons.units * (config->lemon_factor - 1);
    if (now < pace->episode_ends) {
        slowest = fmax(slowest, config->fail_slow_factor * slowest_of(pace, &pace->episode_host, draws));
        extra += fmin((double)pace->host_chips, chips) * (config->fail_slow_factor - 1);
    }
    *mean = own_mean(pace->laws) * (1 + extra / chips);
    return slowest;
}

double pace_of_chips(const struct pace *pace, int64_t chips, struct sim_stream *draws)
{
    int64_t present = chips < pace->chips ? chips : pace->chips;
    return pace->laws->chip ? sim_distribution_maximum(pace->laws->chip, (uint64_t)present, draws) : 1;
}
