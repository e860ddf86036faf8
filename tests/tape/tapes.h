/*
 * Tapes for tests: written by hand, record by record, or at random; and whether two are the same to the bit.
 */
#ifndef TESTS_TAPE_TAPES_H
#define TESTS_TAPE_TAPES_H

#include "models/tape/tape.h"
#include "sim/stream.h"

/* A pen writes one tape. LEARNERS share the chips alike; a full step has 1000 tokens. */
struct pen {
    struct tape_writer *writer;
    sim_time time; /* of the next record */
    double tokens; /* of the next steps; at first a learner's share of a full step */
};

struct pen pen_create(int32_t learners, int32_t fragments);
struct tape *pen_finish(struct pen *pen); /* sorted */

/* A record as the fields of its kind want it: no peer, no fragment. */
struct tape_record pen_record(const struct pen *pen, enum tape_kind kind, int32_t actor, int64_t clock);
void pen_write(struct pen *pen, enum tape_kind kind, int32_t actor, int64_t clock);
void pen_begin(struct pen *pen, int32_t learner, int64_t clock, int64_t position);
void pen_end(struct pen *pen, int32_t learner, int64_t clock);
/* A begin at POSITION, and its end, after which the learner is at POSITION + 1. */
void pen_step(struct pen *pen, int32_t learner, int64_t position);
void pen_send(struct pen *pen, int32_t learner, int32_t fragment, int64_t clock);
void pen_apply(struct pen *pen, int32_t learner, int32_t fragment, int64_t clock);
void pen_copy(struct pen *pen, int32_t learner, int32_t peer, int64_t clock);
void pen_mix(struct pen *pen, int32_t learner, int32_t peer, double weight);
/* Merges what COUNT learners from FIRST on sent, each at clock AT when it did. */
void pen_merge(struct pen *pen, int32_t fragment, int64_t clock, int32_t first, uint32_t count, int64_t at);

/* As wild as the fields allow, and of no causality: every kind of record, numbers of any size; floating-point
 * numbers finite, or with ANY_BITS whatever. */
struct tape *tape_at_random(struct sim_stream *stream, bool any_bits);

/* Every field, floating-point numbers by their bits. */
bool tape_is_equal(const struct tape *a, const struct tape *b);

#endif
