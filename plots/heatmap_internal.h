/*
 * What the parts of the figure "heatmap" share: which axes lie along its sides (heatmap_axes.c), what its
 * cells hold (heatmap_cells.c), the data that is drawn of them (heatmap_data.c), and the words around and the
 * size of it all (heatmap.c). Private to them.
 */
#ifndef PLOTS_HEATMAP_INTERNAL_H
#define PLOTS_HEATMAP_INTERNAL_H

#include "plots/axis.h"
#include "plots/figure.h"
#include "plots/panels.h"
#include "plots/spread.h"
#include "results/outline.h"
#include "results/store.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    HEATMAP_CHARACTER = 8, /* that a character takes, in pixels */
    HEATMAP_LINE = 17      /* that a line of text takes, in pixels */
};

/* One side of the grid. */
struct side {
    size_t axis; /* of the outline */
    struct spread *spread;
    double *edges; /* of the cells, 0 to 1, one more than there are values */
};

struct map {
    struct store *store;
    const struct outline *outline;
    const char *metric;
    double scale; /* from the database to the figure: 100 for a share */
    FILE *out;
    struct side x, y;
    int64_t *points; /* the outline's, of each cell, rows of y; -1: none */
    size_t first;    /* the point whose values the axes that are not shown stand still at */
    double *values;  /* of each panel's cells; NAN: none */
    struct panels panels;
    size_t strategies[MOST_LEARNING_PANELS]; /* of each panel */
    struct axis range;                       /* of the values */
    bool blank;                              /* some cell has no value */
};

/* Axes (heatmap_axes.c). */

/* Chooses the two axes that REQUEST names or the outline has, and divides both sides. False with ERROR: there
 * are no such two, or memory runs out. To be closed in either case. */
bool heatmap_open_sides(struct map *map, const struct figure_request *request, struct error *error);
void heatmap_close_sides(struct map *map);

/* How long the narrowest cell of SIDE is, where 1 is the mean. */
double heatmap_narrowest(const struct side *side);

/* Whether points of the outline have different values on AXIS. */
bool heatmap_varies(const struct outline *outline, size_t axis);

/* Whether AXIS lies along a side, or moves with one that does. */
bool heatmap_shows(const struct map *map, size_t axis);

/* Cells (heatmap_cells.c). */

size_t heatmap_columns(const struct map *map);
size_t heatmap_cells(const struct map *map); /* of a panel */

/* Once the sides are open: finds the point of each cell, and makes a panel of each strategy, or of ONLY
 * (NULL: all), that has a value in any. False with ERROR: none has, there is no such strategy, or memory runs
 * out. To be closed in either case. */
bool heatmap_open_cells(struct map *map, const char *only, struct error *error);
void heatmap_close_cells(struct map *map);

/* Data (heatmap_data.c). */

/* Once the panels are laid out: writes the variable texts, whether cells have room for their values as words,
 * and the blocks $cells and $blanks. */
void heatmap_write_data(const struct map *map);

#endif
