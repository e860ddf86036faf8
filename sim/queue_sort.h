/*
 * Sorting one bucket. Each event gets a number, its time above its place; its rank is the count of lower
 * numbers, found without branches by comparing all with all, in vectors where the processor has them.
 *
 * Which ranking is used changes nothing but the speed: the numbers are all different.
 */
#ifndef SIM_QUEUE_SORT_H
#define SIM_QUEUE_SORT_H

#include "sim/queue.h"

enum {
    SIM_RUN_LIMIT = 48,  /* the most events sorted at once */
    SIM_RANK_BLOCK = 16, /* numbers come in blocks of so many */
};

/* RANK[i] = how many of NUMBER[0 … count-1] are below NUMBER[i]. Whole blocks of both arrays are read and
 * written. */
typedef void sim_rank(const int64_t *number, size_t count, int64_t *rank);

struct sim_ranking {
    const char *name;
    sim_rank *rank;
    bool (*supported)(void); /* by this processor */
};

/* From the fastest to the portable one, which every processor supports; a NULL name ends the table. */
extern const struct sim_ranking sim_rankings[];

/* The fastest that this processor supports. */
sim_rank *sim_rank_choose(void);

/* Writes EVENT[0 … count-1] to SORTED in ascending order of their keys; 0 < count <= SIM_RUN_LIMIT. */
void sim_run_sort(sim_rank *rank, const struct sim_event *event, size_t count, struct sim_event *sorted);

#endif
