/*
 * The levels. A link whose load or own weight changed is dirty, and waits in order of its level. Evaluating
 * it gives the level at which it is filled while all other levels stand; when that is below the level of
 * links that hold some of its flows, it takes these over. A level that changed makes the links dirty that its
 * flows pass.
 *
 * A level depends on lower ones only, so that, lowest first, few links are evaluated twice. It ends: no
 * evaluation gives less than the least level that isn't final yet, a link below that is dirty and so rises to
 * it, and then the link of that level is final.
 *
 * In floating point, levels within a grain of each other (2^-50 of what the capacity would be per unit of own
 * weight) are the same. Should ties go round all the same, the grain doubles until they rest.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <math.h>

static const double tie_grains = 64;

/* The level that would fill a link if it held all its flows that are above a limit. */
struct filling {
    double weight;
    double left; /* to others: the rate of their flows below the limit */
    double load; /* the rate of all flows that others hold */
    double level;
};

void fluid_list_rate(struct fluid *fluid, uint32_t link)
{
    fluid->share[link].listed = true;
    fluid_list_add(fluid, &fluid->listed, link);
}

void fluid_note_move(struct fluid *fluid, uint32_t link)
{
    if (fluid->share[link].moved)
        return;
    fluid->share[link].moved = true;
    fluid_list_add(fluid, &fluid->moved, link);
}

void fluid_make_dirty(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    union {
        double level;
        int64_t bits; /* in the same order, for what is not negative */
    } key = {.level = share->level};
    share->dirty = true;
    if (!fluid_heap_push(&fluid->dirty, fluid->dirty_place, key.bits, link))
        fluid->failed = true;
}

static void set_level(struct fluid *fluid, uint32_t number, double level)
{
    struct fluid_share *share = &fluid->share[number];
    const struct fluid_row *out = &fluid->link[number].out;
    double rise = isinf(share->level) ? level : level - share->level;
    fluid_clock_bring(fluid, number);
    fluid_note_move(fluid, number);
    share->level = level;
    for (uint32_t i = 0; i < out->count; i++) {
        struct fluid_share *to = &fluid->share[out->entry[i].link];
        double rate = rise * out->entry[i].weight;
        to->load += rate;
        to->noise += fabs(to->load) + fabs(rate);
        to->outgrown |= level > to->level;
        fluid_note_load(fluid, out->entry[i].link);
    }
}

double fluid_load_afresh(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_row *in = &fluid->link[number].in;
    double load = 0;
    for (uint32_t i = 0; i < in->count; i++)
        load += fluid->share[in->entry[i].link].level * in->entry[i].weight;
    return load;
}

static struct filling fill(const struct fluid *fluid, uint32_t number, double limit)
{
    const struct fluid_share *share = &fluid->share[number];
    const struct fluid_row *in = &fluid->link[number].in;
    struct filling filling = {.weight = share->own};
    for (uint32_t i = 0; i < in->count; i++) {
        double level = fluid->share[in->entry[i].link].level;
        double rate = level * in->entry[i].weight;
        filling.load += rate;
        if (level > limit)
            filling.weight += in->entry[i].weight;
        else
            filling.left += rate;
    }
    double left = share->capacity - filling.left;
    filling.level = left > 0 ? left / filling.weight : 0;
    return filling;
}

static double grain_of(const struct fluid *fluid, const struct fluid_share *share, double weight)
{
    return share->capacity / weight * fluid->grain;
}

/* The level at which the link is filled, by Newton's method on a concave function made of straight pieces. */
static struct filling fill_fully(const struct fluid *fluid, uint32_t number, double level)
{
    const struct fluid_share *share = &fluid->share[number];
    double weight = -1;
    struct filling filling = {.level = level};
    for (;;) {
        double tie = filling.weight > 0 ? tie_grains * grain_of(fluid, share, filling.weight) : 0;
        filling = fill(fluid, number, filling.level + tie);
        if (filling.weight == weight || filling.weight == share->own)
            return filling;
        weight = filling.weight;
    }
}

static void take_over_pair(struct fluid *fluid, uint32_t pair, uint32_t holder)
{
    struct fluid_member *next;
    for (struct fluid_member *member = fluid->pair[pair].first; member && !fluid->failed; member = next) {
        next = member->next;
        fluid_class_move(fluid, member->class, holder);
    }
}

/* The last entry of a row takes the place of one that goes, hence backwards. */
static void take_over(struct fluid *fluid, uint32_t number, double limit)
{
    const struct fluid_row *in = &fluid->link[number].in;
    for (uint32_t i = in->count; i-- > 0 && !fluid->failed;)
        if (fluid->share[in->entry[i].link].level > limit)
            take_over_pair(fluid, in->entry[i].pair, number);
}

static bool is_noisy(const struct fluid_share *share)
{
    return share->noise > (share->capacity - share->load) * 0x1p12;
}

/* A level that rises by a load known well enough needs no look at the links that hold the flows here: it
 * stays above theirs. */
static struct filling evaluation(struct fluid *fluid, uint32_t number)
{
    struct fluid_share *share = &fluid->share[number];
    double level = share->own > 0 ? (share->capacity - share->load) / share->own : -1;
    if (level > share->level && share->level > 0 && !share->outgrown && !is_noisy(share))
        return (struct filling){.weight = share->own, .level = level};
    struct filling filling = fill_fully(fluid, number, level);
    share->load = share->noise = filling.load;
    share->outgrown = false;
    return filling;
}

static void evaluate(struct fluid *fluid, uint32_t number)
{
    struct fluid_share *share = &fluid->share[number];
    share->dirty = false;
    struct filling filling = evaluation(fluid, number);
    if (filling.weight == 0)
        return;
    double grain = grain_of(fluid, share, filling.weight);
    if (fabs(filling.level - share->level) > grain)
        set_level(fluid, number, filling.level);
    if (filling.weight > share->own)
        take_over(fluid, number, filling.level + tie_grains * grain);
}

/* A link that holds flows is full, and its rate known, unless it wasn't so before. */
static void finish_moves(struct fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->moved.count; i++) {
        uint32_t link = fluid->moved.item[i];
        struct fluid_share *share = &fluid->share[link];
        share->moved = false;
        fluid_due_update(fluid, link);
        if (!share->listed && fluid->link[link].peak < share->capacity)
            fluid_list_rate(fluid, link);
    }
    fluid->moved.count = 0;
}

void fluid_solve(struct fluid *fluid)
{
    uint64_t evaluations = 0;
    fluid->grain = 0x1p-50;
    while (fluid->dirty.count && !fluid->failed) {
        uint32_t number = fluid->dirty.entry[0].item;
        fluid_heap_remove(&fluid->dirty, fluid->dirty_place, number);
        evaluate(fluid, number);
        if (++evaluations % (64 * (uint64_t)fluid->links_count) == 0)
            fluid->grain *= 2;
    }
    if (!fluid->failed)
        finish_moves(fluid);
}
