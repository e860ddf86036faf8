/*
 * A cell is drawn as a rectangle of a colour with its value as a word on it, where there is room for that of
 * every cell.
 */
#include "plots/heatmap_internal.h"

#include "plots/script.h"
#include "results/notation.h"
#include <math.h>
#include <string.h>

/* DECIMALS are those of a share. */
static void cell_text(char text[NOTATION_LENGTH], const struct map *map, double value, int decimals)
{
    if (notation_is_share(map->metric))
        snprintf(text, NOTATION_LENGTH, "%.*f", decimals, value);
    else if (notation_is_loss(map->metric))
        notation_loss(text, value, NAN);
    else
        notation_plain(text, value);
}

static size_t longest_text(const struct map *map, int decimals)
{
    size_t longest = 0;
    for (size_t i = 0; i < map->panels.count * heatmap_cells(map); i++) {
        char text[NOTATION_LENGTH];
        if (!isfinite(map->values[i]))
            continue;
        cell_text(text, map, map->values[i], decimals);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    return longest;
}

/* The least that a cell has of PIXELS along SIDE. */
static double least_room(const struct side *side, double pixels)
{
    return pixels * heatmap_narrowest(side) / (double)side->spread->value_count;
}

/* As many as tell values apart, fewer if they don't fit; -1: none fit. */
static int fit_decimals(const struct map *map)
{
    const double width = least_room(&map->x, map->panels.across);
    int decimals = map->range.high - map->range.low < 1 ? 2 : 1;
    while (decimals >= 0 && (double)(HEATMAP_CHARACTER * longest_text(map, decimals)) + 4 > width)
        decimals--;
    return decimals;
}

static void write_cell(const struct map *map, size_t cell, double value, int decimals)
{
    const double *x = map->x.edges + cell % heatmap_columns(map);
    const double *y = map->y.edges + cell / heatmap_columns(map);
    char text[NOTATION_LENGTH];
    fprintf(map->out, "%.6f %.6f %.6f %.6f ", x[0], x[1], y[0], y[1]);
    script_number(map->out, value);
    cell_text(text, map, value, decimals);
    fprintf(map->out, " \"%s\"\n", isfinite(value) ? text : "");
}

/* A block of each panel, of the cells that have a value or, BLANK, of the others. */
static void write_cells(const struct map *map, const char *name, bool blank, int decimals)
{
    const size_t cells = heatmap_cells(map);
    fprintf(map->out, "$%s << END_OF_DATA\n", name);
    for (size_t panel = 0; panel < map->panels.count; panel++) {
        bool written = false;
        for (size_t i = 0; i < cells; i++) {
            double value = map->values[panel * cells + i];
            if (isfinite(value) == blank)
                continue;
            write_cell(map, i, value, decimals);
            written = true;
        }
        fputs(written ? "\n\n" : "NaN NaN NaN NaN NaN \"\"\n\n\n", map->out);
    }
    fputs("END_OF_DATA\n", map->out);
}

void heatmap_write_data(const struct map *map)
{
    int decimals = fit_decimals(map);
    bool texts = decimals >= 0 && least_room(&map->y, map->panels.down) >= HEATMAP_LINE;
    script_set_number(map->out, "texts", texts);
    decimals = decimals < 0 ? 0 : decimals;
    write_cells(map, "cells", false, decimals);
    write_cells(map, "blanks", true, decimals);
}
