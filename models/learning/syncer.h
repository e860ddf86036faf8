/*
 * The syncer's memory in a replay: outer parameters and optimiser, and the drifts that were sent and are not
 * merged yet.
 *
 * A drift is start − end: the syncer's parameters less the learner's, compressed as the rule says.
 */
#ifndef MODELS_LEARNING_SYNCER_H
#define MODELS_LEARNING_SYNCER_H

#include "models/learning/outer.h"
#include "models/learning/replica.h"
#include "models/tape/rule.h"
#include "models/tape/tape.h"
#include "sim/error.h"

#define syncer_create REAL(syncer_create)
#define syncer_destroy REAL(syncer_destroy)
#define syncer_parameters REAL(syncer_parameters)
#define syncer_receive REAL(syncer_receive)
#define syncer_merge REAL(syncer_merge)
#define syncer_apply REAL(syncer_apply)
#define syncer_pending_tokens REAL(syncer_pending_tokens)
#define syncer_keep REAL(syncer_keep)
#define syncer_restore REAL(syncer_restore)
#define syncer_saved_size REAL(syncer_saved_size)
#define syncer_save REAL(syncer_save)
#define syncer_load REAL(syncer_load)

struct syncer;

/* RULE and TENSORS must outlive it; INITIAL is copied. NULL when out of memory. */
struct syncer *syncer_create(const struct learning_rule *rule, const struct tensor *tensors,
                             size_t tensor_count, size_t parameters, size_t fragments, const real *initial);
void syncer_destroy(struct syncer *syncer);
const real *syncer_parameters(const struct syncer *syncer);

/* Takes REPLICA's drift in FRAGMENT (TAPE_WHOLE: all of them) for merge CLOCK, and its unsent tokens with it.
 */
bool syncer_receive(struct syncer *syncer, int32_t learner, int32_t fragment, int64_t clock,
                    struct replica *replica, struct error *error);

/* Merges what the PARTS sent for CLOCK and takes an outer step. Their tokens are added to *TOKENS; those of
 * whoever else sent the fragment by then come too late, and are added to *LATE. */
bool syncer_merge(struct syncer *syncer, int32_t fragment, int64_t clock, const struct tape_part *parts,
                  uint32_t count, double *tokens, double *late, struct error *error);

/* REPLICA's FRAGMENT becomes the syncer's, but for the share that the rule's blend leaves it. The syncer's
 * newest values serve: a fragment is merged again before it has arrived only on links too thin for the
 * strategy. */
void syncer_apply(const struct syncer *syncer, int32_t fragment, struct replica *replica);

double syncer_pending_tokens(const struct syncer *syncer);

/* A copy of SYNCER into *KEPT, made when NULL; and back. Messages under way stay as they are. */
bool syncer_keep(const struct syncer *syncer, struct syncer **kept);
void syncer_restore(struct syncer *syncer, const struct syncer *kept);

size_t syncer_saved_size(const struct syncer *syncer);
void syncer_save(const struct syncer *syncer, uint8_t *bytes);
bool syncer_load(struct syncer *syncer, const uint8_t *bytes, size_t length);

#endif
