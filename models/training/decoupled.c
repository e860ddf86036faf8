/*
 * Decoupled DiLoCo (arXiv 2604.21428 §2, Alg. 1–2). Learners step on their own and report their clock t_m to
 * a syncer after each step. At every step t at which a fragment is due, the syncer waits for a quorum of
 * learners with t_m >= t, then for the grace window, pulls the fragment from those present, merges, and sends
 * it to all.
 *
 * A learner that falls behind takes the clock of the newest merge it has received when it begins a step,
 * never within one: else the next report would be of a step that nobody has done, and the syncer, following
 * whoever is moved forward next, would run ahead of all learners. It still reports each step late, for ever
 * if it is as fast as the rest, and every merge would overwrite what it trained. So grace works both ways: a
 * report that came too late for its own merge counts for the next one, if it came shortly before that one's
 * quorum or in its window (grace.h). It makes no quorum; without grace those who are late stay out.
 *
 * Waiting rule: a learner waits for no other learner, but does not begin step t + τ + 1 before
 * the merge of step t has reached it. Merges reach a learner in order, so `received` says it all.
 *
 * A thin link so slows learners down, and no queue grows without bound: what waits to be pulled is of τ + 1
 * steps at most, and of what waits to be sent to a learner that is cut off, a fragment's newest merge takes
 * the place of the one before.
 *
 * A learner that lost its state waits for the first broadcast after its return, then asks a healthy peer,
 * which answers with parameters and inner optimiser state; if that one is lost it asks another. If H syncer
 * steps go by meanwhile, it asks again, in turn with others to whom that happened, and then takes what comes:
 * every fragment has come to it since. With no healthy peer left it takes the syncer's own parameters.
 *
 * The syncer may be lost. Every snapshot_interval it takes a snapshot (Chandy and Lamport, "Distributed
 * snapshots", TOCS 3(1), 1985), which stops nobody and is of use once it is complete; when the syncer is
 * gone, what was merged since the last one is lost, and so are reports, requests, fragments and broadcasts
 * under way. Nothing is merged then, and so there is no merge to wait for: learners go on, those that lost
 * their state ask a peer at once, and what learners train stays with them. When the syncer has come back and
 * read its snapshot, it hears all learners' clocks and goes on from the newest, past the steps that nobody
 * can be merged for any more. In rings the outer parameters are with the learners: then only merges under way
 * are lost.
 */
#include "models/priority.h"
#include "models/training/account.h"
#include "models/training/fragments.h"
#include "models/training/gathering.h"
#include "models/training/grace.h"
#include "models/training/kind.h"
#include "models/training/outbox.h"
#include "models/training/recovery.h"
#include "models/training/world.h"
#include <assert.h>
#include <stdlib.h>

static const char *const weighting_names[] = {"tokens", "equal", NULL};
static const char *const collective_names[] = {"syncer", "ring", NULL};

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Steps between two synchronisations of one fragment, H.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, inner_steps)},
    {.path = "fragments",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Fragments that the model is cut into, P, at most H.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, fragments)},
    {.path = "overlap",
     .type = PARAMETER_INTEGER,
     .fallback = "2",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Steps that a learner goes on while a fragment is merged, τ.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, overlap)},
    {.path = "quorum",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Learners that a merge needs, K; capped at those that are up.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, quorum)},
    {.path = "grace",
     .type = PARAMETER_REAL,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .sentence =
         "Share of its slack that the syncer waits for learners beyond the quorum, γ, and of τ steps that a "
         "report too late for one merge may come before the next one's quorum to count for that; 0 for "
         "none.",
     .source = "ours; arXiv 2604.21428 says only that it is below 1",
     .offset = offsetof(struct decoupled_options, grace)},
    {.path = "weighting",
     .type = PARAMETER_CHOICE,
     .choices = weighting_names,
     .fallback = "tokens",
     .sentence =
         "Weight of a learner in a merge: by the tokens it trained on since its last, and their rate, or "
         "equal; read by replays only.",
     .source = "arXiv 2604.21428 §2",
     .offset = offsetof(struct decoupled_options, weighting)},
    {.path = "collective",
     .type = PARAMETER_CHOICE,
     .choices = collective_names,
     .fallback = "syncer",
     .sentence =
         "How fragments are merged: by the syncer, to which they go and from which they come back, or in a "
         "ring all-reduce among the learners in the merge (those of a site among themselves first), by a "
         "syncer that sees metadata only.",
     .source = "ours; arXiv 2604.21428 App. E.4 counts the bytes of a ring",
     .offset = offsetof(struct decoupled_options, collective)},
    {.path = "syncer",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Name of the site that the syncer is at; where left out that with most learners, and without "
         "sites the middle of the network.",
     .offset = offsetof(struct decoupled_options, syncer)},
    {.path = "timeout",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Longest that a merge waits for a learner's fragment, once it has another's; of a ring, for "
                 "learners that are cut off. It waits for ever where left out.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, timeout)},
    {.path = "snapshot_interval",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "10 min",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Time between snapshots of the syncer; of consequence where it can be lost.",
     .source = "ours; arXiv 2604.21428 §2 does not say how often",
     .offset = offsetof(struct decoupled_options, snapshot_interval)},
    {.path = "snapshot_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "30 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Time until a snapshot is complete, at most their interval; it stops nobody.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, snapshot_time)},
    {.path = "syncer_restart",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "2 min",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Time that a lost syncer takes, once it is back, to start and to read its snapshot.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, syncer_restart)},
    STRATEGY_OUTER,
    STRATEGY_MERGE("radial-directional", "arXiv 2604.21428 App. C"),
};

const struct parameter_variant decoupled_variant = {
    .name = "decoupled-diloco",
    .sentence = "learners step on; a syncer merges fragments from a quorum and a grace window",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct decoupled_options),
};

enum stage { RECOVERED, AWAITS_BROADCAST, TRANSFERRING, AWAITS_SYNCER };

/* A learner as this strategy sees it. */
struct member {
    struct decoupled *decoupled;
    struct learner *learner;
    int64_t reported;     /* the newest clock that the syncer has heard of */
    sim_time reported_at; /* when it heard of it */
    bool unmerged;        /* no merge since then has had this learner */
    int64_t received;     /* step of the newest merge that arrived */
    struct outbox *reports, *broadcasts;
    enum stage recovery;
    struct recovery copy;
    int64_t recovery_clock;        /* t_s of the broadcast that it asked upon */
    struct learner_work *merged;   /* its work when each fragment was last pulled */
    struct learner_work *taken;    /* its work when it last took each fragment */
    struct learner_work in_syncer; /* what of it the syncer has merged, summed over fragments */
    int64_t losses;                /* of its state */
};

/* What the syncer had merged at a moment. */
struct snapshot {
    sim_time time;
    int64_t clock;
    sim_amount grains;
    struct learner_work *in_syncer; /* by member */
    bool on_tape;
};

struct syncer {
    int64_t collecting;               /* the step whose learners it waits for */
    int64_t closed;                   /* the newest step whose participants are fixed */
    int64_t merged;                   /* the newest step merged and sent */
    int64_t alive, ready;             /* learners that are up; those of them that have reported it */
    int64_t late;                     /* those of them that have not, but whose report is unmerged */
    sim_time first_report, quorum_at; /* for COLLECTING; -1: not yet */
    struct sim_handle grace_timer;
    uint32_t close_actor;
    bool down;                     /* lost, and not back at work */
    bool held;                     /* by a fault that has not ended, HELD_BY */
    int32_t held_by;               /* its cause */
    int64_t skipped;               /* the newest step that was passed over when it came back */
    struct snapshot newest, older; /* the older is complete */
    sim_time snapshots_until;      /* all of before, and of then, have been taken */
    struct sim_handle restart_timer;
    uint32_t restart_actor;
};

/* A learner's part in a merge. */
struct part {
    bool takes;
    double weight;
    int64_t clock;
    struct learner_work before; /* its mark of the fragment before this pull */
    struct learner_work work;   /* since then */
    sim_amount grains;          /* likewise (account.h) */
    int64_t losses;             /* of its state, by then */
};

/* A merge whose participants are fixed and whose fragments are under way. */
struct coming_merge {
    struct coming_merge *next;
    int64_t step, fragment;
    struct part parts[]; /* by learner */
};

struct decoupled {
    struct world *world;
    const struct decoupled_options *options;
    struct fragment_schedule schedule;
    double fragment_bits;
    struct grace grace;
    struct syncer syncer;
    struct member *members;
    struct gathering *gathering;
    struct recovery_queue too_old; /* copies that came too late */
    struct account *account;
    struct learner_work *marks; /* what the members' merged and taken, and the snapshots', point into */
    struct coming_merge *coming, **newest; /* in the order of steps */
    struct coming_merge *unused;
    bool *chosen;            /* by learner, of the merge being closed */
    struct tape_part *parts; /* room for those of a record */
    sim_amount *trained;     /* room for what learners have trained */
};

static sim_time now_of(const struct decoupled *decoupled)
{
    return sim_engine_now(decoupled->world->engine);
}

static int64_t member_count(const struct decoupled *decoupled)
{
    return decoupled->world->layout.learners;
}

/* Its clock, unless it is in a step: that of the newest merge received, where it is behind. */
static void catch_up(struct member *member)
{
    if (member->received > member->learner->clock)
        member->learner->clock = member->received;
}

/* The syncer. */

static bool is_ready(const struct decoupled *decoupled, const struct member *member)
{
    return learner_is_alive(member->learner) && member->reported >= decoupled->syncer.collecting;
}

static bool is_late(const struct decoupled *decoupled, const struct member *member)
{
    return learner_is_alive(member->learner) && member->unmerged &&
           member->reported < decoupled->syncer.collecting;
}

/* Whether the merge being collected takes MEMBER in, once there is a quorum. */
static bool is_present(const struct decoupled *decoupled, const struct member *member)
{
    sim_time reach = grace_reach(&decoupled->grace);
    return is_ready(decoupled, member) || (is_late(decoupled, member) && reach > 0 &&
                                           decoupled->syncer.quorum_at - member->reported_at <= reach);
}

/* Kept by counting reports as they come; counted anew when the step changes, or a learner is lost or back. */
static void count_ready(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    syncer->alive = syncer->ready = syncer->late = 0;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        syncer->alive += learner_is_alive(decoupled->members[i].learner);
        syncer->ready += is_ready(decoupled, &decoupled->members[i]);
        syncer->late += is_late(decoupled, &decoupled->members[i]);
    }
}

/* Nobody is left to wait for. */
static bool all_are_present(const struct decoupled *decoupled)
{
    const struct syncer *syncer = &decoupled->syncer;
    if (syncer->ready + syncer->late < syncer->alive)
        return false;
    for (int64_t i = 0; syncer->late > 0 && i < member_count(decoupled); i++)
        if (is_late(decoupled, &decoupled->members[i]) && !is_present(decoupled, &decoupled->members[i]))
            return false;
    return true;
}

/* What a learner trained since the fragment's last pull is in the merge now, for the fragment's share. */
static void note_merged(struct member *member, int64_t fragment)
{
    member->merged[fragment] = member->learner->work;
}

/* Merges under way. */

static struct coming_merge *begin_merge(struct decoupled *decoupled, int64_t step)
{
    struct coming_merge *coming = decoupled->unused;
    if (coming)
        decoupled->unused = coming->next;
    else
        coming = malloc(sizeof *coming + (size_t)member_count(decoupled) * sizeof *coming->parts);
    if (!coming) {
        traffic_fail(decoupled->world->traffic);
        return NULL;
    }
    coming->next = NULL;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        coming->parts[i].takes = false;
    coming->step = step;
    coming->fragment = fragment_due(&decoupled->schedule, step);
    *decoupled->newest = coming;
    decoupled->newest = &coming->next;
    return coming;
}

static void end_merge(struct decoupled *decoupled)
{
    struct coming_merge *coming = decoupled->coming;
    decoupled->coming = coming->next;
    if (!decoupled->coming)
        decoupled->newest = &decoupled->coming;
    coming->next = decoupled->unused;
    decoupled->unused = coming;
}

/* w = c_tokens · c_tokens / c_steps since the learner last took the fragment (arXiv 2604.21428 §2). */
static double merge_weight(const struct decoupled *decoupled, const struct member *member, int64_t fragment)
{
    const struct learner *learner = member->learner;
    if (decoupled->options->weighting == WEIGHT_EQUAL)
        return 1;
    double tokens = learner->work.tokens - member->taken[fragment].tokens;
    double steps = (learner->work.steps - member->taken[fragment].steps) / learner->share;
    return steps > 0 ? tokens * tokens / steps : 0;
}

static struct learner_work sum_of(struct learner_work one, struct learner_work other, int sign)
{
    return (struct learner_work){.useful = one.useful + sign * other.useful,
                                 .steps = one.steps + sign * other.steps,
                                 .tokens = one.tokens + sign * other.tokens,
                                 .seconds = one.seconds + sign * other.seconds,
                                 .squares = one.squares + sign * other.squares};
}

/* What MEMBER has trained is in the merge from now on. */
static void add_part(struct decoupled *decoupled, struct coming_merge *coming, struct member *member)
{
    const struct learner *learner = member->learner;
    int64_t fragment = coming->fragment;
    struct tape_record record = learner_record(learner, TAPE_SEND);
    record.fragment = (int32_t)fragment;
    record.clock = coming->step;
    tape_write(decoupled->world->tape, record);
    coming->parts[learner->number] =
        (struct part){.takes = true,
                      .weight = merge_weight(decoupled, member, fragment),
                      .clock = learner->clock,
                      .before = member->merged[fragment],
                      .work = sum_of(learner->work, member->merged[fragment], -1),
                      .grains = account_pull(decoupled->account, learner->number, fragment, learner->grains),
                      .losses = member->losses};
    note_merged(member, fragment);
}

/* Throws away WORK, of all fragments together, and moves the marks along. */
static void discard(struct decoupled *decoupled, struct member *member, struct learner_work work)
{
    int64_t fragments = decoupled->schedule.fragments, number = member->learner->number;
    work =
        learner_discard(member->learner, (struct learner_work){.useful = work.useful / fragments,
                                                               .steps = work.steps / (double)fragments,
                                                               .tokens = work.tokens / (double)fragments,
                                                               .seconds = work.seconds / (double)fragments,
                                                               .squares = work.squares / (double)fragments});
    for (int64_t p = 0; p < fragments; p++) {
        member->merged[p] = sum_of(member->merged[p], work, -1);
        member->taken[p] = sum_of(member->taken[p], work, -1);
    }
    for (struct coming_merge *coming = decoupled->coming; coming; coming = coming->next)
        if (coming->parts[number].takes)
            coming->parts[number].before = sum_of(coming->parts[number].before, work, -1);
}

/* LEARNER's part in the next merge of the same fragment, if it has one. */
static struct part *next_part(const struct coming_merge *coming, int64_t learner)
{
    for (struct coming_merge *next = coming->next; next; next = next->next)
        if (next->fragment == coming->fragment && next->parts[learner].takes)
            return &next->parts[learner];
    return NULL;
}

/* What the learner gave to the merge is in no merge yet. It is in what it gives to the next one, if it has
 * given that already; else still with it alone; or lost, if it has lost its state since. */
static void take_out_part(struct decoupled *decoupled, struct coming_merge *coming, int64_t learner)
{
    struct member *member = &decoupled->members[learner];
    struct part *part = &coming->parts[learner], *next = next_part(coming, learner);
    part->takes = false;
    if (part->losses != member->losses) {
        account_forget(decoupled->account, part->grains);
        discard(decoupled, member, part->work);
    } else if (next) {
        next->before = part->before;
        next->work = sum_of(next->work, part->work, 1);
        next->grains += part->grains;
    } else {
        account_return(decoupled->account, learner, coming->fragment, part->grains);
        member->merged[coming->fragment] = part->before;
    }
}

/* It was too late. */
static void on_left_out(void *context, int64_t learner, int64_t step)
{
    struct decoupled *decoupled = context;
    struct coming_merge *coming = decoupled->coming;
    while (coming->step != step)
        coming = coming->next;
    take_out_part(decoupled, coming, learner);
}

static void count_merged(struct decoupled *decoupled, const struct coming_merge *coming)
{
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        const struct part *part = &coming->parts[i];
        if (!part->takes)
            continue;
        account_merge(decoupled->account, part->grains);
        decoupled->members[i].in_syncer = sum_of(decoupled->members[i].in_syncer, part->work, 1);
    }
}

/* The syncer's snapshots: one at each multiple of their interval, of what was merged by then. Merges are all
 * that changes them, so that they need no event of their own. */

static void keep_snapshot(const struct decoupled *decoupled, struct snapshot *snapshot, sim_time time)
{
    snapshot->time = time;
    snapshot->clock = decoupled->syncer.merged;
    snapshot->grains = account_merged(decoupled->account);
    snapshot->on_tape = false;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        snapshot->in_syncer[i] = decoupled->members[i].in_syncer;
}

/* The multiple of the snapshots' interval before T; without an interval there is only that of the start. */
static sim_time snapshot_before(const struct decoupled *decoupled, sim_time t)
{
    sim_time interval = decoupled->options->snapshot_interval;
    return interval > 0 && t > 0 ? (t - 1) / interval * interval : 0;
}

/* Takes those that were due before now. */
static void take_snapshots(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    sim_time last = snapshot_before(decoupled, now_of(decoupled));
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

/* What the syncer has merged since its last complete snapshot is lost, and that is charged to CAUSE. */
static void go_back(struct decoupled *decoupled, int32_t cause)
{
    take_snapshots(decoupled);
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
        discard(decoupled, member, since);
        member->learner->cause = own;
    }
    if (snapshot == &syncer->older) { /* the newest is not, and never will be */
        struct snapshot interrupted = syncer->newest;
        syncer->newest = syncer->older;
        syncer->older = interrupted;
    }
}

static void write_merge(struct decoupled *decoupled, const struct coming_merge *coming, const bool *present)
{
    uint32_t count = 0;
    struct tape_record record = {.time = now_of(decoupled),
                                 .kind = TAPE_MERGE,
                                 .actor = TAPE_SYNCER,
                                 .peer = TAPE_SYNCER,
                                 .fragment = (int32_t)coming->fragment,
                                 .clock = coming->step};
    for (int64_t i = 0; i < member_count(decoupled); i++)
        if (present[i])
            decoupled->parts[count++] = (struct tape_part){
                .learner = (int32_t)i, .weight = coming->parts[i].weight, .clock = coming->parts[i].clock};
    tape_write_merge(decoupled->world->tape, record, decoupled->parts, count);
}

/* Fixes the participants and lets their fragments come together. */
static void close_collection(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    int64_t step = syncer->collecting;
    struct coming_merge *coming = begin_merge(decoupled, step);
    assert(syncer->ready > 0);
    if (!coming)
        return;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        decoupled->chosen[i] = is_present(decoupled, member);
        if (!decoupled->chosen[i])
            continue;
        member->unmerged = false;
        if (member->learner->state != LEARNER_STEPPING)
            catch_up(member);
        add_part(decoupled, coming, member);
    }
    moving_average_add(&decoupled->grace.quorum, syncer->quorum_at - syncer->first_report);
    syncer->closed = step;
    syncer->collecting = fragment_next_due(&decoupled->schedule, step);
    syncer->first_report = syncer->quorum_at = -1;
    gathering_begin(decoupled->gathering, step, decoupled->fragment_bits, decoupled->chosen);
    count_ready(decoupled);
}

/* The quorum is capped at the learners that are up. */
static bool has_quorum(const struct syncer *syncer, int64_t quorum)
{
    return syncer->ready > 0 && syncer->ready >= (quorum < syncer->alive ? quorum : syncer->alive);
}

/* Called whenever somebody more is ready, or somebody to wait for is gone. The grace window begins with the
 * quorum, and again if a learner of the quorum is lost meanwhile; it ends at once when nobody is left to wait
 * for. A window of no length still takes in all that report at the same instant. */
static void look_for_quorum(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    struct sim_engine *engine = decoupled->world->engine;
    if (syncer->down)
        return;
    if (syncer->ready == 0)
        syncer->first_report = -1;
    else if (syncer->first_report < 0)
        syncer->first_report = now_of(decoupled);
    bool quorum = has_quorum(syncer, decoupled->options->quorum), begins = quorum && syncer->quorum_at < 0;
    if (begins)
        syncer->quorum_at = now_of(decoupled);
    bool all = quorum && all_are_present(decoupled);
    if (quorum && !begins && !all)
        return;
    sim_engine_cancel(engine, syncer->grace_timer);
    if (!quorum) {
        syncer->quorum_at = -1;
        return;
    }
    sim_time end = sim_time_add(now_of(decoupled), all ? 0 : grace_window(&decoupled->grace));
    syncer->grace_timer = sim_engine_schedule(engine, end, PRIORITY_SYNCER, syncer->close_actor, 0);
}

static void on_grace_over(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct decoupled *decoupled = actor;
    close_collection(decoupled);
    for (int64_t i = 0; i < member_count(decoupled); i++)
        learner_poke(decoupled->members[i].learner); /* what it waits for has a new name */
    look_for_quorum(decoupled);
}

/* A report from before a loss says nothing of the state that the learner has now. */
static void on_report(void *context, int64_t clock)
{
    struct member *member = context;
    struct decoupled *decoupled = member->decoupled;
    if (decoupled->syncer.down || clock <= member->reported || clock > member->learner->clock ||
        !learner_is_alive(member->learner))
        return;
    bool was_ready = is_ready(decoupled, member), was_late = is_late(decoupled, member);
    member->reported = clock;
    member->reported_at = now_of(decoupled);
    member->unmerged = true;
    if (was_ready)
        return;
    decoupled->syncer.ready += is_ready(decoupled, member);
    decoupled->syncer.late += is_late(decoupled, member) - was_late;
    look_for_quorum(decoupled);
}

static void ask_peer(struct decoupled *decoupled, struct member *member);

/* Who sends a ring's merge to a learner that was not in it: one of its site, or else the first. */
static int64_t ring_sender(const struct decoupled *decoupled, const struct gathered *gathered,
                           int64_t learner)
{
    const struct traffic *traffic = decoupled->world->traffic;
    int64_t site = traffic_site(traffic, learner);
    for (int64_t i = gathered->first; site >= 0 && i < member_count(decoupled); i++)
        if (gathered->present[i] && traffic_site(traffic, i) == site)
            return i;
    return gathered->first;
}

/* To everybody who is up or coming back; whoever was in a ring has the merge already. */
static void broadcast(struct decoupled *decoupled, const struct gathered *gathered)
{
    bool ring = decoupled->options->collective == DECOUPLED_RING;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        outbox_supersede(member->broadcasts, gathered->step - decoupled->options->inner_steps);
        if (!learner_is_alive(member->learner) && member->recovery == RECOVERED)
            continue;
        if (ring && gathered->present[i])
            outbox_note(member->broadcasts, gathered->step);
        else
            outbox_send(member->broadcasts, ring ? ring_sender(decoupled, gathered, i) : TRAFFIC_SYNCER, i,
                        decoupled->fragment_bits, gathered->step);
    }
}

static void on_gathered(void *context, const struct gathered *gathered)
{
    struct decoupled *decoupled = context;
    assert(gathered->step > decoupled->syncer.merged && gathered->step == decoupled->coming->step);
    take_snapshots(decoupled);
    count_merged(decoupled, decoupled->coming);
    decoupled->syncer.merged = gathered->step;
    world_merged(decoupled->world);
    moving_average_add(&decoupled->grace.synchronisation, sim_time_add(gathered->took, gathered->back));
    write_merge(decoupled, decoupled->coming, gathered->present);
    end_merge(decoupled);
    broadcast(decoupled, gathered);
}

/* Learners. */

/* The fragment is applied, and the learner's counters for it begin anew. */
static void take_fragment(struct member *member, int64_t step)
{
    struct decoupled *decoupled = member->decoupled;
    int64_t fragment = fragment_due(&decoupled->schedule, step);
    struct tape_record record = learner_record(member->learner, TAPE_APPLY);
    record.fragment = (int32_t)fragment;
    record.clock = step;
    member->taken[fragment] = member->learner->work;
    tape_write(decoupled->world->tape, record);
}

static void on_broadcast(void *context, int64_t step)
{
    struct member *member = context;
    if (step > member->received)
        member->received = step;
    if (member->recovery == AWAITS_BROADCAST)
        ask_peer(member->decoupled, member);
    if (!learner_is_alive(member->learner)) /* it is not back yet, or will replay this with its copy */
        return;
    if (member->learner->state != LEARNER_STEPPING)
        catch_up(member);
    take_fragment(member, step);
    learner_poke(member->learner);
}

static int obstacle(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    catch_up(member);
    int64_t needed = fragment_last_due(&decoupled->schedule, learner->clock - decoupled->options->overlap);
    if (member->received >= needed || decoupled->syncer.skipped >= needed || decoupled->syncer.down)
        return NO_OBSTACLE;
    return decoupled->syncer.closed >= needed ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
}

static void step_done(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    moving_average_add(&decoupled->grace.step, learner->step_length);
    catch_up(member);
    outbox_send(member->reports, learner->number, TRAFFIC_SYNCER, 0, learner->clock);
}

/* Recovery. */

/* A peer with any state has seen, or is just seeing, the broadcast that the request goes by. */
static bool has_healthy_peer(const struct decoupled *decoupled)
{
    return decoupled->syncer.alive > 0;
}

/* A healthy peer, or the syncer where there is none; once that is back. */
static void ask_peer(struct decoupled *decoupled, struct member *member)
{
    int64_t donor = recovery_nearest_donor(decoupled->world, member->learner);
    member->recovery = AWAITS_SYNCER;
    if (donor == RECOVERY_NO_DONOR && decoupled->syncer.down)
        return;
    member->recovery = TRANSFERRING;
    member->recovery_clock = decoupled->syncer.merged;
    recovery_ask(&member->copy, donor);
}

/* Those to whom LOST was sending its state ask another; where nobody is up, no broadcast will come either. */
static void ask_others(struct decoupled *decoupled, const struct learner *lost)
{
    bool alone = !has_healthy_peer(decoupled);
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        bool broken_off = recovery_break_off(&member->copy, lost);
        bool waits = member->recovery == AWAITS_BROADCAST || recovery_waits(&member->copy);
        if (broken_off || (alone && waits))
            ask_peer(decoupled, member);
    }
}

static void lost(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    learner_discard(learner, learner_work_since(learner, member->merged, decoupled->schedule.fragments));
    account_lose(decoupled->account, learner->number, learner->grains);
    tape_write(decoupled->world->tape, learner_record(learner, TAPE_LOST));
    member->reported = 0;
    member->unmerged = false;
    member->losses++;
    for (int64_t p = 0; p < decoupled->schedule.fragments; p++)
        note_merged(member, p);
    count_ready(decoupled);
    look_for_quorum(decoupled);
    ask_others(decoupled, learner);
}

/* The counters of all fragments begin anew. */
static void write_copy(const struct decoupled *decoupled, struct member *member)
{
    for (int64_t p = 0; p < decoupled->schedule.fragments; p++)
        member->taken[p] = member->learner->work;
    recovery_write_copy(member->learner, member->copy.donor);
}

/* Without a syncer learners go on past what was last merged. */
static int64_t clock_of_copy(const struct decoupled *decoupled, const struct member *member)
{
    int64_t merged = decoupled->syncer.merged;
    if (!decoupled->syncer.down || member->copy.donor == RECOVERY_NO_DONOR)
        return merged;
    int64_t donors = decoupled->world->learners[member->copy.donor].clock;
    return donors > merged ? donors : merged;
}

static void on_recovered(void *context)
{
    struct member *member = context;
    struct decoupled *decoupled = member->decoupled;
    bool old = decoupled->syncer.merged - member->recovery_clock > decoupled->options->inner_steps;
    if (old && !member->copy.queue) {
        recovery_ask_in_turn(&decoupled->too_old, &member->copy);
        return;
    }
    member->recovery = RECOVERED;
    member->received = decoupled->syncer.merged;
    member->learner->clock = clock_of_copy(decoupled, member);
    write_copy(decoupled, member);
    learner_resume(member->learner);
    count_ready(decoupled);
}

static void back(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    if (has_healthy_peer(decoupled) && !decoupled->syncer.down)
        member->recovery = AWAITS_BROADCAST;
    else
        ask_peer(decoupled, member);
}

/* The loss of the syncer, and its return. */

static void poke_all(struct decoupled *decoupled)
{
    for (int64_t i = 0; i < member_count(decoupled); i++)
        learner_poke(decoupled->members[i].learner);
}

static void break_off_merges(struct decoupled *decoupled)
{
    for (struct coming_merge *coming = decoupled->coming; coming; coming = coming->next)
        for (int64_t i = 0; i < member_count(decoupled); i++)
            if (coming->parts[i].takes)
                take_out_part(decoupled, coming, i);
    while (decoupled->coming)
        end_merge(decoupled);
    gathering_break_off(decoupled->gathering);
}

/* What the syncer is at from now on. */
static void tell_activity(const struct decoupled *decoupled, int category, int32_t cause)
{
    if (decoupled->world->activity)
        activity_enter(decoupled->world->activity, ACTIVITY_SYNCER, category, cause);
}

static void lose_syncer(struct decoupled *decoupled, int32_t cause)
{
    struct syncer *syncer = &decoupled->syncer;
    bool ring = decoupled->options->collective == DECOUPLED_RING;
    syncer->down = decoupled->too_old.no_syncer = true;
    sim_engine_cancel(decoupled->world->engine, syncer->grace_timer);
    syncer->first_report = syncer->quorum_at = -1;
    break_off_merges(decoupled);
    for (int64_t i = 0; !ring && i < member_count(decoupled); i++)
        outbox_clear(decoupled->members[i].broadcasts);
    if (!ring)
        go_back(decoupled, cause);
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        if (recovery_break_off_syncer(&member->copy) || member->recovery == AWAITS_BROADCAST)
            ask_peer(decoupled, member);
    }
    poke_all(decoupled);
}

/* All that are up tell how far they are. What they trained meanwhile goes with their next fragments; the
 * steps before the newest of their clocks are behind all of them. */
static void hear_clocks(struct decoupled *decoupled)
{
    struct syncer *syncer = &decoupled->syncer;
    int64_t newest = syncer->closed;
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        struct member *member = &decoupled->members[i];
        if (!learner_is_alive(member->learner))
            continue;
        member->reported = member->learner->clock;
        member->reported_at = now_of(decoupled);
        member->unmerged = true;
        newest = member->reported > newest ? member->reported : newest;
    }
    syncer->skipped = syncer->closed = syncer->merged = fragment_last_due(&decoupled->schedule, newest);
    syncer->collecting = fragment_next_due(&decoupled->schedule, newest);
    count_ready(decoupled);
}

static void on_syncer_restarted(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct decoupled *decoupled = actor;
    decoupled->syncer.down = decoupled->too_old.no_syncer = false;
    tell_activity(decoupled, BUDGET_USEFUL, FAULT_NO_CAUSE);
    decoupled->syncer.snapshots_until = snapshot_before(decoupled, now_of(decoupled) + 1);
    hear_clocks(decoupled);
    for (int64_t i = 0; i < member_count(decoupled); i++)
        if (decoupled->members[i].recovery == AWAITS_SYNCER)
            ask_peer(decoupled, &decoupled->members[i]);
    poke_all(decoupled);
    look_for_quorum(decoupled);
}

/* One that strikes while another lasts is of no consequence; during a restart it is gone again. */
static bool syncer_fault(void *state, const struct fault *fault, bool begins)
{
    struct decoupled *decoupled = state;
    struct syncer *syncer = &decoupled->syncer;
    struct sim_engine *engine = decoupled->world->engine;
    if (begins ? syncer->held : !syncer->held || syncer->held_by != fault->cause)
        return false;
    syncer->held = begins;
    syncer->held_by = fault->cause;
    tell_activity(decoupled, begins ? BUDGET_DOWN : BUDGET_RESTART, fault->cause);
    sim_engine_cancel(engine, syncer->restart_timer);
    if (begins && !syncer->down)
        lose_syncer(decoupled, fault->cause);
    if (!begins)
        syncer->restart_timer =
            sim_engine_schedule(engine, sim_time_add(now_of(decoupled), decoupled->options->syncer_restart),
                                PRIORITY_SYNCER, syncer->restart_actor, 0);
    return true;
}

static struct token_counts count_tokens(const void *state)
{
    const struct decoupled *decoupled = state;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        decoupled->trained[i] = decoupled->members[i].learner->grains;
    return account_count(decoupled->account, decoupled->trained);
}

/* Life. */

static bool check(const void *options, const char **path, const char **reason)
{
    const struct decoupled_options *decoupled = options;
    if (decoupled->fragments > decoupled->inner_steps) {
        *path = "fragments";
        *reason = "more fragments than inner steps: each step synchronises one fragment at most";
        return false;
    }
    if (decoupled->quorum > decoupled->learner.learners) {
        *path = "quorum";
        *reason = "the quorum exceeds the learners";
        return false;
    }
    if (decoupled->snapshot_time > decoupled->snapshot_interval) {
        *path = "snapshot_time";
        *reason = "a snapshot is not complete when the next one begins (snapshot_interval)";
        return false;
    }
    return true;
}

/* Whether the syncer at SITE and all learners reach each other. */
static bool reaches_all(const struct network_config *network, int64_t learners, int64_t site)
{
    struct placement *placement = placement_create(network, learners, NULL);
    struct routes *routes = placement ? routes_create(network, placement, NULL) : NULL;
    struct endpoint syncer = endpoint_of_site(site);
    struct route route;
    bool reaches = true;
    for (int64_t i = 0; routes && i < learners; i++) {
        struct endpoint learner = endpoint_of_learner(placement, i);
        reaches &= route_find(routes, learner, syncer, &route) && route_find(routes, syncer, learner, &route);
    }
    routes_destroy(routes);
    placement_destroy(placement);
    return reaches;
}

static bool check_network(const void *options, const struct network_config *network, const char **path,
                          const char **reason)
{
    const struct decoupled_options *decoupled = options;
    if (!decoupled->syncer)
        return true;
    int64_t site = sites_find(network, decoupled->syncer);
    *path = "syncer";
    *reason = network->sites.count == 0 ? "the network has no sites"
              : site < 0                ? "no site of the network has that name"
                                        : "not all learners have a route to that site and back";
    return site >= 0 && reaches_all(network, decoupled->learner.learners, site);
}

static void free_merges(struct coming_merge *coming)
{
    while (coming) {
        struct coming_merge *next = coming->next;
        free(coming);
        coming = next;
    }
}

static void destroy(void *state)
{
    struct decoupled *decoupled = state;
    for (int64_t i = 0; decoupled->members && i < member_count(decoupled); i++) {
        outbox_destroy(decoupled->members[i].reports);
        outbox_destroy(decoupled->members[i].broadcasts);
    }
    gathering_destroy(decoupled->gathering);
    free_merges(decoupled->coming);
    free_merges(decoupled->unused);
    free(decoupled->members);
    account_destroy(decoupled->account);
    free(decoupled->marks);
    free(decoupled->chosen);
    free(decoupled->parts);
    free(decoupled->trained);
    free(decoupled);
}

static bool init_member(struct decoupled *decoupled, int64_t number)
{
    struct world *world = decoupled->world;
    struct member *member = &decoupled->members[number];
    int64_t fragments = decoupled->schedule.fragments;
    *member = (struct member){.decoupled = decoupled,
                              .learner = &world->learners[number],
                              .merged = decoupled->marks + 2 * number * fragments};
    member->taken = member->merged + fragments;
    member->reports = outbox_create(world->traffic, on_report, member);
    member->broadcasts = outbox_create(world->traffic, on_broadcast, member);
    recovery_init(&member->copy, member->learner, on_recovered, member);
    return member->reports && member->broadcasts;
}

static struct gathering *create_gathering(struct decoupled *decoupled)
{
    struct world *world = decoupled->world;
    const struct gathering_plan plan = {.traffic = world->traffic,
                                        .engine = world->engine,
                                        .learners = member_count(decoupled),
                                        .ring = decoupled->options->collective == DECOUPLED_RING,
                                        .timeout = decoupled->options->timeout,
                                        .gathered = on_gathered,
                                        .left_out = on_left_out,
                                        .context = decoupled};
    return gathering_create(&plan);
}

static bool allocate(struct decoupled *decoupled)
{
    size_t learners = (size_t)member_count(decoupled), fragments = (size_t)decoupled->schedule.fragments;
    decoupled->members = calloc(learners, sizeof *decoupled->members);
    decoupled->marks = calloc(2 * learners * (fragments + 1), sizeof *decoupled->marks);
    decoupled->account = account_create(member_count(decoupled), decoupled->schedule.fragments);
    decoupled->chosen = calloc(learners, sizeof *decoupled->chosen);
    decoupled->parts = calloc(learners, sizeof *decoupled->parts);
    decoupled->trained = calloc(learners, sizeof *decoupled->trained);
    decoupled->gathering = create_gathering(decoupled);
    return decoupled->members && decoupled->marks && decoupled->account && decoupled->chosen &&
           decoupled->parts && decoupled->trained && decoupled->gathering;
}

static bool init(struct decoupled *decoupled)
{
    struct world *world = decoupled->world;
    if (!allocate(decoupled))
        return false;
    decoupled->newest = &decoupled->coming;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        if (!init_member(decoupled, i))
            return false;
    struct syncer *syncer = &decoupled->syncer;
    syncer->newest.in_syncer = decoupled->marks + 2 * member_count(decoupled) * decoupled->schedule.fragments;
    syncer->older.in_syncer = syncer->newest.in_syncer + member_count(decoupled);
    syncer->close_actor = sim_engine_add_actor(world->engine, on_grace_over, decoupled);
    syncer->restart_actor = sim_engine_add_actor(world->engine, on_syncer_restarted, decoupled);
    return syncer->restart_actor != UINT32_MAX;
}

/* Where it is wanted; check_network has found the site. */
static void place_syncer(struct world *world, const struct decoupled_options *options)
{
    if (options->syncer)
        traffic_place_syncer(world->traffic, sites_find(&world->config->network, options->syncer));
}

static void *create(struct world *world, const void *options, struct error *error)
{
    const struct decoupled_options *decoupled_options = options;
    struct decoupled *decoupled = calloc(1, sizeof *decoupled);
    if (!decoupled) {
        error_out_of_memory(error, "Decoupled DiLoCo");
        return NULL;
    }
    decoupled->world = world;
    decoupled->options = decoupled_options;
    decoupled->schedule =
        (struct fragment_schedule){decoupled_options->inner_steps, decoupled_options->fragments};
    decoupled->fragment_bits =
        world_drift_bits(world, &decoupled_options->learner.rule) / (double)decoupled_options->fragments;
    decoupled->syncer = (struct syncer){.collecting = fragment_next_due(&decoupled->schedule, 0),
                                        .alive = world->layout.learners,
                                        .first_report = -1,
                                        .quorum_at = -1};
    grace_init(&decoupled->grace, decoupled_options->overlap, decoupled_options->grace);
    place_syncer(world, decoupled_options);
    if (!init(decoupled)) {
        destroy(decoupled);
        error_out_of_memory(error, "Decoupled DiLoCo");
        return NULL;
    }
    return decoupled;
}

const struct strategy_functions decoupled_functions = {
    .check = check,
    .check_network = check_network,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .step_done = step_done,
    .lost = lost,
    .back = back,
    .syncer_fault = syncer_fault,
    .count_tokens = count_tokens,
};
