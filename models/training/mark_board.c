#include "models/training/mark_board.h"

#include <stdlib.h>

static bool make_room(struct mark_board *board)
{
    if (board->count < board->room)
        return true;
    size_t room = board->room ? 2 * board->room : 16;
    struct activity_mark *more = realloc(board->marks, room * sizeof *more);
    board->failed |= !more;
    if (!more)
        return false;
    board->marks = more;
    board->room = room;
    return true;
}

static sim_time cell_of(const struct mark_board *board, const struct activity_mark *mark)
{
    return mark->at / board->resolution;
}

/* Of the same lane and cause in the cell of MARK; NULL: none. */
static struct activity_mark *find(const struct mark_board *board, const struct activity_mark *mark)
{
    for (size_t i = board->count; i-- > 0;) {
        struct activity_mark *earlier = &board->marks[i];
        if (cell_of(board, earlier) != cell_of(board, mark))
            return NULL;
        if (earlier->lane == mark->lane && earlier->cause == mark->cause)
            return earlier;
    }
    return NULL;
}

static void put(struct mark_board *board, const struct activity_mark *mark)
{
    struct activity_mark *earlier = find(board, mark);
    if (earlier)
        earlier->count += mark->count;
    else if (make_room(board))
        board->marks[board->count++] = *mark;
}

void mark_board_limit(struct mark_board *board, size_t most)
{
    board->most = most;
    while (board->count > most && board->resolution < board->longest) {
        size_t count = board->count;
        board->resolution *= 2;
        board->count = 0;
        for (size_t i = 0; i < count; i++)
            put(board, &board->marks[i]); /* never beyond the one that is read */
    }
}

void mark_board_add(struct mark_board *board, const struct activity_mark *mark)
{
    put(board, mark);
    mark_board_limit(board, board->most);
}

void mark_board_free(struct mark_board *board)
{
    free(board->marks);
}
