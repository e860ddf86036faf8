/*
 * Invariant: a job is in one place: at work (an event is pending), in a stage's queue, waiting to relapse (an
 * event is pending), or in the list of free ones. A queue is empty unless all of its stage's crews are busy.
 */
#include "models/failures/repair.h"

#include "models/failures/unit_table.h"
#include "models/priority.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
#define LEAST_RELAPSE_SECONDS 1.0

struct job {
    struct fault fault;
    struct repair_course course;
    uint32_t who;
    uint32_t next; /* in the queue or the list of free ones */
};

struct stage {
    int64_t crews, busy; /* crews not above 0: as many as are needed */
    uint32_t first, last;
    uint32_t actor;
    uint64_t *done;
};

enum { AUTOMATIC, MANUAL };

struct repair_shop {
    struct sim_engine *engine;
    const struct repair_config *config;
    struct repair_observer observer;
    struct sim_distribution *automatic, *manual, *relapse; /* the latter two NULL where nothing asks */
    sim_time horizon;
    struct stage stages[2];
    uint32_t relapse_actor;
    struct job *jobs;
    uint32_t capacity, free;
    struct unit_table records; /* failures of units, where some are retired */
    sim_time *failures;        /* the last retire_after of each, by the number of its record */
    struct repair_counts counts;
    bool failed;
};

/* Jobs. */

static bool grow(struct repair_shop *shop)
{
    uint32_t capacity = shop->capacity ? 2 * shop->capacity : 16;
    struct job *jobs = realloc(shop->jobs, capacity * sizeof *jobs);
    if (!jobs)
        return false;
    for (uint32_t i = shop->capacity; i < capacity; i++)
        jobs[i].next = i + 1 < capacity ? i + 1 : NOBODY;
    shop->free = shop->capacity;
    shop->jobs = jobs;
    shop->capacity = capacity;
    return true;
}

/* NOBODY when memory runs out. */
static uint32_t take_job(struct repair_shop *shop, const struct fault *fault,
                         const struct repair_course *course)
{
    if (shop->free == NOBODY && !grow(shop)) {
        shop->failed = true;
        return NOBODY;
    }
    uint32_t job = shop->free;
    shop->free = shop->jobs[job].next;
    shop->jobs[job] = (struct job){.fault = *fault, .course = *course, .next = NOBODY};
    return job;
}

static void release_job(struct repair_shop *shop, uint32_t job)
{
    shop->jobs[job].next = shop->free;
    shop->free = job;
}

static void schedule(struct repair_shop *shop, sim_time delay, uint32_t actor, uint32_t job)
{
    sim_time time = sim_time_add(sim_engine_now(shop->engine), delay);
    if (time <= shop->horizon)
        sim_engine_schedule(shop->engine, time, PRIORITY_OUTAGE, actor, job);
}

/* Stages and their crews. */

static void work_on(struct repair_shop *shop, int number, uint32_t job)
{
    const struct repair_course *course = &shop->jobs[job].course;
    shop->stages[number].busy++;
    schedule(shop, number == MANUAL ? course->manual : course->automatic, shop->stages[number].actor, job);
}

static void admit(struct repair_shop *shop, int number, uint32_t job)
{
    struct stage *stage = &shop->stages[number];
    if (stage->crews <= 0 || stage->busy < stage->crews) {
        work_on(shop, number, job);
        return;
    }
    shop->jobs[job].next = NOBODY;
    if (stage->first == NOBODY)
        stage->first = job;
    else
        shop->jobs[stage->last].next = job;
    stage->last = job;
}

/* The crew turns to whoever has waited longest. */
static void free_crew(struct repair_shop *shop, int number)
{
    struct stage *stage = &shop->stages[number];
    uint32_t job = stage->first;
    stage->busy--;
    (*stage->done)++;
    if (job == NOBODY)
        return;
    stage->first = shop->jobs[job].next;
    work_on(shop, number, job);
}

static void wait_for_relapse(struct repair_shop *shop, uint32_t job)
{
    schedule(shop, shop->jobs[job].course.relapse, shop->relapse_actor, job);
}

static void send_back(struct repair_shop *shop, uint32_t number)
{
    const struct job job = shop->jobs[number];
    shop->counts.broken += job.course.broken;
    if (job.course.broken && job.course.relapse >= 0)
        wait_for_relapse(shop, number);
    else
        release_job(shop, number);
    shop->observer.returned(shop->observer.context, job.who, &job.fault, job.course.broken);
}

static void on_automatic_end(struct sim_engine *engine, void *actor, uint32_t job)
{
    (void)engine;
    struct repair_shop *shop = actor;
    free_crew(shop, AUTOMATIC);
    if (shop->jobs[job].course.manual >= 0)
        admit(shop, MANUAL, job);
    else
        send_back(shop, job);
}

static void on_manual_end(struct sim_engine *engine, void *actor, uint32_t job)
{
    (void)engine;
    struct repair_shop *shop = actor;
    free_crew(shop, MANUAL);
    send_back(shop, job);
}

static void on_relapse(struct sim_engine *engine, void *actor, uint32_t number)
{
    (void)engine;
    struct repair_shop *shop = actor;
    const struct fault fault = shop->jobs[number].fault;
    release_job(shop, number);
    shop->observer.relapsed(shop->observer.context, &fault);
}

/* Retirement. */

/* The times of a slice's last failures, a ring; NULL when memory runs out. */
static sim_time *failures_of(struct repair_shop *shop, struct unit *record)
{
    size_t length = (size_t)shop->config->retire_after;
    if (record->mark == 0) {
        record->mark = shop->records.used;
        if ((shop->records.used & (shop->records.used - 1)) == 0) { /* the ring's room doubles */
            sim_time *larger =
                realloc(shop->failures, 2 * shop->records.used * length * sizeof *shop->failures);
            if (!larger)
                return NULL;
            shop->failures = larger;
        }
    }
    return shop->failures + (size_t)(record->mark - 1) * length;
}

/* Whether SLICE, which has failed once more, has failed too often. */
static bool is_to_retire(struct repair_shop *shop, int64_t slice)
{
    int64_t length = shop->config->retire_after;
    if (length <= 0 || slice < 0)
        return false;
    struct unit *record = unit_table_get(&shop->records, slice);
    sim_time *times = record ? failures_of(shop, record) : NULL;
    if (!times) {
        shop->failed = true;
        return false;
    }
    sim_time now = sim_engine_now(shop->engine), within = shop->config->retire_within;
    times[record->events++ % length] = now;
    if (record->events < length)
        return false;
    return within <= 0 || now - times[record->events % length] <= within;
}

/* What comes in. */

static enum repair_diagnosis draw_diagnosis(const struct repair_config *config, struct sim_stream *draws)
{
    bool undiagnosed = sim_stream_uniform(draws) < config->undiagnosed;
    bool misdiagnosed = sim_stream_uniform(draws) < config->misdiagnosis;
    if (undiagnosed)
        return REPAIR_UNDIAGNOSED;
    return misdiagnosed ? REPAIR_MISDIAGNOSED : REPAIR_FOUND;
}

/* Some time passes before a relapse, a second at least, so that all comes to an end. */
struct repair_course repair_draw(const struct repair_shop *shop, struct sim_stream *draws)
{
    const struct repair_config *config = shop->config;
    struct repair_course course = {REPAIR_FOUND, 0, -1, false, -1};
    course.automatic = sim_time_from_seconds(sim_distribution_sample(shop->automatic, draws));
    course.diagnosis = draw_diagnosis(config, draws);
    bool escalates = sim_stream_uniform(draws) < config->escalation;
    course.broken = sim_stream_uniform(draws) < (escalates ? config->manual_broken : config->broken);
    if (escalates)
        course.manual = sim_time_from_seconds(sim_distribution_sample(shop->manual, draws));
    if (shop->relapse)
        course.relapse = 1 + sim_time_from_seconds(
                                 fmax(LEAST_RELAPSE_SECONDS, sim_distribution_sample(shop->relapse, draws)));
    return course;
}

bool repair_begin(struct repair_shop *shop, uint32_t who, int64_t slice, const struct fault *fault,
                  const struct repair_course *course)
{
    bool retires = is_to_retire(shop, slice);
    shop->counts.retired += retires;
    uint32_t job = retires ? NOBODY : take_job(shop, fault, course);
    if (job == NOBODY)
        return false;
    shop->jobs[job].who = who;
    admit(shop, AUTOMATIC, job);
    return true;
}

void repair_leave(struct repair_shop *shop, const struct fault *fault, const struct repair_course *course)
{
    shop->counts.undiagnosed += course->diagnosis == REPAIR_UNDIAGNOSED;
    shop->counts.misdiagnosed += course->diagnosis == REPAIR_MISDIAGNOSED;
    uint32_t job = course->relapse >= 0 ? take_job(shop, fault, course) : NOBODY;
    if (job != NOBODY)
        wait_for_relapse(shop, job);
}

const struct repair_counts *repair_counts(const struct repair_shop *shop)
{
    return &shop->counts;
}

bool repair_failed(const struct repair_shop *shop)
{
    return shop->failed;
}

/* Building. */

static bool build_laws(struct repair_shop *shop, const struct sim_law_spec *automatic, struct error *error)
{
    const struct repair_config *config = shop->config;
    bool escalates = config->escalation > 0, relapses = repair_relapses(config);
    shop->automatic = sim_distribution_create(automatic, error);
    shop->manual = shop->automatic && escalates ? sim_distribution_create(&config->manual, error) : NULL;
    shop->relapse = shop->automatic && relapses ? sim_distribution_create(&config->relapse, error) : NULL;
    return shop->automatic && (shop->manual || !escalates) && (shop->relapse || !relapses);
}

static bool build(struct repair_shop *shop, const struct sim_law_spec *automatic, struct error *error)
{
    const struct repair_config *config = shop->config;
    struct repair_counts *counts = &shop->counts;
    uint32_t first = sim_engine_add_actor(shop->engine, on_automatic_end, shop);
    uint32_t second = sim_engine_add_actor(shop->engine, on_manual_end, shop);
    shop->relapse_actor = sim_engine_add_actor(shop->engine, on_relapse, shop);
    shop->stages[AUTOMATIC] = (struct stage){config->crews, 0, NOBODY, NOBODY, first, &counts->repairs};
    shop->stages[MANUAL] = (struct stage){config->manual_crews, 0, NOBODY, NOBODY, second, &counts->manual};
    if (shop->relapse_actor == UINT32_MAX)
        error_out_of_memory(error, "the repairs");
    return shop->relapse_actor != UINT32_MAX && build_laws(shop, automatic, error);
}

struct repair_shop *repair_create(struct sim_engine *engine, const struct sim_law_spec *automatic,
                                  const struct repair_config *config, sim_time horizon,
                                  struct repair_observer observer, struct error *error)
{
    struct repair_shop *shop = calloc(1, sizeof *shop);
    if (!shop) {
        error_out_of_memory(error, "the repairs");
        return NULL;
    }
    shop->engine = engine;
    shop->config = config;
    shop->observer = observer;
    shop->horizon = horizon;
    shop->free = NOBODY;
    if (!build(shop, automatic, error)) {
        repair_destroy(shop);
        return NULL;
    }
    return shop;
}

void repair_destroy(struct repair_shop *shop)
{
    if (!shop)
        return;
    sim_distribution_destroy(shop->automatic);
    sim_distribution_destroy(shop->manual);
    sim_distribution_destroy(shop->relapse);
    unit_table_free(&shop->records);
    free(shop->failures);
    free(shop->jobs);
    free(shop);
}
