/*
 * Invariant: at most one letter is leaving, those after it wait, and the head is never LETTER_HERE between
 * calls. Lists are short: whoever sends waits for what comes back.
 */
#include "models/training/outbox.h"

#include <stdlib.h>

enum letter_state { LETTER_WAITING, LETTER_LEAVING, LETTER_UNDER_WAY, LETTER_HERE };

struct letter {
    struct outbox *outbox;
    struct letter *previous, *next; /* next: of the unused, too */
    enum letter_state state;
    int64_t from, to, number;
    double bits;
    flows_name name;
};

struct outbox {
    struct traffic *traffic;
    outbox_handler *delivered;
    void *context;
    struct letter *first, *last, *unused;
    struct letter *leaving; /* NULL: none */
    size_t count;
};

struct outbox *outbox_create(struct traffic *traffic, outbox_handler *delivered, void *context)
{
    struct outbox *outbox = calloc(1, sizeof *outbox);
    if (outbox)
        *outbox = (struct outbox){.traffic = traffic, .delivered = delivered, .context = context};
    return outbox;
}

static void free_letters(struct letter *letter)
{
    while (letter) {
        struct letter *next = letter->next;
        free(letter);
        letter = next;
    }
}

void outbox_destroy(struct outbox *outbox)
{
    if (!outbox)
        return;
    free_letters(outbox->first);
    free_letters(outbox->unused);
    free(outbox);
}

size_t outbox_count(const struct outbox *outbox)
{
    return outbox->count;
}

struct traffic_blame outbox_blame(const struct outbox *outbox)
{
    const struct letter *head = outbox->first;
    return head ? traffic_blame(outbox->traffic, head->from, head->to) : TRAFFIC_NO_BLAME;
}

static struct letter *take_letter(struct outbox *outbox)
{
    struct letter *letter = outbox->unused;
    if (letter)
        outbox->unused = letter->next;
    else
        letter = malloc(sizeof *letter);
    if (!letter)
        traffic_fail(outbox->traffic);
    return letter;
}

static void append(struct outbox *outbox, struct letter *letter)
{
    letter->previous = outbox->last;
    if (outbox->last)
        outbox->last->next = letter;
    else
        outbox->first = letter;
    outbox->last = letter;
    outbox->count++;
}

static void put_away(struct outbox *outbox, struct letter *letter)
{
    if (letter->previous)
        letter->previous->next = letter->next;
    else
        outbox->first = letter->next;
    if (letter->next)
        letter->next->previous = letter->previous;
    else
        outbox->last = letter->previous;
    letter->next = outbox->unused;
    outbox->unused = letter;
    outbox->count--;
}

static void deliver(struct outbox *outbox)
{
    while (outbox->first && outbox->first->state == LETTER_HERE) {
        int64_t number = outbox->first->number;
        put_away(outbox, outbox->first);
        outbox->delivered(outbox->context, number);
    }
}

static void on_arrived(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct letter *letter = context;
    letter->state = LETTER_HERE;
    deliver(letter->outbox);
}

static void on_left(struct sim_engine *engine, void *context);

/* Sends what waits, until one with bits keeps the others waiting. */
static void send_next(struct outbox *outbox)
{
    struct letter *letter = outbox->first;
    for (; letter && !outbox->leaving; letter = letter->next) {
        if (letter->state != LETTER_WAITING)
            continue;
        bool keeps_others = letter->bits > 0;
        letter->state = keeps_others ? LETTER_LEAVING : LETTER_UNDER_WAY;
        outbox->leaving = keeps_others ? letter : NULL;
        letter->name =
            traffic_send(outbox->traffic, &(struct traffic_message){.from = letter->from,
                                                                    .to = letter->to,
                                                                    .bits = letter->bits,
                                                                    .left = keeps_others ? on_left : NULL,
                                                                    .arrived = on_arrived,
                                                                    .context = letter});
    }
}

static void on_left(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct letter *letter = context;
    letter->state = LETTER_UNDER_WAY;
    letter->outbox->leaving = NULL;
    send_next(letter->outbox);
}

void outbox_send(struct outbox *outbox, int64_t from, int64_t to, double bits, int64_t number)
{
    struct letter *letter = take_letter(outbox);
    if (!letter)
        return;
    *letter = (struct letter){.outbox = outbox, .from = from, .to = to, .bits = bits, .number = number};
    append(outbox, letter);
    send_next(outbox);
}

void outbox_note(struct outbox *outbox, int64_t number)
{
    struct letter *letter = take_letter(outbox);
    if (!letter)
        return;
    *letter = (struct letter){.outbox = outbox, .state = LETTER_HERE, .number = number};
    append(outbox, letter);
    deliver(outbox);
}

static struct letter *find(const struct outbox *outbox, int64_t number)
{
    struct letter *letter = outbox->first;
    while (letter && letter->number != number)
        letter = letter->next;
    return letter;
}

void outbox_withdraw(struct outbox *outbox, int64_t number)
{
    struct letter *letter = find(outbox, number);
    if (!letter)
        return;
    if (letter->state == LETTER_LEAVING || letter->state == LETTER_UNDER_WAY)
        traffic_cancel(outbox->traffic, letter->name);
    if (outbox->leaving == letter)
        outbox->leaving = NULL;
    put_away(outbox, letter);
    send_next(outbox);
    deliver(outbox);
}

void outbox_clear(struct outbox *outbox)
{
    while (outbox->first) {
        struct letter *letter = outbox->first;
        if (letter->state == LETTER_LEAVING || letter->state == LETTER_UNDER_WAY)
            traffic_cancel(outbox->traffic, letter->name);
        put_away(outbox, letter);
    }
    outbox->leaving = NULL;
}

void outbox_supersede(struct outbox *outbox, int64_t number)
{
    struct letter *letter = find(outbox, number);
    if (letter && letter->state == LETTER_WAITING)
        put_away(outbox, letter);
}
