/*
 * A plan is made in two passes: which record each rollback goes to, and so until when a snapshot is needed;
 * then each snapshot that is needed takes a slot of its learner's that is not, or not any more.
 */
#include "models/tape/snapshots.h"

#include <stdlib.h>

/* One learner's. */

void snapshots_free(struct snapshots *snapshots)
{
    free(snapshots->clocks);
    free(snapshots->records);
    *snapshots = (struct snapshots){0};
}

static bool make_room(struct snapshots *snapshots)
{
    if (snapshots->count < snapshots->room)
        return true;
    size_t room = snapshots->room ? 2 * snapshots->room : 8;
    int64_t *clocks = reallocarray(snapshots->clocks, room, sizeof *clocks);
    snapshots->clocks = clocks ? clocks : snapshots->clocks;
    size_t *records = clocks ? reallocarray(snapshots->records, room, sizeof *records) : NULL;
    snapshots->records = records ? records : snapshots->records;
    if (records)
        snapshots->room = room;
    return records != NULL;
}

bool snapshots_add(struct snapshots *snapshots, int64_t clock, size_t record)
{
    while (snapshots->count > 0 && snapshots->clocks[snapshots->count - 1] >= clock)
        snapshots->count--;
    if (!make_room(snapshots))
        return false;
    snapshots->clocks[snapshots->count] = clock;
    snapshots->records[snapshots->count++] = record;
    return true;
}

bool snapshots_go_back(struct snapshots *snapshots, int64_t clock, size_t *record)
{
    while (snapshots->count > 0 && snapshots->clocks[snapshots->count - 1] > clock)
        snapshots->count--;
    bool found = snapshots->count > 0 && snapshots->clocks[snapshots->count - 1] == clock;
    *record = found ? snapshots->records[snapshots->count - 1] : SNAPSHOT_OF_START;
    return found || clock == 0;
}

/* Plans. */

/* A learner's slots, and until which record what is in them is needed. */
struct keeper {
    struct snapshots snapshots;
    size_t start_needed_until; /* 0: nobody goes back to the start */
    size_t *needed_until;
    uint32_t slots;
};

struct planning {
    const struct tape *tape;
    struct snapshot_plan *plan;
    struct keeper *keepers;
    size_t *target;       /* of a rollback, by record */
    size_t *needed_until; /* a snapshot, by record; 0: nobody goes back to it */
};

static bool is_of_learner(const struct tape_record *record, enum tape_kind kind)
{
    return record->kind == kind && record->actor != TAPE_SYNCER;
}

static bool find_targets(struct planning *planning)
{
    for (size_t i = 0; i < planning->tape->count; i++) {
        const struct tape_record *record = &planning->tape->records[i];
        struct keeper *keeper = record->actor == TAPE_SYNCER ? NULL : &planning->keepers[record->actor];
        if (is_of_learner(record, TAPE_SNAPSHOT) && !snapshots_add(&keeper->snapshots, record->clock, i))
            return false;
        if (!is_of_learner(record, TAPE_ROLLBACK))
            continue;
        snapshots_go_back(&keeper->snapshots, record->clock, &planning->target[i]);
        if (planning->target[i] == SNAPSHOT_OF_START)
            keeper->start_needed_until = i + 1;
        else
            planning->needed_until[planning->target[i]] = i + 1;
    }
    return true;
}

/* A slot for what is needed from record FROM until END. SNAPSHOT_UNUSED when out of memory. */
static uint32_t take_slot(struct keeper *keeper, size_t from, size_t end)
{
    uint32_t slot = 0;
    while (slot < keeper->slots && keeper->needed_until[slot] > from)
        slot++;
    if (slot == keeper->slots) {
        size_t *more = reallocarray(keeper->needed_until, slot + 1, sizeof *more);
        if (!more)
            return SNAPSHOT_UNUSED;
        keeper->needed_until = more;
        keeper->slots++;
    }
    keeper->needed_until[slot] = end;
    return slot;
}

static bool give_slots(struct planning *planning)
{
    struct snapshot_plan *plan = planning->plan;
    for (int32_t m = 0; m < planning->tape->learners; m++)
        if (take_slot(&planning->keepers[m], 0, planning->keepers[m].start_needed_until) == SNAPSHOT_UNUSED)
            return false;
    for (size_t i = 0; i < planning->tape->count; i++) {
        const struct tape_record *record = &planning->tape->records[i];
        size_t target = planning->target[i];
        plan->slot[i] = SNAPSHOT_UNUSED;
        if (is_of_learner(record, TAPE_SNAPSHOT) && planning->needed_until[i] > 0) {
            plan->slot[i] = take_slot(&planning->keepers[record->actor], i, planning->needed_until[i]);
            if (plan->slot[i] == SNAPSHOT_UNUSED)
                return false;
        } else if (is_of_learner(record, TAPE_ROLLBACK)) {
            plan->slot[i] = target == SNAPSHOT_OF_START ? 0 : plan->slot[target];
        }
    }
    for (int32_t m = 0; m < planning->tape->learners; m++)
        if (planning->keepers[m].slots > plan->slots)
            plan->slots = planning->keepers[m].slots;
    return true;
}

static bool anybody_goes_back(const struct tape *tape)
{
    for (size_t i = 0; i < tape->count; i++)
        if (tape->records[i].kind == TAPE_ROLLBACK)
            return true;
    return false;
}

static void finish(struct planning *planning)
{
    for (int32_t m = 0; planning->keepers && m < planning->tape->learners; m++) {
        snapshots_free(&planning->keepers[m].snapshots);
        free(planning->keepers[m].needed_until);
    }
    free(planning->keepers);
    free(planning->target);
    free(planning->needed_until);
}

bool snapshot_plan_create(struct snapshot_plan *plan, const struct tape *tape)
{
    struct planning planning = {.tape = tape, .plan = plan};
    *plan = (struct snapshot_plan){0};
    if (!anybody_goes_back(tape))
        return true;
    planning.keepers = calloc((size_t)tape->learners, sizeof *planning.keepers);
    planning.target = calloc(tape->count, sizeof *planning.target);
    planning.needed_until = calloc(tape->count, sizeof *planning.needed_until);
    plan->slot = calloc(tape->count, sizeof *plan->slot);
    bool good = planning.keepers && planning.target && planning.needed_until && plan->slot &&
                find_targets(&planning) && give_slots(&planning);
    finish(&planning);
    if (!good)
        snapshot_plan_free(plan);
    return good;
}

void snapshot_plan_free(struct snapshot_plan *plan)
{
    free(plan->slot);
    *plan = (struct snapshot_plan){0};
}
