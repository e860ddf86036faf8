/*
 * Of each strategy one run is shown, and of that the lanes that it has kept spans or merges of.
 */
#include "plots/lanes_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char runs_sql[] =
    "select run.strategy, run.point, run.id, run.simulated_s, learners, 1e-9 * resolution_ns, merges,"
    "  (select ifnull(sum(struck), 0) from cause where cause.run = run.id),"
    "  exists (select 1 from span where span.run = run.id and lane = -1)"
    " from timeline join run on run.id = timeline.run join study_run on study_run.run = run.id"
    " where study_run.study = ?1 order by run.replication, run.id";

/* Takes a row of the query above into FOUND, by strategy: the first run of each at the first point that has
 * any. */
static void take_run(struct chart *chart, struct panel *found, sqlite3_stmt *query)
{
    const struct outline *outline = chart->outline;
    size_t strategy = outline_find_strategy(outline, (const char *)sqlite3_column_text(query, 0));
    size_t point = outline_find_point(outline, (const char *)sqlite3_column_text(query, 1));
    if (strategy == outline->strategy_count || point > chart->point || point == outline->point_count)
        return;
    if (point < chart->point)
        memset(found, 0, outline->strategy_count * sizeof *found);
    chart->point = point;
    if (found[strategy].run)
        return;
    found[strategy] = (struct panel){.strategy = strategy,
                                     .run = database_column_integer(query, 2),
                                     .seconds = database_column_real(query, 3),
                                     .learners = database_column_integer(query, 4),
                                     .resolution = database_column_real(query, 5),
                                     .merges = database_column_integer(query, 6),
                                     .faults = database_column_integer(query, 7),
                                     .syncer = database_column_integer(query, 8) != 0};
}

static void choose_panels(struct chart *chart, const struct panel *found)
{
    for (size_t i = 0; i < chart->outline->strategy_count; i++) {
        if (!found[i].run)
            continue;
        chart->all++;
        if (chart->count == LANES_MOST_PANELS)
            continue;
        chart->panels[chart->count++] = found[i];
        chart->seconds = fmax(chart->seconds, found[i].seconds);
    }
}

static bool find_runs(struct chart *chart, struct error *error)
{
    const struct outline *outline = chart->outline;
    const struct database_value key = database_integer(outline->study);
    struct panel *found = calloc(outline->strategy_count + 1, sizeof *found);
    if (!found) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    chart->point = outline->point_count;
    sqlite3_stmt *query = database_query(chart->database, runs_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW)
        take_run(chart, found, query);
    sqlite3_finalize(query);
    choose_panels(chart, found);
    free(found);
    if (step == DATABASE_END && chart->count == 0)
        error_set(error, ERROR_INPUT,
                  "study %" PRId64
                  " (%s) has no timeline, which `run' and `sweep' keep of the first replication at its first "
                  "point",
                  outline->study, outline->name);
    return step == DATABASE_END && chart->count > 0;
}

/* The syncer's lane, or one for merges if they are few enough to be kept; then the learners'. */
static const char lanes_sql[] = "select distinct lane from span where run = ?1 union"
                                " select lane from mark where run = ?1 and kind = 'merge' order by lane";

static bool find_lanes(struct chart *chart, struct panel *panel, struct error *error)
{
    const struct database_value key = database_integer(panel->run);
    sqlite3_stmt *query = database_query(chart->database, lanes_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW)
        if (panel->lanes < LANES_MOST)
            panel->numbers[panel->lanes++] = database_column_integer(query, 0);
    sqlite3_finalize(query);
    if (panel->lanes > chart->most_lanes)
        chart->most_lanes = panel->lanes;
    return step == DATABASE_END;
}

bool lanes_find(struct chart *chart, struct error *error)
{
    if (!find_runs(chart, error))
        return false;
    for (size_t i = 0; i < chart->count; i++)
        if (!find_lanes(chart, &chart->panels[i], error))
            return false;
    return true;
}
