/*
 * Only learners whose strategy has checkpoints save; the others have none, and nothing is asked of them here.
 */
#include "models/training/saving.h"

#include "models/failures/rate.h"
#include "models/priority.h"
#include "models/training/world.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

static const struct checkpoint_config *config_of(const struct learner *learner)
{
    return &learner->world->config->checkpoints;
}

static sim_time now_of(const struct learner *learner)
{
    return sim_engine_now(learner->world->engine);
}

static bool has_memory(const struct learner *learner)
{
    return config_of(learner)->memory.copies != COPIES_NONE;
}

static bool is_complete(const struct saved *saved)
{
    return saved->in_memory || saved->in_storage;
}

static struct saved *newest(const struct saving *saving)
{
    return &saving->saved[saving->count - 1];
}

/* The checkpoint that a loss would go back to. */
static struct saved *last_good(const struct saving *saving)
{
    size_t i = saving->count - 1;
    while (!is_complete(&saving->saved[i]))
        i--;
    return &saving->saved[i];
}

static void settle(struct learner *learner)
{
    learner->safe = last_good(&learner->saving)->work;
}

/* What is remembered. */

static bool is_kept(const struct saving *saving, size_t i, int64_t newer_in_storage, int64_t most)
{
    const struct saved *saved = &saving->saved[i];
    bool listed = saved->in_storage && newer_in_storage < most;
    return i == 0 || i == saving->in_background || saved->in_memory || listed;
}

/* Forgets what is neither kept nor under way. */
static void forget(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    int64_t in_storage = 0, most = config_of(learner)->kept > 0 ? config_of(learner)->kept : 1;
    size_t end = saving->count, to = end;
    for (size_t from = end; from-- > 0;) {
        bool keep = is_kept(saving, from, in_storage, most);
        in_storage += saving->saved[from].in_storage;
        if (!keep)
            continue;
        saving->saved[--to] = saving->saved[from];
        if (from == saving->in_background && from > 0)
            saving->in_background = to;
    }
    memmove(saving->saved, saving->saved + to, (end - to) * sizeof *saving->saved);
    saving->count = end - to;
    saving->in_background -= saving->in_background > 0 ? to : 0;
    settle(learner);
}

/* Only the newest is in memory, whole. */
static void keep_in_memory(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    for (size_t i = 0; i + 1 < saving->count; i++)
        saving->saved[i].in_memory = false;
    newest(saving)->in_memory = true;
    memset(saving->failed, 0, ((size_t)saving->slices / WORD + 1) * sizeof *saving->failed);
}

/* In the background. */

static void end_background(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    sim_engine_cancel(learner->world->engine, saving->completion);
    saving->saved[saving->in_background].in_storage = true;
    saving->in_background = 0;
    forget(learner);
}

static void on_written(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    end_background(actor);
}

static void write_in_background(struct learner *learner, sim_time worked)
{
    struct saving *saving = &learner->saving;
    saving->in_background = saving->count - 1;
    saving->begun_after = worked;
    saving->ends = sim_time_add(now_of(learner), saving->write_time);
    saving->completion =
        sim_engine_schedule(learner->world->engine, saving->ends, PRIORITY_MESSAGE, saving->actor, 0);
}

/* What it had in it has to be saved again. */
static void break_off(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    if (saving->in_background == 0)
        return;
    sim_engine_cancel(learner->world->engine, saving->completion);
    if (!saving->saved[saving->in_background].in_memory)
        saving->worked += saving->begun_after;
    saving->in_background = 0;
    saving->until_storage = 0;
    forget(learner);
}

/* Writing. */

void saving_worked(struct learner *learner, sim_time length)
{
    learner->saving.worked += length;
}

static bool goes_to_storage(const struct learner *learner)
{
    const struct memory_checkpoints *memory = &config_of(learner)->memory;
    if (memory->copies == COPIES_NONE)
        return true;
    return memory->storage_every > 0 &&
           (learner->saving.until_storage <= 1 || goal_is_reached(learner->world));
}

/* At the end of all work, the last state has to be where states are kept for good. */
static bool is_unfinished(const struct learner *learner)
{
    const struct saving *saving = &learner->saving;
    return goal_is_reached(learner->world) &&
           (saving->worked > 0 || !(goes_to_storage(learner) ? newest(saving)->in_storage : true));
}

bool saving_is_due(const struct learner *learner)
{
    const struct saving *saving = &learner->saving;
    if (!saving->saved)
        return false;
    bool by_clock = config_of(learner)->measure == INTERVAL_OF_TIME;
    sim_time passed = by_clock ? now_of(learner) - saving->since : saving->worked;
    return (saving->worked > 0 && passed >= saving->interval) || is_unfinished(learner);
}

sim_time saving_time(const struct learner *learner)
{
    const struct saving *saving = &learner->saving;
    sim_time length = 0;
    if (has_memory(learner) && saving->worked > 0)
        length = config_of(learner)->memory.write_time;
    if (!goes_to_storage(learner))
        return length;
    if (saving->in_background > 0)
        length = sim_time_add(length, saving->ends - now_of(learner));
    bool under_way = saving->worked == 0 && saving->in_background == saving->count - 1;
    return under_way ? length : sim_time_add(length, saving->blocking_time);
}

/* In the background it goes on. */
sim_time saving_time_to_complete(const struct learner *learner)
{
    bool later = config_of(learner)->mode == CHECKPOINTS_ASYNCHRONOUS && goes_to_storage(learner);
    return sim_time_add(saving_time(learner), later ? learner->saving.write_time : 0);
}

static void push(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    saving->saved[saving->count++] = (struct saved){.time = now_of(learner),
                                                    .clock = learner->clock,
                                                    .position = learner->position,
                                                    .work = learner->work};
    saving->worked = 0;
    saving->until_storage--;
    tape_write(learner->world->tape, learner_record(learner, TAPE_SNAPSHOT));
}

static void store(struct learner *learner, sim_time worked)
{
    struct saving *saving = &learner->saving;
    bool at_once = config_of(learner)->mode == CHECKPOINTS_BLOCKING || saving->write_time == 0;
    saving->until_storage = config_of(learner)->memory.storage_every;
    if (at_once)
        newest(saving)->in_storage = true;
    else
        write_in_background(learner, worked);
}

/* Where nothing was done since the last one, it was waited for, or is stored after all. */
void saving_complete(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    sim_time worked = saving->worked;
    bool stores = goes_to_storage(learner);
    if (stores && saving->in_background > 0)
        end_background(learner); /* at this very moment */
    if (worked > 0)
        push(learner);
    if (worked > 0 && has_memory(learner))
        keep_in_memory(learner);
    if (stores && !newest(saving)->in_storage)
        store(learner, worked);
    saving->since = now_of(learner);
    forget(learner);
}

/* Losing and going back. */

static bool is_set(const struct saving *saving, int64_t slice)
{
    return saving->failed[slice / WORD] >> (slice % WORD) & 1;
}

/* A shard is lost with its owner and the owner's peer; who fails may be the one or the other. */
static bool is_memory_lost(const struct learner *learner, int64_t slice)
{
    const struct saving *saving = &learner->saving;
    if (config_of(learner)->memory.copies == COPIES_HOST || saving->slices < 2)
        return true;
    int64_t peer = checkpoint_peer(slice, saving->slices), other = checkpoint_peer(peer, saving->slices);
    return is_set(saving, peer) || (other != slice && is_set(saving, other));
}

void saving_slice_failed(struct learner *learner, int64_t slice, bool forgets)
{
    struct saving *saving = &learner->saving;
    if (!saving->saved)
        return;
    break_off(learner);
    if (!saving->failed || !forgets)
        return;
    saving->failed[slice / WORD] |= (uint64_t)1 << (slice % WORD);
    if (!is_memory_lost(learner, slice))
        return;
    for (size_t i = 0; i < saving->count; i++)
        saving->saved[i].in_memory = false;
    forget(learner);
}

void saving_distrust(struct learner *learner, sim_time time)
{
    struct saving *saving = &learner->saving;
    if (!saving->saved)
        return;
    break_off(learner);
    while (saving->count > 1 && newest(saving)->time > time)
        saving->count--;
    settle(learner);
}

bool saving_goes_back(const struct learner *learner)
{
    return learner->saving.interval > 0;
}

/* What was trained in the warm-up is not taken back (learner_discard), and stays in all checkpoints. */
void saving_roll_back(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    break_off(learner);
    struct saved *to = newest(saving);
    learner_discard(learner, learner_work_between(&to->work, &learner->work));
    const struct learner_work left = learner_work_between(&to->work, &learner->work);
    for (size_t i = 0; i + 1 < saving->count; i++) {
        saving->saved[i].work.useful += left.useful;
        saving->saved[i].work.steps += left.steps;
        saving->saved[i].work.tokens += left.tokens;
        saving->saved[i].work.seconds += left.seconds;
        saving->saved[i].work.squares += left.squares;
    }
    to->work = learner->work;
    saving->worked = 0;
    learner->clock = to->clock;
    learner->position = to->position;
    settle(learner);
    tape_write(learner->world->tape, learner_record(learner, TAPE_ROLLBACK));
}

bool saving_is_outdated(const struct learner *learner)
{
    return learner->saving.saved && newest(&learner->saving)->clock != learner->clock;
}

sim_time saving_load(struct learner *learner)
{
    const struct saving *saving = &learner->saving;
    if (saving_is_outdated(learner))
        saving_roll_back(learner);
    return newest(saving)->in_memory ? config_of(learner)->memory.load_time : saving->load_time;
}

void saving_resumed(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    saving->since = now_of(learner);
    if (saving->failed && newest(saving)->in_memory && !learner->failure_unseen)
        keep_in_memory(learner);
}

/* Life. */

/* The start, those in storage, one in memory, one in the background, and a new one. */
static size_t most_saved(const struct learner *learner)
{
    return (size_t)config_of(learner)->kept + 5;
}

static bool create(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    struct world *world = learner->world;
    saving->saved = calloc(most_saved(learner), sizeof *saving->saved);
    saving->slices = layout_first_slice(&world->layout, learner->number + 1) -
                     layout_first_slice(&world->layout, learner->number);
    if (has_memory(learner))
        saving->failed = calloc((size_t)saving->slices / WORD + 1, sizeof *saving->failed);
    if (config_of(learner)->mode == CHECKPOINTS_ASYNCHRONOUS)
        saving->actor = sim_engine_add_actor(world->engine, on_written, learner);
    return saving->saved && (saving->failed || !has_memory(learner)) && saving->actor != UINT32_MAX;
}

bool saving_init(struct learner *learner)
{
    struct saving *saving = &learner->saving;
    const struct world *world = learner->world;
    const int64_t host = layout_host_chips(world->config, &world->layout, learner->number);
    const struct checkpoint_job job = {world->config->workload.parameters, learner->chips,
                                       (learner->chips - 1) / host + 1};
    const struct checkpoint_config *config = config_of(learner);
    *saving = (struct saving){.until_storage = config->memory.storage_every};
    saving->write_time = checkpoint_write_time(config, &job);
    saving->blocking_time = checkpoint_blocking_time(config, &job);
    saving->load_time = checkpoint_load_time(config, &job);
    double share = (double)learner->chips / (double)world->units.chips;
    const double rate = failures_rate(&world->config->failures, &world->units, share);
    if (isnan(rate))
        return false;
    saving->interval = checkpoint_interval(config, &job, rate);
    if (!world->strategy->checkpoints)
        return true;
    if (!create(learner))
        return false;
    saving->saved[saving->count++].in_storage = true;
    return true;
}

void saving_free(struct learner *learner)
{
    free(learner->saving.saved);
    free(learner->saving.failed);
}
