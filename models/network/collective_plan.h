/*
 * What an algorithm sends: messages in rounds. A plan is the list of them, by round and then by sender; who
 * may send when is collective.c's business.
 */
#ifndef MODELS_NETWORK_COLLECTIVE_PLAN_H
#define MODELS_NETWORK_COLLECTIVE_PLAN_H

#include "models/network/collective.h"

struct collective_message {
    struct collective *collective; /* of which it is under way */
    flows_name name;
    uint64_t bits;
    sim_time latency; /* of a steady ring; negative: that of its route */
    uint32_t round;
    uint32_t from, to;
};

struct collective_plan {
    struct collective_message *message;
    size_t count, room;
    uint32_t rounds;
    bool by_appointment; /* both ranks are busy until a message has arrived */
};

/* False when out of memory. The caller frees the plan either way. */
bool collective_plan_make(struct collective_plan *plan, const struct collective_demand *demand);
void collective_plan_free(struct collective_plan *plan);

#endif
