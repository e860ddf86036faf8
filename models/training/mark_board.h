/*
 * Marks in the order of their times, in few: those of one lane and cause within one cell, a resolution long,
 * are one, at the time of the first. Where there are too many all the same, cells are made longer.
 */
#ifndef MODELS_TRAINING_MARK_BOARD_H
#define MODELS_TRAINING_MARK_BOARD_H

#include "models/training/activity.h"

struct mark_board {
    sim_time resolution, longest; /* of a cell, and what it may become */
    size_t most;                  /* marks, where LONGEST allows it */
    struct activity_mark *marks;  /* owned */
    size_t count, room;
    bool failed; /* memory ran out */
};

void mark_board_add(struct mark_board *board, const struct activity_mark *mark);

/* No more than MOST from now on. */
void mark_board_limit(struct mark_board *board, size_t most);
void mark_board_free(struct mark_board *board);

#endif
