/*
 * Numbers for the texts that points give an axis: quantities of one kind in one unit, or places in a list of
 * words.
 */
#ifndef RESULTS_OUTLINE_AXIS_H
#define RESULTS_OUTLINE_AXIS_H

#include "results/outline.h"

/* Fills numeric, unit and leader of each axis and the number of each setting from their texts. The points
 * must still be in the order of their first runs. False when out of memory. */
bool outline_number_axes(struct outline *outline);

#endif
