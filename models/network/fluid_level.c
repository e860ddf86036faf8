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

#include <math.h>

static const double tie_grains = 64;

/* The level that would fill a link if it held all its flows that are above a limit. */
struct filling {
    double weight;
    double left; /* to others: the rate of their flows below the limit */
    double load; /* the rate of all flows that others hold */
    double level;
};

/* There is room for all links, and none is in the heap twice. */
void fluid_make_dirty(struct fluid *fluid, uint32_t link)
{
    struct fluid_dirty *heap = fluid->dirty, entry = {fluid->share[link].level, link};
    uint32_t place = fluid->dirty_count++;
    fluid->share[link].dirty = true;
    for (; place && heap[(place - 1) / 2].level > entry.level; place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = entry;
}

static uint32_t take_dirty(struct fluid *fluid)
{
    struct fluid_dirty *heap = fluid->dirty;
    uint32_t first = heap[0].link, count = --fluid->dirty_count, place = 0;
    struct fluid_dirty last = heap[count];
    for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && heap[child + 1].level < heap[child].level)
            child++;
        if (last.level <= heap[child].level)
            break;
        heap[place] = heap[child];
    }
    heap[place] = last;
    fluid->share[first].dirty = false;
    return first;
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
    for (uint32_t i = 0; i < fluid->moved_count; i++) {
        uint32_t link = fluid->moved[i];
        struct fluid_share *share = &fluid->share[link];
        share->moved = false;
        fluid_due_update(fluid, link);
        if (fluid->link[link].peak < share->capacity)
            fluid_note_rate(fluid, link);
    }
    fluid->moved_count = 0;
}

void fluid_solve(struct fluid *fluid)
{
    uint64_t evaluations = 0;
    fluid->grain = 0x1p-50;
    while (fluid->dirty_count && !fluid->failed) {
        evaluate(fluid, take_dirty(fluid));
        if (++evaluations % (64 * (uint64_t)fluid->links_count) == 0)
            fluid->grain *= 2;
    }
    if (!fluid->failed)
        finish_moves(fluid);
}
