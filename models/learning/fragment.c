/*
 * Longest processing time first, Graham 1969: the largest tensor that is left goes into the emptiest
 * fragment. There are tens of tensors and it is done once, so that it sums afresh and needs no memory.
 */
#include "models/learning/outer.h"
#include <assert.h>

enum { NOWHERE = -1 };

static size_t size_of(const struct tensor *tensor)
{
    return tensor->rows * tensor->columns;
}

/* The number of the largest tensor that is in no fragment, COUNT if all are. */
static size_t largest_left(const struct tensor *tensors, size_t count, const int32_t *fragment_of)
{
    size_t largest = count;
    for (size_t i = 0; i < count; i++)
        if (fragment_of[i] == NOWHERE &&
            (largest == count || size_of(&tensors[i]) > size_of(&tensors[largest])))
            largest = i;
    return largest;
}

static size_t load_of(const struct tensor *tensors, size_t count, const int32_t *fragment_of,
                      int32_t fragment)
{
    size_t load = 0;
    for (size_t i = 0; i < count; i++)
        if (fragment_of[i] == fragment)
            load += size_of(&tensors[i]);
    return load;
}

static int32_t emptiest(const struct tensor *tensors, size_t count, const int32_t *fragment_of,
                        int64_t fragments)
{
    int32_t best = 0;
    size_t least = load_of(tensors, count, fragment_of, 0);
    for (int32_t fragment = 1; fragment < fragments && least > 0; fragment++) {
        const size_t load = load_of(tensors, count, fragment_of, fragment);
        if (load < least) {
            best = fragment;
            least = load;
        }
    }
    return best;
}

void fragment_tensors(const struct tensor *tensors, size_t count, int64_t fragments, int32_t *fragment_of)
{
    assert(fragments >= 1 && fragments <= INT32_MAX);
    for (size_t i = 0; i < count; i++)
        fragment_of[i] = NOWHERE;
    for (size_t i = largest_left(tensors, count, fragment_of); i < count;
         i = largest_left(tensors, count, fragment_of))
        fragment_of[i] = emptiest(tensors, count, fragment_of, fragments);
}
