/*
 * A single-server queue on the engine, the smallest model with closed forms: customers come at random, wait
 * in order of arrival, and are served one at a time.
 */
#ifndef TESTS_BENCH_STATION_H
#define TESTS_BENCH_STATION_H

#include "sim/engine.h"
#include "sim/stream.h"

struct station {
    /* Set by the caller, before station_open. */
    sim_time between;      /* mean time between arrivals, exponential */
    sim_time service;      /* mean time of service */
    bool constant_service; /* else exponential */
    uint64_t customers;    /* to come in all */
    uint64_t warm_up;      /* how many of them are served before anything is counted */

    /* Results. */
    uint64_t served;
    sim_time system_time; /* from arrival to departure, summed over those counted */

    struct sim_stream stream;
    uint32_t arrivals, departures; /* actors */
    uint64_t arrived;
    sim_time *arrival; /* ring of the arrival times of those present */
    uint64_t mask;
};

/* Adds the station's actors to ENGINE and schedules the first arrival; sim_engine_run does the rest. False
 * when out of memory. A queue too long for memory ends the run by an assertion. */
bool station_open(struct station *station, struct sim_engine *engine, uint64_t seed, uint32_t replication);
void station_close(struct station *station);

/* Mean seconds in the system of those counted. */
double station_mean_time(const struct station *station);

#endif
