/*
 * What a learner has trained and may still lose.
 */
#ifndef MODELS_TRAINING_WORK_H
#define MODELS_TRAINING_WORK_H

#include "sim/ledger.h"

struct learner_work {
    sim_amount useful; /* chip-nanoseconds */
    double steps;      /* weighed by the learner's share of the chips */
    double tokens;
    double seconds; /* in steps, weighed likewise */
    double squares; /* of the seconds of each step, weighed likewise */
};

/* What was trained from FROM to TO. */
static inline struct learner_work learner_work_between(const struct learner_work *from,
                                                       const struct learner_work *to)
{
    return (struct learner_work){.useful = to->useful - from->useful,
                                 .steps = to->steps - from->steps,
                                 .tokens = to->tokens - from->tokens,
                                 .seconds = to->seconds - from->seconds,
                                 .squares = to->squares - from->squares};
}

#endif
