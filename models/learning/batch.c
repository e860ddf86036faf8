/*
 * Fractions are spread by multiples of the golden ratio, which fill 0 … 1 evenly from whatever position on.
 */
#include "models/learning/batch.h"

#include <math.h>

#define GOLDEN 0.6180339887498949  /* of positions */
#define PLASTIC 0.7548776662466927 /* of learners, so that they don't all round alike */
#define ROUNDED 1e-9               /* what a share of a whole number may be off */

int64_t batch_sequences(double share, int64_t learner, int64_t position)
{
    if (fabs(share - rint(share)) < ROUNDED)
        return share < 1 - ROUNDED ? 1 : llround(share);
    double threshold = fmod((double)position * GOLDEN + (double)learner * PLASTIC, 1);
    int64_t sequences = (int64_t)floor(share + threshold);
    return sequences > 0 ? sequences : 1;
}
