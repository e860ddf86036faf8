#include "models/training/warm_up.h"

#include "models/priority.h"
#include "models/training/world.h"

static void book_as_warm_up(struct sim_ledger *ledger)
{
    for (int category = 0; category < BUDGET_CATEGORIES; category++)
        if (category != BUDGET_WARM_UP)
            sim_ledger_move(ledger, category, BUDGET_WARM_UP, ledger->amount[category]);
}

void warm_up_end(struct world *world)
{
    sim_time now = sim_engine_now(world->engine);
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_forget_warm_up(&world->learners[i]);
    slots_book(world->slots);
    for (size_t i = 0; i < world->ledger_count; i++)
        book_as_warm_up(&world->ledgers[i]);
    waste_forget(&world->waste, now);
    outages_begin_counting(world->outages);
    trouble_forget(&world->trouble, now);
    world->counts = (struct world_counts){.spares = slots_counts(world->slots)};
    world->counting_since = now;
    traffic_begin_counting(world->traffic);
    sim_time_tally_start(&world->some_stepping, now, world->stepping > 0);
    sim_time_tally_start(&world->learners_up, now, (double)world->up);
}

static void on_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    warm_up_end(actor);
}

bool warm_up_schedule(struct world *world, struct error *error)
{
    if (world->config->warm_up == 0)
        return true;
    uint32_t actor = sim_engine_add_actor(world->engine, on_end, world);
    if (actor == UINT32_MAX) {
        error_out_of_memory(error, "the warm-up");
        return false;
    }
    sim_engine_schedule(world->engine, world->config->warm_up, PRIORITY_WARM_UP, actor, 0);
    return true;
}
