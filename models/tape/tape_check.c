/*
 * Causality: goes through a tape with just enough memory to know what each record may refer to. A tape may
 * come from anywhere: memory grows with its records, whatever numbers are in them.
 */
#include "models/tape/tape.h"

#include "models/tape/snapshots.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_POSITION (INT64_C(1) << 50) /* times the most replayed steps of a step, it is an integer yet */
#define ROUNDED 1e-9                     /* what rounding may add to a sum of shares, or to its tokens */

struct actor_state {
    bool alive, in_step, in_round;
    int64_t clock;
    int64_t applied; /* newest clock of a fragment that came within the step; its own when that is over */
    struct snapshots snapshots;
    uint64_t rollbacks; /* its own, the syncer's, copies: what was applied before may be applied again */
};

struct sending {
    int32_t learner, fragment;
    int64_t clock;
    int64_t learner_clock; /* how far the learner was: its part of the vector clock */
};

/* The newest clock of a fragment that a learner applied, a node of a tree. */
struct application {
    int32_t learner, fragment;
    int64_t clock;
    uint64_t rollbacks; /* of the learner by then */
};

struct checker {
    const struct tape *tape;
    struct actor_state *learners;
    int64_t syncer_snapshot; /* -1: none */
    int64_t *merged;         /* newest clock merged, by fragment (the last: whole model); 0: none */
    void *applied;           /* tree of struct application */
    struct sending *sent;    /* and not merged yet */
    size_t sent_count, sent_capacity;
    size_t number; /* of the record in hand */
    struct error *error;
};

static bool broken(struct checker *checker, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool broken(struct checker *checker, const char *format, ...)
{
    char what[400], actor[24] = "the syncer";
    const struct tape_record *record = &checker->tape->records[checker->number];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (record->actor != TAPE_SYNCER)
        snprintf(actor, sizeof actor, "learner %d", record->actor);
    error_set(checker->error, ERROR_INPUT, "tape record %zu (%s of %s at %.9f s): %s", checker->number,
              record->kind < TAPE_KINDS ? tape_kind_names[record->kind] : "unknown kind", actor,
              sim_time_to_seconds(record->time), what);
    return false;
}

static size_t columns(const struct checker *checker)
{
    return (size_t)checker->tape->fragments + 1;
}

static size_t column(const struct checker *checker, int32_t fragment)
{
    return fragment == TAPE_WHOLE ? columns(checker) - 1 : (size_t)fragment;
}

static bool out_of_memory(struct checker *checker)
{
    error_out_of_memory(checker->error, "checking a tape");
    return false;
}

static bool check_names(struct checker *checker, const struct tape_record *record)
{
    const struct tape *tape = checker->tape;
    bool syncer_acts =
        record->kind == TAPE_MERGE || record->kind == TAPE_SNAPSHOT || record->kind == TAPE_ROLLBACK;
    if (record->kind >= TAPE_KINDS)
        return broken(checker, "kind %d is unknown", record->kind);
    if (record->actor < TAPE_SYNCER || record->actor >= tape->learners)
        return broken(checker, "there is no such learner; the tape has %d", tape->learners);
    if (record->actor == TAPE_SYNCER && !syncer_acts)
        return broken(checker, "the syncer does nothing of that kind");
    if (record->kind == TAPE_MERGE && record->actor != TAPE_SYNCER)
        return broken(checker, "only the syncer merges");
    if (record->fragment < TAPE_WHOLE || record->fragment >= tape->fragments)
        return broken(checker, "there is no fragment %d; the tape has %d", record->fragment, tape->fragments);
    if (record->peer < TAPE_SYNCER || record->peer >= tape->learners)
        return broken(checker, "there is no learner %d", record->peer);
    if (checker->number > 0 && record->time < tape->records[checker->number - 1].time)
        return broken(checker, "it comes after a record of a later time");
    if (record->actor != TAPE_SYNCER && record->kind != TAPE_LOST && record->kind != TAPE_COPY &&
        !checker->learners[record->actor].alive)
        return broken(checker, "the learner has no state: it was lost and has not been brought back");
    return true;
}

static void take_over_clock(struct actor_state *learner, int64_t clock)
{
    if (clock > learner->clock)
        learner->clock = clock;
}

static bool check_step(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    bool begins = record->kind == TAPE_STEP_BEGIN;
    if (learner->in_step == begins)
        return broken(checker, begins ? "the step before has not ended" : "no step has begun");
    if (learner->in_round)
        return broken(checker, "the round's mixing has not ended");
    double most = checker->tape->shares[record->actor] * checker->tape->full_tokens;
    if (!(record->tokens >= 0 && record->tokens <= most * (1 + ROUNDED)))
        return broken(checker, "%g tokens, of %g at most", record->tokens, most);
    if (record->position < 0 || record->position > MOST_POSITION)
        return broken(checker, "its data has no position %" PRId64, record->position);
    learner->in_step = begins;
    if (record->kind == TAPE_STEP_END && record->clock <= learner->clock)
        return broken(checker, "clock %" PRId64 " after %" PRId64, record->clock, learner->clock);
    if (record->kind == TAPE_STEP_END)
        learner->clock = record->clock;
    if (!begins)
        take_over_clock(learner, learner->applied);
    return true;
}

/* The index of what LEARNER sent of FRAGMENT for CLOCK; sent_count if it sent nothing. The newest are last.
 */
static size_t find_sending(const struct checker *checker, int32_t learner, int32_t fragment, int64_t clock)
{
    for (size_t i = checker->sent_count; i-- > 0;) {
        const struct sending *sending = &checker->sent[i];
        if (sending->learner == learner && sending->fragment == fragment && sending->clock == clock)
            return i;
    }
    return checker->sent_count;
}

static bool reserve_sending(struct checker *checker)
{
    if (checker->sent_count < checker->sent_capacity)
        return true;
    size_t capacity = checker->sent_capacity ? 2 * checker->sent_capacity : 64;
    struct sending *larger = realloc(checker->sent, capacity * sizeof *larger);
    if (!larger)
        return out_of_memory(checker);
    checker->sent = larger;
    checker->sent_capacity = capacity;
    return true;
}

static bool check_send(struct checker *checker, const struct tape_record *record)
{
    int64_t clock = checker->learners[record->actor].clock;
    if (record->clock <= checker->merged[column(checker, record->fragment)])
        return broken(checker, "clock %" PRId64 " of the fragment is merged already", record->clock);
    if (find_sending(checker, record->actor, record->fragment, record->clock) < checker->sent_count)
        return broken(checker, "the fragment was sent for clock %" PRId64 " before", record->clock);
    if (!reserve_sending(checker))
        return false;
    checker->sent[checker->sent_count++] = (struct sending){.learner = record->actor,
                                                            .fragment = record->fragment,
                                                            .clock = record->clock,
                                                            .learner_clock = clock};
    return true;
}

static void drop_sending(struct checker *checker, size_t index)
{
    checker->sent[index] = checker->sent[--checker->sent_count];
}

static bool check_part(struct checker *checker, const struct tape_record *record,
                       const struct tape_part *part)
{
    if (part->learner < 0 || part->learner >= checker->tape->learners)
        return broken(checker, "there is no learner %d", part->learner);
    if (!(part->weight >= 0 && isfinite(part->weight)))
        return broken(checker, "learner %d has weight %g", part->learner, part->weight);
    size_t index = find_sending(checker, part->learner, record->fragment, record->clock);
    if (index == checker->sent_count)
        return broken(checker, "learner %d sent nothing for clock %" PRId64, part->learner, record->clock);
    if (part->clock != checker->sent[index].learner_clock)
        return broken(checker, "learner %d was at clock %" PRId64 " when it sent, not at %" PRId64,
                      part->learner, checker->sent[index].learner_clock, part->clock);
    drop_sending(checker, index);
    return true;
}

/* What else was sent of the fragment by then comes too late. */
static void drop_late(struct checker *checker, const struct tape_record *record)
{
    for (size_t i = checker->sent_count; i-- > 0;)
        if (checker->sent[i].fragment == record->fragment && checker->sent[i].clock <= record->clock)
            drop_sending(checker, i);
}

/* Some participants may be behind, the syncer follows one that is not; what that one sent may come too late,
 * and is then among what was sent and not merged. The whole model counts rounds. */
static bool is_ahead_of_all(const struct checker *checker, const struct tape_record *record)
{
    if (record->fragment == TAPE_WHOLE || record->parts == 0)
        return false;
    for (uint32_t i = 0; i < record->parts; i++)
        if (checker->tape->parts[record->first_part + i].clock >= record->clock)
            return false;
    for (size_t i = 0; i < checker->sent_count; i++)
        if (checker->sent[i].fragment == record->fragment && checker->sent[i].clock == record->clock &&
            checker->sent[i].learner_clock >= record->clock)
            return false;
    return true;
}

static bool check_merge(struct checker *checker, const struct tape_record *record)
{
    int64_t *merged = &checker->merged[column(checker, record->fragment)];
    if (record->clock <= *merged)
        return broken(checker, "clock %" PRId64 " after %" PRId64, record->clock, *merged);
    if ((size_t)record->first_part + record->parts > checker->tape->part_count)
        return broken(checker, "its participants lie beyond the tape's");
    for (uint32_t i = 0; i < record->parts; i++)
        if (!check_part(checker, record, &checker->tape->parts[record->first_part + i]))
            return false;
    if (is_ahead_of_all(checker, record))
        return broken(checker, "no participant has come to clock %" PRId64, record->clock);
    drop_late(checker, record);
    *merged = record->clock;
    return true;
}

static int compare_applications(const void *a, const void *b)
{
    const struct application *one = a, *other = b;
    if (one->learner != other->learner)
        return one->learner < other->learner ? -1 : 1;
    return (one->fragment > other->fragment) - (one->fragment < other->fragment);
}

/* The actor's newest application of the fragment, of clock 0 where there was none; NULL when out of memory.
 */
static struct application *find_application(struct checker *checker, const struct tape_record *record)
{
    struct application wanted = {.learner = record->actor, .fragment = record->fragment};
    struct application **found = tfind(&wanted, &checker->applied, compare_applications);
    if (found)
        return *found;
    struct application *added = malloc(sizeof *added);
    if (!added)
        return NULL;
    *added = wanted;
    if (tsearch(added, &checker->applied, compare_applications))
        return added;
    free(added);
    return NULL;
}

static bool check_apply(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    if (record->clock > checker->merged[column(checker, record->fragment)])
        return broken(checker, "clock %" PRId64 " is not merged yet", record->clock);
    struct application *application = find_application(checker, record);
    if (!application)
        return out_of_memory(checker);
    if (record->clock <= application->clock && application->rollbacks == learner->rollbacks)
        return broken(checker, "clock %" PRId64 " was applied before", application->clock);
    application->clock = record->clock;
    application->rollbacks = learner->rollbacks;
    if (record->fragment == TAPE_WHOLE)
        return true;
    if (!learner->in_step)
        take_over_clock(learner, record->clock);
    else if (record->clock > learner->applied)
        learner->applied = record->clock;
    return true;
}

static bool check_mixing(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    if (record->kind == TAPE_ROUND) {
        if (learner->in_round)
            return broken(checker, "the round before has not ended");
        learner->in_round = true;
        return true;
    }
    if (!learner->in_round)
        return broken(checker, "no round has begun");
    if (record->kind == TAPE_ROUND_END) {
        learner->in_round = false;
        return true;
    }
    if (record->peer == TAPE_SYNCER || record->peer == record->actor ||
        !checker->learners[record->peer].in_round)
        return broken(checker, "its partner %d is in no round", record->peer);
    if (!(record->weight >= 0 && isfinite(record->weight)))
        return broken(checker, "the edge has weight %g", record->weight);
    return true;
}

static void roll_back_learner(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    learner->clock = record->clock;
    learner->applied = 0;
    learner->in_step = learner->in_round = false;
    learner->rollbacks++;
}

static void roll_back_syncer(struct checker *checker, const struct tape_record *record)
{
    for (size_t i = 0; i < columns(checker); i++)
        if (checker->merged[i] > record->clock)
            checker->merged[i] = record->clock;
    for (int32_t i = 0; i < checker->tape->learners; i++)
        checker->learners[i].rollbacks++;
}

static bool keep_snapshot(struct checker *checker, const struct tape_record *record)
{
    if (record->actor == TAPE_SYNCER) {
        checker->syncer_snapshot = record->clock;
        return true;
    }
    struct snapshots *snapshots = &checker->learners[record->actor].snapshots;
    return snapshots_add(snapshots, record->clock, checker->number) || out_of_memory(checker);
}

static bool has_snapshot(struct checker *checker, const struct tape_record *record)
{
    size_t number;
    if (record->actor == TAPE_SYNCER)
        return record->clock >= 0 && checker->syncer_snapshot == record->clock;
    return record->clock >= 0 &&
           snapshots_go_back(&checker->learners[record->actor].snapshots, record->clock, &number);
}

static bool check_snapshot(struct checker *checker, const struct tape_record *record)
{
    bool syncer = record->actor == TAPE_SYNCER;
    if (record->kind == TAPE_SNAPSHOT && record->clock < 0)
        return broken(checker, "clock %" PRId64 " is negative", record->clock);
    if (record->kind == TAPE_SNAPSHOT)
        return keep_snapshot(checker, record);
    if (!has_snapshot(checker, record))
        return broken(checker, "there is no snapshot of clock %" PRId64, record->clock);
    if (syncer)
        roll_back_syncer(checker, record);
    else
        roll_back_learner(checker, record);
    return true;
}

static bool check_copy(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    if (record->peer == record->actor)
        return broken(checker, "it is its own peer");
    if (record->peer != TAPE_SYNCER && !checker->learners[record->peer].alive)
        return broken(checker, "its peer %d has no state", record->peer);
    learner->alive = true;
    learner->clock = record->clock;
    learner->applied = 0;
    learner->in_step = learner->in_round = false;
    learner->rollbacks++; /* what was on its way when the copy was made may be in it already */
    return true;
}

static bool check_lost(struct checker *checker, const struct tape_record *record)
{
    struct actor_state *learner = &checker->learners[record->actor];
    if (!learner->alive)
        return broken(checker, "it was lost before");
    learner->alive = learner->in_step = learner->in_round = false;
    return true;
}

static bool check_record(struct checker *checker, const struct tape_record *record)
{
    if (!check_names(checker, record))
        return false;
    switch ((enum tape_kind)record->kind) {
    case TAPE_STEP_BEGIN:
    case TAPE_STEP_END:
    case TAPE_STEP_LOST:
        return check_step(checker, record);
    case TAPE_SEND:
        return check_send(checker, record);
    case TAPE_MERGE:
        return check_merge(checker, record);
    case TAPE_APPLY:
        return check_apply(checker, record);
    case TAPE_ROUND:
    case TAPE_MIX:
    case TAPE_ROUND_END:
        return check_mixing(checker, record);
    case TAPE_SNAPSHOT:
    case TAPE_ROLLBACK:
        return check_snapshot(checker, record);
    case TAPE_LOST:
        return check_lost(checker, record);
    case TAPE_COPY:
        return check_copy(checker, record);
    case TAPE_RESET:
    case TAPE_KINDS:
        break;
    }
    return true;
}

static bool header_error(struct checker *checker, const char *what, double value)
{
    error_set(checker->error, ERROR_INPUT, "the tape's header: %s %g", what, value);
    return false;
}

static bool check_header(struct checker *checker)
{
    const struct tape *tape = checker->tape;
    double sum = 0;
    if (tape->learners < 1)
        return header_error(checker, "learners", tape->learners);
    if (tape->fragments < 0 || tape->fragments > TAPE_MOST_FRAGMENTS)
        return header_error(checker, "fragments", tape->fragments);
    if (!(tape->full_tokens > 0 && isfinite(tape->full_tokens)))
        return header_error(checker, "tokens of a full step", tape->full_tokens);
    for (int32_t i = 0; i < tape->learners; i++) {
        if (!(tape->shares[i] >= 0))
            return header_error(checker, "a learner's share", tape->shares[i]);
        sum += tape->shares[i];
    }
    if (!(sum <= 1 + ROUNDED))
        return header_error(checker, "shares that add up to", sum);
    return true;
}

static bool init(struct checker *checker)
{
    size_t learners = (size_t)checker->tape->learners;
    checker->learners = calloc(learners, sizeof *checker->learners);
    checker->merged = calloc(columns(checker), sizeof *checker->merged);
    if (!checker->learners || !checker->merged)
        return out_of_memory(checker);
    for (size_t i = 0; i < learners; i++)
        checker->learners[i] = (struct actor_state){.alive = true};
    return true;
}

bool tape_check(const struct tape *tape, struct error *error)
{
    struct checker checker = {.tape = tape, .syncer_snapshot = -1, .error = error};
    bool good = check_header(&checker) && init(&checker);
    for (; good && checker.number < tape->count; checker.number++)
        good = check_record(&checker, &tape->records[checker.number]);
    for (int32_t i = 0; checker.learners && i < tape->learners; i++)
        snapshots_free(&checker.learners[i].snapshots);
    free(checker.learners);
    free(checker.merged);
    tdestroy(checker.applied, free);
    free(checker.sent);
    return good;
}
