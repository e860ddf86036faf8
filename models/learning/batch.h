/*
 * How many sequences a learner's share of the batch is, when it is no whole number: sometimes the next
 * smaller one and sometimes the next larger, so that what is read keeps up with the tokens that the run
 * counts.
 */
#ifndef MODELS_LEARNING_BATCH_H
#define MODELS_LEARNING_BATCH_H

#include <stdint.h>

/* The sequences of LEARNER at POSITION, at least 1: SHARE >= 0 of them in the mean over any run of positions,
 * where that is at least 1, and SHARE itself where it is a whole number. A function of its arguments alone.
 */
int64_t batch_sequences(double share, int64_t learner, int64_t position);

#endif
