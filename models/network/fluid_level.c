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

/* A class whose level is above that of a link by less than this many grains stays with its holder, so that
 * levels that differ by what was rounded alone don't hand it to and fro. */
static const double tie_grains = 64;

static const double flood_least = 8; /* a load of more than so many capacities of its link is a flood */

enum { UNSORTED_MOST = 16 }; /* dirty links that are looked through; more are sorted into the heap */

/* The level that would fill a link if it held, besides its own, all its flows that are above a limit. */
struct filling {
    double weight; /* of those and its own */
    double level;
};

/* Sorts the first link that isn't sorted in among those that are. */
static void sort_in(struct fluid *fluid)
{
    struct fluid_dirty *heap = fluid->dirty;
    uint32_t place = fluid->dirty_sorted++;
    struct fluid_dirty entry = heap[place];
    for (; place && heap[(place - 1) / 2].level > entry.level; place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = entry;
}

/* Takes the first off the heap; the last one of all fills the gap behind it. */
static void take_sorted(struct fluid *fluid)
{
    struct fluid_dirty *heap = fluid->dirty;
    uint32_t count = --fluid->dirty_sorted, place = 0;
    struct fluid_dirty last = heap[count];
    for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && heap[child + 1].level < heap[child].level)
            child++;
        if (last.level <= heap[child].level)
            break;
        heap[place] = heap[child];
    }
    heap[place] = last;
    heap[count] = heap[--fluid->dirty_count];
}

/* Field by field, as the entry was written just now: what comes in two pieces can't be forwarded as one. */
static inline void put_dirty(struct fluid_dirty *to, const struct fluid_dirty *from)
{
    to->level = from->level;
    to->link = from->link;
}

/* From the heap and from what isn't sorted in, which is first sorted in when it is much. */
static uint32_t take_of_many(struct fluid *fluid)
{
    struct fluid_dirty *dirty = fluid->dirty;
    if (fluid->dirty_count - fluid->dirty_sorted > UNSORTED_MOST)
        while (fluid->dirty_sorted < fluid->dirty_count)
            sort_in(fluid);
    struct fluid_dirty *unsorted = dirty + fluid->dirty_sorted, *end = dirty + fluid->dirty_count,
                       *first = dirty;
    for (struct fluid_dirty *other = unsorted; other < end; other++)
        first = other->level < first->level ? other : first;
    uint32_t link = first->link;
    if (first < unsorted)
        take_sorted(fluid);
    else
        put_dirty(first, &dirty[--fluid->dirty_count]);
    return link;
}

/* Of so few that they are looked through, without a branch. */
static inline uint32_t take_of_few(struct fluid *fluid)
{
    struct fluid_dirty *first = fluid->dirty, *last = first + --fluid->dirty_count;
    double least = first->level;
    for (struct fluid_dirty *other = first + 1; other <= last; other++) {
        first = other->level < least ? other : first;
        least = other->level < least ? other->level : least;
    }
    uint32_t link = first->link;
    put_dirty(first, last);
    return link;
}

/* The link with the least level, which waits no more and watches again. */
static inline uint32_t take_dirty(struct fluid *fluid)
{
    bool few = fluid->dirty_sorted == 0 && fluid->dirty_count <= UNSORTED_MOST;
    uint32_t link = few ? take_of_few(fluid) : take_of_many(fluid);
    struct fluid_share *share = &fluid->share[link];
    share->dirty = false;
    share->watch = -INFINITY;
    if (share->idle)
        fluid_watch(fluid, link);
    return link;
}

/* What an idle link may carry and stay idle: its capacity, and some for what was rounded. */
static double limit_of(const struct fluid_share *share)
{
    return share->capacity * (1 + 0x1p-46);
}

static inline void set_watch(struct fluid *fluid, struct fluid_share *share, double watch)
{
    share->watch = watch;
    if (share->hub != FLUID_NONE)
        fluid->hub_watch[share->hub] = watch;
}

/* A link that holds something has to find a new level whatever happens to its load; an idle one, only when it
 * is too full, and a new peak is noted. */
static inline void fluid_watch(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    double limit = limit_of(share);
    double watch = share->idle ? (share->peak < limit ? share->peak : limit) : -INFINITY;
    set_watch(fluid, share, share->dirty ? INFINITY : watch);
}

static inline void mark_dirty(struct fluid *fluid, struct fluid_share *share, uint32_t link)
{
    share->dirty = true;
    share->watch = INFINITY;
    struct fluid_dirty *entry = &fluid->dirty[fluid->dirty_count++];
    entry->level = fluid->level[link];
    entry->link = link;
}

/* From now on the load may rise up to the limit: a peak is noted once an instant. */
static void note_idle(struct fluid *fluid, struct fluid_share *share, uint32_t link)
{
    fluid_note_rate(fluid, link);
    if (share->load > limit_of(share))
        mark_dirty(fluid, share, link);
    set_watch(fluid, share, share->dirty ? INFINITY : limit_of(share));
}

static inline void fluid_note_load(struct fluid *fluid, uint32_t link)
{
    struct fluid_share *share = &fluid->share[link];
    if (share->idle)
        note_idle(fluid, share, link);
    else
        mark_dirty(fluid, share, link);
}

static inline void fluid_add_load(struct fluid *fluid, uint32_t link, double rate)
{
    struct fluid_share *share = &fluid->share[link];
    share->load += rate;
    fluid->roundings++;
    if (share->load > share->watch)
        fluid_note_load(fluid, link);
}

/* Which links are concerned can't be foretold; hence no branch in the first loop. A link may be there twice.
 */
static inline void change_loads(struct fluid *fluid, const struct fluid_row *out, double rise)
{
    struct fluid_share *shares = fluid->share;
    uint32_t *watched = fluid->watched;
    size_t watched_count = 0;
    const struct fluid_row_entry *entry = out->entry, *end = entry + out->count;
    for (; entry < end; entry++) {
        struct fluid_share *share = &shares[entry->link];
        double load = share->load + rise * entry->weight;
        share->load = load;
        watched[watched_count] = entry->link;
        watched_count += share->watch < load;
    }
    fluid->roundings += out->count;
    for (size_t i = 0; i < watched_count; i++)
        if (shares[watched[i]].load > shares[watched[i]].watch)
            fluid_note_load(fluid, watched[i]);
}

static inline void set_level(struct fluid *fluid, uint32_t number, double level)
{
    struct fluid_share *share = &fluid->share[number];
    double rise = level - fluid->level[number];
    fluid_clock_bring(fluid, number);
    fluid->level[number] = level;
    change_loads(fluid, &fluid->link[number].out, rise);
    if (fluid->hubs_count && !share->idle)
        fluid_hubs_add_load(fluid, &fluid->link[number].hub_weight, rise);
    share->postponed = true;
    fluid_note_hastened(fluid, number, rise > 0);
    if (share->peak < share->capacity)
        fluid_note_rate(fluid, number);
}

static void fluid_load_afresh(struct fluid *fluid, uint32_t number)
{
    const struct fluid_row *in = &fluid->link[number].in;
    double load = 0;
    if (fluid->share[number].hub != FLUID_NONE) {
        fluid_hub_load_afresh(fluid, number);
        return;
    }
    for (uint32_t i = 0; i < in->count; i++)
        load += fluid->level[in->entry[i].link] * in->entry[i].weight;
    fluid->share[number].load = load;
}

static struct filling fill(const struct fluid *fluid, uint32_t number, double limit)
{
    const struct fluid_share *share = &fluid->share[number];
    const struct fluid_row *in = &fluid->link[number].in;
    double weight = share->own, left = share->capacity;
    for (uint32_t i = 0; i < in->count; i++) {
        double level = fluid->level[in->entry[i].link];
        if (level > limit)
            weight += in->entry[i].weight;
        else
            left -= level * in->entry[i].weight;
    }
    return (struct filling){weight, left > 0 ? left / weight : 0};
}

static double grain_of(const struct fluid *fluid, const struct fluid_share *share, double weight)
{
    return share->capacity / weight * fluid->grain;
}

/* The level at which the link is filled, by Newton's method on a concave function made of straight pieces,
 * from LEVEL up, which is lower. */
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

static void take_over_pair(struct fluid *fluid, uint32_t pair)
{
    struct fluid_member *next;
    for (struct fluid_member *member = fluid->pair[pair].first; member && !fluid->failed; member = next) {
        next = member->next;
        fluid_class_move(fluid, member);
    }
}

/* Takes over what is above a limit. The link's level is already that with what it takes, so that it needn't
 * be evaluated again: hence it counts as dirty meanwhile. The last entry of a row takes the place of one that
 * goes, hence backwards. What is left of a flood is summed afresh: it may be little beside its rounding. */
static void take_over(struct fluid *fluid, uint32_t number, double limit)
{
    const struct fluid_row *in = &fluid->link[number].in;
    bool flood = fluid->share[number].load > flood_least * fluid->share[number].capacity;
    fluid->share[number].dirty = true;
    fluid->share[number].watch = INFINITY;
    for (uint32_t i = in->count; i-- > 0 && !fluid->failed;)
        if (fluid->level[in->entry[i].link] > limit)
            take_over_pair(fluid, in->entry[i].pair);
    fluid->share[number].dirty = false;
    if (flood)
        fluid_load_afresh(fluid, number);
    fluid_watch(fluid, number);
}

/* Sums the load of a link afresh and returns it, and the highest level among those that make it. Reads past
 * the end of the row, see FLUID_STRIDE. */
static inline double sum_load(struct fluid *fluid, uint32_t number, double *highest)
{
    const struct fluid_row *in = &fluid->link[number].in;
    double load = 0, high = 0;
    const struct fluid_row_entry *entry = in->entry, *end = entry + in->count;
    do {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < FLUID_STRIDE; i++, entry++) {
            double other = fluid->level[entry->link];
            load += other * entry->weight;
            high = other > high ? other : high;
        }
    } while (entry < end);
    *highest = high;
    return fluid->share[number].load = load;
}

/* Whether the level is another than the link's by more than a grain. */
static inline bool is_another(const struct fluid *fluid, uint32_t number, struct filling filling)
{
    double rise = filling.level - fluid->level[number];
    return fabs(rise) * filling.weight > fluid->share[number].capacity * fluid->grain;
}

/* Whether an idle link is to hold something. What has been a hub becomes dirty anew if it is. */
static bool is_overfull(struct fluid *fluid, uint32_t number, double load)
{
    const struct fluid_share *share = &fluid->share[number];
    if (share->hub == FLUID_NONE)
        return load > limit_of(share);
    fluid_hub_end(fluid, number);
    return false;
}

static inline void evaluate(struct fluid *fluid, uint32_t number)
{
    const struct fluid_share *share = &fluid->share[number];
    double highest, load = sum_load(fluid, number, &highest);
    if (share->idle && !is_overfull(fluid, number, load))
        return;
    struct filling filling = {share->own, (share->capacity - load) * share->own_inverse};
    if (highest > filling.level) {
        filling = fill_fully(fluid, number, share->idle ? -1 : filling.level);
        if (filling.weight == 0)
            return;
    }
    if (is_another(fluid, number, filling))
        set_level(fluid, number, filling.level);
    if (filling.weight > share->own)
        take_over(fluid, number, filling.level + tie_grains * grain_of(fluid, share, filling.weight));
}

/* Until no link is dirty; the hubs haven't been asked yet. */
static void settle(struct fluid *fluid)
{
    uint64_t patience = 64 * (uint64_t)fluid->links_count, left = patience;
    while (fluid->dirty_count && !fluid->failed) {
        evaluate(fluid, take_dirty(fluid));
        if (--left)
            continue;
        fluid->grain *= 2;
        left = patience;
    }
}

static void solve(struct fluid *fluid)
{
    fluid->grain = 0x1p-50;
    while (fluid->dirty_count && !fluid->failed) {
        settle(fluid);
        if (fluid->hubs_count)
            fluid_hubs_note(fluid);
    }
    if (!fluid->failed)
        fluid_due_finish(fluid);
}

static inline void fluid_solve(struct fluid *fluid)
{
    if (fluid->dirty_count || fluid->hastened_count)
        solve(fluid);
}
