#include "tests/bench/station.h"

#include <assert.h>
#include <stdlib.h>

enum { RING_FIRST = 1024 };

static sim_time draw(struct station *station, double mean)
{
    return (sim_time)(sim_stream_exponential(&station->stream) * mean * 1e9);
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

static void begin_service(struct station *station)
{
    sim_time now = sim_engine_now(station->engine);
    sim_time service =
        station->constant_service ? (sim_time)(station->service * 1e9) : draw(station, station->service);
    sim_engine_schedule(station->engine, now + service, 0, station->departures, 0);
}

static void arrive(struct sim_engine *engine, void *object, uint32_t argument)
{
    struct station *station = object;
    sim_time now = sim_engine_now(engine);
    (void)argument;
    if (station->arrived - station->served > station->mask)
        ring_grow(station);
    bool idle = station->arrived == station->served;
    station->arrival[station->arrived++ & station->mask] = now;
    if (idle)
        begin_service(station);
    if (station->arrived < station->customers)
        sim_engine_schedule(engine, now + draw(station, station->between), 0, station->arrivals, 0);
}

static void depart(struct sim_engine *engine, void *object, uint32_t argument)
{
    struct station *station = object;
    (void)argument;
    sim_time spent = sim_engine_now(engine) - station->arrival[station->served & station->mask];
    if (station->served++ >= station->warm_up)
        station->system_time += 1e-9 * (double)spent;
    if (station->served < station->arrived)
        begin_service(station);
}

bool station_open(struct station *station, struct sim_engine *engine, uint64_t seed, uint32_t replication)
{
    station->engine = engine;
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
    return station->system_time / (double)(station->served - station->warm_up);
}
