/*
 * Classes: the flows of one path share a holder and a clock, so that another holder costs per class, and a
 * change of level nothing. Their weight goes where the solver reads it: to the holder's own weight, and to
 * the pairs with the other links of the path, whose load follows.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <stdlib.h>

static inline uint32_t hash_of(const struct fluid_list *path)
{
    uint64_t hash = path->count;
    for (uint32_t i = 0; i < path->count; i++)
        hash = (hash ^ path->item[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

/* Two buckets a class, at least: most have one or none, and following a chain costs more than the room. */
static bool rehash(struct fluid *fluid)
{
    if (2 * fluid->classes_live < fluid->class_buckets)
        return true;
    uint32_t buckets = fluid->class_buckets ? 2 * fluid->class_buckets : 64;
    struct fluid_class **bucket = calloc(buckets, sizeof *bucket);
    if (!bucket)
        return !(fluid->failed = true);
    for (uint32_t i = 0; i < fluid->classes_count; i++) {
        struct fluid_class *class = fluid->class[i];
        if (class->first_flow == FLUID_NONE)
            continue;
        class->next = bucket[class->hash & (buckets - 1)];
        bucket[class->hash & (buckets - 1)] = class;
    }
    free(fluid->class_bucket);
    fluid->class_bucket = bucket;
    fluid->class_buckets = buckets;
    return true;
}

static inline bool same_path(const struct fluid_class *class, const struct fluid_list *path)
{
    bool same = class->members_count == path->count;
    for (uint32_t i = 0; same && i < path->count; i++)
        same = class->path[i] == path->item[i];
    return same;
}

static inline struct fluid_class *find(const struct fluid *fluid, const struct fluid_list *path,
                                       uint32_t hash)
{
    if (!fluid->class_buckets)
        return NULL;
    struct fluid_class *class = fluid->class_bucket[hash & (fluid->class_buckets - 1)];
    while (class && (class->hash != hash || !same_path(class, path)))
        class = class->next;
    return class;
}

static struct fluid_class *allocate(struct fluid *fluid, uint32_t size)
{
    uint32_t room = fluid->classes_room;
    size_t members = (size_t)FLUID_MEMBERS_LEAST << size;
    struct fluid_class *class =
        calloc(1, sizeof *class + members * (sizeof class->member[0] + sizeof class->path[0]));
    if (!class || !fluid_grow(fluid, &fluid->class, &room, fluid->classes_count + 1, sizeof(void *)) ||
        !fluid_grow(fluid, &fluid->class_place, &fluid->classes_room, fluid->classes_count + 1,
                    sizeof(uint32_t))) {
        fluid->failed = true;
        free(class);
        return NULL;
    }
    class->own_pair = FLUID_NONE;
    class->size = size;
    class->path = (uint32_t *)&class->member[members];
    class->first_flow = FLUID_NONE;
    class->number = fluid->classes_count;
    fluid->class_place[class->number] = 0;
    fluid->class[fluid->classes_count++] = class;
    return class;
}

/* An unused class with as much room serves again. */
static inline struct fluid_class *take(struct fluid *fluid, uint32_t members)
{
    uint32_t size = 0;
    while (members > (uint32_t)FLUID_MEMBERS_LEAST << size)
        size++;
    struct fluid_class *class = fluid->classes_unused[size];
    if (!class)
        return allocate(fluid, size);
    fluid->classes_unused[size] = class->next;
    return class;
}

/* The member whose link is likely to hold the class: the one with the least level, did only the flows that
 * each link holds make room. Should another be right, the solver moves the class. */
static inline uint32_t likely_holder(const struct fluid *fluid, const struct fluid_class *class)
{
    uint32_t holder = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < class->members_count; i++) {
        const struct fluid_share *share = &fluid->share[class->member[i].link];
        double level = (share->capacity - share->load) / (share->own + class->weight);
        holder = level < least ? i : holder;
        least = level < least ? level : least;
    }
    return holder;
}

/* A link that comes to hold something has level 0 until it is evaluated, but for one that takes over, which
 * has been and knows its level. */
static inline void change_idle(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    share->idle = !share->idle;
    fluid_clock_bring(fluid, link);
    if (share->idle || isinf(fluid->level[link]))
        fluid->level[link] = share->idle ? INFINITY : 0;
    fluid_watch(fluid, link);
    if (!share->idle && share->peak < share->capacity)
        fluid_note_rate(fluid, link);
}

/* Concerns the link as a change of its load would; also one whose last flow goes, if its load is a new peak.
 */
static inline void weigh_holder(struct fluid *fluid, uint32_t link, double weight)
{
    struct fluid_share *share = &fluid->share[link];
    share->own += weight;
    share->own_inverse = 1 / share->own;
    assert(share->own >= 0);
    if (share->idle == (share->own > 0))
        change_idle(fluid, link);
    if (share->load > share->watch)
        fluid_note_load(fluid, link);
}

static inline void weigh(struct fluid *fluid, struct fluid_class *class, double weight)
{
    double level = fluid_class_level(fluid, class);
    class->weight += weight;
    weigh_holder(fluid, fluid_holder(class), weight);
    fluid_pairs_weigh(fluid, class, level, weight);
}

static inline struct fluid_heap_entry entry_of(const struct fluid *fluid, const struct fluid_class *class)
{
    fluid_clock finish = fluid->flow[class->first_flow].finish + class->offset;
    return (struct fluid_heap_entry){finish, class->number, class->first_flow};
}

/* The class's first flow to end is another. */
static inline void reorder(struct fluid *fluid, struct fluid_class *class)
{
    uint32_t holder = fluid_holder(class);
    struct fluid_heap *held = &fluid->link[holder].held;
    fluid_heap_change(held, fluid->class_place, entry_of(fluid, class));
    fluid->share[holder].postponed = true;
    fluid_note_hastened(fluid, holder, held->entry[0].item == class->number);
}

/* Among those that its holder holds. */
static inline bool enter(struct fluid *fluid, struct fluid_class *class)
{
    uint32_t holder = fluid_holder(class);
    struct fluid_heap *held = &fluid->link[holder].held;
    if (!fluid_heap_push(held, fluid->class_place, entry_of(fluid, class)))
        return !(fluid->failed = true);
    fluid->share[holder].postponed = true;
    fluid_note_hastened(fluid, holder, held->entry[0].item == class->number);
    return true;
}

static inline bool join_links(struct fluid *fluid, struct fluid_class *class)
{
    double level = fluid_class_level(fluid, class);
    weigh_holder(fluid, fluid_holder(class), class->weight);
    return fluid_pairs_join(fluid, class, level);
}

static inline void leave_links(struct fluid *fluid, const struct fluid_class *class)
{
    uint32_t holder = fluid_holder(class);
    double level = fluid_class_level(fluid, class);
    fluid_heap_remove(&fluid->link[holder].held, fluid->class_place, class->number);
    fluid->share[holder].postponed = true;
    weigh_holder(fluid, holder, -class->weight);
    fluid_pairs_leave(fluid, class, level);
}

static inline void swap_holder(struct fluid_class *class, uint32_t member)
{
    uint32_t old = class->member[0].link;
    class->member[0].link = class->member[member].link;
    class->member[member].link = old;
}

/* Puts an unused class on the path, with the weight of its first flow; its clock starts at 0. */
static inline bool open(struct fluid *fluid, struct fluid_class *class, const struct fluid_list *path,
                        double weight)
{
    class->weight = weight;
    class->members_count = path->count;
    for (uint32_t i = 0; i < path->count; i++) {
        class->path[i] = path->item[i];
        class->member[i] = (struct fluid_member){.class = class, .link = path->item[i], .pair = FLUID_NONE};
    }
    swap_holder(class, likely_holder(fluid, class));
    class->offset = fluid_clock_now(fluid, fluid_holder(class));
    return join_links(fluid, class);
}

static inline void hash_in(struct fluid *fluid, struct fluid_class *class, uint32_t hash)
{
    struct fluid_class **head = &fluid->class_bucket[hash & (fluid->class_buckets - 1)];
    class->hash = hash;
    class->next = *head;
    *head = class;
    fluid->classes_live++;
}

static inline void hash_out(struct fluid *fluid, struct fluid_class *class)
{
    struct fluid_class **at = &fluid->class_bucket[class->hash & (fluid->class_buckets - 1)];
    while (*at != class)
        at = &(*at)->next;
    *at = class->next;
    fluid->classes_live--;
}

static inline struct fluid_class *fluid_class_get(struct fluid *fluid, const struct fluid_list *path,
                                                  double weight)
{
    uint32_t hash = hash_of(path);
    struct fluid_class *class = find(fluid, path, hash);
    if (class) {
        weigh(fluid, class, weight);
        return class;
    }
    if (!rehash(fluid) || !(class = take(fluid, path->count)))
        return NULL;
    hash_in(fluid, class, hash);
    return open(fluid, class, path, weight) ? class : NULL;
}

static inline bool fluid_class_add(struct fluid *fluid, struct fluid_class *class, uint32_t flow)
{
    bool first = class->first_flow == FLUID_NONE;
    fluid_clock_keep_near(fluid, fluid_holder(class));
    fluid_queue_add(fluid, class, flow);
    if (first)
        return enter(fluid, class);
    if (class->first_flow == flow)
        reorder(fluid, class);
    return true;
}

static inline void fluid_class_remove(struct fluid *fluid, struct fluid_class *class, uint32_t flow)
{
    bool first = class->first_flow == flow;
    fluid_queue_remove(fluid, class, flow);
    if (class->first_flow == FLUID_NONE) {
        leave_links(fluid, class);
        hash_out(fluid, class);
        class->next = fluid->classes_unused[class->size];
        fluid->classes_unused[class->size] = class;
        return;
    }
    weigh(fluid, class, -(double)fluid->flow[flow].weight);
    if (first)
        reorder(fluid, class);
}

static inline fluid_clock fluid_class_clock(const struct fluid *fluid, const struct fluid_class *class)
{
    return fluid_clock_now(fluid, fluid_holder(class)) - class->offset;
}

static inline bool fluid_class_move(struct fluid *fluid, struct fluid_member *member)
{
    struct fluid_class *class = member->class;
    uint32_t from = fluid_holder(class), to = member->link;
    fluid_clock_keep_near(fluid, to);
    class->offset += fluid_clock_now(fluid, to) - fluid_clock_now(fluid, from);
    if (fluid->hubs_count)
        fluid_hubs_move(fluid, class, to);
    leave_links(fluid, class);
    swap_holder(class, (uint32_t)(member - class->member));
    return join_links(fluid, class) && enter(fluid, class);
}
