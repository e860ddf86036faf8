#include "models/network/collective_plan.h"

#include <stdlib.h>

/* ⌈BITS · PARTS / WHOLE⌉, or what one flow carries at most: a ring's is up to twice BITS. */
static uint64_t portion(uint64_t bits, uint64_t parts, uint64_t whole)
{
    unsigned __int128 exact = ((unsigned __int128)bits * parts + whole - 1) / whole;
    return exact < FLUID_BITS_LIMIT ? (uint64_t)exact : FLUID_BITS_LIMIT;
}

static bool add(struct collective_plan *plan, uint32_t round, uint32_t from, uint32_t to, uint64_t bits,
                sim_time latency)
{
    if (plan->count == plan->room) {
        size_t room = plan->room ? 2 * plan->room : 64;
        struct collective_message *message = realloc(plan->message, room * sizeof *message);
        if (!message)
            return false;
        plan->message = message;
        plan->room = room;
    }
    plan->message[plan->count++] =
        (struct collective_message){.bits = bits, .latency = latency, .round = round, .from = from, .to = to};
    if (plan->rounds <= round)
        plan->rounds = round + 1;
    return true;
}

static bool add_message(struct collective_plan *plan, uint32_t round, uint32_t from, uint32_t to,
                        uint64_t bits)
{
    return add(plan, round, from, to, bits, -1);
}

/* Ranks in a ring: each sends ROUNDS blocks, each a BLOCKS-th of the bits, to the next. */
struct ring {
    const uint32_t *rank;
    uint32_t count;
    uint32_t rounds;
    uint32_t blocks;
};

static uint32_t next_of(const struct ring *ring, uint32_t i)
{
    return ring->rank[(i + 1) % ring->count];
}

static bool add_stepwise_ring(struct collective_plan *plan, const struct collective_demand *demand,
                              const struct ring *ring, uint32_t base)
{
    uint64_t bits = portion(demand->bits, 1, ring->blocks);
    for (uint32_t round = 0; round < ring->rounds; round++)
        for (uint32_t i = 0; i < ring->count; i++)
            if (!add_message(plan, base + round, ring->rank[i], next_of(ring, i), bits))
                return false;
    return true;
}

/* The latencies of a ring's hops, each asked for once: chance may have a part in them. The caller frees. */
static sim_time *hops_of(const struct collective_demand *demand, const struct ring *ring)
{
    sim_time *hops = malloc(ring->count * sizeof *hops);
    for (uint32_t i = 0; hops && i < ring->count; i++) {
        struct collective_route route = {0};
        bool found = demand->route(demand->context, ring->rank[i], next_of(ring, i), &route);
        hops[i] = found ? route.latency : 0;
    }
    return hops;
}

/* The block that a rank gets last has made a hop a round, the last of them from the rank before: what the
 * transfer into it has for latency. */
static bool add_steady_ring(struct collective_plan *plan, const struct collective_demand *demand,
                            const struct ring *ring, uint32_t base)
{
    uint64_t bits = portion(demand->bits, ring->rounds, ring->blocks);
    sim_time latency = 0, *hops = hops_of(demand, ring);
    bool good = hops != NULL;
    for (uint32_t round = 0; good && round < ring->rounds; round++)
        latency = sim_time_add(latency, hops[round % ring->count]);
    for (uint32_t i = 0; good && i < ring->count; i++) {
        uint32_t last = (ring->rounds - 1 + i) % ring->count;
        good = add(plan, base, ring->rank[last], next_of(ring, last), bits, latency);
        latency = sim_time_add(latency, hops[(last + 1) % ring->count]) - hops[i];
    }
    free(hops);
    return good;
}

static uint32_t rounds_of(const struct collective_demand *demand, uint32_t rounds)
{
    return demand->stepwise || !rounds ? rounds : 1;
}

static bool add_ring(struct collective_plan *plan, const struct collective_demand *demand,
                     const struct ring *ring, uint32_t base)
{
    if (!ring->rounds)
        return true;
    return (demand->stepwise ? add_stepwise_ring : add_steady_ring)(plan, demand, ring, base);
}

static uint32_t *ranks_in_order(uint32_t count)
{
    uint32_t *rank = malloc(count * sizeof *rank);
    for (uint32_t i = 0; rank && i < count; i++)
        rank[i] = i;
    return rank;
}

static bool plan_ring(struct collective_plan *plan, const struct collective_demand *demand, uint32_t times)
{
    uint32_t *rank = ranks_in_order(demand->ranks);
    struct ring ring = {rank, demand->ranks, times * (demand->ranks - 1), demand->ranks};
    bool good = rank && add_ring(plan, demand, &ring, 0);
    free(rank);
    return good;
}

static uint32_t ceil_log2(uint32_t n)
{
    uint32_t log = 0;
    while (((uint64_t)1 << log) < n)
        log++;
    return log;
}

/* The round in which RANK's blocks go a distance of 2^K, there or back. */
static bool add_halving(struct collective_plan *plan, const struct collective_demand *demand, uint32_t round,
                        uint32_t k, bool back)
{
    uint32_t p = demand->ranks, distance = (uint32_t)1 << k;
    uint32_t blocks = distance < p - distance ? distance : p - distance;
    bool in_pairs = (p & (p - 1)) == 0;
    for (uint32_t r = 0; r < p; r++) {
        uint32_t to = in_pairs ? r ^ distance : (r + (back ? p - distance : distance)) % p;
        if (!add_message(plan, round, r, to, portion(demand->bits, blocks, p)))
            return false;
    }
    return true;
}

static bool plan_halving_doubling(struct collective_plan *plan, const struct collective_demand *demand)
{
    uint32_t log = ceil_log2(demand->ranks);
    bool good = true;
    for (uint32_t k = 0; good && k < log; k++)
        good =
            add_halving(plan, demand, log - 1 - k, k, false) && add_halving(plan, demand, log + k, k, true);
    return good;
}

/* Between ranks that are 2^K apart in a binomial tree: up to the root's side, or down. */
static bool add_branches(struct collective_plan *plan, const struct collective_demand *demand, uint32_t round,
                         uint32_t k, bool up)
{
    uint32_t distance = (uint32_t)1 << k;
    for (uint64_t i = 0; i + distance < demand->ranks; i += 2 * (uint64_t)distance) {
        uint32_t near = (uint32_t)((i + demand->root) % demand->ranks);
        uint32_t far = (uint32_t)((i + distance + demand->root) % demand->ranks);
        if (!add_message(plan, round, up ? far : near, up ? near : far, demand->bits))
            return false;
    }
    return true;
}

static bool plan_tree(struct collective_plan *plan, const struct collective_demand *demand, bool reduce)
{
    uint32_t log = ceil_log2(demand->ranks), base = reduce ? log : 0;
    bool good = true;
    plan->by_appointment = true;
    for (uint32_t k = 0; good && k < log; k++)
        good = (!reduce || add_branches(plan, demand, k, k, true)) &&
               add_branches(plan, demand, base + log - 1 - k, k, false);
    return good;
}

static bool plan_server(struct collective_plan *plan, const struct collective_demand *demand, bool push)
{
    bool good = true;
    for (uint32_t r = 0; good && r < demand->ranks; r++)
        if (r != demand->root)
            good = add_message(plan, 0, push ? r : demand->root, push ? demand->root : r, demand->bits);
    return good;
}

static bool plan_exchange(struct collective_plan *plan, const struct collective_demand *demand)
{
    bool good = true;
    for (uint32_t shift = 1; shift < demand->ranks; shift++)
        for (uint32_t r = 0; good && r < demand->ranks; r++)
            good = add_message(plan, shift - 1, r, (r + shift) % demand->ranks, demand->bits);
    return good;
}

/* Groups of ranks, in the order of their first ranks: group i's are rank[first[i]] … rank[first[i + 1] − 1].
 */
struct groups {
    uint32_t *rank;
    uint32_t *first;
    uint32_t *chosen; /* a rank of each group */
    uint32_t count;
    uint32_t largest;
};

static void collect_group(struct groups *groups, const struct collective_demand *demand, uint32_t number)
{
    uint32_t end = groups->first[groups->count], start = end;
    for (uint32_t r = 0; r < demand->ranks; r++)
        if (demand->groups[r] == number)
            groups->rank[end++] = r;
    groups->first[++groups->count] = end;
    if (end - start > groups->largest)
        groups->largest = end - start;
}

static bool is_first_of_group(const struct collective_demand *demand, uint32_t rank)
{
    for (uint32_t r = 0; r < rank; r++)
        if (demand->groups[r] == demand->groups[rank])
            return false;
    return true;
}

static bool collect_groups(struct groups *groups, const struct collective_demand *demand)
{
    groups->rank = calloc(demand->ranks, sizeof *groups->rank);
    groups->first = calloc(demand->ranks + (size_t)1, sizeof *groups->first);
    groups->chosen = calloc(demand->ranks, sizeof *groups->chosen);
    if (!groups->rank || !groups->first || !groups->chosen)
        return false;
    for (uint32_t r = 0; r < demand->ranks; r++)
        if (is_first_of_group(demand, r))
            collect_group(groups, demand, demand->groups[r]);
    return true;
}

static void free_groups(struct groups *groups)
{
    free(groups->rank);
    free(groups->first);
    free(groups->chosen);
}

static uint32_t size_of(const struct groups *groups, uint32_t group)
{
    return groups->first[group + 1] - groups->first[group];
}

static bool add_inner_rings(struct collective_plan *plan, const struct collective_demand *demand,
                            const struct groups *groups, uint32_t base)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        uint32_t size = size_of(groups, i);
        struct ring ring = {&groups->rank[groups->first[i]], size, size - 1, size};
        if (!add_ring(plan, demand, &ring, base))
            return false;
    }
    return true;
}

static bool add_outer_rings(struct collective_plan *plan, const struct collective_demand *demand,
                            struct groups *groups, uint32_t base)
{
    for (uint32_t j = 0; j < groups->largest; j++) {
        for (uint32_t i = 0; i < groups->count; i++)
            groups->chosen[i] = groups->rank[groups->first[i] + j % size_of(groups, i)];
        struct ring ring = {groups->chosen, groups->count, 2 * (groups->count - 1),
                            groups->count * groups->largest};
        if (!add_ring(plan, demand, &ring, base))
            return false;
    }
    return true;
}

static bool plan_hierarchical(struct collective_plan *plan, const struct collective_demand *demand)
{
    struct groups groups = {0};
    bool good = collect_groups(&groups, demand);
    if (good) {
        uint32_t outer = rounds_of(demand, groups.largest - 1);
        uint32_t last = outer + rounds_of(demand, 2 * (groups.count - 1));
        good = add_inner_rings(plan, demand, &groups, 0) && add_outer_rings(plan, demand, &groups, outer) &&
               add_inner_rings(plan, demand, &groups, last);
    }
    free_groups(&groups);
    return good;
}

static bool plan_messages(struct collective_plan *plan, const struct collective_demand *demand)
{
    switch (demand->algorithm) {
    case COLLECTIVE_HALVING_DOUBLING:
        return plan_halving_doubling(plan, demand);
    case COLLECTIVE_TREE:
        return plan_tree(plan, demand, true);
    case COLLECTIVE_HIERARCHICAL:
        return plan_hierarchical(plan, demand);
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_GATHER:
        return plan_ring(plan, demand, 1);
    case COLLECTIVE_BROADCAST:
        return plan_tree(plan, demand, false);
    case COLLECTIVE_PUSH:
        return plan_server(plan, demand, true);
    case COLLECTIVE_PULL:
        return plan_server(plan, demand, false);
    case COLLECTIVE_EXCHANGE:
        return plan_exchange(plan, demand);
    default:
        return plan_ring(plan, demand, 2);
    }
}

static int by_round_and_sender(const void *a, const void *b)
{
    const struct collective_message *x = a, *y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

bool collective_plan_make(struct collective_plan *plan, const struct collective_demand *demand)
{
    *plan = (struct collective_plan){0};
    if (!plan_messages(plan, demand))
        return false;
    if (plan->count)
        qsort(plan->message, plan->count, sizeof *plan->message, by_round_and_sender);
    return true;
}

void collective_plan_free(struct collective_plan *plan)
{
    free(plan->message);
    *plan = (struct collective_plan){0};
}
