/*
 * States are few groups, each drawn over the light ground of a lane, which is time in steps. Neighbours of
 * one group are one, and marks that would lie upon each other, so that a figure of thousands of either stays
 * small.
 */
#include "plots/lanes_internal.h"

#include <math.h>
#include <string.h>

/* Ends of a lane, from that above it. */
#define UPPER 0.14
#define LOWER 0.86
#define MARK_WIDTH 0.008 /* of the time shown */
/* Of it, too: some half a pixel. Of what is thinner a viewer draws one stretch and leaves out the next. */
#define HAIR 0.0007

/* What spans are drawn as; STEPPING is the ground of a lane. */
enum group { STEPPING, WAITING, STANDING, DOWN, GROUPS };

/* What marks are drawn as. */
enum sign { STOP, TAKEN, HIDDEN, SLOW, NETWORK, SIGNS };

/* The upper end of LANE; NAN of one that is not shown. */
static double place_of(const struct panel *panel, int64_t lane)
{
    for (size_t i = 0; i < panel->lanes; i++)
        if (panel->numbers[i] == lane)
            return -(double)i;
    return NAN;
}

/* Spans. */

static enum group group_of(const char *category)
{
    static const struct {
        const char *category;
        enum group group;
    } groups[] = {{"useful", STEPPING},         {"straggler_wait", WAITING},  {"communication_wait", WAITING},
                  {"quorum_wait", WAITING},     {"data_wait", WAITING},       {"checkpoint_save", STANDING},
                  {"detection", STANDING},      {"restore", STANDING},        {"restart", STANDING},
                  {"initialisation", STANDING}, {"reconfiguration", STANDING}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(groups[i].category, category) == 0)
            return groups[i].group;
    return DOWN;
}

/* Spans that follow each other. */
struct stretch {
    double lane;       /* its upper end; NAN: there is none */
    double begin, end; /* seconds */
};

static void write_corner(const struct chart *chart, double seconds, double y)
{
    fprintf(chart->out, "%.7g %.7g\n", seconds / chart->time->scale, y);
}

static void write_stretch(const struct chart *chart, struct stretch *stretch)
{
    if (!isfinite(stretch->lane))
        return;
    const double end = fmin(fmax(stretch->end, stretch->begin + HAIR * chart->seconds), chart->seconds);
    write_corner(chart, stretch->begin, stretch->lane - LOWER);
    write_corner(chart, stretch->begin, stretch->lane - UPPER);
    write_corner(chart, end, stretch->lane - UPPER);
    write_corner(chart, end, stretch->lane - LOWER);
    fputs("\n", chart->out);
    stretch->lane = NAN;
}

static void add_span(const struct chart *chart, struct stretch *stretch, const struct stretch *span)
{
    if (span->lane == stretch->lane && span->begin == stretch->end) {
        stretch->end = span->end;
        return;
    }
    write_stretch(chart, stretch);
    *stretch = *span;
}

/* A block of data: what of the spans is of GROUP; the ground is all of a lane. */
static bool write_group(const struct chart *chart, const struct panel *panel, enum group group,
                        struct error *error)
{
    const struct database_value key = database_integer(panel->run);
    struct stretch stretch = {.lane = NAN};
    sqlite3_stmt *query = database_query(chart->database,
                                         "select lane, 1e-9 * begin_ns, 1e-9 * end_ns, category from span "
                                         "where run = ?1 order by lane, begin_ns",
                                         1, &key, error);
    enum database_step step = DATABASE_FAILED;
    fputs("0 NaN\n", chart->out);
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW) {
        const struct stretch span = {.lane = place_of(panel, database_column_integer(query, 0)),
                                     .begin = database_column_real(query, 1),
                                     .end = database_column_real(query, 2)};
        bool drawn = group == STEPPING || group_of((const char *)sqlite3_column_text(query, 3)) == group;
        if (drawn && isfinite(span.lane))
            add_span(chart, &stretch, &span);
    }
    sqlite3_finalize(query);
    write_stretch(chart, &stretch);
    fputs("\n\n", chart->out);
    return step == DATABASE_END;
}

/* Marks. */

static enum sign sign_of(const char *kind)
{
    static const struct {
        const char *kind;
        enum sign sign;
    } signs[] = {{"stop", STOP},         {"preemption", TAKEN}, {"maintenance", TAKEN}, {"hang", HIDDEN},
                 {"corruption", HIDDEN}, {"slow", SLOW},        {"stall", SLOW}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strcmp(signs[i].kind, kind) == 0)
            return signs[i].sign;
    return NETWORK;
}

/* The last mark of a lane and sign, seconds. */
struct last_marks {
    double at[LANES_MOST + 1][SIGNS]; /* the network's last */
};

/* True if it would lie upon the last one. */
static bool is_hidden(const struct chart *chart, struct last_marks *last, double place, enum sign sign,
                      double at)
{
    double *before = &last->at[place > 0 ? LANES_MOST : (size_t)-place][sign];
    if (at - *before < chart->seconds * MARK_WIDTH)
        return true;
    *before = at;
    return false;
}

/* A mark of the network lies above the lanes, one of a lane within it: time, place, sign. */
static void write_mark(const struct chart *chart, const struct panel *panel, sqlite3_stmt *query,
                       struct last_marks *last)
{
    int64_t lane = database_column_integer(query, 0);
    enum sign sign = sign_of((const char *)sqlite3_column_text(query, 2));
    double place = lane < -1 ? 1 : place_of(panel, lane), at = database_column_real(query, 1);
    if (isfinite(place) && !is_hidden(chart, last, place, sign, at))
        fprintf(chart->out, "%.7g %.3g %d\n", at / chart->time->scale, place - 0.5, (int)sign);
}

static bool write_marks(const struct chart *chart, const struct panel *panel, struct error *error)
{
    const struct database_value key = database_integer(panel->run);
    struct last_marks last;
    for (size_t i = 0; i <= LANES_MOST; i++)
        for (size_t j = 0; j < SIGNS; j++)
            last.at[i][j] = -INFINITY;
    sqlite3_stmt *query = database_query(
        chart->database,
        "select lane, 1e-9 * at_ns, kind from mark where run = ?1 and kind <> 'merge' order by rowid", 1,
        &key, error);
    enum database_step step = DATABASE_FAILED;
    fputs("0 NaN -1\n", chart->out);
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW)
        write_mark(chart, panel, query, &last);
    sqlite3_finalize(query);
    fputs("\n\n", chart->out);
    return step == DATABASE_END;
}

/* Ticks: both ends of each, in the syncer's lane. */
static bool write_merges(const struct chart *chart, const struct panel *panel, struct error *error)
{
    const struct database_value key = database_integer(panel->run);
    double place = place_of(panel, -1);
    sqlite3_stmt *query = database_query(
        chart->database, "select 1e-9 * at_ns from mark where run = ?1 and kind = 'merge' order by rowid", 1,
        &key, error);
    enum database_step step = DATABASE_FAILED;
    fputs("0 NaN\n", chart->out);
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW) {
        fputs("\n", chart->out);
        write_corner(chart, database_column_real(query, 0), place - LOWER);
        write_corner(chart, database_column_real(query, 0), place - UPPER);
    }
    sqlite3_finalize(query);
    fputs("\n\n", chart->out);
    return step == DATABASE_END;
}

bool lanes_write_data(const struct chart *chart, struct error *error)
{
    bool written = true;
    fputs("$spans << END_OF_DATA\n", chart->out);
    for (size_t i = 0; i < chart->count; i++)
        for (int group = 0; group < GROUPS && written; group++)
            written = write_group(chart, &chart->panels[i], (enum group)group, error);
    fputs("END_OF_DATA\n$marks << END_OF_DATA\n", chart->out);
    for (size_t i = 0; i < chart->count && written; i++)
        written = write_marks(chart, &chart->panels[i], error);
    fputs("END_OF_DATA\n$merges << END_OF_DATA\n", chart->out);
    for (size_t i = 0; i < chart->count && written; i++)
        written = write_merges(chart, &chart->panels[i], error);
    fputs("END_OF_DATA\n", chart->out);
    return written;
}
