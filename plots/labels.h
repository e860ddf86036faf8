/*
 * Names beside marks: each close to its own mark, off the other marks, their error bars and the other names.
 *
 * A greedy choice among places around each mark, taken back and made again a few times; it doesn't always
 * find the best places, but it never depends on anything but its arguments.
 */
#ifndef PLOTS_LABELS_H
#define PLOTS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* In pixels. */
struct rectangle {
    double left, bottom, right, top;
};

struct label {
    double x, y;          /* the mark */
    double width, height; /* of the name */
    /* Where the name is put: its left end, middle or right end (ALIGNMENT 1, 0, -1), and its middle in
     * height. */
    double at_x, at_y;
    int alignment;
    bool far; /* from its mark, so that a line should join them */
};

/* Places COUNT labels in the ROOM there is for names, off the OBSTACLES as well. False when memory is short.
 */
bool labels_place(struct label *labels, size_t count, const struct rectangle *obstacles,
                  size_t obstacle_count, const struct rectangle *room);

/* Where a placed label's name lies. */
struct rectangle labels_extent(const struct label *label);

#endif
