#include "models/failures/outages.h"

#include "models/failures/unit_table.h"
#include "models/priority.h"
#include "models/purpose.h"
#include <stdlib.h>

/* Slices that come and go together. */
struct shift {
    struct shift *next;
    struct outages *outages;
    int64_t first, end; /* slices */
    struct availability available;
    uint32_t actor;
};

struct outages {
    struct sim_engine *engine;
    struct outages_observer observer;
    struct sim_distribution *life;   /* seconds */
    struct sim_distribution *repair; /* seconds */
    int64_t chips, chips_per_slice;
    uint64_t seed;
    uint32_t replication;
    sim_time horizon;
    struct sim_stream superposed; /* of chips without memory */
    struct unit_table slices;
    struct unit_table chip_lives; /* only where chips have memory */
    uint32_t failure_actor, life_actor, return_actor;
    struct shift *shifts;
    uint64_t count;
    bool failed;
};

static struct sim_stream open_stream(const struct outages *outages, enum stream_purpose purpose,
                                     uint64_t entity)
{
    struct sim_stream stream;
    sim_stream_open(&stream, outages->seed, outages->replication, purpose, entity);
    return stream;
}

static void schedule(struct outages *outages, sim_time delay, uint32_t actor, uint32_t argument)
{
    sim_time time = sim_time_add(sim_engine_now(outages->engine), delay);
    if (time <= outages->horizon)
        sim_engine_schedule(outages->engine, time, PRIORITY_OUTAGE, actor, argument);
}

/* The failures of n chips without memory are one Poisson process of n times the rate, each hitting a chip
 * at random. */
static void schedule_next_failure(struct outages *outages)
{
    double mean = sim_distribution_mean(outages->life) / (double)outages->chips;
    double delay = mean * sim_stream_exponential(&outages->superposed);
    schedule(outages, sim_time_from_seconds(delay), outages->failure_actor, 0);
}

/* The time from now to the slice's return. */
static sim_time schedule_return(struct outages *outages, const struct unit *slice)
{
    struct sim_stream stream =
        open_stream(outages, PURPOSE_REPAIR, PURPOSE_NTH(slice->number, slice->events));
    sim_time delay = sim_time_from_seconds(sim_distribution_sample(outages->repair, &stream));
    schedule(outages, delay, outages->return_actor, (uint32_t)slice->number);
    return delay;
}

/* The time from now to the slice's return; 0 when it was down already and nothing happens. */
static sim_time take_down(struct outages *outages, int64_t number)
{
    struct unit *slice = unit_table_get(&outages->slices, number);
    if (!slice) {
        outages->failed = true;
        return 0;
    }
    if (slice->down || slice->away)
        return 0;
    slice->down = true;
    slice->events++;
    outages->count++;
    sim_time delay = schedule_return(outages, slice);
    outages->observer.slice_down(outages->observer.context, number, &slice->mark);
    return delay;
}

static void on_superposed_failure(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct outages *outages = actor;
    int64_t chip = (int64_t)sim_stream_below(&outages->superposed, (uint64_t)outages->chips);
    take_down(outages, chip / outages->chips_per_slice);
    schedule_next_failure(outages);
}

static void on_return(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine;
    struct outages *outages = actor;
    struct unit *slice = unit_table_get(&outages->slices, argument);
    slice->down = false;
    if (!slice->away)
        outages->observer.slice_up(outages->observer.context, argument, &slice->mark);
}

/* Slices that come and go. */

static void go(struct outages *outages, struct unit *slice)
{
    const struct outages_observer *observer = &outages->observer;
    slice->away = true;
    if (!slice->down)
        observer->slice_down(observer->context, slice->number, &slice->mark);
    observer->slice_away(observer->context, slice->number, true);
}

static void come(struct outages *outages, struct unit *slice)
{
    const struct outages_observer *observer = &outages->observer;
    slice->away = false;
    observer->slice_away(observer->context, slice->number, false);
    if (!slice->down)
        observer->slice_up(observer->context, slice->number, &slice->mark);
}

static void schedule_change(struct shift *shift)
{
    struct outages *outages = shift->outages;
    sim_time now = sim_engine_now(outages->engine), next = availability_next(&shift->available, now);
    if (next < SIM_NEVER)
        schedule(outages, next - now, shift->actor, 0);
}

static void on_change(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)argument;
    struct shift *shift = actor;
    struct outages *outages = shift->outages;
    bool here = availability_at(&shift->available, sim_engine_now(engine));
    for (int64_t number = shift->first; number < shift->end; number++) {
        struct unit *slice = unit_table_get(&outages->slices, number);
        if (!slice) {
            outages->failed = true;
            return;
        }
        if (slice->away == here)
            (here ? come : go)(outages, slice);
    }
    schedule_change(shift);
}

bool outages_add_availability(struct outages *outages, int64_t first, int64_t next,
                              const struct availability *available, struct error *error)
{
    struct shift *shift = calloc(1, sizeof *shift);
    uint32_t actor = shift ? sim_engine_add_actor(outages->engine, on_change, shift) : UINT32_MAX;
    if (actor == UINT32_MAX) {
        free(shift);
        error_out_of_memory(error, "chips that come and go");
        return false;
    }
    *shift = (struct shift){outages->shifts, outages, first, next, *available, actor};
    outages->shifts = shift;
    if (availability_at(available, sim_engine_now(outages->engine)))
        schedule_change(shift);
    else
        schedule(outages, 0, actor, 0);
    return true;
}

/* Begins the next life of a chip with memory, DELAY from now. */
static void begin_life(struct outages *outages, uint32_t chip, uint32_t nth, sim_time delay, double age)
{
    struct sim_stream stream = open_stream(outages, PURPOSE_CHIP_LIFE, PURPOSE_NTH(chip, nth));
    double life = sim_distribution_residual(outages->life, age, &stream);
    schedule(outages, sim_time_add(delay, sim_time_from_seconds(life)), outages->life_actor, chip);
}

/* The repair that ends with the slice's return renews the chip; one that fails while its slice is down is
 * replaced unnoticed. */
static void on_end_of_life(struct sim_engine *engine, void *actor, uint32_t chip)
{
    (void)engine;
    struct outages *outages = actor;
    struct unit *lives = unit_table_get(&outages->chip_lives, chip);
    if (!lives) {
        outages->failed = true;
        return;
    }
    uint32_t nth = ++lives->events;
    begin_life(outages, chip, nth, take_down(outages, chip / outages->chips_per_slice), 0);
}

static void begin_all_lives(struct outages *outages, sim_time initial_age)
{
    double age = sim_time_to_seconds(initial_age);
    for (int64_t chip = 0; chip < outages->chips; chip++)
        begin_life(outages, (uint32_t)chip, 0, 0, age);
}

static bool build(struct outages *outages, const struct failure_config *config, struct error *error)
{
    outages->life = sim_distribution_create(&config->chip, error);
    outages->repair = sim_distribution_create(&config->repair, error);
    if (!outages->life || !outages->repair)
        return false;
    outages->failure_actor = sim_engine_add_actor(outages->engine, on_superposed_failure, outages);
    outages->life_actor = sim_engine_add_actor(outages->engine, on_end_of_life, outages);
    outages->return_actor = sim_engine_add_actor(outages->engine, on_return, outages);
    outages->superposed = open_stream(outages, PURPOSE_CHIP_FAILURES, 0);
    if (outages->return_actor == UINT32_MAX)
        error_out_of_memory(error, "the failure process");
    return outages->return_actor != UINT32_MAX;
}

struct outages *outages_create(struct sim_engine *engine, const struct failure_config *config, int64_t chips,
                               int64_t chips_per_slice, uint64_t seed, uint32_t replication, sim_time horizon,
                               struct outages_observer observer, struct error *error)
{
    struct outages *outages = calloc(1, sizeof *outages);
    if (!outages) {
        error_out_of_memory(error, "the failure process");
        return NULL;
    }
    outages->engine = engine;
    outages->observer = observer;
    outages->chips = chips;
    outages->chips_per_slice = chips_per_slice;
    outages->seed = seed;
    outages->replication = replication;
    outages->horizon = horizon;
    if (!build(outages, config, error)) {
        outages_destroy(outages);
        return NULL;
    }
    if (!config->enabled)
        return outages;
    if (sim_distribution_is_memoryless(outages->life))
        schedule_next_failure(outages);
    else
        begin_all_lives(outages, config->initial_age);
    return outages;
}

void outages_destroy(struct outages *outages)
{
    if (!outages)
        return;
    sim_distribution_destroy(outages->life);
    sim_distribution_destroy(outages->repair);
    while (outages->shifts) {
        struct shift *shift = outages->shifts;
        outages->shifts = shift->next;
        free(shift);
    }
    unit_table_free(&outages->slices);
    unit_table_free(&outages->chip_lives);
    free(outages);
}

uint64_t outages_count(const struct outages *outages)
{
    return outages->count;
}

bool outages_failed(const struct outages *outages)
{
    return outages->failed;
}
