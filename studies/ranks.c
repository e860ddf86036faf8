/*
 * Who has which run in hand stands in OWNERS, by the plan's runs: 0, the first process itself, stands for
 * nobody else. A result counts only from the owner, so that a run given out twice is kept once.
 */
#include "studies/ranks.h"

#include "scenarios/scenario.h"
#include "sim/wall.h"
#include "studies/channel.h"
#include "studies/parcel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer {
    size_t wanted, in_hand; /* runs */
    double heard;           /* when, in seconds of the monotonic clock */
    bool lost;
};

struct ranks {
    struct channel *channel;
    struct peer *peers; /* by number; that of the first is not used */
    size_t count;
    double patience;
    const struct plan *plan;
    size_t *owners;
    char digest[65];
};

bool ranks_digest(const struct plan *plan, bool tapes, const char *version, char digest[65])
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    if (!out)
        return false;
    fprintf(out, "%s %d %zu %zu\n", version, tapes, sizeof(struct run_result), plan->run_count);
    for (size_t i = 0; i < plan->run_count; i++)
        if (i == 0 || plan->runs[i].identity != plan->runs[i - 1].identity)
            fprintf(out, "%zu %s\n", i, plan->runs[i].identity);
    bool made = fclose(out) == 0;
    if (made)
        scenario_digest(key, digest);
    free(key);
    return made;
}

struct ranks *ranks_create(struct channel *channel, double patience, struct error *error)
{
    struct ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks) {
        *ranks = (struct ranks){.channel = channel, .count = channel_count(channel), .patience = patience};
        ranks->peers = calloc(ranks->count, sizeof *ranks->peers);
    }
    if (ranks && ranks->peers)
        return ranks;
    ranks_destroy(ranks);
    error_out_of_memory(error, "the other processes");
    return NULL;
}

void ranks_destroy(struct ranks *ranks)
{
    if (!ranks)
        return;
    free(ranks->peers);
    free(ranks->owners);
    free(ranks);
}

void ranks_expect(struct ranks *ranks, const char *digest)
{
    snprintf(ranks->digest, sizeof ranks->digest, "%s", digest);
}

bool ranks_attach(struct ranks *ranks, const struct plan *plan, struct error *error)
{
    free(ranks->owners);
    ranks->plan = plan;
    ranks->owners = calloc(plan->run_count + 1, sizeof *ranks->owners);
    for (size_t i = 0; i < ranks->count; i++)
        ranks->peers[i].in_hand = 0;
    if (!ranks->owners)
        error_out_of_memory(error, "the runs of other processes");
    return ranks->owners != NULL;
}

static bool welcome(struct ranks *ranks, const struct channel_message *message, struct error *error)
{
    struct ranks_hello hello;
    if (message->length == sizeof hello)
        memcpy(&hello, message->bytes, sizeof hello);
    if (message->length == sizeof hello && memcmp(hello.digest, ranks->digest, sizeof hello.digest) == 0) {
        ranks->peers[message->from].wanted = hello.wanted;
        return true;
    }
    error_set(
        error, ERROR_INPUT,
        "process %zu has other runs in mind than the first: are its scenario, its options and the program "
        "the same?",
        message->from);
    return false;
}

/* A run that is not, or no longer, the sender's is left aside. */
static bool accept_result(struct ranks *ranks, const struct channel_message *message,
                          struct execution *execution, bool *come, struct error *error)
{
    if (!parcel_open(message->bytes, message->length, execution, error))
        return false;
    size_t run = execution->run;
    *come = run < ranks->plan->run_count && ranks->owners[run] == message->from;
    if (!*come) {
        execution_discard(execution);
        return true;
    }
    ranks->owners[run] = 0;
    ranks->peers[message->from].in_hand--;
    return true;
}

static bool read_message(struct ranks *ranks, const struct channel_message *message,
                         struct execution *execution, bool *come, struct error *error)
{
    struct peer *peer = &ranks->peers[message->from];
    peer->heard = sim_wall_seconds();
    if (message->kind == RANKS_HELLO)
        return welcome(ranks, message, error);
    if (message->kind == RANKS_RESULT)
        return accept_result(ranks, message, execution, come, error);
    return true;
}

bool ranks_receive(struct ranks *ranks, struct execution *execution, bool *come, struct error *error)
{
    struct channel_message message;
    bool any = true;
    *come = false;
    while (any && !*come) {
        if (!channel_receive(ranks->channel, &message, &any, error))
            return false;
        if (!any)
            break;
        bool good = read_message(ranks, &message, execution, come, error);
        free(message.bytes);
        if (!good)
            return false;
    }
    return true;
}

/* One that can't be reached is as good as lost. */
static void send_or_lose(struct ranks *ranks, size_t to, int kind, const void *bytes, size_t length)
{
    if (!channel_send(ranks->channel, to, kind, bytes, length, NULL))
        ranks->peers[to].heard = -ranks->patience;
}

void ranks_give(struct ranks *ranks, struct pending *pending)
{
    for (size_t i = 1; i < ranks->count; i++) {
        struct peer *peer = &ranks->peers[i];
        size_t run;
        while (!peer->lost && peer->in_hand < peer->wanted && pending_take(pending, &run)) {
            ranks->owners[run] = i;
            peer->in_hand++;
            send_or_lose(ranks, i, RANKS_RUN, &run, sizeof run);
        }
    }
}

static void give_back(struct ranks *ranks, size_t number, struct pending *pending)
{
    for (size_t run = 0; run < ranks->plan->run_count; run++)
        if (ranks->owners[run] == number) {
            ranks->owners[run] = 0;
            pending_give_back(pending, run);
        }
    ranks->peers[number].in_hand = 0;
}

void ranks_give_back_lost(struct ranks *ranks, struct pending *pending)
{
    for (size_t i = 1; i < ranks->count; i++) {
        struct peer *peer = &ranks->peers[i];
        if (peer->lost || !peer->in_hand || sim_wall_seconds() - peer->heard < ranks->patience)
            continue;
        peer->lost = true;
        give_back(ranks, i, pending);
    }
}

bool ranks_are_busy(const struct ranks *ranks)
{
    for (size_t i = 1; i < ranks->count; i++)
        if (ranks->peers[i].in_hand)
            return true;
    return false;
}

void ranks_stop(struct ranks *ranks)
{
    if (!ranks)
        return;
    for (size_t run = 0; ranks->owners && run < ranks->plan->run_count; run++)
        ranks->owners[run] = 0;
    for (size_t i = 1; i < ranks->count; i++) {
        if (ranks->peers[i].in_hand && !ranks->peers[i].lost)
            send_or_lose(ranks, i, RANKS_STOP, NULL, 0);
        ranks->peers[i].in_hand = 0;
    }
}

size_t ranks_count(const struct ranks *ranks)
{
    return ranks ? ranks->count - 1 : 0;
}

size_t ranks_lost(const struct ranks *ranks)
{
    size_t lost = 0;
    for (size_t i = 1; ranks && i < ranks->count; i++)
        lost += ranks->peers[i].lost;
    return lost;
}

bool ranks_dismiss(struct ranks *ranks, int status)
{
    struct ranks_leave leave;
    memset(&leave, 0, sizeof leave);
    leave.orderly = ranks_lost(ranks) == 0;
    leave.status = status;
    for (size_t i = 1; i < ranks->count; i++)
        channel_send(ranks->channel, i, RANKS_LEAVE, &leave, sizeof leave, NULL);
    return leave.orderly;
}
