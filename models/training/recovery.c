/* Invariant: whatever crosses the network is in wan_bits from the moment it sets out. */
#include "models/training/recovery.h"

#include "models/network/link.h"
#include "models/priority.h"

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

void recovery_send_state(struct world *world, bool from_peer, int64_t latencies, uint32_t actor)
{
    const struct network_config *network = &world->config->network;
    double bits = (from_peer ? COPIES_FROM_A_PEER : 1) * world_model_bits(world);
    sim_time arrival =
        sim_time_add(sim_engine_now(world->engine), link_transfer_time(bits, network->wan_bandwidth));
    for (int64_t i = 0; i < latencies; i++)
        arrival = sim_time_add(arrival, network->wan_latency);
    world->counts.wan_bits += bits;
    sim_engine_schedule(world->engine, arrival, PRIORITY_MESSAGE, actor, 0);
}

void recovery_write_copy(const struct learner *learner, int64_t donor)
{
    struct tape_record record = learner_record(learner, TAPE_COPY);
    record.peer = donor == RECOVERY_NO_DONOR ? TAPE_SYNCER : (int32_t)donor;
    tape_write(learner->world->tape, record);
}
