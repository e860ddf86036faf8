/*
 * What the parts of outages share: its life (outages.c), what strikes (outages_strike.c), its repair
 * (outages_repair.c), and the slices that go down (outages_slices.c) or come and go (outages_availability.c).
 */
#ifndef MODELS_FAILURES_OUTAGES_INTERNAL_H
#define MODELS_FAILURES_OUTAGES_INTERNAL_H

#include "models/failures/chip_failures.h"
#include "models/failures/outages.h"
#include "models/failures/source.h"
#include "models/failures/spells.h"
#include "models/failures/unit_table.h"

struct shift;

struct outages {
    struct sim_engine *engine;
    struct outages_observer observer;
    const struct units *units;
    struct sim_distribution *repair;     /* seconds */
    struct repair_shop *shop;            /* NULL where there is no more to a repair than its time */
    struct repair_counts repairs_before; /* counting began */
    bool only_in_steps;
    struct sim_distribution *detection[FAULT_KINDS]; /* NULL: at once */
    uint64_t seed;
    uint32_t replication;
    sim_time horizon;
    struct causes causes;
    struct unit_table slices;
    struct spells spells;
    struct chip_failures *chips;
    struct source **sources; /* of the other processes */
    size_t source_count;
    struct shift *shifts; /* slices that come and go together */
    bool houses_syncer;
    int64_t syncer_site; /* -1: at none */
    uint64_t order;      /* changes so far */
    uint64_t count;
    uint64_t returns; /* of failures, and the seconds that they took */
    double seconds_down;
    uint32_t spell_actor;
    bool failed;
};

static inline bool outages_is_there(const struct unit *slice)
{
    return slice->reasons == 0 && !slice->away;
}

static inline bool outages_bears_on(const struct spell *spell, const struct unit *slice)
{
    return outages_is_there(slice) && slice->changed < spell->order;
}

static inline bool outages_covers(const struct spell *spell, int64_t slice)
{
    return slice >= spell->run.first && slice < spell->run.end;
}

static inline bool outages_strikes_links(const struct fault *fault)
{
    return fault->kind == FAULT_LOSS || fault->kind == FAULT_THROTTLE || fault->kind == FAULT_PARTITION;
}

static inline bool outages_strikes_network(const struct fault *fault)
{
    return fault->domain == FAULT_OF_SYNCER || fault->domain == FAULT_OF_LINK || outages_strikes_links(fault);
}

static inline bool outages_is_failure(const struct fault *fault)
{
    return !outages_strikes_network(fault) && fault_is_failure(fault->kind);
}

/* Schedules an outage's event DELAY from now; none beyond the horizon. */
struct sim_handle outages_schedule(struct outages *outages, sim_time delay, uint32_t actor,
                                   uint32_t argument);

/* What is remembered of slice NUMBER; NULL when out of memory, and the outages have failed then. Valid until
 * the next call. */
struct unit *outages_slice(struct outages *outages, int64_t number);

/* SLICE, which was there, is not any more; or is again. */
void outages_tell_down(struct outages *outages, struct unit *slice, const struct fault *fault);
void outages_tell_up(struct outages *outages, struct unit *slice, int32_t cause);

/* The slices of SPELL go down; and SPELL, for which they were, is over. */
void outages_take_down(struct outages *outages, struct spell *spell);
void outages_let_up(struct outages *outages, const struct spell *spell);

/* What SPELL does short of taking slices down begins or ends. */
void outages_begin_condition(struct outages *outages, const struct spell *spell);
void outages_end_condition(struct outages *outages, const struct spell *spell);

void outages_free_shifts(struct outages *outages);

/* The spell NUMBER comes to the end of its phase. */
void outages_on_spell(struct sim_engine *engine, void *actor, uint32_t number);

/* The time that the repair of FAULT takes, whose unit has the slices RUN. */
sim_time outages_draw_repair(struct outages *outages, const struct fault *fault, struct units_run run);

/* Opens the shop if there is more to some repair than its time. */
bool outages_open_shop(struct outages *outages, const struct failure_config *config, struct error *error);

/* Whether FAULT, as it was given, is repaired in stages. */
bool outages_is_for_the_shop(const struct outages *outages, const struct fault *fault);

/* Who is taken out for FAULT, in *FAULT and *RUN, and until when. */
struct repair_course outages_diagnose(struct outages *outages, struct fault *fault, struct units_run *run);

/* Spell NUMBER ends with the repair. */
void outages_bring_in(struct outages *outages, uint32_t number, const struct repair_course *course);

#endif
