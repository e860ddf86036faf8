/*
 * The syncer's snapshots: one at each multiple of their interval, of what was merged by then. Merges are all
 * that changes them, so that they need no event of their own.
 */
#include "models/training/decoupled_internal.h"

static void keep_snapshot(const struct decoupled *decoupled, struct snapshot *snapshot, sim_time time)
{
    snapshot->time = time;
    snapshot->clock = decoupled->syncer.merged;
    snapshot->grains = account_merged(decoupled->account);
    snapshot->on_tape = false;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        snapshot->in_syncer[i] = decoupled->members[i].in_syncer;
}

sim_time decoupled_snapshot_before(const struct decoupled *decoupled, sim_time t)
{
    sim_time interval = decoupled->options->snapshot_interval;
    return interval > 0 && t > 0 ? (t - 1) / interval * interval : 0;
}

void decoupled_take_snapshots(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    sim_time last = decoupled_snapshot_before(decoupled, now_of(decoupled));
    sim_time one_before = last - decoupled->options->snapshot_interval, taken = syncer->snapshots_until;
    if (last <= taken)
        return;
    struct snapshot spare = syncer->older;
    syncer->older = syncer->newest;
    syncer->newest = spare;
    if (one_before > taken)
        keep_snapshot(decoupled, &syncer->older, one_before);
    keep_snapshot(decoupled, &syncer->newest, last);
    syncer->snapshots_until = last;
}

/* The last one that is complete. */
static struct snapshot *complete_snapshot(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    sim_time complete = sim_time_add(syncer->newest.time, decoupled->options->snapshot_time);
    bool newest = syncer->newest.time == 0 || complete <= now_of(decoupled);
    return newest ? &syncer->newest : &syncer->older;
}

static void write_syncer(const struct decoupled *decoupled, enum tape_kind kind, sim_time time, int64_t clock)
{
    tape_write(decoupled->world->tape, (struct tape_record){.time = time,
                                                            .kind = (uint8_t)kind,
                                                            .actor = TAPE_SYNCER,
                                                            .peer = TAPE_SYNCER,
                                                            .fragment = TAPE_WHOLE,
                                                            .clock = clock});
}

void decoupled_go_back(struct decoupled *decoupled, int32_t cause)
{
    decoupled_take_snapshots(decoupled);
    struct syncer *syncer = &decoupled->syncer;
    struct snapshot *snapshot = complete_snapshot(decoupled);
    if (!snapshot->on_tape)
        write_syncer(decoupled, TAPE_SNAPSHOT, snapshot->time, snapshot->clock);
    snapshot->on_tape = true;
    write_syncer(decoupled, TAPE_ROLLBACK, now_of(decoupled), snapshot->clock);
    account_go_back(decoupled->account, snapshot->grains);
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        struct learner_work since = sum_of(member->in_syncer, snapshot->in_syncer[i], -1);
        int32_t own = member->learner->cause;
        member->in_syncer = snapshot->in_syncer[i];
        member->learner->cause = cause;
        decoupled_discard(decoupled, member, since);
        member->learner->cause = own;
    }
    if (snapshot == &syncer->older) { /* the newest is not, and never will be */
        struct snapshot interrupted = syncer->newest;
        syncer->newest = syncer->older;
        syncer->older = interrupted;
    }
}
