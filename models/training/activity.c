/*
 * Invariant: of every lane one span is open, which began where the last one ended; what is kept of the lane
 * is in its condenser.
 */
#include "models/training/activity.h"

#include "models/training/condenser.h"
#include "models/training/mark_board.h"
#include <stdlib.h>
#include <string.h>

/* In memory, while the run goes on; spans of one lane. */
enum { MARKS_AT_ONCE = 32 * ACTIVITY_MARKS, SPANS_AT_ONCE = 2 * ACTIVITY_PARTS };

struct lane {
    struct activity_span open;
    bool entered;
    struct condenser kept;
    sim_time still; /* time without a step, and of that what a cause is to blame for */
    sim_time blamed;
};

struct activity_recorder {
    const struct sim_engine *engine;
    struct activity_plan plan;
    struct lane *lanes; /* the syncer, then the learners */
    struct activity_mark mark;
    bool marked; /* MARK may go on */
    struct mark_board board;
    sim_time merges[ACTIVITY_MERGES];
    uint64_t merge_count;
};

struct activity_recorder *activity_create(const struct sim_engine *engine, const struct activity_plan *plan)
{
    struct activity_recorder *recorder = calloc(1, sizeof *recorder);
    struct lane *lanes = calloc((size_t)plan->learners + 1, sizeof *lanes);
    if (!recorder || !lanes) {
        free(recorder);
        free(lanes);
        return NULL;
    }
    *recorder = (struct activity_recorder){.engine = engine, .plan = *plan, .lanes = lanes};
    recorder->board = (struct mark_board){.resolution = 1, .longest = plan->duration, .most = MARKS_AT_ONCE};
    if (plan->listener && plan->listener->begin)
        plan->listener->begin(plan->listener->context, plan);
    if (plan->syncer)
        activity_enter(recorder, ACTIVITY_SYNCER, BUDGET_USEFUL, FAULT_NO_CAUSE);
    return recorder;
}

void activity_destroy(struct activity_recorder *recorder)
{
    if (!recorder)
        return;
    for (int64_t i = 0; i <= recorder->plan.learners; i++)
        condenser_free(&recorder->lanes[i].kept);
    mark_board_free(&recorder->board);
    free(recorder->lanes);
    free(recorder);
}

static struct lane *lane_of(struct activity_recorder *recorder, int64_t number)
{
    return &recorder->lanes[number - ACTIVITY_SYNCER];
}

static bool is_kept(const struct activity_recorder *recorder, int64_t lane)
{
    return recorder->plan.keeps && lane < ACTIVITY_FOLLOWED;
}

/* Spans. */

static void count_still(struct lane *lane)
{
    const struct activity_span *span = &lane->open;
    if (span->category == BUDGET_USEFUL)
        return;
    lane->still += span->end - span->begin;
    if (span->cause != FAULT_NO_CAUSE)
        lane->blamed += span->end - span->begin;
}

/* The next coarser resolution after RESOLUTION, none being the finest. */
static sim_time coarser(const struct activity_recorder *recorder, sim_time resolution)
{
    sim_time first = sim_engine_now(recorder->engine) / ACTIVITY_PARTS + 1;
    return 2 * resolution > first ? 2 * resolution : first;
}

static void keep_span(const struct activity_recorder *recorder, struct condenser *kept,
                      const struct activity_span *span)
{
    condenser_add(kept, span);
    if (kept->count > SPANS_AT_ONCE)
        condenser_coarsen(kept, coarser(recorder, kept->resolution));
}

/* A span of no length is none. */
static void close_span(struct activity_recorder *recorder, struct lane *lane)
{
    const struct activity_listener *listener = recorder->plan.listener;
    struct activity_span *span = &lane->open;
    span->end = sim_engine_now(recorder->engine);
    if (!lane->entered || span->end == span->begin)
        return;
    if (listener && listener->span)
        listener->span(listener->context, span);
    count_still(lane);
    if (is_kept(recorder, span->lane))
        keep_span(recorder, &lane->kept, span);
}

void activity_enter(struct activity_recorder *recorder, int64_t number, int category, int32_t cause)
{
    struct lane *lane = lane_of(recorder, number);
    close_span(recorder, lane);
    lane->entered = true;
    lane->open = (struct activity_span){
        .lane = number, .category = category, .cause = cause, .begin = sim_engine_now(recorder->engine)};
}

void activity_book(struct activity_recorder *recorder, int64_t lane, sim_amount amount)
{
    lane_of(recorder, lane)->open.chip_time += amount;
}

/* Marks. */

static void put_mark(struct activity_recorder *recorder)
{
    const struct activity_listener *listener = recorder->plan.listener;
    if (!recorder->marked)
        return;
    recorder->marked = false;
    if (listener && listener->mark)
        listener->mark(listener->context, &recorder->mark);
    if (is_kept(recorder, recorder->mark.lane))
        mark_board_add(&recorder->board, &recorder->mark);
}

void activity_strike(struct activity_recorder *recorder, int64_t lane, const struct fault *fault)
{
    struct activity_mark *mark = &recorder->mark;
    sim_time now = sim_engine_now(recorder->engine);
    if (fault->cause == FAULT_NO_CAUSE)
        return;
    if (recorder->marked && mark->lane == lane && mark->at == now && mark->cause == fault->cause) {
        mark->count++;
        return;
    }
    put_mark(recorder);
    *mark = (struct activity_mark){
        .lane = lane, .at = now, .kind = fault->kind, .cause = fault->cause, .count = 1};
    recorder->marked = true;
}

void activity_merge(struct activity_recorder *recorder)
{
    const struct activity_listener *listener = recorder->plan.listener;
    sim_time now = sim_engine_now(recorder->engine);
    if (listener && listener->merge)
        listener->merge(listener->context, now);
    if (recorder->merge_count < ACTIVITY_MERGES)
        recorder->merges[recorder->merge_count] = now;
    recorder->merge_count++;
}

void activity_learners_up(struct activity_recorder *recorder, int64_t up)
{
    const struct activity_listener *listener = recorder->plan.listener;
    if (listener && listener->learners_up)
        listener->learners_up(listener->context, sim_engine_now(recorder->engine), up);
}

/* What is kept. */

/* What the choice of lanes goes by, and then their numbers. */
struct rank {
    sim_time blamed, still;
    int64_t lane;
};

static int most_lost_first(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->blamed != right->blamed)
        return left->blamed > right->blamed ? -1 : 1;
    if (left->still != right->still)
        return left->still > right->still ? -1 : 1;
    return left->lane < right->lane ? -1 : 1;
}

/* Of the learners that are followed those that are kept, by their numbers. */
static void choose_lanes(struct activity_recorder *recorder, bool chosen[ACTIVITY_FOLLOWED])
{
    struct rank ranks[ACTIVITY_FOLLOWED];
    int64_t learners = recorder->plan.learners;
    size_t count = learners < ACTIVITY_FOLLOWED ? (size_t)learners : ACTIVITY_FOLLOWED;
    for (size_t i = 0; i < count; i++) {
        const struct lane *lane = lane_of(recorder, (int64_t)i);
        ranks[i] = (struct rank){.blamed = lane->blamed, .still = lane->still, .lane = (int64_t)i};
    }
    qsort(ranks, count, sizeof *ranks, most_lost_first);
    memset(chosen, 0, ACTIVITY_FOLLOWED * sizeof *chosen);
    for (size_t i = 0; i < count && i < ACTIVITY_LANES; i++)
        chosen[ranks[i].lane] = true;
}

static bool is_chosen(const bool *chosen, int64_t lane)
{
    return lane < 0 || (lane < ACTIVITY_FOLLOWED && chosen[lane]);
}

/* The lanes that are not chosen become empty, and the others coarser until all are few enough. */
static size_t limit_spans(struct activity_recorder *recorder, const bool *chosen, sim_time *resolution)
{
    sim_time coarsest = 0;
    size_t count;
    for (*resolution = 0;; *resolution = coarser(recorder, *resolution)) {
        count = 0;
        for (int64_t i = ACTIVITY_SYNCER; i < recorder->plan.learners; i++) {
            struct condenser *kept = &lane_of(recorder, i)->kept;
            if (!is_chosen(chosen, i))
                condenser_free(kept);
            else if (kept->resolution < *resolution)
                condenser_coarsen(kept, *resolution);
            coarsest = kept->resolution > coarsest ? kept->resolution : coarsest;
            count += kept->count;
        }
        if (count <= ACTIVITY_SPANS || *resolution >= recorder->plan.duration)
            break;
    }
    *resolution = coarsest;
    return count;
}

static bool take_spans(struct activity_recorder *recorder, const bool *chosen, struct activity *activity)
{
    size_t count = limit_spans(recorder, chosen, &activity->resolution);
    bool failed = false;
    activity->spans = calloc(count + 1, sizeof *activity->spans);
    for (int64_t i = ACTIVITY_SYNCER; i < recorder->plan.learners && activity->spans; i++) {
        struct condenser *kept = &lane_of(recorder, i)->kept;
        failed |= kept->failed;
        for (size_t j = 0; j < kept->count && !failed; j++)
            activity->spans[activity->span_count++] = kept->spans[j];
    }
    return activity->spans && !failed;
}

/* The board's marks pass to ACTIVITY. */
static bool take_marks(struct mark_board *board, const bool *chosen, struct activity *activity)
{
    size_t left = 0;
    for (size_t i = 0; i < board->count; i++)
        if (is_chosen(chosen, board->marks[i].lane))
            board->marks[left++] = board->marks[i];
    board->count = left;
    mark_board_limit(board, ACTIVITY_MARKS);
    activity->marks = board->marks;
    activity->mark_count = board->count;
    board->marks = NULL;
    board->count = board->room = 0;
    return !board->failed;
}

static bool take_merges(const struct activity_recorder *recorder, struct activity *activity)
{
    bool few = recorder->merge_count <= ACTIVITY_MERGES;
    size_t count = few ? (size_t)recorder->merge_count : 0;
    activity->all_merges = recorder->merge_count;
    activity->merges = calloc(count + 1, sizeof *activity->merges);
    if (!activity->merges)
        return false;
    activity->merge_count = count;
    memcpy(activity->merges, recorder->merges, count * sizeof *activity->merges);
    return true;
}

bool activity_finish(struct activity_recorder *recorder, struct activity *activity)
{
    bool chosen[ACTIVITY_FOLLOWED];
    *activity = (struct activity){0};
    for (int64_t i = 0; i <= recorder->plan.learners; i++) {
        close_span(recorder, &recorder->lanes[i]);
        recorder->lanes[i].entered = false;
        condenser_finish(&recorder->lanes[i].kept);
    }
    put_mark(recorder);
    if (recorder->plan.listener && recorder->plan.listener->end)
        recorder->plan.listener->end(recorder->plan.listener->context);
    if (!recorder->plan.keeps)
        return true;
    activity->learners = recorder->plan.learners;
    choose_lanes(recorder, chosen);
    return take_spans(recorder, chosen, activity) && take_marks(&recorder->board, chosen, activity) &&
           take_merges(recorder, activity);
}

void activity_free(struct activity *activity)
{
    free(activity->spans);
    free(activity->marks);
    free(activity->merges);
    *activity = (struct activity){0};
}
