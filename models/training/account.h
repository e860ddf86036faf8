/*
 * Where every token trained has gone: merged into the syncer's model, lost, or pending (in a learner's
 * parameters, or in a fragment on its way). In whole TOKEN_GRAINS of a token, a fragment's share at a time,
 * so that at every moment, exactly,
 *
 *   trained = merged + lost + pending
 *
 * It also remembers what was merged when the syncer's snapshots were taken.
 */
#ifndef MODELS_TRAINING_ACCOUNT_H
#define MODELS_TRAINING_ACCOUNT_H

#include "models/training/result.h"
#include "sim/clock.h"
#include "sim/ledger.h"
#include <stdbool.h>
#include <stdint.h>

struct account;

/* Nothing trained yet. NULL when memory runs out; the caller destroys it. */
struct account *account_create(int64_t learners, int64_t fragments);
void account_destroy(struct account *account); /* NULL is allowed */

/* TRAINED is always all that LEARNER has trained so far, in grains (learner.h). Grains returned are of one
 * fragment: so many tokens for FRAGMENTS fragments. */

/* LEARNER's FRAGMENT leaves for a merge: the grains that go with it, to be handed to one of the next four. */
sim_amount account_pull(struct account *account, int64_t learner, int64_t fragment, sim_amount trained);
void account_merge(struct account *account, sim_amount grains);
void account_return(struct account *account, int64_t learner, int64_t fragment, sim_amount grains);
void account_forget(struct account *account, sim_amount grains); /* its learner was lost meanwhile */

/* LEARNER loses its state. */
void account_lose(struct account *account, int64_t learner, sim_amount trained);

/* What is merged; the syncer goes back to a moment when that was KEPT, and what was merged since is lost. */
sim_amount account_merged(const struct account *account);
void account_go_back(struct account *account, sim_amount kept);

/* Sums up; TRAINED by learner. */
struct token_counts account_count(const struct account *account, const sim_amount *trained);

#endif
