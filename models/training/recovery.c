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

/* Whether ONE should rather be asked than OTHER: first who is at SITE, then who gives fewest copies. */
static bool is_better(const struct world *world, int64_t one, int64_t other, int64_t site)
{
    bool near = traffic_site(world->traffic, one) == site,
         other_near = traffic_site(world->traffic, other) == site;
    if (near != other_near)
        return near;
    return world->learners[one].copies_given < world->learners[other].copies_given;
}

int64_t recovery_nearest_donor(const struct world *world, const struct learner *learner)
{
    int64_t site = traffic_site(world->traffic, learner->number), best = recovery_first_donor(world);
    for (int64_t i = best + 1; best != RECOVERY_NO_DONOR && i < world->layout.learners; i++)
        if (learner_is_alive(&world->learners[i]) && is_better(world, i, best, site))
            best = i;
    return best;
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

static void end(struct recovery *recovery)
{
    if (recovery->under_way && recovery->donor != RECOVERY_NO_DONOR)
        recovery->world->learners[recovery->donor].copies_given--;
    recovery->under_way = false;
}

static void begin(struct recovery *recovery, int64_t donor)
{
    end(recovery);
    recovery->donor = donor;
    recovery->under_way = true;
    if (donor != RECOVERY_NO_DONOR)
        recovery->world->learners[donor].copies_given++;
}

static void on_copied(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct recovery *recovery = context;
    end(recovery);
    recovery->recovered(recovery->context);
}

void recovery_send(struct recovery *recovery, int64_t donor)
{
    struct world *world = recovery->world;
    double copies = donor == RECOVERY_NO_DONOR ? 1 : COPIES_FROM_A_PEER;
    begin(recovery, donor);
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
    begin(recovery, donor);
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
    end(recovery);
    return true;
}

void recovery_write_copy(const struct learner *learner, int64_t donor)
{
    struct tape_record record = learner_record(learner, TAPE_COPY);
    record.peer = donor == RECOVERY_NO_DONOR ? TAPE_SYNCER : (int32_t)donor;
    tape_write(learner->world->tape, record);
}
