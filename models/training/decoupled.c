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
#include "models/training/decoupled_internal.h"

#include <stdlib.h>

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
        decoupled_ask_peer(member->decoupled, member);
    if (!learner_is_alive(member->learner)) /* it is not back yet, or will replay this with its copy */
        return;
    if (member->learner->state != LEARNER_STEPPING)
        catch_up(member);
    take_fragment(member, step);
    learner_poke(member->learner);
}

/* The step whose merge LEARNER needs for its next step. */
static int64_t needed_step(const struct decoupled *decoupled, const struct learner *learner)
{
    return fragment_last_due(&decoupled->schedule, learner->clock - decoupled->options->overlap);
}

static int obstacle(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    catch_up(member);
    int64_t needed = needed_step(decoupled, learner);
    if (member->received >= needed || decoupled->syncer.skipped >= needed || decoupled->syncer.down)
        return NO_OBSTACLE;
    return decoupled->syncer.closed >= needed ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
}

/* What has not been merged is not on its way to LEARNER yet. */
static struct traffic_blame blame(const void *state, const struct learner *learner)
{
    const struct decoupled *decoupled = state;
    int64_t needed = needed_step(decoupled, learner);
    struct traffic_blame coming = outbox_blame(decoupled->members[learner->number].broadcasts);
    if (decoupled->syncer.merged >= needed)
        return coming;
    return traffic_worse(coming, gathering_blame(decoupled->gathering, needed));
}

static void on_gathering_changed(void *context)
{
    struct decoupled *decoupled = context;
    world_waits_changed(decoupled->world);
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

void decoupled_ask_peer(struct decoupled *decoupled, struct member *member)
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
            decoupled_ask_peer(decoupled, member);
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
        decoupled_note_merged(member, p);
    decoupled_count_ready(decoupled);
    decoupled_look_for_quorum(decoupled);
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
    decoupled_count_ready(decoupled);
}

static void back(void *state, struct learner *learner)
{
    struct decoupled *decoupled = state;
    struct member *member = &decoupled->members[learner->number];
    if (has_healthy_peer(decoupled) && !decoupled->syncer.down)
        member->recovery = AWAITS_BROADCAST;
    else
        decoupled_ask_peer(decoupled, member);
}

static struct token_counts count_tokens(const void *state)
{
    const struct decoupled *decoupled = state;
    for (int64_t i = 0; i < member_count(decoupled); i++)
        decoupled->trained[i] = decoupled->members[i].learner->grains;
    return account_count(decoupled->account, decoupled->trained);
}

/* Life. */

static void destroy(void *state)
{
    struct decoupled *decoupled = state;
    for (int64_t i = 0; decoupled->members && i < member_count(decoupled); i++) {
        outbox_destroy(decoupled->members[i].reports);
        outbox_destroy(decoupled->members[i].broadcasts);
    }
    gathering_destroy(decoupled->gathering);
    decoupled_free_merges(decoupled->coming);
    decoupled_free_merges(decoupled->unused);
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
    member->reports = outbox_create(world->traffic, decoupled_report, member);
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
                                        .gathered = decoupled_gathered,
                                        .left_out = decoupled_left_out,
                                        .changed = on_gathering_changed,
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
    syncer->close_actor = sim_engine_add_actor(world->engine, decoupled_grace_over, decoupled);
    syncer->restart_actor = sim_engine_add_actor(world->engine, decoupled_syncer_restarted, decoupled);
    return syncer->restart_actor != UINT32_MAX;
}

/* Where it is wanted; decoupled_check_network has found the site. */
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
    .check = decoupled_check,
    .check_network = decoupled_check_network,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = blame,
    .step_done = step_done,
    .lost = lost,
    .back = back,
    .syncer_fault = decoupled_syncer_fault,
    .count_tokens = count_tokens,
};
