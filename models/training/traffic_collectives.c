/*
 * Collectives between the parts of learners: operations, whose ranks are the parts that are there.
 */
#include "models/training/traffic_internal.h"

#include <stdlib.h>

struct operation {
    struct traffic *traffic;
    struct operation *previous, *next; /* under way */
    struct collective *collective;     /* NULL: nothing to send */
    flows_name trivial;                /* the event of one that has nothing to send */
    flows_handler *done;
    void *context;
    struct traffic_blame blame; /* as of that many CHANGES */
    uint64_t changes;
    uint32_t ranks;
    int64_t parts[]; /* of the placement, by rank */
};

static void link_in(struct operation *operation)
{
    struct traffic *traffic = operation->traffic;
    operation->next = traffic->operations;
    if (operation->next)
        operation->next->previous = operation;
    traffic->operations = operation;
}

static void take_out(struct operation *operation)
{
    if (operation->previous)
        operation->previous->next = operation->next;
    else
        operation->traffic->operations = operation->next;
    if (operation->next)
        operation->next->previous = operation->previous;
}

static bool find_way(void *context, uint32_t from, uint32_t to, struct collective_route *way)
{
    struct operation *operation = context;
    struct traffic *traffic = operation->traffic;
    struct route route;
    if (!route_find(traffic->routes, endpoint_of_part(traffic->placement, operation->parts[from]),
                    endpoint_of_part(traffic->placement, operation->parts[to]), &route) ||
        !traffic_use_links(traffic, &route, way->links))
        return false;
    way->links_count = (uint32_t)route.count;
    way->latency = route_delay(&route, &traffic->delays);
    way->rate_cap = route.cap;
    way->window = traffic_window_of(traffic, &route);
    way->loss = route.loss;
    return true;
}

static void on_done(struct sim_engine *engine, void *context)
{
    struct operation finished = *(struct operation *)context;
    take_out(context);
    free(context);
    finished.done(engine, finished.context);
}

static uint32_t count_parts(const struct traffic *traffic, const struct traffic_collective *wanted)
{
    uint32_t count = 0;
    for (size_t i = 0; i < wanted->learner_count; i++) {
        int64_t learner = wanted->learners[i];
        count += (uint32_t)(traffic->placement->first[learner + 1] - traffic->placement->first[learner]);
    }
    return count;
}

/* The part that the NTH of a learner's SLICES is in. */
static int64_t part_of_slice(const struct placement *placement, int64_t learner, int64_t nth, int64_t slices)
{
    int64_t part = placement->first[learner], last = placement->first[learner + 1] - 1;
    double middle = ((double)nth + 0.5) / (double)slices, end = placement->parts[part].share;
    while (part < last && middle > end)
        end += placement->parts[++part].share;
    return part;
}

void traffic_slice_away(struct traffic *traffic, int64_t learner, int64_t nth, int64_t slices, bool away)
{
    int64_t part = part_of_slice(traffic->placement, learner, nth, slices);
    struct part_slices *counts = &traffic->slices[part];
    for (int64_t i = 0; counts->all == 0 && i < slices; i++)
        counts->all += part_of_slice(traffic->placement, learner, i, slices) == part;
    counts->gone += away ? 1 : -1;
}

static bool is_there(const struct traffic *traffic, int64_t part)
{
    const struct part_slices *counts = &traffic->slices[part];
    return counts->gone == 0 || counts->gone < counts->all;
}

static bool any_is_there(const struct traffic *traffic, int64_t learner)
{
    const struct placement *placement = traffic->placement;
    for (int64_t part = placement->first[learner]; part < placement->first[learner + 1]; part++)
        if (is_there(traffic, part))
            return true;
    return false;
}

/* Who is gone altogether has left what it gives; its parts take their place. */
static struct operation *create_operation(struct traffic *traffic, const struct traffic_collective *wanted,
                                          uint32_t *root)
{
    const struct placement *placement = traffic->placement;
    uint32_t count = count_parts(traffic, wanted);
    struct operation *operation = malloc(sizeof *operation + count * sizeof *operation->parts);
    if (!operation)
        return NULL;
    *operation = (struct operation){
        .traffic = traffic, .done = wanted->done, .context = wanted->context, .blame = TRAFFIC_NO_BLAME};
    for (size_t i = 0; i < wanted->learner_count; i++) {
        int64_t learner = wanted->learners[i], home = placement_home(placement, learner);
        bool all = !any_is_there(traffic, learner);
        if (i == wanted->root)
            *root = operation->ranks;
        for (int64_t part = placement->first[learner]; part < placement->first[learner + 1]; part++) {
            if (!all && !is_there(traffic, part))
                continue;
            if (i == wanted->root && part == home)
                *root = operation->ranks;
            operation->parts[operation->ranks++] = part;
        }
    }
    return operation;
}

/* What is over as it begins still ends in an event of its own: whoever starts it is not ready to be called.
 */
static bool begin_trivial(struct operation *operation)
{
    struct flows_transfer nothing = {.arrived = on_done, .context = operation};
    operation->trivial = flows_start(operation->traffic->flows, &nothing);
    return operation->trivial != 0;
}

static bool begin(struct operation *operation, const struct traffic_collective *wanted, uint32_t root)
{
    const struct traffic *traffic = operation->traffic;
    struct error error = {0};
    uint32_t *sites = calloc(operation->ranks, sizeof *sites);
    if (!sites)
        return false;
    for (uint32_t i = 0; i < operation->ranks; i++)
        sites[i] = (uint32_t)traffic->placement->parts[operation->parts[i]].site;
    struct collective_demand demand = {.algorithm = wanted->algorithm,
                                       .ranks = operation->ranks,
                                       .bits = traffic_whole_bits(wanted->bits),
                                       .root = root,
                                       .groups = sites,
                                       .route = find_way,
                                       .done = on_done,
                                       .context = operation};
    operation->collective = collective_start(traffic->flows, &demand, &error);
    free(sites);
    return operation->collective != NULL;
}

struct operation *traffic_start(struct traffic *traffic, const struct traffic_collective *wanted)
{
    uint32_t root = 0;
    struct operation *operation = traffic_failed(traffic) ? NULL : create_operation(traffic, wanted, &root);
    if (!operation) {
        traffic->failed = true;
        return NULL;
    }
    link_in(operation);
    bool trivial = operation->ranks == 1 || traffic_whole_bits(wanted->bits) == 0;
    if (trivial ? begin_trivial(operation) : begin(operation, wanted, root))
        return operation;
    traffic->failed = true;
    take_out(operation);
    free(operation);
    return NULL;
}

void traffic_stop(struct traffic *traffic, struct operation *operation)
{
    if (operation->collective)
        collective_cancel(operation->collective);
    else
        flows_cancel(traffic->flows, operation->trivial);
    take_out(operation);
    free(operation);
}

static void blame_message(void *context, uint32_t from, uint32_t to)
{
    struct operation *operation = context;
    const struct placement *placement = operation->traffic->placement;
    operation->blame =
        traffic_worse(operation->blame, traffic_blame_way(operation->traffic,
                                                          endpoint_of_part(placement, operation->parts[from]),
                                                          endpoint_of_part(placement, operation->parts[to])));
}

/* It is looked at again only after a fault has begun or ended: CHANGES is 0 until the first of a run. */
struct traffic_blame traffic_blame_operation(const struct traffic *traffic, struct operation *operation)
{
    if (operation->changes == traffic->changes)
        return operation->blame;
    operation->changes = traffic->changes;
    operation->blame = TRAFFIC_NO_BLAME;
    if (operation->collective && traffic_is_struck(traffic))
        collective_visit(operation->collective, blame_message, operation);
    return operation->blame;
}
