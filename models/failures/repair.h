/*
 * What happens to what has failed: it is repaired, by a machine and where that doesn't help by people, and
 * comes back whole or as broken as before; or it is retired and never comes back.
 *
 * Everything that chance decides of a repair is drawn when the failure strikes, from a stream of its own, so
 * that neither crews nor the order of failures change what other repairs come to. Crews work in order of
 * arrival; whoever finds none free waits. Cost and memory grow with repairs under way at the same time, and
 * with slices that have failed where some are to be retired.
 */
#ifndef MODELS_FAILURES_REPAIR_H
#define MODELS_FAILURES_REPAIR_H

#include "models/failures/fault.h"
#include "models/failures/repair_config.h"
#include "sim/engine.h"

/* Whom a failure is put down to. */
enum repair_diagnosis {
    REPAIR_FOUND,
    REPAIR_UNDIAGNOSED,
    REPAIR_MISDIAGNOSED,
};

/* What a failure comes to. */
struct repair_course {
    enum repair_diagnosis diagnosis;
    sim_time automatic, manual; /* times of the stages; MANUAL is below 0 where there is none */
    bool broken;                /* after the repair */
    sim_time relapse;           /* what is still broken fails again so long after; below 0: never */
};

struct repair_shop;

/* Who is told, at the moment it happens. Repair WHO of FAULT has come to its end; BROKEN: nothing came of it.
 * FAULT strikes again. A retired slice is never heard of. */
struct repair_observer {
    void (*returned)(void *context, uint32_t who, const struct fault *fault, bool broken);
    void (*relapsed)(void *context, const struct fault *fault);
    void *context;
};

struct repair_counts {
    uint64_t repairs, manual; /* automatic stages and manual ones that have ended */
    uint64_t broken;          /* repairs that nothing came of */
    uint64_t retired, undiagnosed, misdiagnosed;
};

/* Events later than HORIZON are left out. ENGINE, CONFIG and its laws' values must outlive the shop; the
 * caller destroys. NULL with ERROR when a law is wrong or memory runs out. */
struct repair_shop *repair_create(struct sim_engine *engine, const struct sim_law_spec *automatic,
                                  const struct repair_config *config, sim_time horizon,
                                  struct repair_observer observer, struct error *error);
void repair_destroy(struct repair_shop *shop); /* NULL is allowed */

/* Draws from DRAWS, which no other failure uses; the time of the automatic stage first. */
struct repair_course repair_draw(const struct repair_shop *shop, struct sim_stream *draws);

/* SLICE is taken out for FAULT, and COURSE is what comes of it. WHO is given back with the repair's end.
 * False where the slice is retired: nothing more comes. A SLICE below 0 stands for several, which never are.
 */
bool repair_begin(struct repair_shop *shop, uint32_t who, int64_t slice, const struct fault *fault,
                  const struct repair_course *course);

/* What FAULT has struck stays where it is, as broken as before. */
void repair_leave(struct repair_shop *shop, const struct fault *fault, const struct repair_course *course);

const struct repair_counts *repair_counts(const struct repair_shop *shop);
bool repair_failed(const struct repair_shop *shop); /* memory ran out; the run is void */

#endif
