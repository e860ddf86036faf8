/*
 * Messages that leave a place one after another, each when the former has left, and that are delivered in the
 * order in which they were sent, as over one connection: a message that chance brings sooner waits for those
 * before it. What several outboxes send shares the links (traffic.h).
 */
#ifndef MODELS_TRAINING_OUTBOX_H
#define MODELS_TRAINING_OUTBOX_H

#include "models/training/traffic.h"

struct outbox;

/* The message that its sender numbered so is there. May send others. */
typedef void outbox_handler(void *context, int64_t number);

/* Nothing sent yet; TRAFFIC outlives it. NULL when memory runs out; the caller destroys it, once nothing of
 * TRAFFIC calls back any more. */
struct outbox *outbox_create(struct traffic *traffic, outbox_handler *delivered, void *context);
void outbox_destroy(struct outbox *outbox); /* NULL is allowed */

/* Sends BITS when all before have left; a message without bits keeps none waiting. Memory running out is in
 * traffic_failed. */
void outbox_send(struct outbox *outbox, int64_t from, int64_t to, double bits, int64_t number);

/* A message that has got there another way: only delivered, after those before it. */
void outbox_note(struct outbox *outbox, int64_t number);

/* Takes the message of that number back, under way or not; it is never delivered. */
void outbox_withdraw(struct outbox *outbox, int64_t number);

/* The same, but only if nothing of it can have left yet. */
void outbox_supersede(struct outbox *outbox, int64_t number);

/* Takes back all that is not delivered yet. */
void outbox_clear(struct outbox *outbox);

/* The worst fault of a link that the first of those messages crosses. */
struct traffic_blame outbox_blame(const struct outbox *outbox);

size_t outbox_count(const struct outbox *outbox); /* messages not delivered yet */

#endif
