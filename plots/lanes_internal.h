/*
 * What the parts of the figure of lanes share: which panels and lanes there are (lanes_panels.c), the data
 * that is drawn in them (lanes_data.c), and the words around and the size of it all (lanes.c). Private to
 * them.
 */
#ifndef PLOTS_LANES_INTERNAL_H
#define PLOTS_LANES_INTERNAL_H

#include "results/database.h"
#include "results/notation.h"
#include "results/outline.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LANES_MOST_PANELS = 8, LANES_MOST = 40 };

/* One strategy's run. */
struct panel {
    size_t strategy; /* of the outline */
    int64_t run;
    size_t lanes;
    int64_t numbers[LANES_MOST]; /* from the top; -1: the syncer, or merges where it has no spans */
    double seconds, resolution;
    int64_t learners, merges, faults;
    bool syncer;
};

struct chart {
    const struct database *database;
    const struct outline *outline;
    size_t point; /* of the outline */
    struct panel panels[LANES_MOST_PANELS];
    size_t count, all; /* panels; those that there would be without a limit */
    double seconds;    /* of the longest */
    size_t most_lanes;
    const struct notation_unit *time; /* in which SECONDS are drawn */
    FILE *out;
};

/* Panels and lanes (lanes_panels.c). */

/* Finds the runs and lanes that are shown of CHART's outline: one replication of each strategy, at the first
 * point that has any. False with ERROR: there are none, or the database fails. */
bool lanes_find(struct chart *chart, struct error *error);

/* Data (lanes_data.c). */

/* Writes the blocks $spans, $marks and $merges, lanes being 1 high, the first of a panel from 0 to -1. False
 * with ERROR when the database fails. */
bool lanes_write_data(const struct chart *chart, struct error *error);

#endif
