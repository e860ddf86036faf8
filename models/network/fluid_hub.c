/*
 * Hubs: the few links that many others share and that hold nothing themselves, such as backbones with room to
 * spare. Classes leave them out of their paths, so that flows over different hubs are of one class, and hubs
 * need no pairs. What a hub carries follows from the weights by hub that each class has and, in sum, the link
 * that holds it.
 *
 * A link becomes a hub when loads are summed afresh; a hub becomes an ordinary link again when it is dirty,
 * mostly as it is too full, or when a flow passes hubs only. Either way its flows change their classes.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>

enum { PAIRS_LEAST = 16 }; /* of a link that becomes a hub */

static const double load_most = 0.75; /* of the capacity of a link that becomes one: it is to stay one */

static_assert(FLUID_HUBS == 4, "sets and comparisons of hubs are written for four");

#define PASSED(hubs)                                                                                         \
    {                                                                                                        \
        (hubs) & 1, (hubs) >> 1 & 1, (hubs) >> 2 & 1, (hubs) >> 3 & 1                                        \
    }

/* 1 for each hub of a set. */
static const fluid_hubs passed[1 << FLUID_HUBS] = {
    PASSED(0), PASSED(1), PASSED(2),  PASSED(3),  PASSED(4),  PASSED(5),  PASSED(6),  PASSED(7),
    PASSED(8), PASSED(9), PASSED(10), PASSED(11), PASSED(12), PASSED(13), PASSED(14), PASSED(15),
};

/* Whole vectors: one number that was written can't be forwarded to who reads the vector next. */
static inline void fluid_hubs_weigh(struct fluid *fluid, struct fluid_class *class, uint32_t hubs,
                                    double weight)
{
    fluid_hubs change = weight * passed[hubs];
    class->hub_weight += change;
    fluid->link[fluid_holder(class)].hub_weight += change;
    fluid_hubs_add_load(fluid, &change, fluid_class_level(fluid, class));
}

static inline void fluid_hubs_move(struct fluid *fluid, const struct fluid_class *class, uint32_t to)
{
    uint32_t from = fluid_holder(class);
    fluid->link[from].hub_weight -= class->hub_weight;
    fluid->link[to].hub_weight += class->hub_weight;
    fluid_hubs_add_load(fluid, &class->hub_weight, fluid->level[to] - fluid->level[from]);
}

static inline void fluid_hubs_note(struct fluid *fluid)
{
    fluid_hubs_bits above = fluid->hub_load > fluid->hub_watch;
    if (!(above[0] | above[1] | above[2] | above[3]))
        return;
    for (uint32_t hub = 0; hub < FLUID_HUBS; hub++) {
        if (!above[hub])
            continue;
        uint32_t link = fluid->hub_link[hub];
        fluid->share[link].load = fluid->hub_load[hub];
        fluid_note_load(fluid, link);
    }
}

static void fluid_hub_load_afresh(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    double load = 0;
    for (uint32_t i = 0; i < fluid->links_count; i++)
        if (!fluid->share[i].idle)
            load += fluid->level[i] * fluid->link[i].hub_weight[share->hub];
    share->load = fluid->hub_load[share->hub] = load;
}

static fluid_bits fluid_hub_sent(const struct fluid *fluid, uint32_t link)
{
    fluid_bits bits = 0;
    for (uint32_t i = 0; i < fluid->flows_count; i++)
        if (fluid->flow[i].state == FLUID_UNDER_WAY && fluid->flow[i].hubs >> fluid->share[link].hub & 1)
            bits += fluid_flow_sent(fluid, i);
    return bits;
}

/* Puts the path of the class, with or without the link, into fluid->path. */
static bool lay_path_anew(struct fluid *fluid, const struct fluid_class *class, uint32_t link, bool with)
{
    struct fluid_list *path = &fluid->path;
    bool good = true;
    path->count = 0;
    for (uint32_t i = 0; i < class->members_count; i++) {
        if (with && class->path[i] > link) {
            good = good && fluid_list_add(fluid, path, link);
            with = false;
        }
        if (class->path[i] != link)
            good = good && fluid_list_add(fluid, path, class->path[i]);
    }
    return good && (!with || fluid_list_add(fluid, path, link));
}

/* Puts the flow into the class of fluid->path. */
static bool change_class(struct fluid *fluid, uint32_t number, uint32_t hubs)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    fluid_clock clock = fluid_class_clock(fluid, flow->class);
    fluid_hubs_weigh(fluid, flow->class, flow->hubs, -(double)flow->weight);
    fluid_class_remove(fluid, flow->class, number);
    struct fluid_class *class = fluid_class_get(fluid, &fluid->path, flow->weight);
    if (!class)
        return false;
    fluid_hubs_weigh(fluid, class, hubs, flow->weight);
    flow->class = class;
    flow->hubs = hubs;
    flow->finish += fluid_class_clock(fluid, class) - clock;
    return fluid_class_add(fluid, class, number);
}

static bool passes(const struct fluid_class *class, uint32_t link)
{
    for (uint32_t i = 0; i < class->members_count; i++)
        if (class->path[i] == link)
            return true;
    return false;
}

static void fluid_hub_end(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    uint32_t hub = share->hub;
    assert(share->idle && fluid->hub_link[hub] == link);
    fluid->hub_link[hub] = share->hub = FLUID_NONE;
    fluid->hub_watch[hub] = INFINITY;
    fluid->hubs_count--;
    share->load = 0;
    fluid_watch(fluid, link);
    for (uint32_t i = 0; i < fluid->flows_count && !fluid->failed; i++) {
        const struct fluid_flow_record *flow = &fluid->flow[i];
        if (flow->state != FLUID_UNDER_WAY || !(flow->hubs >> hub & 1))
            continue;
        if (lay_path_anew(fluid, flow->class, link, true))
            change_class(fluid, i, flow->hubs & ~(1u << hub));
    }
    fluid->hub_load[hub] = 0;
}

static void begin(struct fluid *fluid, uint32_t hub, uint32_t link)
{
    for (uint32_t i = 0; i < fluid->flows_count && !fluid->failed; i++) {
        const struct fluid_flow_record *flow = &fluid->flow[i];
        if (flow->state != FLUID_UNDER_WAY || !passes(flow->class, link))
            continue;
        if (lay_path_anew(fluid, flow->class, link, false))
            change_class(fluid, i, flow->hubs | 1u << hub);
    }
    assert(fluid->failed || (fluid->share[link].idle && !fluid->link[link].in.count));
    fluid->hub_link[hub] = link;
    fluid->share[link].hub = hub;
    fluid->hubs_count++;
    fluid_watch(fluid, link);
}

/* The link that most links hold flows on, of those that may become a hub. */
static uint32_t choose(const struct fluid *fluid)
{
    uint32_t chosen = FLUID_NONE, most = PAIRS_LEAST - 1;
    for (uint32_t i = 0; i < fluid->links_count; i++) {
        const struct fluid_share *share = &fluid->share[i];
        uint32_t pairs = fluid->link[i].in.count;
        if (pairs <= most || !share->idle || share->load > load_most * share->capacity)
            continue;
        chosen = i;
        most = pairs;
    }
    return chosen;
}

static bool fluid_hubs_choose(struct fluid *fluid)
{
    uint32_t before = fluid->hubs_count;
    for (uint32_t hub = 0; hub < FLUID_HUBS; hub++) {
        uint32_t link = fluid->hub_link[hub] == FLUID_NONE ? choose(fluid) : FLUID_NONE;
        if (link != FLUID_NONE)
            begin(fluid, hub, link);
    }
    return fluid->hubs_count > before;
}
