/*
 * At the end of each interval the observer reads how many bits every link has carried by then, exactly; the
 * differences are the traffic over time. Reading changes nothing in the network.
 */
#include "models/training/observation.h"

#include "models/failures/causes.h"
#include "models/priority.h"
#include "models/training/traffic.h"
#include "models/training/waste.h"
#include "sim/tally.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a link by interval; NULL for one that was not used yet when the last interval ended. */
struct track {
    fluid_bits carried; /* up to the last interval's end */
    uint64_t *bits;
};

struct observer {
    struct sim_engine *engine;
    struct traffic *traffic;
    struct activity_recorder *activity; /* or NULL */
    sim_time duration;
    uint32_t actor;
    bool failed;
    size_t intervals; /* that are over */
    sim_time ends[OBSERVATION_INTERVALS];
    double up[OBSERVATION_INTERVALS];
    struct sim_time_tally up_now; /* in the present interval */
    struct track *tracks;         /* OBSERVATION_TRACKED; NULL without sites */
    uint64_t events;
};

static sim_time end_of(const struct observer *observer, size_t interval)
{
    return (sim_time)((__int128)observer->duration * (__int128)(interval + 1) / OBSERVATION_INTERVALS);
}

static void follow(struct observer *observer, uint32_t link)
{
    struct track *track = &observer->tracks[link];
    if (!track->bits)
        track->bits = calloc(OBSERVATION_INTERVALS, sizeof *track->bits);
    if (!track->bits) {
        observer->failed = true;
        return;
    }
    fluid_bits carried = traffic_link_bits(observer->traffic, link);
    track->bits[observer->intervals] = (uint64_t)(carried - track->carried);
    track->carried = carried;
}

static void on_interval_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)argument;
    struct observer *observer = actor;
    sim_time now = sim_engine_now(engine);
    uint32_t links = observer->tracks ? traffic_used_links(observer->traffic) : 0;
    observer->events++;
    for (uint32_t i = 0; i < links && i < OBSERVATION_TRACKED && !observer->failed; i++)
        follow(observer, i);
    observer->ends[observer->intervals] = now;
    observer->up[observer->intervals] = sim_time_tally_mean(&observer->up_now, now);
    sim_time_tally_start(&observer->up_now, now, observer->up_now.value);
    if (++observer->intervals < OBSERVATION_INTERVALS)
        sim_engine_schedule(engine, end_of(observer, observer->intervals), PRIORITY_OBSERVER, observer->actor,
                            0);
}

void observer_learners_up(struct observer *observer, double up)
{
    if (observer)
        sim_time_tally_set(&observer->up_now, sim_engine_now(observer->engine), up);
}

struct activity_recorder *observer_activity(const struct observer *observer)
{
    return observer->activity;
}

uint64_t observer_events(const struct observer *observer)
{
    return observer ? observer->events : 0;
}

/* Links. */

struct ranked {
    struct observed_link link;
    double busy; /* share of its capacity used */
    uint32_t number;
};

struct ranking {
    struct ranked *links;
    size_t count, room;
    double seconds; /* that count */
    bool failed;
};

static bool make_room(struct ranking *ranking)
{
    if (ranking->count < ranking->room)
        return true;
    size_t room = ranking->room ? 2 * ranking->room : 32;
    struct ranked *more = realloc(ranking->links, room * sizeof *more);
    ranking->failed = !more;
    if (!more)
        return false;
    ranking->links = more;
    ranking->room = room;
    return true;
}

static double finite_or_nan(double value)
{
    return isfinite(value) ? value : NAN;
}

static void rank(void *context, const struct traffic_link *used)
{
    static const char *const kinds[LINK_KINDS] = {
        [LINK_ACCESS] = "access", [LINK_INNER] = "inner",     [LINK_UPLINK] = "uplink",
        [LINK_PAIR] = "pair",     [LINK_BETWEEN] = "between", [LINK_BACKBONE] = "backbone"};
    struct ranking *ranking = context;
    if (ranking->failed || !make_room(ranking))
        return;
    struct ranked *ranked = &ranking->links[ranking->count++];
    *ranked = (struct ranked){.number = used->number};
    ranked->link = (struct observed_link){
        .kind = kinds[used->link.kind],
        .bytes = used->bits / 8,
        .mean = ranking->seconds > 0 ? used->bits / ranking->seconds : 0,
        .peak = used->peak,
        .capacity = finite_or_nan(used->link.bandwidth),
        .price = used->link.price > 0 ? used->bits * used->link.price : NAN,
    };
    snprintf(ranked->link.name, sizeof ranked->link.name, "%s", used->link.name);
    ranked->busy = ranked->link.capacity > 0 ? ranked->link.mean / ranked->link.capacity : 0;
}

/* Links equally busy stay in the order of their first use. */
static int busiest_first(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->busy != right->busy)
        return left->busy > right->busy ? -1 : 1;
    if (left->link.bytes != right->link.bytes)
        return left->link.bytes > right->link.bytes ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

static struct observed_link sum_of(const struct ranked *links, size_t count)
{
    struct observed_link sum = {.kind = "others", .peak = NAN, .capacity = NAN, .price = NAN};
    snprintf(sum.name, sizeof sum.name, "%zu others", count);
    for (size_t i = 0; i < count; i++) {
        const struct observed_link *link = &links[i].link;
        sum.bytes += link->bytes;
        sum.mean += link->mean;
        if (isfinite(link->price))
            sum.price = isfinite(sum.price) ? sum.price + link->price : link->price;
    }
    return sum;
}

static bool keep_links(struct observation *observation, const struct ranking *ranking)
{
    size_t apart = ranking->count < OBSERVATION_LINKS ? ranking->count : OBSERVATION_LINKS;
    bool others = apart < ranking->count;
    observation->links = calloc(apart + 1, sizeof *observation->links);
    if (!observation->links)
        return false;
    for (size_t i = 0; i < apart; i++)
        observation->links[i] = ranking->links[i].link;
    if (others)
        observation->links[apart] = sum_of(&ranking->links[apart], ranking->count - apart);
    observation->link_count = apart + others;
    return true;
}

/* Series. */

static void add_learners_up(const struct observer *observer, struct observation *observation)
{
    bool changed = false;
    for (size_t i = 1; i < observer->intervals; i++)
        changed |= observer->up[i] != observer->up[i - 1];
    if (!changed)
        return;
    struct observed_series *series = &observation->series[observation->series_count++];
    snprintf(series->name, sizeof series->name, "learners_up");
    for (size_t i = 0; i < observer->intervals; i++)
        series->values[i] = observer->up[i];
}

static void add_link(const struct observer *observer, const struct ranked *link,
                     struct observation *observation)
{
    const struct track *track = &observer->tracks[link->number];
    struct observed_series *series = &observation->series[observation->series_count++];
    snprintf(series->name, sizeof series->name, "link:%s", link->link.name);
    for (size_t i = 0; i < observer->intervals; i++) {
        sim_time length = observer->ends[i] - (i ? observer->ends[i - 1] : 0);
        series->values[i] = length > 0 ? (double)track->bits[i] / sim_time_to_seconds(length) : 0;
    }
}

static bool is_followed(const struct observer *observer, const struct ranked *link)
{
    return observer->tracks && link->number < OBSERVATION_TRACKED && observer->tracks[link->number].bits;
}

static bool keep_series(const struct observer *observer, const struct ranking *ranking,
                        struct observation *observation)
{
    observation->series = calloc(OBSERVATION_SERIES + 1, sizeof *observation->series);
    if (!observation->series)
        return false;
    observation->interval_count = observer->intervals;
    for (size_t i = 0; i < observer->intervals; i++)
        observation->ends[i] = observer->ends[i];
    add_learners_up(observer, observation);
    for (size_t i = 0, kept = 0; i < ranking->count && kept < OBSERVATION_SERIES; i++)
        if (is_followed(observer, &ranking->links[i])) {
            add_link(observer, &ranking->links[i], observation);
            kept++;
        }
    return true;
}

/* Causes. */

static bool keep_causes(struct observation *observation, const struct causes *causes,
                        const struct waste *waste)
{
    observation->causes = calloc(causes->count + 1, sizeof *observation->causes);
    if (!observation->causes)
        return false;
    observation->cause_count = causes->count;
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause_record *record = &causes->records[i];
        struct observed_cause *cause = &observation->causes[i];
        *cause = (struct observed_cause){.cause = record->cause,
                                         .struck = record->struck,
                                         .ignored = record->ignored,
                                         .first = record->first,
                                         .last = record->last,
                                         .cost_since = waste->began[i]};
        memcpy(cause->waste, waste->amount[i], sizeof cause->waste);
    }
    return true;
}

struct observation *observer_finish(struct observer *observer, sim_time counting_since,
                                    const struct causes *causes, const struct waste *waste,
                                    struct error *error)
{
    sim_time counted = sim_engine_now(observer->engine) - counting_since;
    struct ranking ranking = {.seconds = sim_time_to_seconds(counted)};
    struct observation *observation = calloc(1, sizeof *observation);
    traffic_visit(observer->traffic, rank, &ranking);
    if (ranking.count > 1)
        qsort(ranking.links, ranking.count, sizeof *ranking.links, busiest_first);
    bool kept = observation && !ranking.failed && !observer->failed && keep_links(observation, &ranking) &&
                keep_series(observer, &ranking, observation) && keep_causes(observation, causes, waste) &&
                (!observer->activity || activity_finish(observer->activity, &observation->activity));
    free(ranking.links);
    if (kept)
        return observation;
    observation_destroy(observation);
    error_out_of_memory(error, "what was seen of a run");
    return NULL;
}

/* Life. */

void observation_destroy(struct observation *observation)
{
    if (!observation)
        return;
    free(observation->causes);
    free(observation->links);
    free(observation->series);
    free(observation->spans);
    activity_free(&observation->activity);
    chaos_destroy(observation->chaos);
    free(observation);
}

static bool create_activity(struct observer *observer, const struct activity_plan *plan)
{
    if (!plan->keeps && !plan->listener)
        return true;
    observer->activity = activity_create(observer->engine, plan);
    return observer->activity != NULL;
}

/* What needs memory. */
static bool furnish(struct observer *observer, const struct network_config *network,
                    const struct activity_plan *plan)
{
    if (network->sites.count > 0) {
        observer->tracks = calloc(OBSERVATION_TRACKED, sizeof *observer->tracks);
        if (!observer->tracks)
            return false;
    }
    observer->actor = sim_engine_add_actor(observer->engine, on_interval_end, observer);
    return observer->actor != UINT32_MAX && create_activity(observer, plan);
}

struct observer *observer_create(struct sim_engine *engine, const struct network_config *network,
                                 struct traffic *traffic, const struct activity_plan *plan,
                                 struct error *error)
{
    struct observer *observer = calloc(1, sizeof *observer);
    if (observer)
        *observer = (struct observer){.engine = engine, .traffic = traffic, .duration = plan->duration};
    if (!observer || !furnish(observer, network, plan)) {
        observer_destroy(observer);
        error_out_of_memory(error, "a run's observer");
        return NULL;
    }
    sim_time_tally_start(&observer->up_now, sim_engine_now(engine), 0);
    sim_engine_schedule(engine, end_of(observer, 0), PRIORITY_OBSERVER, observer->actor, 0);
    return observer;
}

void observer_destroy(struct observer *observer)
{
    if (!observer)
        return;
    for (size_t i = 0; observer->tracks && i < OBSERVATION_TRACKED; i++)
        free(observer->tracks[i].bits);
    free(observer->tracks);
    activity_destroy(observer->activity);
    free(observer);
}
