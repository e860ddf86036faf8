#include "models/training/topology.h"

#include <stdbool.h>

/* Distances that are powers of two and at most half of the circle. */
static int64_t exponential_distances(int64_t learners)
{
    int64_t count = 0;
    for (int64_t distance = 1; 2 * distance <= learners; distance *= 2)
        count++;
    return count;
}

/* The longest distance leads to the same learner both ways where it is exactly half of the circle. */
static int64_t circle_degree(int64_t learners, int64_t distances)
{
    if (distances == 0)
        return 0;
    int64_t longest = (int64_t)1 << (distances - 1);
    return 2 * distances - (2 * longest == learners);
}

int64_t topology_degree(int64_t topology, int64_t learners, int64_t peers)
{
    switch (topology) {
    case TOPOLOGY_RING:
        return circle_degree(learners, learners > 1);
    case TOPOLOGY_EXPONENTIAL:
        return circle_degree(learners, exponential_distances(learners));
    case TOPOLOGY_COMPLETE:
        return learners - 1;
    default:
        return peers;
    }
}

int64_t topology_partner(int64_t topology, int64_t learners, int64_t learner, int64_t number)
{
    if (topology == TOPOLOGY_COMPLETE)
        return number < learner ? number : number + 1;
    int64_t distance = (int64_t)1 << (number / 2);
    return (number % 2 ? learner + learners - distance : learner + distance) % learners;
}

/* On a circle, partners at one distance come one way and the other; there is one alone at half of the circle.
 */
int64_t topology_mirror(int64_t topology, int64_t learners, int64_t learner, int64_t number)
{
    if (topology == TOPOLOGY_COMPLETE)
        return number < learner ? learner - 1 : learner;
    bool alone = ((int64_t)2 << (number / 2)) == learners;
    return alone ? number : number ^ 1;
}
