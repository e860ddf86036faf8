/*
 * What the parts of the fluid solver share; fluid_unit.c has what they call in each other.
 *
 * Every flow belongs to a class, the flows of one path; every class is held by one of its links, whose level
 * its flows move at. A link's clock is the service per unit of weight that it has given, in 2^-28 bits; a
 * flow of a class ends when the class's clock (its holder's, less an offset) reaches the flow's finish. So a
 * change of level costs the link a moment of its clock, and its classes and flows nothing.
 *
 * A pair (from, to) stands for classes that FROM holds and that pass TO as well, and has their weight: one
 * for the class of these two links alone, and one for all others. A link is filled when own x level + load =
 * capacity, with load the sum over its incoming pairs of weight x the level of their holder.
 */
#ifndef MODELS_NETWORK_FLUID_INTERNAL_H
#define MODELS_NETWORK_FLUID_INTERNAL_H

#include "models/network/fluid.h"
#include "models/network/fluid_heap.h"

#include <math.h>
#include <stddef.h>

#define FLUID_NONE UINT32_MAX
#define FLUID_UNIT_BITS 28                        /* of a clock, after the point */
#define FLUID_UNITS_PER_NANOSECOND (0x1p28 / 1e9) /* at 1 bit/s */

enum { FLUID_MEMBERS_LEAST = 2, FLUID_CLASS_SIZES = 31, FLUID_HUBS = 4 };

/* Pairs to a link are read FLUID_STRIDE at a time, since how few there are can't be foretold. What is no pair
 * among them comes from the sink, a link that no flow passes and whose level is always 0. */
enum { FLUID_STRIDE = 4, FLUID_SINK = 0 };

#define FLUID_LONG (INT64_C(1) << 40) /* ns; 2^50 of 1/1024 ns */

enum { FLUID_LINE = 64 }; /* bytes of a line of the cache */

typedef __int128 fluid_clock;

/* A number for each hub. As large as a vector of AVX, but aligned as malloc does, which gives 16 bytes. */
typedef double fluid_hubs __attribute__((vector_size(FLUID_HUBS * sizeof(double)), aligned(16)));

typedef int64_t fluid_hubs_bits __attribute__((vector_size(FLUID_HUBS * sizeof(int64_t)), aligned(16)));

/*
 * The part of a link that the solver reads and writes all the time; as large as a line of the cache.
 *
 * A link is idle, or holds some class. Solved, an idle one carries LOAD, at most its capacity, and the other
 * is full with LOAD and its own flows. LOAD follows every change of level and weight, and is summed afresh
 * when the link is evaluated. A hub is idle; its load is in HUB_LOAD, of which LOAD is an old copy.
 *
 * fluid_note_load is called when LOAD is above WATCH. That is -INFINITY on a link that holds something, which
 * any change concerns; INFINITY on a dirty one, which is to be evaluated anyway; on an idle one what it may
 * carry, or its peak when that is less and hasn't been passed at this instant. A hub's WATCH is in HUB_WATCH
 * too, where it is compared once no other link is dirty.
 */
struct fluid_share {
    double capacity;
    double load;        /* rate of the flows here that other links hold, bit/s */
    double own;         /* weight of those held here: a whole number */
    double own_inverse; /* 1 / OWN; nothing while idle */
    double watch;       /* a load above this may change the link's level, or is a new peak */
    double peak;        /* greatest rate that lasted, bit/s */
    bool idle;          /* holds nothing */
    bool dirty;         /* waits in DIRTY to be evaluated, or takes classes over */
    bool hastened;      /* the time when its first flow ends may have come nearer */
    bool postponed;     /* that time may have gone further away */
    bool listed;        /* its rate may have come to a new peak at this instant, see fluid_note_rate */
    uint32_t hub;       /* which it is, or FLUID_NONE */
};

static_assert(sizeof(struct fluid_share) == FLUID_LINE, "a line of the cache each");

struct fluid_row_entry {
    uint32_t link; /* the other end */
    uint32_t pair;
    double weight; /* a whole number */
};

struct fluid_row {
    struct fluid_row_entry *entry;
    uint32_t count;
    uint32_t room;
};

struct fluid_link {
    fluid_clock clock; /* at SINCE */
    sim_time since;
    struct fluid_heap held; /* classes with their first flow, by its finish on this link's clock */
    struct fluid_row out;   /* pairs from here */
    struct fluid_row in;    /* pairs to here; from COUNT to ROOM, a multiple of FLUID_STRIDE, none */
    fluid_bits carried;     /* of flows that are over */
    fluid_hubs hub_weight;  /* weight of the flows held here, by the hubs that they pass */
};

/* A class on one of its links: member of the pair (holder, link). On the holder only LINK means something. */
struct fluid_member {
    struct fluid_class *class;
    struct fluid_member *next, *previous;
    uint32_t link;
    uint32_t pair;
};

struct fluid_pair {
    struct fluid_member *first; /* NULL when unused, but for a class's own pair */
    uint32_t from, to;
    struct fluid_row_entry *out, *in; /* in the rows of FROM and TO, while it is there */
    uint32_t next;                    /* of the same hash, or of the unused */
};

struct fluid_class {
    fluid_clock offset;       /* the holder's clock less the class's */
    fluid_hubs hub_weight;    /* weight by hub */
    double weight;            /* of its flows together */
    struct fluid_class *next; /* of the same hash, or of the unused */
    uint32_t hash;
    uint32_t number;
    uint32_t first_flow; /* to end; FLUID_NONE when there is none, as in an unused class */
    uint32_t own_pair;   /* fluid_pair.c; FLUID_NONE until it is needed */
    uint32_t size;       /* room for FLUID_MEMBERS_LEAST << SIZE members */
    uint32_t members_count;
    uint32_t *path;               /* its links but for hubs, ascending */
    struct fluid_member member[]; /* the first is the holder */
};

enum fluid_state { FLUID_UNUSED, FLUID_UNDER_WAY, FLUID_ENDED };

struct fluid_flow_record {
    fluid_clock finish; /* on the class's clock */
    uint64_t bits;
    uint64_t order; /* a count of the starts */
    void *context;
    struct fluid_class *class;
    uint32_t weight;
    uint32_t cap_link;   /* its own, or FLUID_NONE */
    uint32_t hubs;       /* those that it passes, a bit each */
    uint32_t generation; /* of the flows that had this record, never 0 */
    enum fluid_state state;
    uint32_t child, next, previous; /* fluid_queue.c; NEXT also of the unused */
};

struct fluid_list {
    uint32_t *item;
    uint32_t count;
    uint32_t room;
};

struct fluid_ended {
    uint64_t order;
    uint32_t number; /* of the flow */
};

struct fluid_dirty {
    double level; /* when it became dirty */
    uint32_t link;
};

struct fluid {
    sim_time now;
    sim_time least_due; /* nothing ends earlier: NOW while fluid_advance ends flows, else one later */
    bool failed;
    double grain; /* how near levels are the same, see fluid_level.c */

    /* By link. The level is bit/s per unit of weight; INFINITY of an idle link, so that all others are lower,
     * 0 of the sink, and 0 of a link that has come to hold something, until it is evaluated. */
    double *level;
    struct fluid_share *share;
    struct fluid_link *link;
    uint32_t links_count, links_room;
    struct fluid_list given; /* our number of a link, by the caller's */
    struct fluid_list spare; /* links of rate caps that are over */
    /* Links to evaluate: DIRTY_SORTED in a heap, the least level first, and then others. */
    struct fluid_dirty *dirty;
    uint32_t dirty_count, dirty_sorted;
    uint32_t *hastened, *listed; /* links that are so; room for one more */
    uint32_t hastened_count, listed_count;
    uint32_t *watched;   /* scratch: links whose load came above what they watch for, each twice at most */
    uint64_t roundings;  /* changes of loads since all were summed afresh */
    sim_time *due_time;  /* when the first flow of a link ends */
    uint32_t *due_link;  /* a tournament: node n has the earlier link of nodes 2n and 2n + 1 */
    uint32_t due_leaves; /* a power of two; the node of link n is DUE_LEAVES + n */

    fluid_hubs hub_load;           /* instead of LOAD in struct fluid_share */
    fluid_hubs hub_watch;          /* as WATCH there; INFINITY: no hub, or dirty */
    uint32_t hub_link[FLUID_HUBS]; /* FLUID_NONE: no hub */
    uint32_t hubs_count;

    struct fluid_pair *pair;
    uint32_t pairs_count, pairs_room, pairs_unused;
    uint32_t pairs_live;   /* in rows */
    uint32_t pairs_shared; /* in buckets; the others are a class's own */
    uint32_t *pair_bucket;
    uint32_t pair_buckets; /* a power of two */

    struct fluid_class **class; /* by number */
    uint32_t *class_place;      /* in their holder's HELD */
    uint32_t classes_count, classes_room, classes_live;
    struct fluid_class *classes_unused[FLUID_CLASS_SIZES];
    struct fluid_class **class_bucket;
    uint32_t class_buckets; /* a power of two */

    struct fluid_flow_record *flow;
    uint32_t flows_count, flows_room, flows_unused, flows_live;
    uint64_t starts;

    struct fluid_ended *ended; /* flows that wait to be popped, from ENDED_FIRST on */
    uint32_t ended_first, ended_count, ended_room;
    struct fluid_list path; /* scratch: of the flow that gets a class */
};

static inline uint32_t fluid_holder(const struct fluid_class *class)
{
    return class->member[0].link;
}

/* The level of a link, 0 of an idle one. */
static inline double fluid_level_or_none(const struct fluid *fluid, uint32_t link)
{
    double level = fluid->level[link];
    return level > FLUID_CAPACITY_LIMIT ? 0 : level;
}

/* The level that the class's flows move at. */
static inline double fluid_class_level(const struct fluid *fluid, const struct fluid_class *class)
{
    return fluid_level_or_none(fluid, fluid_holder(class));
}

/* EARLIER: the link's first flow may end sooner than stands in the tournament. That is as likely as not,
 * hence no branch. */
static inline void fluid_note_hastened(struct fluid *fluid, uint32_t link, bool earlier)
{
    struct fluid_share *share = &fluid->share[link];
    fluid->hastened[fluid->hastened_count] = link;
    fluid->hastened_count += earlier > share->hastened;
    share->hastened |= earlier;
}

/* The link's rate is to be compared with its peak before time goes on. */
static inline void fluid_note_rate(struct fluid *fluid, uint32_t link)
{
    if (fluid->share[link].listed)
        return;
    fluid->share[link].listed = true;
    fluid->listed[fluid->listed_count++] = link;
}

static inline void fluid_hubs_add_load(struct fluid *fluid, const fluid_hubs *weight, double rise)
{
    fluid->hub_load += *weight * rise;
    fluid->roundings++;
}

/* A link's clock at this instant. The link is idle, or SINCE is now, as often as not; hence no branch for
 * that. */
static inline fluid_clock fluid_clock_now(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_link *link = &fluid->link[number];
    double units =
        fluid_level_or_none(fluid, number) * (double)(fluid->now - link->since) * FLUID_UNITS_PER_NANOSECOND;
    if (units < 0x1p62)
        return link->clock + (int64_t)units;
    return link->clock + (fluid_clock)units;
}

/* Before the level changes: the clock has run at the old one until now. */
static inline void fluid_clock_bring(struct fluid *fluid, uint32_t number)
{
    struct fluid_link *link = &fluid->link[number];
    link->clock = fluid_clock_now(fluid, number);
    link->since = fluid->now;
}

/* For a flow that comes: its end is found from SINCE, which must not be so long ago that a double can't tell
 * 1/1024 ns any more. */
static inline void fluid_clock_keep_near(struct fluid *fluid, uint32_t number)
{
    if (fluid->now - fluid->link[number].since >= FLUID_LONG)
        fluid_clock_bring(fluid, number);
}

#endif
