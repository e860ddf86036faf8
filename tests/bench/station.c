#include "tests/bench/station.h"

#include <assert.h>
#include <stdlib.h>

enum { RING_FIRST = 1024 };

static sim_time draw(struct station *station, sim_time mean)
{
    return (sim_time)(sim_stream_exponential(&station->stream) * (double)mean);
}

static void ring_grow(struct station *station)
{
    uint64_t size = station->mask + 1;
    sim_time *larger = malloc(2 * size * sizeof *larger);
    assert(larger);
    for (uint64_t i = station->served; i < station->arrived; i++)
        larger[i & (2 * size - 1)] = station->arrival[i & station->mask];
    free(station->arrival);
    station->arrival = larger;
    station->mask = 2 * size - 1;
}

static void begin_service(struct station *station, struct sim_engine *engine, sim_time now)
{
    sim_time service = station->constant_service ? station->service : draw(station, station->service);
    sim_engine_schedule(engine, now + service, 0, station->departures, 0);
}

static void arrive(struct sim_engine *engine, void *object, uint32_t argument)
{
    struct station *station = object;
    sim_time now = sim_engine_now(engine);
    uint64_t present = station->arrived - station->served;
    (void)argument;
    if (present > station->mask)
        ring_grow(station);
    station->arrival[station->arrived++ & station->mask] = now;
    if (present == 0)
        begin_service(station, engine, now);
    if (station->arrived < station->customers)
        sim_engine_schedule(engine, now + draw(station, station->between), 0, station->arrivals, 0);
}

static void depart(struct sim_engine *engine, void *object, uint32_t argument)
{
    struct station *station = object;
    sim_time now = sim_engine_now(engine);
    (void)argument;
    if (station->served >= station->warm_up)
        station->system_time += now - station->arrival[station->served & station->mask];
    if (++station->served < station->arrived)
        begin_service(station, engine, now);
}

bool station_open(struct station *station, struct sim_engine *engine, uint64_t seed, uint32_t replication)
{
    station->served = station->arrived = 0;
    station->system_time = 0;
    station->mask = RING_FIRST - 1;
    station->arrival = malloc(RING_FIRST * sizeof *station->arrival);
    station->arrivals = sim_engine_add_actor(engine, arrive, station);
    station->departures = sim_engine_add_actor(engine, depart, station);
    sim_stream_open(&station->stream, seed, replication, 0, 0);
    if (!station->arrival || station->departures == UINT32_MAX)
        return false;
    sim_engine_schedule(engine, draw(station, station->between), 0, station->arrivals, 0);
    return true;
}

void station_close(struct station *station)
{
    free(station->arrival);
}

double station_mean_time(const struct station *station)
{
    return sim_time_to_seconds(station->system_time) / (double)(station->served - station->warm_up);
}
