/*
 * Faults while they last: records with a number each that stays the same until they are over, whatever comes
 * and goes meanwhile. Memory grows with faults at a time.
 */
#ifndef MODELS_FAILURES_SPELLS_H
#define MODELS_FAILURES_SPELLS_H

#include "models/failures/fault.h"
#include "models/failures/units.h"

enum spell_phase {
    SPELL_OVER,    /* the record is free */
    SPELL_PENDING, /* it has struck; its slices are still there, until it is found out or its notice is up */
    SPELL_LASTING, /* slow, or of a link or the syncer */
    SPELL_DOWN,    /* its slices are down */
};

struct spell {
    struct fault fault; /* every time filled in */
    bool bystander;     /* it isn't what failed that was taken out */
    struct units_run run;
    uint64_t order; /* when it struck, among all changes of slices */
    sim_time struck;
    sim_time since; /* its slices are down */
    enum spell_phase phase;
    uint32_t next_free;
};

/* All at 0: nothing lasts. */
struct spells {
    struct spell *all; /* USED of them, those that are over among them */
    uint32_t used, room;
    uint32_t free; /* the first that is over, + 1; 0: none */
};

#define SPELLS_NONE UINT32_MAX

/* A new one in no phase yet; SPELLS_NONE when out of memory. */
uint32_t spells_add(struct spells *spells, const struct fault *fault, struct units_run run, uint64_t order);
void spells_remove(struct spells *spells, uint32_t number);
void spells_free(struct spells *spells);

#endif
