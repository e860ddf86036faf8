/*
 * What there is to a repair beside its time (models/failures/repair.h).
 */
#ifndef MODELS_FAILURES_REPAIR_CONFIG_H
#define MODELS_FAILURES_REPAIR_CONFIG_H

#include "models/parameter.h"
#include "sim/clock.h"

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

/* Whether all that happens is one repair time after which everything is whole. */
bool repair_is_plain(const struct repair_config *config);

/* Share of failures after which something is as broken as before. */
double repair_broken_share(const struct repair_config *config);

/* Whether that fails again by a law of its own. */
bool repair_relapses(const struct repair_config *config);

#endif
