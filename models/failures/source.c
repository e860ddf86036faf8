#include "models/failures/source.h"

#include "models/failures/unit_table.h"
#include "models/priority.h"
#include "models/purpose.h"
#include <assert.h>
#include <stdlib.h>

struct source {
    struct sim_engine *engine;
    struct outages *outages;
    const struct failure_process *process;
    struct source_setting setting;
    struct sim_distribution *life;      /* NULL: planned */
    struct sim_distribution *duration;  /* NULL: as the outages draw it */
    struct sim_distribution *detection; /* likewise */
    int64_t units;
    struct sim_stream superposed; /* of units without memory */
    uint32_t *lemons;             /* among those, in ascending order */
    int64_t lemon_count;
    struct unit_table failures; /* so far, of units that have failed */
    int64_t turns;              /* of planned units, so far */
    uint32_t failure_actor, life_actor, turn_actor, follower_actor;
    bool failed;
};

static void schedule_at(struct source *source, sim_time time, uint32_t actor, uint32_t argument)
{
    if (time <= source->setting.horizon)
        sim_engine_schedule(source->engine, time, PRIORITY_OUTAGE, actor, argument);
}

static void schedule(struct source *source, sim_time delay, uint32_t actor, uint32_t argument)
{
    schedule_at(source, sim_time_add(sim_engine_now(source->engine), delay), actor, argument);
}

static struct sim_stream open_stream(const struct source *source, enum process_stream which, uint64_t entity)
{
    struct sim_stream stream;
    sim_stream_open(&stream, source->setting.seed, source->setting.replication,
                    PURPOSE_OF_PROCESS(source->setting.number, which), entity);
    return stream;
}

/* Whether it was one from the start. */
static bool was_lemon(const struct source *source, int64_t unit)
{
    if (source->process->lemon_share <= 0)
        return false;
    struct sim_stream stream = open_stream(source, PROCESS_LEMON, (uint64_t)unit);
    return sim_stream_uniform(&stream) < source->process->lemon_share;
}

/* What the mark of a unit that has failed says. */
enum { CURED = 1, AWAITS_RETURN = 2 /* its next life begins with its return, whenever that is */ };

/* A repair that has cured it has marked it. */
static bool is_cured(struct source *source, int64_t unit)
{
    const struct unit *failures =
        source->process->lemon_cured ? unit_table_get(&source->failures, unit) : NULL;
    return failures && failures->mark & CURED;
}

/* Failures. */

static sim_time draw(const struct sim_distribution *law, struct sim_stream *stream)
{
    return law ? sim_time_from_seconds(sim_distribution_sample(law, stream)) : -1;
}

/* Whether chance decides anything of a failure but when it comes. */
static bool draws_courses(const struct source *source)
{
    return source->duration || source->detection || source->process->burst_chance > 0;
}

static struct fault fault_of(const struct source *source, int64_t unit, struct sim_stream *stream)
{
    const struct failure_process *process = source->process;
    return (struct fault){.kind = (enum fault_kind)process->kind,
                          .domain = (enum fault_domain)process->domain,
                          .unit = unit,
                          .cause = source->setting.cause,
                          .duration = draw(source->duration, stream),
                          .detection = draw(source->detection, stream),
                          .notice = process->notice,
                          .factor = process->factor};
}

/* Units FIRST … END - 1, in which those that fail with UNIT are. */
static struct units_run neighbours_of(const struct source *source, int64_t unit)
{
    const struct failure_process *process = source->process;
    int64_t block = process->burst_neighbourhood > 0 ? process->burst_neighbourhood : process->burst_units;
    int64_t first = unit - unit % block, end = first + block;
    return (struct units_run){first, end < source->units ? end : source->units};
}

/* UNIT takes others with it: of its neighbours, one after the other, each is taken with the chance that
 * leaves as many as are wanted. */
static void burst(struct source *source, int64_t unit, struct sim_stream *stream)
{
    const struct failure_process *process = source->process;
    struct units_run run = neighbours_of(source, unit);
    int64_t left = run.end - run.first - 1;
    int64_t wanted = process->burst_units - 1 < left ? process->burst_units - 1 : left;
    for (int64_t other = run.first; other < run.end && wanted > 0; other++) {
        if (other == unit || sim_stream_uniform(stream) * (double)left-- >= (double)wanted)
            continue;
        double delay = sim_stream_uniform(stream) * sim_time_to_seconds(process->burst_within);
        schedule(source, sim_time_from_seconds(delay), source->follower_actor, (uint32_t)other);
        wanted--;
    }
}

/* Lets UNIT fail, which leads others or follows one; the time until it is whole again, 0 where nothing
 * happened. */
static sim_time fail(struct source *source, int64_t unit, bool leads, uint32_t *nth)
{
    struct unit *failures = unit_table_get(&source->failures, unit);
    bool exposed = outages_is_exposed(source->outages, (enum fault_domain)source->process->domain, unit);
    source->failed |= !failures;
    if (!failures)
        return SIM_NEVER;
    *nth = ++failures->events;
    if (!exposed)
        return 0;
    struct sim_stream stream;
    if (draws_courses(source))
        stream = open_stream(source, PROCESS_COURSE, PURPOSE_NTH(unit, *nth));
    struct fault fault = fault_of(source, unit, &stream);
    sim_time whole_in;
    enum fault_outcome outcome = outages_strike_until(source->outages, &fault, &whole_in);
    if (outcome == FAULT_STRUCK && leads && source->process->burst_chance > 0 &&
        sim_stream_uniform(&stream) < source->process->burst_chance)
        burst(source, unit, &stream);
    return whole_in;
}

static void on_follower(struct sim_engine *engine, void *actor, uint32_t unit)
{
    (void)engine;
    uint32_t nth;
    fail(actor, unit, false, &nth);
}

/* Without memory. */

/* What lemons fail more often than others, in units that would fail as often as that. */
static double excess_of_lemons(const struct source *source)
{
    return (double)source->lemon_count * (source->process->lemon_factor - 1);
}

/* The failures of n units without memory are one Poisson process of n times the rate; those of lemons in
 * excess of that are another, and the two are one. */
static void schedule_next_failure(struct source *source)
{
    double units = (double)source->units + excess_of_lemons(source);
    double delay = sim_distribution_mean(source->life) / units * sim_stream_exponential(&source->superposed);
    schedule(source, sim_time_from_seconds(delay), source->failure_actor, 0);
}

static void on_superposed_failure(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct source *source = actor;
    double excess = excess_of_lemons(source), all = (double)source->units + excess;
    bool in_excess = excess > 0 && sim_stream_uniform(&source->superposed) * all < excess;
    int64_t among = in_excess ? source->lemon_count : source->units;
    int64_t unit = (int64_t)sim_stream_below(&source->superposed, (uint64_t)among);
    uint32_t nth;
    if (in_excess)
        unit = source->lemons[unit];
    if (!in_excess || !is_cured(source, unit))
        fail(source, unit, true, &nth);
    schedule_next_failure(source);
}

/* With memory. */

/* A lemon ages so many times as fast. */
static void begin_life(struct source *source, uint32_t unit, uint32_t nth, sim_time delay, double age)
{
    bool lemon = was_lemon(source, unit) && !is_cured(source, unit);
    double pace = lemon ? source->process->lemon_factor : 1;
    struct sim_stream stream = open_stream(source, PROCESS_LIFE, PURPOSE_NTH(unit, nth));
    double life = sim_distribution_residual(source->life, age * pace, &stream) / pace;
    schedule(source, sim_time_add(delay, sim_time_from_seconds(life)), source->life_actor, unit);
}

static void on_end_of_life(struct sim_engine *engine, void *actor, uint32_t unit)
{
    (void)engine;
    struct source *source = actor;
    uint32_t nth;
    sim_time whole_in = fail(source, unit, true, &nth);
    struct unit *failures = whole_in == SIM_NEVER ? unit_table_get(&source->failures, unit) : NULL;
    if (whole_in < SIM_NEVER)
        begin_life(source, unit, nth, whole_in, 0);
    else if (failures)
        failures->mark |= AWAITS_RETURN;
}

/* A unit that followed another or relapsed has a life that goes on. */

void source_hears(struct source *source, const struct fault *fault, bool whole)
{
    if (fault->cause != source->setting.cause || (int64_t)fault->domain != source->process->domain)
        return;
    int64_t unit = fault->unit;
    struct unit *failures = unit_table_get(&source->failures, unit);
    source->failed |= !failures;
    if (!failures)
        return;
    if (whole && source->process->lemon_cured)
        failures->mark |= CURED;
    if (!(failures->mark & AWAITS_RETURN))
        return;
    failures->mark &= ~(uint64_t)AWAITS_RETURN;
    begin_life(source, (uint32_t)unit, failures->events, 0, 0);
}

static void begin_all_lives(struct source *source)
{
    double age = sim_time_to_seconds(source->process->initial_age);
    for (int64_t unit = 0; unit < source->units && !sim_engine_is_told(source->engine); unit++)
        begin_life(source, (uint32_t)unit, 0, 0, age);
}

/* Planned. */

/* The time of the N-th turn: rolling, of one unit; together, of all. */
static sim_time turn_time(const struct source *source, int64_t n)
{
    const struct failure_process *process = source->process;
    int64_t turns = process->order == PLANNED_ROLLING ? source->units : 1;
    __int128 time = process->from + (__int128)process->every * n / turns;
    return time > SIM_NEVER ? SIM_NEVER : (sim_time)time;
}

static void on_turn(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct source *source = actor;
    bool rolling = source->process->order == PLANNED_ROLLING;
    int64_t first = rolling ? source->turns % source->units : 0;
    int64_t end = rolling ? first + 1 : source->units;
    uint32_t nth;
    for (int64_t unit = first; unit < end && !source->failed; unit++)
        fail(source, unit, true, &nth);
    schedule_at(source, turn_time(source, ++source->turns), source->turn_actor, 0);
}

/* Life. */

static bool create_law(const struct sim_law_spec *spec, struct sim_distribution **law, struct error *error)
{
    if (!process_law_is_given(spec))
        return true;
    *law = sim_distribution_create(spec, error);
    return *law != NULL;
}

static bool build(struct source *source, struct error *error)
{
    const struct failure_process *process = source->process;
    struct sim_law_spec life = process_life(process, outages_units(source->outages));
    if (!create_law(&process->duration, &source->duration, error) ||
        !create_law(&process->detection, &source->detection, error))
        return false;
    if (!process_is_planned(process) && !(source->life = sim_distribution_create(&life, error)))
        return false;
    source->failure_actor = sim_engine_add_actor(source->engine, on_superposed_failure, source);
    source->life_actor = sim_engine_add_actor(source->engine, on_end_of_life, source);
    source->turn_actor = sim_engine_add_actor(source->engine, on_turn, source);
    source->follower_actor = sim_engine_add_actor(source->engine, on_follower, source);
    if (source->follower_actor == UINT32_MAX)
        error_out_of_memory(error, "a failure process");
    return source->follower_actor != UINT32_MAX;
}

/* Where they are to be drawn among. */
static bool list_lemons(struct source *source, struct error *error)
{
    size_t room = 0;
    bool asked =
        source->process->lemon_share > 0 && source->life && sim_distribution_is_memoryless(source->life);
    for (int64_t unit = 0; asked && unit < source->units && !sim_engine_is_told(source->engine); unit++) {
        if (!was_lemon(source, unit))
            continue;
        if ((size_t)source->lemon_count == room) {
            room = room ? 2 * room : 64;
            uint32_t *larger = realloc(source->lemons, room * sizeof *larger);
            if (!larger) {
                error_out_of_memory(error, "a failure process");
                return false;
            }
            source->lemons = larger;
        }
        source->lemons[source->lemon_count++] = (uint32_t)unit;
    }
    return true;
}

static void begin(struct source *source)
{
    source->superposed = open_stream(source, PROCESS_FAILURES, 0);
    if (!source->life)
        schedule_at(source, turn_time(source, 0), source->turn_actor, 0);
    else if (sim_distribution_is_memoryless(source->life))
        schedule_next_failure(source);
    else
        begin_all_lives(source);
}

struct source *source_create(struct sim_engine *engine, struct outages *outages,
                             const struct failure_process *process, const struct source_setting *setting,
                             struct error *error)
{
    struct source *source = calloc(1, sizeof *source);
    if (!source) {
        error_out_of_memory(error, "a failure process");
        return NULL;
    }
    source->engine = engine;
    source->outages = outages;
    source->process = process;
    source->setting = *setting;
    source->units = units_count(outages_units(outages), (enum fault_domain)process->domain);
    if (!build(source, error) || !list_lemons(source, error)) {
        source_destroy(source);
        return NULL;
    }
    begin(source);
    return source;
}

void source_destroy(struct source *source)
{
    if (!source)
        return;
    sim_distribution_destroy(source->life);
    sim_distribution_destroy(source->duration);
    sim_distribution_destroy(source->detection);
    unit_table_free(&source->failures);
    free(source->lemons);
    free(source);
}

bool source_failed(const struct source *source)
{
    return source->failed;
}
