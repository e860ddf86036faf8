#include "models/failures/chip_failures.h"

#include "models/failures/unit_table.h"
#include "models/priority.h"
#include "models/purpose.h"
#include <stdlib.h>

struct chip_failures {
    struct sim_engine *engine;
    struct outages *outages;
    struct sim_distribution *life; /* seconds */
    int64_t chips;
    uint64_t seed;
    uint32_t replication;
    sim_time horizon;
    struct sim_stream superposed; /* of chips without memory */
    struct unit_table lives;      /* only where chips have memory */
    uint32_t failure_actor, life_actor;
    bool failed;
};

static void schedule(struct chip_failures *failures, sim_time delay, uint32_t actor, uint32_t argument)
{
    sim_time time = sim_time_add(sim_engine_now(failures->engine), delay);
    if (time <= failures->horizon)
        sim_engine_schedule(failures->engine, time, PRIORITY_OUTAGE, actor, argument);
}

/* Lets CHIP fail; the time until its slice is back: 0 where it was down already, SIM_NEVER where
 * chip_failures_renew tells. */
static sim_time fail(struct chip_failures *failures, int64_t chip)
{
    if (!outages_is_exposed(failures->outages, FAULT_OF_CHIP, chip))
        return 0;
    const struct fault fault = {.kind = FAULT_STOP,
                                .domain = FAULT_OF_CHIP,
                                .unit = chip,
                                .cause = FAULT_CAUSE_CHIP,
                                .duration = -1,
                                .detection = -1,
                                .notice = -1};
    sim_time returns_in;
    outages_strike_until(failures->outages, &fault, &returns_in);
    return returns_in;
}

/* The failures of n chips without memory are one Poisson process of n times the rate, each hitting a chip
 * at random. */
static void schedule_next_failure(struct chip_failures *failures)
{
    double mean = sim_distribution_mean(failures->life) / (double)failures->chips;
    double delay = mean * sim_stream_exponential(&failures->superposed);
    schedule(failures, sim_time_from_seconds(delay), failures->failure_actor, 0);
}

static void on_superposed_failure(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct chip_failures *failures = actor;
    fail(failures, (int64_t)sim_stream_below(&failures->superposed, (uint64_t)failures->chips));
    schedule_next_failure(failures);
}

/* Begins the next life of a chip with memory, DELAY from now. */
static void begin_life(struct chip_failures *failures, uint32_t chip, uint32_t nth, sim_time delay,
                       double age)
{
    struct sim_stream stream;
    sim_stream_open(&stream, failures->seed, failures->replication, PURPOSE_CHIP_LIFE,
                    PURPOSE_NTH(chip, nth));
    double life = sim_distribution_residual(failures->life, age, &stream);
    schedule(failures, sim_time_add(delay, sim_time_from_seconds(life)), failures->life_actor, chip);
}

/* The repair that ends with the slice's return renews the chip; one that fails while its slice is down is
 * replaced unnoticed. */
static void on_end_of_life(struct sim_engine *engine, void *actor, uint32_t chip)
{
    (void)engine;
    struct chip_failures *failures = actor;
    struct unit *lives = unit_table_get(&failures->lives, chip);
    if (!lives) {
        failures->failed = true;
        return;
    }
    uint32_t nth = ++lives->events;
    begin_life(failures, chip, nth, fail(failures, chip), 0);
}

void chip_failures_renew(struct chip_failures *failures, int64_t chip)
{
    const struct unit *lives =
        sim_distribution_is_memoryless(failures->life) ? NULL : unit_table_get(&failures->lives, chip);
    if (lives)
        begin_life(failures, (uint32_t)chip, lives->events, 0, 0);
}

static void begin_all_lives(struct chip_failures *failures, sim_time initial_age)
{
    double age = sim_time_to_seconds(initial_age);
    for (int64_t chip = 0; chip < failures->chips && !sim_engine_is_told(failures->engine); chip++)
        begin_life(failures, (uint32_t)chip, 0, 0, age);
}

static bool build(struct chip_failures *failures, const struct failure_config *config, struct error *error)
{
    failures->life = sim_distribution_create(&config->chip, error);
    if (!failures->life)
        return false;
    failures->failure_actor = sim_engine_add_actor(failures->engine, on_superposed_failure, failures);
    failures->life_actor = sim_engine_add_actor(failures->engine, on_end_of_life, failures);
    sim_stream_open(&failures->superposed, failures->seed, failures->replication, PURPOSE_CHIP_FAILURES, 0);
    if (failures->life_actor == UINT32_MAX)
        error_out_of_memory(error, "the failures of chips");
    return failures->life_actor != UINT32_MAX;
}

struct chip_failures *chip_failures_create(struct sim_engine *engine, struct outages *outages,
                                           const struct failure_config *config, uint64_t seed,
                                           uint32_t replication, sim_time horizon, struct error *error)
{
    struct chip_failures *failures = calloc(1, sizeof *failures);
    if (!failures) {
        error_out_of_memory(error, "the failures of chips");
        return NULL;
    }
    *failures = (struct chip_failures){.engine = engine,
                                       .outages = outages,
                                       .chips = outages_units(outages)->chips,
                                       .seed = seed,
                                       .replication = replication,
                                       .horizon = horizon};
    if (!build(failures, config, error)) {
        chip_failures_destroy(failures);
        return NULL;
    }
    if (!config->enabled)
        return failures;
    if (sim_distribution_is_memoryless(failures->life))
        schedule_next_failure(failures);
    else
        begin_all_lives(failures, config->initial_age);
    return failures;
}

void chip_failures_destroy(struct chip_failures *failures)
{
    if (!failures)
        return;
    sim_distribution_destroy(failures->life);
    unit_table_free(&failures->lives);
    free(failures);
}

bool chip_failures_failed(const struct chip_failures *failures)
{
    return failures->failed;
}
