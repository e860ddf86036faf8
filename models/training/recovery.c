/* A request goes to the donor, and its state comes back; without a request the donor is where it begins. */
#include "models/training/recovery.h"

/* Parameters and two moments of the inner optimiser (arXiv 2604.21428 App. E.4: 3N per replica brought in).
 */
#define COPIES_FROM_A_PEER 3

int64_t recovery_first_donor(const struct world *world)
{
    for (int64_t i = 0; i < world->layout.learners; i++)
        if (learner_is_alive(&world->learners[i]))
            return i;
    return RECOVERY_NO_DONOR;
}

int64_t recovery_nearest_donor(const struct world *world, const struct learner *learner)
{
    int64_t site = traffic_site(world->traffic, learner->number);
    for (int64_t i = 0; site >= 0 && i < world->layout.learners; i++)
        if (learner_is_alive(&world->learners[i]) && traffic_site(world->traffic, i) == site)
            return i;
    return recovery_first_donor(world);
}

void recovery_init(struct recovery *recovery, const struct learner *learner, recovery_handler *recovered,
                   void *context)
{
    *recovery = (struct recovery){.world = learner->world,
                                  .learner = learner->number,
                                  .donor = RECOVERY_NO_DONOR,
                                  .recovered = recovered,
                                  .context = context};
}

static int64_t place_of(int64_t donor)
{
    return donor == RECOVERY_NO_DONOR ? TRAFFIC_SYNCER : donor;
}

static void on_copied(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct recovery *recovery = context;
    recovery->under_way = false;
    recovery->recovered(recovery->context);
}

void recovery_send(struct recovery *recovery, int64_t donor)
{
    struct world *world = recovery->world;
    double copies = donor == RECOVERY_NO_DONOR ? 1 : COPIES_FROM_A_PEER;
    recovery->donor = donor;
    recovery->under_way = true;
    recovery->message =
        traffic_send(world->traffic, &(struct traffic_message){.from = place_of(donor),
                                                               .to = recovery->learner,
                                                               .bits = copies * world_model_bits(world),
                                                               .arrived = on_copied,
                                                               .context = recovery});
}

static void on_asked(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct recovery *recovery = context;
    recovery_send(recovery, recovery->donor);
}

void recovery_ask(struct recovery *recovery, int64_t donor)
{
    recovery->donor = donor;
    recovery->under_way = true;
    recovery->message = traffic_send(
        recovery->world->traffic,
        &(struct traffic_message){
            .from = recovery->learner, .to = place_of(donor), .arrived = on_asked, .context = recovery});
}

bool recovery_break_off(struct recovery *recovery, const struct learner *lost)
{
    if (!recovery->under_way || recovery->donor != (int64_t)lost->number)
        return false;
    traffic_cancel(recovery->world->traffic, recovery->message);
    recovery->under_way = false;
    return true;
}

void recovery_write_copy(const struct learner *learner, int64_t donor)
{
    struct tape_record record = learner_record(learner, TAPE_COPY);
    record.peer = donor == RECOVERY_NO_DONOR ? TAPE_SYNCER : (int32_t)donor;
    tape_write(learner->world->tape, record);
}
