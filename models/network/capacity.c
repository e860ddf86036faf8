/*
 * Schedule and daily pattern are functions of time; random pieces and outages are processes that have come to
 * a point and know how long they stay there.
 */
#include "models/network/capacity.h"

#include "models/purpose.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define DAY (86400 * SIM_SECOND)
#define DAILY_STEP (900 * SIM_SECOND)
#define SHORTEST SIM_MILLISECOND

static const struct parameter_law factor_law = {.mean_name = "mean", .law = "uniform", .optional = true};
static const struct parameter_law lasting_law = {.mean_name = "mean", .law = "exponential", .optional = true};

static const struct parameter rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What sites, links and backbones call the profile.",
     .offset = offsetof(struct network_profile, name)},
    {.path = "schedule.at",
     .type = PARAMETER_REAL_LIST,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .sentence = "Times from which on the bandwidth is multiplied by the factors; by 1 before the first.",
     .offset = offsetof(struct network_profile, schedule_at)},
    {.path = "schedule.factor",
     .type = PARAMETER_REAL_LIST,
     .fallback = "",
     .sentence = "The factors, one for each time; 0 is an outage.",
     .offset = offsetof(struct network_profile, schedule_factor)},
    {.path = "schedule.every",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Period after which the schedule begins again; it happens once where left out.",
     .offset = offsetof(struct network_profile, schedule_every)},
    {.path = "daily.lowest",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .sentence =
         "Least factor of the day; twelve hours from it the factor is 1, and a cosine lies between. No "
         "such pattern where left out.",
     .offset = offsetof(struct network_profile, daily_lowest)},
    {.path = "daily.at",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "20 h",
     .minimum = 0,
     .maximum = 86400,
     .sentence = "Time of day of the least factor; a run starts at midnight.",
     .source = "ours: evenings are the Internet's busy hours",
     .offset = offsetof(struct network_profile, daily_at)},
    {.path = "random.factor",
     .type = PARAMETER_LAW,
     .law = &factor_law,
     .sentence = "random factor, drawn anew piece by piece; none where left out",
     .offset = offsetof(struct network_profile, random_factor)},
    {.path = "random.lasting",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &lasting_law,
     .sentence = "time for which a random factor stays, a millisecond at least",
     .offset = offsetof(struct network_profile, random_lasting)},
    {.path = "outages.after",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &lasting_law,
     .sentence = "time from the start, or the end of an outage, to the next outage; none where left out",
     .offset = offsetof(struct network_profile, outage_after)},
    {.path = "outages.lasting",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &lasting_law,
     .sentence = "time for which an outage lasts, a millisecond at least",
     .offset = offsetof(struct network_profile, outage_lasting)},
};

const struct parameter_list network_profiles = {
    .section = "network.profiles",
    .sentence = "How bandwidths change over time; each link that names a profile changes on its own.",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .item_size = sizeof(struct network_profile)};

const struct network_profile *profiles_find(const struct network_config *network, const char *name)
{
    for (size_t i = 0; name && i < network->profiles.count; i++)
        if (strcmp(profiles_of(network)[i].name, name) == 0)
            return &profiles_of(network)[i];
    return NULL;
}

static double mean_of(const struct sim_law_spec *spec)
{
    struct sim_distribution *law = sim_distribution_create(spec, NULL);
    double mean = law ? sim_distribution_mean(law) : 0;
    sim_distribution_destroy(law);
    return fmax(mean, sim_time_to_seconds(SHORTEST));
}

double profile_changes(const struct network_profile *profile, double seconds)
{
    double changes = (double)profile->schedule_at.count;
    if (profile->schedule_every != PARAMETER_UNSET)
        changes *= seconds / sim_time_to_seconds(profile->schedule_every);
    if (!isnan(profile->daily_lowest))
        changes += seconds / sim_time_to_seconds(DAILY_STEP);
    if (profile->random_lasting.law != PARAMETER_UNSET)
        changes += seconds / mean_of(&profile->random_lasting);
    if (profile->outage_after.law != PARAMETER_UNSET)
        changes += 2 * seconds / (mean_of(&profile->outage_after) + mean_of(&profile->outage_lasting));
    return changes;
}

/* A factor that stays until a time. */
struct process {
    struct sim_distribution *factor;     /* NULL: alternately 1 and 0 */
    struct sim_distribution *lasting[2]; /* of a piece at 0, and at another factor; the same where factors
                                          * are drawn. NULL: no such process */
    struct sim_stream stream;
    double now;
    sim_time until;
};

struct capacity {
    const struct network_profile *profile;
    sim_time *at; /* of the schedule */
    struct process random, outages;
    sim_time next; /* of what the last call saw */
};

/* Begins the piece of PROCESS after the present one. */
static void process_turn(struct process *process)
{
    if (process->factor)
        process->now = sim_distribution_sample(process->factor, &process->stream);
    else
        process->now = process->now > 0 ? 0 : 1;
    double seconds = sim_distribution_sample(process->lasting[process->now > 0], &process->stream);
    sim_time length = sim_time_from_seconds(seconds);
    process->until = sim_time_add(process->until, length > SHORTEST ? length : SHORTEST);
}

static double process_at(struct process *process, sim_time t)
{
    if (!process->lasting[0])
        return 1;
    while (process->until <= t && process->until != SIM_NEVER)
        process_turn(process);
    return process->now;
}

static double schedule_at(const struct capacity *capacity, sim_time t, sim_time *next)
{
    const struct network_profile *profile = capacity->profile;
    size_t count = profile->schedule_at.count;
    sim_time every = profile->schedule_every, start = 0;
    bool repeats = every != PARAMETER_UNSET;
    if (!count)
        return 1;
    if (repeats)
        start = t / every * every;
    size_t low = 0, high = count; /* the first entry after T is in [low, high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (capacity->at[middle] <= t - start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count)
        *next = sim_time_add(start, capacity->at[low]);
    else if (repeats)
        *next = sim_time_add(start, sim_time_add(every, capacity->at[0]));
    if (low == 0)
        return repeats ? profile->schedule_factor.values[count - 1] : 1;
    return profile->schedule_factor.values[low - 1];
}

static double daily_at(const struct network_profile *profile, sim_time t, sim_time *next)
{
    if (isnan(profile->daily_lowest))
        return 1;
    sim_time step = t / DAILY_STEP * DAILY_STEP;
    *next = sim_time_add(step, DAILY_STEP);
    double turn = (double)((step - profile->daily_at) % DAY) / (double)DAY;
    return 1 - (1 - profile->daily_lowest) * (1 + cos(2 * M_PI * turn)) / 2;
}

double capacity_at(struct capacity *capacity, sim_time t)
{
    sim_time scheduled = SIM_NEVER, daily = SIM_NEVER;
    double factor = schedule_at(capacity, t, &scheduled) * daily_at(capacity->profile, t, &daily) *
                    process_at(&capacity->random, t) * process_at(&capacity->outages, t);
    sim_time next = scheduled < daily ? scheduled : daily;
    if (capacity->random.until < next)
        next = capacity->random.until;
    if (capacity->outages.until < next)
        next = capacity->outages.until;
    capacity->next = next;
    return factor;
}

sim_time capacity_next(const struct capacity *capacity)
{
    return capacity->next;
}

/* Left out: no process. */
static bool make_law(const struct sim_law_spec *spec, struct sim_distribution **law, struct error *error)
{
    if (spec->law != PARAMETER_UNSET)
        *law = sim_distribution_create(spec, error);
    return spec->law == PARAMETER_UNSET || *law;
}

static bool make_laws(struct capacity *capacity, struct error *error)
{
    const struct network_profile *profile = capacity->profile;
    struct process *random = &capacity->random, *outages = &capacity->outages;
    bool good = make_law(&profile->random_factor, &random->factor, error) &&
                make_law(&profile->random_lasting, &random->lasting[0], error) &&
                make_law(&profile->outage_lasting, &outages->lasting[0], error) &&
                make_law(&profile->outage_after, &outages->lasting[1], error);
    random->lasting[1] = random->lasting[0];
    return good;
}

static bool take_schedule(struct capacity *capacity)
{
    const struct sim_values *at = &capacity->profile->schedule_at;
    capacity->at = calloc(at->count + 1, sizeof *capacity->at);
    for (size_t i = 0; capacity->at && i < at->count; i++)
        capacity->at[i] = sim_time_from_seconds(at->values[i]);
    return capacity->at;
}

/* At time 0 a first piece begins, and a link is up. */
static void start(struct process *process, uint64_t seed, uint32_t replication, uint32_t purpose,
                  uint64_t link)
{
    process->until = SIM_NEVER;
    if (!process->lasting[0])
        return;
    sim_stream_open(&process->stream, seed, replication, purpose, link);
    process->until = 0;
    process_turn(process);
}

struct capacity *capacity_create(const struct network_profile *profile, uint64_t seed, uint32_t replication,
                                 uint64_t link, struct error *error)
{
    struct capacity *capacity = calloc(1, sizeof *capacity);
    if (!capacity) {
        error_out_of_memory(error, "the capacity of a link");
        return NULL;
    }
    capacity->profile = profile;
    if (!take_schedule(capacity) || !make_laws(capacity, error)) {
        capacity_destroy(capacity);
        error_out_of_memory(error, "the capacity of a link");
        return NULL;
    }
    start(&capacity->random, seed, replication, PURPOSE_LINK_CAPACITY, link);
    start(&capacity->outages, seed, replication, PURPOSE_LINK_OUTAGES, link);
    capacity_at(capacity, 0);
    return capacity;
}

void capacity_destroy(struct capacity *capacity)
{
    if (!capacity)
        return;
    sim_distribution_destroy(capacity->random.factor);
    sim_distribution_destroy(capacity->random.lasting[0]);
    sim_distribution_destroy(capacity->outages.lasting[0]);
    sim_distribution_destroy(capacity->outages.lasting[1]);
    free(capacity->at);
    free(capacity);
}
