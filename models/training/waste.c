#include "models/training/waste.h"

#include "models/failures/fault.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void forget_beginnings(struct waste *waste)
{
    for (size_t i = 0; i < waste->causes; i++)
        waste->began[i] = WASTE_NEVER;
}

bool waste_create(struct waste *waste, size_t causes, struct error *error)
{
    *waste = (struct waste){.causes = causes};
    waste->amount = calloc(causes + 1, sizeof *waste->amount);
    waste->standing = calloc(causes + 1, sizeof *waste->standing);
    waste->began = malloc((causes + 1) * sizeof *waste->began);
    if (!waste->amount || !waste->standing || !waste->began) {
        error_out_of_memory(error, "the cost of failures");
        return false;
    }
    forget_beginnings(waste);
    return true;
}

void waste_free(struct waste *waste)
{
    free(waste->amount);
    free(waste->standing);
    free(waste->began);
}

static bool is_cause(const struct waste *waste, int32_t cause)
{
    assert(cause == FAULT_NO_CAUSE || (cause >= 0 && (size_t)cause < waste->causes));
    return cause != FAULT_NO_CAUSE;
}

static void add(struct waste *waste, int32_t cause, int category, sim_amount amount, sim_time since)
{
    waste->amount[cause][category] += amount;
    if (amount > 0 && (waste->began[cause] == WASTE_NEVER || since < waste->began[cause]))
        waste->began[cause] = since;
}

void waste_charge(struct waste *waste, int32_t cause, int category, sim_amount amount, sim_time since)
{
    if (is_cause(waste, cause))
        add(waste, cause, category, amount, since);
}

static void settle(struct waste *waste, int32_t cause, int category, sim_time now)
{
    struct waste_standing *standing = &waste->standing[cause][category];
    add(waste, cause, category, (sim_amount)standing->chips * (now - standing->since), standing->since);
    standing->since = now;
}

void waste_stand(struct waste *waste, int32_t cause, int category, int64_t chips, sim_time now)
{
    if (!is_cause(waste, cause))
        return;
    settle(waste, cause, category, now);
    waste->standing[cause][category].chips += chips;
    assert(waste->standing[cause][category].chips >= 0);
}

void waste_settle(struct waste *waste, sim_time now)
{
    for (size_t cause = 0; cause < waste->causes; cause++)
        for (int category = 0; category < BUDGET_CATEGORIES; category++)
            settle(waste, (int32_t)cause, category, now);
}

void waste_forget(struct waste *waste, sim_time now)
{
    waste_settle(waste, now);
    memset(waste->amount, 0, waste->causes * sizeof *waste->amount);
    forget_beginnings(waste);
}
