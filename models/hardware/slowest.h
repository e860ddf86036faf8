/*
 * The slowest of n units with lasting speeds, without a number for each of them.
 *
 * The units' factors are independent draws of one law; the slowest one's is known by its upper tail
 * probability, 1 − F(x): of n units it is 1 − u^(1/n), and smaller means slower. Units are exchangeable, so
 * when k of n leave, the slowest is among them with the chance k/n, and those that stay are as good as drawn
 * anew below it; when k join, the slowest of them is one more draw. Both are exact, and cost one draw
 * whatever n is.
 */
#ifndef MODELS_HARDWARE_SLOWEST_H
#define MODELS_HARDWARE_SLOWEST_H

#include "sim/distribution.h"
#include "sim/stream.h"

struct slowest {
    int64_t units;
    double tail; /* 1 where there are no units */
};

/* Before anybody joined. */
struct slowest slowest_none(void);

/* UNITS join; or leave, at most those that are there. */
void slowest_join(struct slowest *slowest, int64_t units, struct sim_stream *stream);
void slowest_leave(struct slowest *slowest, int64_t units, struct sim_stream *stream);

/* The factor of the slowest by LAW; there are units. */
double slowest_factor(const struct slowest *slowest, const struct sim_distribution *law);

#endif
