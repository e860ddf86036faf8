/*
 * The event tape: what happened in a run, in so far as it decides what the model learns. A totally
 * ordered list of records, (time, order of writing), that the optimisers replay; learning never steers
 * timing.
 *
 * Learners are numbered from 0; the syncer, where there is one, is TAPE_SYNCER. A fragment of -1 is the
 * whole model. Clocks count steps: a learner's t_m, the syncer's t.
 *
 * The memory of a replay: every learner holds parameters, inner optimiser state and the state of its
 * strategy; messages sent and not yet merged are known by (learner, fragment, clock); the syncer holds the
 * outer parameters and the outer optimiser; snapshots are known by (actor, clock), a learner's start being
 * its first.
 */
#ifndef MODELS_TAPE_TAPE_H
#define MODELS_TAPE_TAPE_H

#include "sim/clock.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_VERSION 1
#define TAPE_SYNCER (-1)
#define TAPE_WHOLE (-1) /* fragment: all of the model */
#define TAPE_MOST_FRAGMENTS 1000000

enum tape_kind {
    TAPE_STEP_BEGIN, /* actor reads its parameters for a gradient on TOKENS tokens at data POSITION */
    TAPE_STEP_END,   /* actor's inner optimiser takes that gradient; CLOCK is its clock after the step */
    TAPE_STEP_LOST,  /* instead of the end: the gradient is thrown away */
    TAPE_SEND,       /* actor's FRAGMENT, as it is now, goes to the syncer for merge CLOCK */
    TAPE_MERGE, /* the syncer merges what was sent for CLOCK, FRAGMENT by the participants' weights, and takes
                   an outer step; what others sent for it is void, and all of it if there are none */
    TAPE_APPLY, /* the merged FRAGMENT of CLOCK reaches actor: its parameters become it (or are blended with
                   it) */
    TAPE_ROUND, /* gossip: actor's local steps of a round are done; it takes its own outer step, to be mixed
                 */
    TAPE_MIX,   /* actor and PEER mix what they hold after that, with edge weight WEIGHT */
    TAPE_ROUND_END, /* actor goes on with the mixture */
    TAPE_SNAPSHOT,  /* actor keeps its whole state under CLOCK; or the syncer, dropping older ones */
    TAPE_ROLLBACK,  /* actor (or the syncer) goes back to its snapshot CLOCK, dropping later ones */
    TAPE_LOST,      /* actor's state is gone: parameters, optimiser, error feedback */
    TAPE_COPY,      /* actor takes over PEER's state; from the syncer: its parameters, fresh optimiser */
    TAPE_RESET,     /* actor's compression state is cleared */
    TAPE_KINDS
};

extern const char *const tape_kind_names[TAPE_KINDS]; /* "step_begin", … as exports write them */

struct tape_record {
    sim_time time;
    uint8_t kind;  /* enum tape_kind */
    bool replayed; /* STEP_BEGIN: the position was trained on before and rolled back */
    int32_t actor;
    int32_t peer;     /* COPY, MIX */
    int32_t fragment; /* SEND, MERGE, APPLY */
    int64_t clock;
    int64_t position; /* STEP_BEGIN: the step's number in the actor's own data, from 0 */
    double tokens;    /* STEP_BEGIN, STEP_END */
    double weight;    /* MIX: λ of the edge */
    /* MERGE: who takes part, with what weight, and how far each was (its vector clock). */
    uint32_t first_part, parts; /* a run of tape.parts */
};

struct tape_part {
    int32_t learner;
    double weight;
    int64_t clock;
};

struct tape {
    int32_t learners;
    int32_t fragments;
    double full_tokens; /* of one step of the whole cluster */
    double *shares;     /* of the chips, by learner */
    struct tape_record *records;
    size_t count;
    struct tape_part *parts;
    size_t part_count;
};

/* An empty tape; NULL when out of memory. SHARES are copied. */
struct tape *tape_create(int32_t learners, int32_t fragments, double full_tokens, const double *shares);
void tape_destroy(struct tape *tape);

/* Writing. A writer appends in any order of time; tape_finish sorts by time, keeping the order of writing
 * among equals. Memory running out makes tape_finish fail, not the calls before it. */
struct tape_writer;
struct tape_writer *tape_writer_create(int32_t learners, int32_t fragments, double full_tokens,
                                       const double *shares);
void tape_write(struct tape_writer *writer, struct tape_record record); /* writer NULL: nothing is kept */
void tape_write_merge(struct tape_writer *writer, struct tape_record record, const struct tape_part *parts,
                      uint32_t count);
struct tape *tape_finish(struct tape_writer *writer, struct error *error); /* frees the writer */
/* The same without sorting, for a tape that comes from elsewhere. */
struct tape *tape_finish_as_written(struct tape_writer *writer, struct error *error);
/* Makes tape_finish report that memory ran out: for a caller that could not make a record. */
void tape_writer_fail(struct tape_writer *writer);
void tape_writer_abandon(struct tape_writer *writer);

/* Checks causality: time and clocks in order; every end after its begin; a merge of what was sent and not
 * merged before, an apply of what was merged, a rollback to a snapshot, nothing done by the lost. False names
 * the record (its number from 0) and what it breaks. */
bool tape_check(const struct tape *tape, struct error *error);

/* Compact bytes (versioned, checksummed, zstd where it pays) and back. */
bool tape_encode(const struct tape *tape, void **bytes, size_t *length,
                 struct error *error); /* the caller frees */
struct tape *tape_decode(const void *bytes, size_t length, struct error *error);

/* JSON Lines: a header object, then one object per record; and back. */
char *tape_to_json(const struct tape *tape, struct error *error); /* the caller frees */
struct tape *tape_from_json(const char *text, struct error *error);

#endif
