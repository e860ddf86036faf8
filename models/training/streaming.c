/*
 * Streaming DiLoCo (arXiv 2501.18512): learners take the same steps apart; after each step at which a
 * fragment is due they all-reduce that fragment's drift while stepping on, and take the merged fragment in τ
 * steps later.
 *
 * A learner does not begin step t + τ + 1 before the synchronisation of step t is over, and that one is not
 * over before all learners that are up have done step t: they stay within τ + 1 steps of each other, and a
 * link that is too thin slows them down. Synchronisations are kept, in the order of their steps, until
 * everybody has taken the fragment in.
 *
 * Released layer by layer, fragment p is the layers p + 1, p + 1 + P, … ("strided"). Each is reduced behind
 * the backward pass; the lowest comes last, and the forward pass of step t + τ + 1 waits before that one.
 */
#include "models/training/streaming_internal.h"

#include <stdlib.h>

void streaming_poke_all(struct streaming *streaming)
{
    for (int64_t i = 0; i < streaming_member_count(streaming); i++)
        learner_poke(streaming->members[i].learner);
}

static void write_fragment(const struct streaming *streaming, const struct learner *learner,
                           enum tape_kind kind, int64_t step)
{
    struct tape_record record = learner_record(learner, kind);
    record.fragment = (int32_t)fragment_due(&streaming->schedule, step);
    record.clock = step;
    tape_write(streaming->world->tape, record);
}

/* What is τ steps old or older. */
static void apply_due(struct streaming *streaming, struct member *member)
{
    const struct window *window = &streaming->window;
    int64_t until = member->learner->clock - streaming->options->overlap;
    for (size_t i = 0; i < window->count; i++) {
        int64_t step = window->open[i].step;
        if (step > until || step <= member->applied)
            continue;
        write_fragment(streaming, member->learner, TAPE_APPLY, step);
        member->applied = step;
    }
}

int64_t streaming_needed_step(const struct streaming *streaming, const struct learner *learner)
{
    return fragment_last_due(&streaming->schedule, learner->clock - streaming->options->overlap);
}

bool streaming_take_in(struct streaming *streaming, struct learner *learner)
{
    if (streaming_needed_step(streaming, learner) > streaming->window.over_until)
        return false;
    apply_due(streaming, &streaming->members[learner->number]);
    streaming_drop_taken(streaming);
    return true;
}

static int obstacle(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    if (streaming_take_in(streaming, learner))
        return NO_OBSTACLE;
    return streaming_part_obstacle(state, learner, 0);
}

static struct traffic_blame blame(const void *state, const struct learner *learner)
{
    (void)learner;
    const struct streaming *streaming = state;
    return reducer_blame(streaming->reducer);
}

/* A learner that was lost and does a step again behind its peers has sent that step's drift already. */
static void send_fragment(struct streaming *streaming, struct learner *learner, int64_t fragment)
{
    if (!streaming_join(streaming, learner))
        return;
    streaming->members[learner->number].sent[fragment] = learner->work;
    write_fragment(streaming, learner, TAPE_SEND, learner->clock);
    streaming_release_whole(streaming, learner);
}

static void step_done(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    int64_t fragment = fragment_due(&streaming->schedule, learner->clock);
    if (fragment >= 0 && learner->clock > streaming->window.over_until)
        send_fragment(streaming, learner, fragment);
    reducer_look(streaming->reducer);
    streaming_end_complete(streaming);
}

/* Its part of the fragment is void, as far as it has not been reduced. */
static void step_lost(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    reducer_withdraw(streaming->reducer, learner->number, learner->clock + 1);
}

/* Loss and recovery. */

static void back(void *state, struct learner *learner);

static void lost(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    struct member *member = &streaming->members[learner->number];
    learner_discard(learner, learner_work_since(learner, member->sent, streaming->schedule.fragments));
    for (int64_t p = 0; p < streaming->schedule.fragments; p++)
        member->sent[p] = learner->work;
    tape_write(streaming->world->tape, learner_record(learner, TAPE_LOST));
    reducer_look(streaming->reducer);
    streaming_end_complete(streaming);
    streaming_poke_all(streaming);
    streaming_drop_taken(streaming);
    for (int64_t i = 0; i < streaming_member_count(streaming); i++)
        if (recovery_break_off(&streaming->members[i].recovery, learner))
            back(streaming, streaming->members[i].learner);
}

/* It goes on from where a peer stands by now; with none left, from what was last merged. */
static void on_recovered(void *context)
{
    struct member *member = context;
    struct streaming *streaming = member->streaming;
    int64_t donor = member->recovery.donor;
    const struct member *from = donor == RECOVERY_NO_DONOR ? NULL : &streaming->members[donor];
    member->learner->clock = from ? from->learner->clock : streaming_newest_step(streaming);
    member->applied = from ? from->applied : streaming->window.over_until;
    recovery_write_copy(member->learner, donor);
    learner_resume(member->learner);
}

static void back(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    recovery_send(&streaming->members[learner->number].recovery,
                  recovery_nearest_donor(streaming->world, learner));
}

/* Life. */

static void destroy(void *state)
{
    struct streaming *streaming = state;
    reducer_destroy(streaming->reducer);
    streaming_window_free(&streaming->window);
    free(streaming->members);
    free(streaming->sent);
    free(streaming);
}

static bool init(struct streaming *streaming)
{
    struct world *world = streaming->world;
    size_t learners = (size_t)streaming_member_count(streaming),
           fragments = (size_t)streaming->schedule.fragments;
    streaming->members = calloc(learners, sizeof *streaming->members);
    streaming->sent = calloc(learners * fragments, sizeof *streaming->sent);
    if (!streaming->members || !streaming->sent || !streaming_window_create(streaming))
        return false;
    for (size_t i = 0; i < learners; i++) {
        struct member *member = &streaming->members[i];
        *member = (struct member){
            .streaming = streaming, .learner = &world->learners[i], .sent = streaming->sent + i * fragments};
        recovery_init(&member->recovery, &world->learners[i], on_recovered, member);
    }
    return true;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    const struct streaming_options *wanted = options;
    struct streaming *streaming = calloc(1, sizeof *streaming);
    if (streaming) {
        streaming->world = world;
        streaming->options = wanted;
        streaming->schedule = (struct fragment_schedule){wanted->inner_steps, wanted->fragments};
    }
    if (!streaming || !init(streaming)) {
        error_out_of_memory(error, "Streaming DiLoCo");
    } else if (streaming_create_reducer(streaming, error)) {
        return streaming;
    }
    if (streaming)
        destroy(streaming);
    return NULL;
}

const struct strategy_functions streaming_functions = {
    .check = streaming_check,
    .reductions = streaming_reductions,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = blame,
    .step_done = step_done,
    .step_lost = step_lost,
    .part_obstacle = streaming_part_obstacle,
    .part_stop = streaming_part_stop,
    .part_done = streaming_part_done,
    .lost = lost,
    .back = back,
};
