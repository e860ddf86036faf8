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
    PURPOSE_LINK_CAPACITY = 7, /* entity link (models/network/route.c) */
    PURPOSE_LINK_OUTAGES = 8,  /* entity link */
    PURPOSE_MESSAGE_DELAY = 9, /* entity as the strategy numbers its messages */
    PURPOSE_LASTING_PACE = 10, /* entity learner: its slowest chips and lemon hosts */
    PURPOSE_FAIL_SLOW = 11,    /* entity learner */
    PURPOSE_NEIGHBOUR = 12,    /* entity (learner, number of the round) */
    PURPOSE_FAULT_REPAIR = 13, /* entity (cause << 32, number of its fault) */
    PURPOSE_DETECTION = 14,    /* likewise */
    PURPOSE_CHAOS_TIMES = 40,  /* entity entry of "chaos" */
    PURPOSE_CHAOS_UNITS = 41,  /* entity (entry, number of the strike) */
    PURPOSE_CHAOS_REPAIR = 42, /* likewise */

    PURPOSE_LANGUAGE = 100,           /* entity language */
    PURPOSE_TRAINING_DATA = 101,      /* replication: number of the sequence; entity its position */
    PURPOSE_HELD_OUT_DATA = 102,      /* entity index */
    PURPOSE_INITIAL_PARAMETERS = 103, /* entity tensor */
    PURPOSE_OPTIMUM = 104,            /* entity 0: what all shards share; else 1 + shard */
    PURPOSE_GRADIENT_NOISE = 105,     /* as PURPOSE_TRAINING_DATA */

    PURPOSE_BOOTSTRAP = 200,   /* entity 0, of seed 0: results alone */
    PURPOSE_PROCESSES = 10000, /* and all above: PURPOSE_OF_PROCESS */
};

/* The streams of each failure process. */
enum process_stream {
    PROCESS_FAILURES, /* entity 0: the superposed process of all units */
    PROCESS_LIFE,     /* entity (unit, number of the life) */
    PROCESS_COURSE,   /* entity (unit, number of the failure) */
    PROCESS_LEMON,    /* entity unit */
    PROCESS_STREAMS = 8
};
#define PURPOSE_OF_PROCESS(number, stream)                                                                   \
    (PURPOSE_PROCESSES + PROCESS_STREAMS * (number) + (uint32_t)(stream))

/* Names the N-th event of a unit: units below 2⁴⁰, events below 2²⁴. */
#define PURPOSE_NTH(unit, n) (((uint64_t)(unit) << 24) | ((uint64_t)(n)&0xffffff))

#endif
