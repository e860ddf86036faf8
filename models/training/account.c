/*
 * Invariant: a mark is what its learner had trained when the fragment was last pulled, less what came back;
 * what was trained beyond the mark is in the learner's parameters alone.
 */
#include "models/training/account.h"

#include <stdlib.h>

struct account {
    int64_t learners, fragments;
    sim_amount merged, lost, under_way;
    sim_amount marks[]; /* by learner and fragment */
};

struct account *account_create(int64_t learners, int64_t fragments)
{
    size_t marks = (size_t)learners * (size_t)fragments;
    struct account *account = calloc(1, sizeof *account + marks * sizeof *account->marks);
    if (!account)
        return NULL;
    account->learners = learners;
    account->fragments = fragments;
    return account;
}

void account_destroy(struct account *account)
{
    free(account);
}

static sim_amount *mark_of(struct account *account, int64_t learner, int64_t fragment)
{
    return &account->marks[learner * account->fragments + fragment];
}

sim_amount account_pull(struct account *account, int64_t learner, int64_t fragment, sim_amount trained)
{
    sim_amount *mark = mark_of(account, learner, fragment), grains = trained - *mark;
    *mark = trained;
    account->under_way += grains;
    return grains;
}

void account_merge(struct account *account, sim_amount grains)
{
    account->under_way -= grains;
    account->merged += grains;
}

void account_return(struct account *account, int64_t learner, int64_t fragment, sim_amount grains)
{
    account->under_way -= grains;
    *mark_of(account, learner, fragment) -= grains;
}

void account_forget(struct account *account, sim_amount grains)
{
    account->under_way -= grains;
    account->lost += grains;
}

void account_lose(struct account *account, int64_t learner, sim_amount trained)
{
    for (int64_t p = 0; p < account->fragments; p++) {
        sim_amount *mark = mark_of(account, learner, p);
        account->lost += trained - *mark;
        *mark = trained;
    }
}

sim_amount account_merged(const struct account *account)
{
    return account->merged;
}

void account_go_back(struct account *account, sim_amount kept)
{
    account->lost += account->merged - kept;
    account->merged = kept;
}

struct token_counts account_count(const struct account *account, const sim_amount *trained)
{
    struct token_counts counts = {.fragments = account->fragments,
                                  .merged = account->merged,
                                  .lost = account->lost,
                                  .pending = account->under_way};
    for (int64_t i = 0; i < account->learners; i++) {
        counts.trained += trained[i] * account->fragments;
        for (int64_t p = 0; p < account->fragments; p++)
            counts.pending += trained[i] - account->marks[i * account->fragments + p];
    }
    return counts;
}
