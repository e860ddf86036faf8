/*
 * What happens to a unit that was taken out: it is repaired, by a machine and where that doesn't help by
 * people, and comes back whole or as broken as before; or it is retired and never comes back.
 *
 * Whatever chance decides of a unit's n-th repair is drawn by (unit, n) when it begins, so that neither
 * crews nor the order of failures change what other repairs come to. Crews work in order of arrival; a unit
 * without a crew waits. Cost and memory grow with units that are out at the same time, and with units that
 * have failed where some are to be retired.
 */
#ifndef MODELS_FAILURES_REPAIR_H
#define MODELS_FAILURES_REPAIR_H

#include "models/parameter.h"
#include "sim/engine.h"

/* All zero: one stage without limits, after which everything is whole. The law of the automatic stage is
 * failures.repair itself (failures.h). */
struct repair_config {
    int64_t crews;              /* not above 0: as many as are needed */
    double broken;              /* share of automatic repairs after which the unit is as broken as before */
    double escalation;          /* share of automatic repairs that don't help, and a manual one follows */
    struct sim_law_spec manual; /* seconds; needed where escalation > 0 */
    int64_t manual_crews;
    double manual_broken;
    double undiagnosed;          /* share of failures after which no unit is found, and none taken out */
    double misdiagnosis;         /* share in which a healthy unit is taken out in its stead */
    struct sim_law_spec relapse; /* seconds from a broken unit's return to its next failure */
    int64_t retire_after;        /* failures; not above 0: never */
    sim_time retire_within;      /* that many in this time; not above 0: ever */
};

extern const struct parameter_table repair_parameters; /* section "failures.repair" */

/* Whether broken units come back, or stay where they are. */
bool repair_leaves_broken(const struct repair_config *config);

/* Whether they fail again by a law of their own. */
bool repair_relapses(const struct repair_config *config);

/* Share of failures after which the unit is as broken as before. */
double repair_broken_share(const struct repair_config *config);

struct repair_shop;

/* Whom a failure is put down to. */
enum repair_diagnosis {
    REPAIR_FOUND,
    REPAIR_UNDIAGNOSED,
    REPAIR_MISDIAGNOSED,
};

/* Who is told, at the moment it happens. BROKEN: it is as it was when it failed. A retired unit is never
 * heard of again. A relapse is the N-th repair's, told whatever has happened to the unit since. */
struct repair_observer {
    void (*returned)(void *context, int64_t unit, bool broken);
    void (*relapsed)(void *context, int64_t unit, uint32_t nth);
    void *context;
};

struct repair_counts {
    uint64_t repairs, manual; /* automatic stages and manual ones that have ended */
    uint64_t broken;          /* units that have come back as broken as before */
    uint64_t retired, undiagnosed, misdiagnosed;
};

/* Events later than HORIZON are left out. ENGINE, CONFIG and its laws' values must outlive the shop; the
 * caller destroys. NULL with ERROR when a law is wrong or memory runs out. */
struct repair_shop *repair_create(struct sim_engine *engine, const struct sim_law_spec *automatic,
                                  const struct repair_config *config, uint64_t seed, uint32_t replication,
                                  sim_time horizon, struct repair_observer observer, struct error *error);
void repair_destroy(struct repair_shop *shop); /* NULL is allowed */

/* What is made of UNIT's N-th failure. */
enum repair_diagnosis repair_diagnose(struct repair_shop *shop, int64_t unit, uint32_t nth);

/* UNIT is taken out for the N-th time, by a fault of which AUTOMATIC is the law of the first stage (NULL:
 * that of the shop; it must outlive the repair). */
void repair_begin(struct repair_shop *shop, int64_t unit, uint32_t nth,
                  const struct sim_distribution *automatic);

/* UNIT, whose N-th failure this was, stays where it is, as broken as before: it relapses if there is a law.
 */
void repair_leave(struct repair_shop *shop, int64_t unit, uint32_t nth);

const struct repair_counts *repair_counts(const struct repair_shop *shop);
bool repair_failed(const struct repair_shop *shop); /* memory ran out; the run is void */

#endif
