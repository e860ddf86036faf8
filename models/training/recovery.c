/* A request goes to the donor, and its state comes back; without a request the donor is where it begins. */
#include "models/training/recovery.h"

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

static void give_turns(struct recovery_queue *queue);

static void leave_queue(struct recovery *recovery)
{
    struct recovery_queue *queue = recovery->queue;
    struct recovery **at = &queue->first;
    while (*at != recovery)
        at = &(*at)->next;
    *at = recovery->next;
    recovery->queue = NULL;
    give_turns(queue);
}

static void on_copied(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct recovery *recovery = context;
    bool in_turn = recovery->queue != NULL;
    end(recovery);
    recovery->recovered(recovery->context);
    if (in_turn)
        leave_queue(recovery);
}

void recovery_send(struct recovery *recovery, int64_t donor)
{
    struct world *world = recovery->world;
    double copies = donor == RECOVERY_NO_DONOR ? 1 : RECOVERY_COPIES;
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

/* Whether a copy from DONOR to LEARNER would share its way with the one under way. */
static bool shares_way(const struct recovery *under_way, int64_t learner, int64_t donor)
{
    const struct traffic *traffic = under_way->world->traffic;
    if (under_way->donor == donor)
        return true;
    if (under_way->donor == RECOVERY_NO_DONOR || donor == RECOVERY_NO_DONOR)
        return false;
    int64_t site = traffic_site(traffic, learner);
    return site >= 0 && site == traffic_site(traffic, under_way->learner) &&
           traffic_site(traffic, donor) == traffic_site(traffic, under_way->donor);
}

static bool has_turn(const struct recovery_queue *queue, const struct recovery *recovery, int64_t donor)
{
    for (const struct recovery *other = queue->first; other; other = other->next)
        if (other->under_way && shares_way(other, recovery->learner, donor))
            return false;
    return true;
}

static void give_turns(struct recovery_queue *queue)
{
    for (struct recovery *recovery = queue->first; recovery; recovery = recovery->next) {
        const struct world *world = recovery->world;
        int64_t donor = recovery_nearest_donor(world, &world->learners[recovery->learner]);
        bool there = donor != RECOVERY_NO_DONOR || !queue->no_syncer;
        if (there && !recovery->under_way && has_turn(queue, recovery, donor))
            recovery_ask(recovery, donor);
    }
}

void recovery_ask_in_turn(struct recovery_queue *queue, struct recovery *recovery)
{
    struct recovery **end = &queue->first;
    while (*end)
        end = &(*end)->next;
    *end = recovery;
    recovery->next = NULL;
    recovery->queue = queue;
    give_turns(queue);
}

bool recovery_waits(const struct recovery *recovery)
{
    return recovery->queue && !recovery->under_way;
}

static bool break_off(struct recovery *recovery, int64_t donor)
{
    if (!recovery->under_way || recovery->donor != donor)
        return false;
    traffic_cancel(recovery->world->traffic, recovery->message);
    end(recovery);
    return true;
}

bool recovery_break_off(struct recovery *recovery, const struct learner *lost)
{
    return break_off(recovery, (int64_t)lost->number);
}

bool recovery_break_off_syncer(struct recovery *recovery)
{
    return break_off(recovery, RECOVERY_NO_DONOR);
}

void recovery_write_copy(const struct learner *learner, int64_t donor)
{
    struct tape_record record = learner_record(learner, TAPE_COPY);
    record.peer = donor == RECOVERY_NO_DONOR ? TAPE_SYNCER : (int32_t)donor;
    tape_write(learner->world->tape, record);
}
