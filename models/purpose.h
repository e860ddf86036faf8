/*
 * The purposes of random streams (sim/stream.h). Numbers are part of what makes a run: append, never
 * renumber.
 */
#ifndef MODELS_PURPOSE_H
#define MODELS_PURPOSE_H

enum stream_purpose {
    PURPOSE_CHIP_FAILURES = 1, /* entity 0: the superposed process of all chips */
    PURPOSE_CHIP_LIFE = 2,     /* entity (chip, number of the life) */
    PURPOSE_REPAIR = 3,        /* entity (slice, number of the repair) */
    PURPOSE_LEARNER_SPEED = 4, /* entity learner */
    PURPOSE_STEP = 5,          /* entity learner */
    PURPOSE_MATCHING = 6,      /* entity round */
};

/* Names the N-th event of a unit: units below 2⁴⁰, events below 2²⁴. */
#define PURPOSE_NTH(unit, n) (((uint64_t)(unit) << 24) | ((uint64_t)(n)&0xffffff))

#endif
