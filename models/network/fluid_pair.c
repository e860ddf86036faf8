/*
 * Pairs of links. A pair stands in the row of its holder and in that of the other link, so that either walks
 * its own row, as long as some class belongs to it. A class of two links has a pair of its own; the others
 * share pairs, which are found by their two ends. So a link may stand in another's row twice.
 */
#include "models/network/fluid_internal.h"

#include <stdlib.h>

/* A class with room for two links has a pair of its own, which it also keeps while it is unused. */
static inline bool owns_pair(const struct fluid_class *class)
{
    return class->size == 0;
}

static uint32_t bucket_of(const struct fluid *fluid, uint32_t from, uint32_t to)
{
    uint64_t key = ((uint64_t)from << 32 | to) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(key >> 32) & (fluid->pair_buckets - 1);
}

/* So that there will be two buckets a pair at least, as in fluid_class.c, when MORE pairs have come. */
static bool make_buckets(struct fluid *fluid, uint32_t more)
{
    uint32_t least = 2 * (fluid->pairs_shared + more), buckets = fluid->pair_buckets;
    if (least <= buckets)
        return true;
    for (buckets = 64; buckets < least;)
        buckets *= 2;
    uint32_t *bucket = malloc(buckets * sizeof *bucket);
    if (!bucket)
        return !(fluid->failed = true);
    for (uint32_t i = 0; i < buckets; i++)
        bucket[i] = FLUID_NONE;
    free(fluid->pair_bucket);
    fluid->pair_bucket = bucket;
    fluid->pair_buckets = buckets;
    for (uint32_t i = 0; i < fluid->pairs_count; i++) {
        struct fluid_pair *pair = &fluid->pair[i];
        if (!pair->first || owns_pair(pair->first->class))
            continue;
        uint32_t *head = &bucket[bucket_of(fluid, pair->from, pair->to)];
        pair->next = *head;
        *head = i;
    }
    return true;
}

/* No pair. */
static inline void clear(struct fluid_row_entry *entry)
{
    entry->link = FLUID_SINK;
    entry->pair = FLUID_NONE;
    entry->weight = 0;
}

static bool grow_row(struct fluid *fluid, struct fluid_row *row, uint32_t count)
{
    if (!fluid_grow(fluid, &row->entry, &row->room, count, sizeof *row->entry))
        return false;
    for (uint32_t i = row->count; i < row->room; i++)
        clear(&row->entry[i]);
    return true;
}

static bool fluid_row_open(struct fluid *fluid, struct fluid_row *row)
{
    return grow_row(fluid, row, FLUID_STRIDE);
}

/* The entries move, and their pairs learn where to. */
static bool enlarge_row(struct fluid *fluid, struct fluid_row *row, bool out)
{
    if (!grow_row(fluid, row, row->count + 1))
        return false;
    for (uint32_t i = 0; i < row->count; i++) {
        struct fluid_pair *pair = &fluid->pair[row->entry[i].pair];
        *(out ? &pair->out : &pair->in) = &row->entry[i];
    }
    return true;
}

static inline bool make_room(struct fluid *fluid, struct fluid_row *row, bool out)
{
    return row->count < row->room || enlarge_row(fluid, row, out);
}

static inline struct fluid_row_entry *add(struct fluid_row *row, uint32_t link, uint32_t pair)
{
    row->entry[row->count] = (struct fluid_row_entry){link, pair, 0};
    return &row->entry[row->count++];
}

static uint32_t take_unused(struct fluid *fluid)
{
    uint32_t number = fluid->pairs_unused;
    if (number != FLUID_NONE) {
        fluid->pairs_unused = fluid->pair[number].next;
        return number;
    }
    if (!fluid_grow(fluid, &fluid->pair, &fluid->pairs_room, fluid->pairs_count + 1, sizeof *fluid->pair))
        return FLUID_NONE;
    number = fluid->pairs_count++;
    fluid->pair[number].first = NULL;
    return number;
}

static void give_back(struct fluid *fluid, uint32_t number)
{
    fluid->pair[number].next = fluid->pairs_unused;
    fluid->pairs_unused = number;
}

/* Gives a pair its places in the rows; the caller gives it classes. */
static inline bool enter_rows(struct fluid *fluid, uint32_t number, uint32_t from, uint32_t to)
{
    struct fluid_row *out = &fluid->link[from].out, *in = &fluid->link[to].in;
    if (!make_room(fluid, out, true) || !make_room(fluid, in, false))
        return false;
    struct fluid_pair *pair = &fluid->pair[number];
    pair->from = from;
    pair->to = to;
    pair->out = add(out, to, number);
    pair->in = add(in, from, number);
    fluid->pairs_live++;
    return true;
}

static inline void put_entry(struct fluid_row_entry *to, const struct fluid_row_entry *from)
{
    to->link = from->link;
    to->pair = from->pair;
    to->weight = from->weight;
}

/* The last entry of a row takes the place of the one that goes. */
static inline void leave_rows(struct fluid *fluid, const struct fluid_pair *pair)
{
    struct fluid_row *out = &fluid->link[pair->from].out, *in = &fluid->link[pair->to].in;
    put_entry(pair->out, &out->entry[--out->count]);
    fluid->pair[pair->out->pair].out = pair->out;
    put_entry(pair->in, &in->entry[--in->count]);
    fluid->pair[pair->in->pair].in = pair->in;
    clear(&in->entry[in->count]);
    if (in->count == 0)
        fluid->share[pair->to].load = 0;
    fluid->pairs_live--;
}

/* A shared pair at the head of its bucket; FLUID_NONE without memory. */
static uint32_t create(struct fluid *fluid, uint32_t from, uint32_t to, uint32_t *head)
{
    uint32_t number = take_unused(fluid);
    if (number == FLUID_NONE)
        return FLUID_NONE;
    if (!enter_rows(fluid, number, from, to)) {
        give_back(fluid, number);
        return FLUID_NONE;
    }
    fluid->pair[number].next = *head;
    *head = number;
    fluid->pairs_shared++;
    return number;
}

/* The shared pair of two links; FLUID_NONE without memory. */
static uint32_t get(struct fluid *fluid, uint32_t from, uint32_t to)
{
    uint32_t *head = &fluid->pair_bucket[bucket_of(fluid, from, to)], number = *head;
    while (number != FLUID_NONE && (fluid->pair[number].from != from || fluid->pair[number].to != to))
        number = fluid->pair[number].next;
    return number != FLUID_NONE ? number : create(fluid, from, to, head);
}

static void unhash(struct fluid *fluid, uint32_t number)
{
    const struct fluid_pair *pair = &fluid->pair[number];
    uint32_t *at = &fluid->pair_bucket[bucket_of(fluid, pair->from, pair->to)];
    while (*at != number)
        at = &fluid->pair[*at].next;
    *at = pair->next;
}

static inline void weigh_pair(struct fluid *fluid, uint32_t number, double weight)
{
    const struct fluid_pair *pair = &fluid->pair[number];
    pair->out->weight += weight;
    pair->in->weight += weight;
}

static bool join_shared(struct fluid *fluid, uint32_t from, struct fluid_member *member)
{
    uint32_t number = get(fluid, from, member->link);
    if (number == FLUID_NONE)
        return false;
    struct fluid_pair *pair = &fluid->pair[number];
    struct fluid_member *first = pair->first;
    member->pair = number;
    member->previous = NULL;
    member->next = first;
    if (first)
        first->previous = member;
    pair->first = member;
    return true;
}

static void leave_shared(struct fluid *fluid, const struct fluid_member *member, double weight)
{
    struct fluid_pair *pair = &fluid->pair[member->pair];
    if (member->next)
        member->next->previous = member->previous;
    if (member->previous)
        member->previous->next = member->next;
    else
        pair->first = member->next;
    if (pair->first) {
        weigh_pair(fluid, member->pair, -weight);
        return;
    }
    leave_rows(fluid, pair);
    unhash(fluid, member->pair);
    fluid->pairs_shared--;
    give_back(fluid, member->pair);
}

static inline bool join_own(struct fluid *fluid, uint32_t from, struct fluid_class *class)
{
    struct fluid_member *member = &class->member[1];
    if (class->own_pair == FLUID_NONE) {
        uint32_t number = class->own_pair = take_unused(fluid);
        if (number == FLUID_NONE)
            return false;
        fluid->pair[number].first = member;
    }
    member->pair = class->own_pair;
    return enter_rows(fluid, class->own_pair, from, member->link);
}

static inline bool join(struct fluid *fluid, struct fluid_class *class, uint32_t number, double level)
{
    uint32_t holder = fluid_holder(class);
    struct fluid_member *member = &class->member[number];
    if (!(owns_pair(class) ? join_own(fluid, holder, class) : join_shared(fluid, holder, member)))
        return false;
    weigh_pair(fluid, member->pair, class->weight);
    fluid_add_load(fluid, member->link, level * class->weight);
    return true;
}

static inline bool fluid_pairs_join(struct fluid *fluid, struct fluid_class *class, double level)
{
    if (!owns_pair(class) && !make_buckets(fluid, class->members_count))
        return false;
    for (uint32_t i = 1; i < class->members_count; i++)
        if (!join(fluid, class, i, level))
            return false;
    return true;
}

/* The load goes before the pair: when that was the link's last, the load is to be 0 whatever was rounded. */
static inline void fluid_pairs_leave(struct fluid *fluid, const struct fluid_class *class, double level)
{
    for (uint32_t i = 1; i < class->members_count; i++) {
        const struct fluid_member *member = &class->member[i];
        fluid_add_load(fluid, member->link, -level * class->weight);
        if (owns_pair(class))
            leave_rows(fluid, &fluid->pair[member->pair]);
        else
            leave_shared(fluid, member, class->weight);
    }
}

static inline void fluid_pairs_weigh(struct fluid *fluid, const struct fluid_class *class, double level,
                                     double weight)
{
    for (uint32_t i = 1; i < class->members_count; i++) {
        weigh_pair(fluid, class->member[i].pair, weight);
        fluid_add_load(fluid, class->member[i].link, level * weight);
    }
}
