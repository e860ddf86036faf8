/*
 * Merges under way form a list in the order of steps; only its head can be over. Each knows of every learner
 * how far it is. A learner's fragments leave it in order, and so do the syncer's requests to it.
 */
#include "models/training/gathering.h"

#include "models/priority.h"
#include "models/training/outbox.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define STALE UINT64_MAX

enum part_state { NO_PART, PART_ASKED, PART_COMING, PART_HERE };

struct part {
    enum part_state state;
    sim_time heard; /* when the request was */
};

struct merge {
    struct merge *next;
    int64_t step;
    double bits;
    sim_time begun, last_arrival, way; /* way: of the last to arrive, since its request */
    int64_t unheard, awaited;          /* learners: not asked yet, not here yet */
    bool overdue;
    sim_time patience; /* until it is looked at next */
    struct sim_handle timer;
    struct operation *ring;     /* NULL: none under way */
    struct traffic_blame blame; /* as of that many changes of faults (traffic.h); STALE */
    uint64_t blamed;
    struct gathering *gathering;
    struct part part[]; /* by learner */
};

struct member {
    struct gathering *gathering;
    int64_t number;
    struct outbox *requests, *fragments;
    struct traffic_blame there, back; /* of its ways from the syncer and to it; likewise */
    uint64_t blamed;
};

struct gathering {
    struct gathering_plan plan;
    struct member *members;
    struct merge *first, **end, *unused;
    bool *present;     /* room for what is handed over */
    int64_t *learners; /* likewise: those of a ring */
    int64_t *cuts;     /* and how many of the others each is cut off from */
    uint32_t actor;
    int busy; /* above 0: whoever hands over, or leaves out, sees to what ends meanwhile */
};

static struct merge *find(struct gathering *gathering, int64_t step)
{
    struct merge *merge = gathering->first;
    while (merge && merge->step != step)
        merge = merge->next;
    return merge;
}

/* Faults of links. */

static void blame_ways(struct member *member)
{
    const struct traffic *traffic = member->gathering->plan.traffic;
    if (member->blamed == traffic_changes(traffic))
        return;
    member->blamed = traffic_changes(traffic);
    member->there = traffic_blame(traffic, TRAFFIC_SYNCER, member->number);
    member->back = traffic_blame(traffic, member->number, TRAFFIC_SYNCER);
}

static struct traffic_blame blame_part(struct merge *merge, int64_t learner)
{
    struct gathering *gathering = merge->gathering;
    struct member *member = &gathering->members[learner];
    blame_ways(member);
    if (merge->part[learner].state == PART_ASKED)
        return member->there;
    if (merge->part[learner].state == PART_COMING && !gathering->plan.ring)
        return member->back;
    return TRAFFIC_NO_BLAME;
}

static struct traffic_blame blame_merge(struct merge *merge)
{
    const struct traffic *traffic = merge->gathering->plan.traffic;
    if (merge->ring)
        return traffic_blame_operation(traffic, merge->ring);
    if (merge->blamed == traffic_changes(traffic))
        return merge->blame;
    merge->blamed = traffic_changes(traffic);
    merge->blame = TRAFFIC_NO_BLAME;
    for (int64_t i = 0; i < merge->gathering->plan.learners; i++)
        merge->blame = traffic_worse(merge->blame, blame_part(merge, i));
    return merge->blame;
}

struct traffic_blame gathering_blame(struct gathering *gathering, int64_t step)
{
    struct traffic_blame blame = TRAFFIC_NO_BLAME;
    for (struct merge *merge = gathering->first; merge && merge->step <= step; merge = merge->next)
        blame = traffic_worse(blame, blame_merge(merge));
    return blame;
}

static void set_part(struct merge *merge, int64_t learner, enum part_state state)
{
    merge->part[learner].state = state;
    merge->blamed = STALE;
}

/* The end of a merge. */

static void start_ring(struct merge *merge);

static bool is_together(const struct merge *merge)
{
    return merge && merge->unheard == 0 && merge->awaited == 0;
}

static void hand_over(struct gathering *gathering, struct merge *merge)
{
    struct gathered gathered = {.step = merge->step,
                                .present = gathering->present,
                                .first = -1,
                                .took = merge->last_arrival - merge->begun,
                                .back = gathering->plan.ring ? 0 : merge->way};
    for (int64_t i = gathering->plan.learners; i-- > 0;) {
        gathering->present[i] = merge->part[i].state == PART_HERE;
        gathered.first = gathering->present[i] ? i : gathered.first;
    }
    assert(gathered.first >= 0 && gathered.took >= 0 && gathered.back >= 0);
    gathering->plan.gathered(gathering->plan.context, &gathered);
}

/* Hands over what is together at the head. What that leads to may end others. */
static void finish(struct gathering *gathering)
{
    if (gathering->busy)
        return;
    gathering->busy++;
    while (is_together(gathering->first)) {
        struct merge *merge = gathering->first;
        gathering->first = merge->next;
        if (!gathering->first)
            gathering->end = &gathering->first;
        sim_engine_cancel(gathering->plan.engine, merge->timer);
        hand_over(gathering, merge);
        merge->next = gathering->unused;
        gathering->unused = merge;
    }
    gathering->busy--;
    if (gathering->plan.ring && gathering->first)
        start_ring(gathering->first);
}

/* Time-outs. */

static void leave_out(struct merge *merge, int64_t learner)
{
    struct gathering *gathering = merge->gathering;
    int64_t step = merge->step;
    merge->unheard -= merge->part[learner].state == PART_ASKED;
    merge->awaited--;
    set_part(merge, learner, NO_PART);
    gathering->plan.left_out(gathering->plan.context, learner, step);
    outbox_withdraw(gathering->members[learner].requests, step);
    outbox_withdraw(gathering->members[learner].fragments, step);
}

/* Of the syncer: everybody who is not here yet. What waited behind a fragment taken back may be delivered by
 * that. */
static void leave_out_late(struct merge *merge)
{
    struct gathering *gathering = merge->gathering;
    gathering->busy++;
    for (int64_t i = 0; i < gathering->plan.learners; i++)
        if (merge->part[i].state == PART_ASKED || merge->part[i].state == PART_COMING)
            leave_out(merge, i);
    gathering->busy--;
}

static bool are_apart(struct traffic *traffic, int64_t one, int64_t other)
{
    return traffic_is_cut(traffic, one, other) || traffic_is_cut(traffic, other, one);
}

/* Counts, for each of COUNT learners, from how many of the others it is cut off. */
static void count_cuts(struct gathering *gathering, int64_t count)
{
    memset(gathering->cuts, 0, (size_t)count * sizeof *gathering->cuts);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < i; k++)
            if (are_apart(gathering->plan.traffic, gathering->learners[i], gathering->learners[k])) {
                gathering->cuts[i]++;
                gathering->cuts[k]++;
            }
}

/* Drops whoever is cut off from most, the last among equals, until nobody is; returns how many are left. */
static int64_t drop_cut_off(struct gathering *gathering, int64_t count)
{
    for (;;) {
        int64_t worst = 0;
        count_cuts(gathering, count);
        for (int64_t i = 0; i < count; i++)
            if (gathering->cuts[i] >= gathering->cuts[worst])
                worst = i;
        if (count == 0 || gathering->cuts[worst] == 0)
            return count;
        memmove(gathering->learners + worst, gathering->learners + worst + 1,
                (size_t)(count - worst - 1) * sizeof *gathering->learners);
        count--;
    }
}

static int64_t list_coming(struct merge *merge)
{
    struct gathering *gathering = merge->gathering;
    int64_t count = 0;
    for (int64_t i = 0; i < gathering->plan.learners; i++)
        if (merge->part[i].state == PART_COMING)
            gathering->learners[count++] = i;
    return count;
}

/* Of a ring: those who have not heard of it, and those who are cut off from the rest. */
static void leave_out_cut_off(struct merge *merge)
{
    struct gathering *gathering = merge->gathering;
    int64_t kept = drop_cut_off(gathering, list_coming(merge)), next = 0;
    if (kept == 0 || kept == merge->awaited)
        return;
    if (merge->ring)
        traffic_stop(gathering->plan.traffic, merge->ring);
    merge->ring = NULL;
    gathering->busy++;
    for (int64_t i = 0; i < gathering->plan.learners; i++)
        if (next < kept && gathering->learners[next] == i)
            next++;
        else if (merge->part[i].state != NO_PART)
            leave_out(merge, i);
    gathering->busy--;
}

static bool has_any(const struct merge *merge)
{
    bool any = false;
    for (int64_t i = 0; i < merge->gathering->plan.learners; i++)
        any |= merge->part[i].state == PART_HERE;
    return any;
}

static void set_timer(struct merge *merge)
{
    struct sim_engine *engine = merge->gathering->plan.engine;
    sim_time due = sim_time_add(sim_engine_now(engine), merge->patience);
    merge->timer =
        sim_engine_schedule(engine, due, PRIORITY_LEARNER, merge->gathering->actor, (uint32_t)merge->step);
}

/* A ring may be cut later on, too: it is looked at again, each time after twice as long. */
static void on_timeout(struct sim_engine *engine, void *actor, uint32_t step)
{
    (void)engine;
    struct gathering *gathering = actor;
    struct merge *merge = find(gathering, step);
    if (gathering->plan.ring) {
        leave_out_cut_off(merge);
        merge->patience = sim_time_add(merge->patience, merge->patience);
        set_timer(merge);
    } else if (has_any(merge)) {
        leave_out_late(merge);
    } else {
        merge->overdue = true;
    }
    finish(gathering);
    gathering->plan.changed(gathering->plan.context);
}

/* What comes. */

static void on_fragment(void *context, int64_t step)
{
    struct member *member = context;
    struct merge *merge = find(member->gathering, step);
    set_part(merge, member->number, PART_HERE);
    merge->awaited--;
    merge->last_arrival = sim_engine_now(member->gathering->plan.engine);
    merge->way = merge->last_arrival - merge->part[member->number].heard;
    if (merge->overdue)
        leave_out_late(merge);
    finish(member->gathering);
    member->gathering->plan.changed(member->gathering->plan.context);
}

static void on_ring_over(struct sim_engine *engine, void *context)
{
    struct merge *merge = context;
    struct gathering *gathering = merge->gathering;
    for (int64_t i = 0; i < gathering->plan.learners; i++)
        if (merge->part[i].state == PART_COMING)
            set_part(merge, i, PART_HERE);
    merge->ring = NULL;
    merge->awaited = 0;
    merge->last_arrival = sim_engine_now(engine);
    finish(gathering);
    gathering->plan.changed(gathering->plan.context);
}

/* Learners of one site reduce among themselves first, and the sites' rings run side by side: alone at their
 * sites, learners make one ring. */
static void start_ring(struct merge *merge)
{
    struct gathering *gathering = merge->gathering;
    if (merge->ring || merge->unheard > 0)
        return;
    size_t count = (size_t)list_coming(merge);
    merge->ring = traffic_start(gathering->plan.traffic,
                                &(struct traffic_collective){.algorithm = COLLECTIVE_HIERARCHICAL,
                                                             .learners = gathering->learners,
                                                             .learner_count = count,
                                                             .bits = merge->bits,
                                                             .done = on_ring_over,
                                                             .context = merge});
}

static void on_request(void *context, int64_t step)
{
    struct member *member = context;
    struct gathering *gathering = member->gathering;
    struct merge *merge = find(gathering, step);
    set_part(merge, member->number, PART_COMING);
    merge->unheard--;
    merge->part[member->number].heard = sim_engine_now(gathering->plan.engine);
    if (!gathering->plan.ring)
        outbox_send(member->fragments, member->number, TRAFFIC_SYNCER, merge->bits, step);
    else if (merge == gathering->first)
        start_ring(merge);
    gathering->plan.changed(gathering->plan.context);
}

/* Beginning. */

static struct merge *take(struct gathering *gathering)
{
    struct merge *merge = gathering->unused;
    if (merge)
        gathering->unused = merge->next;
    else
        merge = malloc(sizeof *merge + (size_t)gathering->plan.learners * sizeof *merge->part);
    if (!merge)
        traffic_fail(gathering->plan.traffic);
    return merge;
}

void gathering_begin(struct gathering *gathering, int64_t step, double bits, const bool *takes_part)
{
    struct merge *merge = take(gathering);
    if (!merge)
        return;
    *merge = (struct merge){.gathering = gathering,
                            .step = step,
                            .bits = bits,
                            .begun = sim_engine_now(gathering->plan.engine),
                            .blamed = STALE,
                            .patience = gathering->plan.timeout};
    *gathering->end = merge;
    gathering->end = &merge->next;
    for (int64_t i = 0; i < gathering->plan.learners; i++) {
        merge->part[i].state = takes_part[i] ? PART_ASKED : NO_PART;
        merge->unheard += takes_part[i];
        merge->awaited += takes_part[i];
    }
    if (merge->patience > 0)
        set_timer(merge);
    for (int64_t i = 0; i < gathering->plan.learners; i++)
        if (takes_part[i])
            outbox_send(gathering->members[i].requests, TRAFFIC_SYNCER, i, 0, step);
}

/* Breaking off. */

void gathering_break_off(struct gathering *gathering)
{
    assert(!gathering->busy);
    while (gathering->first) {
        struct merge *merge = gathering->first;
        gathering->first = merge->next;
        sim_engine_cancel(gathering->plan.engine, merge->timer);
        if (merge->ring)
            traffic_stop(gathering->plan.traffic, merge->ring);
        merge->next = gathering->unused;
        gathering->unused = merge;
    }
    gathering->end = &gathering->first;
    for (int64_t i = 0; i < gathering->plan.learners; i++) {
        outbox_clear(gathering->members[i].requests);
        outbox_clear(gathering->members[i].fragments);
    }
}

/* Life. */

static void free_merges(struct merge *merge)
{
    while (merge) {
        struct merge *next = merge->next;
        free(merge);
        merge = next;
    }
}

void gathering_destroy(struct gathering *gathering)
{
    if (!gathering)
        return;
    for (int64_t i = 0; gathering->members && i < gathering->plan.learners; i++) {
        outbox_destroy(gathering->members[i].requests);
        outbox_destroy(gathering->members[i].fragments);
    }
    free_merges(gathering->first);
    free_merges(gathering->unused);
    free(gathering->members);
    free(gathering->present);
    free(gathering->learners);
    free(gathering->cuts);
    free(gathering);
}

static bool init_member(struct gathering *gathering, int64_t number)
{
    struct member *member = &gathering->members[number];
    *member = (struct member){.gathering = gathering, .number = number, .blamed = STALE};
    member->requests = outbox_create(gathering->plan.traffic, on_request, member);
    member->fragments = outbox_create(gathering->plan.traffic, on_fragment, member);
    return member->requests && member->fragments;
}

static bool init(struct gathering *gathering)
{
    size_t learners = (size_t)gathering->plan.learners;
    gathering->end = &gathering->first;
    gathering->members = calloc(learners, sizeof *gathering->members);
    gathering->present = calloc(learners, sizeof *gathering->present);
    gathering->learners = calloc(learners, sizeof *gathering->learners);
    gathering->cuts = calloc(learners, sizeof *gathering->cuts);
    if (!gathering->members || !gathering->present || !gathering->learners || !gathering->cuts)
        return false;
    for (size_t i = 0; i < learners; i++)
        if (!init_member(gathering, (int64_t)i))
            return false;
    gathering->actor = sim_engine_add_actor(gathering->plan.engine, on_timeout, gathering);
    return gathering->actor != UINT32_MAX;
}

struct gathering *gathering_create(const struct gathering_plan *plan)
{
    struct gathering *gathering = calloc(1, sizeof *gathering);
    if (!gathering)
        return NULL;
    gathering->plan = *plan;
    if (init(gathering))
        return gathering;
    gathering_destroy(gathering);
    return NULL;
}
