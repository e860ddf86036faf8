/*
 * Merges whose participants are fixed, from the pulling of the fragments to the merge: what each learner
 * gave, and where that is if it comes to nothing.
 */
#include "models/training/decoupled_internal.h"

#include <stdlib.h>

void decoupled_note_merged(struct member *member, int64_t fragment)
{
    member->merged[fragment] = member->learner->work;
}

struct coming_merge *decoupled_begin_merge(struct decoupled *decoupled, int64_t step)
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

void decoupled_end_merge(struct decoupled *decoupled)
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

void decoupled_add_part(struct decoupled *decoupled, struct coming_merge *coming, struct member *member)
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
    decoupled_note_merged(member, fragment);
}

void decoupled_discard(struct decoupled *decoupled, struct member *member, struct learner_work work)
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
        decoupled_discard(decoupled, member, part->work);
    } else if (next) {
        next->before = part->before;
        next->work = sum_of(next->work, part->work, 1);
        next->grains += part->grains;
    } else {
        account_return(decoupled->account, learner, coming->fragment, part->grains);
        member->merged[coming->fragment] = part->before;
    }
}

void decoupled_left_out(void *context, int64_t learner, int64_t step)
{
    struct decoupled *decoupled = context;
    struct coming_merge *coming = decoupled->coming;
    while (coming->step != step)
        coming = coming->next;
    take_out_part(decoupled, coming, learner);
}

void decoupled_count_merged(struct decoupled *decoupled, const struct coming_merge *coming)
{
    for (int64_t i = 0; i < member_count(decoupled); i++) {
        const struct part *part = &coming->parts[i];
        if (!part->takes)
            continue;
        account_merge(decoupled->account, part->grains);
        decoupled->members[i].in_syncer = sum_of(decoupled->members[i].in_syncer, part->work, 1);
    }
}

void decoupled_break_off_merges(struct decoupled *decoupled)
{
    for (struct coming_merge *coming = decoupled->coming; coming; coming = coming->next)
        for (int64_t i = 0; i < member_count(decoupled); i++)
            if (coming->parts[i].takes)
                take_out_part(decoupled, coming, i);
    while (decoupled->coming)
        decoupled_end_merge(decoupled);
    gathering_break_off(decoupled->gathering);
}

void decoupled_write_merge(struct decoupled *decoupled, const struct coming_merge *coming,
                           const bool *present)
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

void decoupled_free_merges(struct coming_merge *coming)
{
    while (coming) {
        struct coming_merge *next = coming->next;
        free(coming);
        coming = next;
    }
}
