/*
 * Customers per second of an M/M/1 queue (load 0.9) on the engine: two events and two exponential draws for
 * each customer. The mean time in the system is printed beside its closed form, 1 / (mu - lambda).
 *
 *     bench_mm1 [CUSTOMERS]
 */
#include "tests/bench/station.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds for one run; negative when it failed. */
static double run(uint64_t customers, uint32_t replication, double *mean_time)
{
    struct sim_engine *engine = sim_engine_create(NULL);
    struct station station = {.between = SIM_SECOND * 10 / 9, .service = SIM_SECOND, .customers = customers};
    if (!engine || !station_open(&station, engine, 1, replication))
        return -1;
    double start = seconds_now();
    bool done = sim_engine_run(engine, SIM_NEVER, NULL);
    double spent = seconds_now() - start;
    *mean_time += station_mean_time(&station) / ROUNDS;
    station_close(&station);
    sim_engine_destroy(engine);
    return done ? spent : -1;
}

int main(int argc, char **argv)
{
    uint64_t customers = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
    double spent[ROUNDS], mean_time = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        spent[round] = run(customers, round, &mean_time);
        if (spent[round] < 0)
            return EXIT_FAILURE;
    }
    qsort(spent, ROUNDS, sizeof *spent, compare);
    printf("M/M/1: %.1f million customers/s (%.1f ns a customer; %" PRIu64 " customers, median of %d)\n",
           (double)customers / spent[ROUNDS / 2] / 1e6, spent[ROUNDS / 2] / (double)customers * 1e9,
           customers, ROUNDS);
    printf("       mean time in the system %.3f s, expected 10\n", mean_time);
    return EXIT_SUCCESS;
}
