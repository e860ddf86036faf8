#include "models/training/trouble.h"

#include <assert.h>

static void stand(const struct trouble *trouble, struct waste *waste, int64_t chips, sim_time now)
{
    if (trouble->learners > 0)
        waste_stand(waste, trouble->cause, BUDGET_QUORUM_WAIT, chips, now);
}

void trouble_book(struct trouble *trouble, sim_time now)
{
    trouble->seconds += (double)trouble->learners * sim_time_to_seconds(now - trouble->since);
    trouble->since = now;
}

void trouble_forget(struct trouble *trouble, sim_time now)
{
    trouble->count = 0;
    trouble->seconds = 0;
    trouble->since = now;
}

void trouble_begin(struct trouble *trouble, struct waste *waste, int32_t cause, sim_time now)
{
    stand(trouble, waste, -trouble->waiting, now);
    trouble_book(trouble, now);
    trouble->learners++;
    trouble->cause = cause;
    trouble->count++;
    stand(trouble, waste, trouble->waiting, now);
}

void trouble_end(struct trouble *trouble, struct waste *waste, sim_time now)
{
    assert(trouble->learners > 0);
    stand(trouble, waste, -trouble->waiting, now);
    trouble_book(trouble, now);
    trouble->learners--;
    stand(trouble, waste, trouble->waiting, now);
}

void trouble_wait(struct trouble *trouble, struct waste *waste, int64_t chips, sim_time now)
{
    stand(trouble, waste, chips, now);
    trouble->waiting += chips;
    assert(trouble->waiting >= 0);
}
