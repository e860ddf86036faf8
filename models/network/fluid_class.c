/*
 * Classes: the flows of one path share a holder and a clock, so that another holder costs per class, and a
 * change of level nothing. Their weight goes where the solver reads it: to the holder's own weight, and to
 * the pairs with the other links of the path, whose load follows.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t hash_of(const struct fluid_list *path)
{
    uint64_t hash = path->count;
    for (uint32_t i = 0; i < path->count; i++) {
        hash = (hash ^ path->item[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
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

static bool same_path(const struct fluid_class *class, const struct fluid_list *path)
{
    if (class->members_count != path->count)
        return false;
    for (uint32_t i = 0; i < path->count; i++)
        if (class->member[i].link != path->item[i])
            return false;
    return true;
}

static struct fluid_class *find(const struct fluid *fluid, const struct fluid_list *path, uint32_t hash)
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
    struct fluid_class *class = calloc(1, sizeof *class + members * sizeof class->member[0]);
    if (!class || !fluid_grow(fluid, &fluid->class, &room, fluid->classes_count + 1, sizeof(void *)) ||
        !fluid_grow(fluid, &fluid->class_place, &fluid->classes_room, fluid->classes_count + 1,
                    sizeof(uint32_t))) {
        fluid->failed = true;
        free(class);
        return NULL;
    }
    class->size = size;
    class->first_flow = FLUID_NONE;
    class->number = fluid->classes_count;
    fluid->class_place[class->number] = 0;
    fluid->class[fluid->classes_count++] = class;
    return class;
}

/* An unused class serves again, for as many links. */
static struct fluid_class *take(struct fluid *fluid, uint32_t members)
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

/* The link that will hold a flow more: the one with the least level, a free link's being what it has left. */
static uint32_t likely_holder(const struct fluid *fluid, const struct fluid_list *path)
{
    uint32_t holder = FLUID_NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct fluid_share *share = &fluid->share[path->item[i]];
        double level = share->idle ? share->capacity - share->load : fluid->level[path->item[i]];
        if (holder == FLUID_NONE || level < least) {
            holder = path->item[i];
            least = level;
        }
    }
    return holder;
}

/* A link that comes to hold something has level 0 until it is evaluated. */
static void weigh_holder(struct fluid *fluid, uint32_t link, double weight)
{
    struct fluid_share *share = &fluid->share[link];
    bool was_idle = share->idle;
    share->own += weight;
    share->idle = share->own == 0;
    assert(share->own >= 0);
    if (was_idle != share->idle) {
        fluid_clock_bring(fluid, link);
        if (share->idle || isinf(fluid->level[link]))
            fluid->level[link] = share->idle ? INFINITY : 0;
        fluid_watch(fluid, link);
        fluid_note_rate(fluid, link);
    }
    fluid_add_load(fluid, link, 0);
}

void fluid_class_weigh(struct fluid *fluid, struct fluid_class *class, double weight)
{
    double level = fluid->level[class->holder];
    if (isinf(level))
        level = 0;
    class->weight += weight;
    weigh_holder(fluid, class->holder, weight);
    const struct fluid_member *end = class->member + class->members_count;
    for (const struct fluid_member *member = class->member; member < end; member++) {
        if (member->pair == FLUID_NONE)
            continue;
        fluid_pair_weigh(fluid, member->pair, weight);
        fluid_add_load(fluid, member->link, level * weight);
    }
}

static bool join_pairs(struct fluid *fluid, struct fluid_class *class)
{
    for (uint32_t i = 0; i < class->members_count; i++) {
        struct fluid_member *member = &class->member[i];
        if (member->link == class->holder)
            continue;
        uint32_t pair = fluid_pair_get(fluid, class->holder, member->link);
        if (pair == FLUID_NONE)
            return false;
        fluid_pair_join(fluid, pair, member);
    }
    return true;
}

static void leave_pairs(struct fluid *fluid, struct fluid_class *class)
{
    for (uint32_t i = 0; i < class->members_count; i++)
        if (class->member[i].pair != FLUID_NONE)
            fluid_pair_leave(fluid, &class->member[i]);
}

static void open(struct fluid *fluid, struct fluid_class *class, const struct fluid_list *path, uint32_t hash)
{
    class->hash = hash;
    class->weight = 0;
    class->members_count = path->count;
    for (uint32_t i = 0; i < path->count; i++)
        class->member[i] = (struct fluid_member){.class = class, .link = path->item[i], .pair = FLUID_NONE};
    class->holder = likely_holder(fluid, path);
    class->offset = fluid_clock_now(fluid, class->holder);
    class->next = fluid->class_bucket[hash & (fluid->class_buckets - 1)];
    fluid->class_bucket[hash & (fluid->class_buckets - 1)] = class;
    fluid->classes_live++;
}

struct fluid_class *fluid_class_get(struct fluid *fluid, const struct fluid_list *path)
{
    uint32_t hash = hash_of(path);
    struct fluid_class *class = find(fluid, path, hash);
    if (class)
        return class;
    if (!rehash(fluid) || !(class = take(fluid, path->count)))
        return NULL;
    open(fluid, class, path, hash);
    return join_pairs(fluid, class) ? class : NULL;
}

void fluid_class_put(struct fluid *fluid, struct fluid_class *class)
{
    if (class->first_flow != FLUID_NONE)
        return;
    assert(class->weight == 0);
    leave_pairs(fluid, class);
    struct fluid_class **at = &fluid->class_bucket[class->hash & (fluid->class_buckets - 1)];
    while (*at != class)
        at = &(*at)->next;
    *at = class->next;
    class->next = fluid->classes_unused[class->size];
    fluid->classes_unused[class->size] = class;
    fluid->classes_live--;
}

fluid_clock fluid_class_clock(const struct fluid *fluid, const struct fluid_class *class)
{
    return fluid_clock_now(fluid, class->holder) - class->offset;
}

static bool is_in(const struct fluid_heap *held, const uint32_t *places, uint32_t number)
{
    return places[number] < held->count && held->entry[places[number]].item == number;
}

void fluid_class_refresh(struct fluid *fluid, struct fluid_class *class)
{
    struct fluid_heap *held = &fluid->link[class->holder].held;
    bool in = is_in(held, fluid->class_place, class->number);
    fluid->share[class->holder].postponed = true;
    if (class->first_flow == FLUID_NONE) {
        if (in)
            fluid_heap_remove(held, fluid->class_place, class->number);
        return;
    }
    fluid_clock key = fluid->flow[class->first_flow].finish + class->offset;
    if (in)
        fluid_heap_change(held, fluid->class_place, class->number, key);
    else if (!fluid_heap_push(held, fluid->class_place, key, class->number))
        fluid->failed = true;
    if (!fluid->failed && held->entry[0].item == class->number)
        fluid_note_move(fluid, class->holder, true);
}

void fluid_class_move(struct fluid *fluid, struct fluid_class *class, uint32_t holder)
{
    double weight = class->weight;
    fluid_clock clock = fluid_class_clock(fluid, class);
    fluid_heap_remove(&fluid->link[class->holder].held, fluid->class_place, class->number);
    fluid->share[class->holder].postponed = true;
    fluid_class_weigh(fluid, class, -weight);
    leave_pairs(fluid, class);
    class->holder = holder;
    class->offset = fluid_clock_now(fluid, holder) - clock;
    if (!join_pairs(fluid, class))
        return;
    fluid_class_weigh(fluid, class, weight);
    fluid_class_refresh(fluid, class);
}
