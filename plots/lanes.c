/*
 * A panel per strategy, all of one point, of one replication: a lane for the syncer and one for each learner
 * that is told apart. States are few groups, each
 * drawn over the light ground of a lane, which is time in steps. Neighbours of one group are one, and marks
 * that would lie upon each other, so that a figure of thousands of either stays small.
 */
#include "plots/lanes.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "results/database.h"
#include "results/notation.h"
#include "results/outline.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ends of a lane, from that above it. */
#define UPPER 0.14
#define LOWER 0.86
#define MARK_WIDTH 0.008 /* of the time shown */
/* Of it, too: some half a pixel. Of what is thinner a viewer draws one stretch and leaves out the next. */
#define HAIR 0.0007

enum { MOST_PANELS = 8, MOST_LANES = 40, MOST_WORDS = 110, MOST_TITLE = 90 };

/* What spans are drawn as; STEPPING is the ground of a lane. */
enum group { STEPPING, WAITING, STANDING, DOWN, GROUPS };

/* What marks are drawn as. */
enum sign { STOP, TAKEN, HIDDEN, SLOW, NETWORK, SIGNS };

struct panel {
    size_t strategy; /* of the outline */
    int64_t run;
    size_t lanes;
    int64_t numbers[MOST_LANES]; /* from the top; -1: the syncer, or merges where it has no spans */
    double seconds, resolution;
    int64_t learners, merges, faults;
    bool syncer;
};

struct chart {
    const struct database *database;
    const struct outline *outline;
    size_t point; /* of the outline */
    struct panel panels[MOST_PANELS];
    size_t count, all;
    double seconds; /* of the longest */
    size_t most_lanes;
    const struct notation_unit *time;
    FILE *out;
};

/* What is drawn. */

static const char runs_sql[] =
    "select run.strategy, run.point, run.id, run.simulated_s, learners, 1e-9 * resolution_ns, merges,"
    "  (select ifnull(sum(struck), 0) from cause where cause.run = run.id),"
    "  exists (select 1 from span where span.run = run.id and lane = -1)"
    " from timeline join run on run.id = timeline.run join study_run on study_run.run = run.id"
    " where study_run.study = ?1 order by run.replication, run.id";

static size_t find_strategy(const struct outline *outline, const char *name)
{
    size_t i = 0;
    while (i < outline->strategy_count && strcmp(outline->strategies[i], name) != 0)
        i++;
    return i;
}

static size_t find_point(const struct outline *outline, const char *json)
{
    size_t i = 0;
    while (i < outline->point_count && strcmp(outline->points[i].json, json) != 0)
        i++;
    return i;
}

/* Takes a row of the query above into FOUND, by strategy: the first run of each at the first point that has
 * any. */
static void take_run(struct chart *chart, struct panel *found, sqlite3_stmt *query)
{
    const struct outline *outline = chart->outline;
    size_t strategy = find_strategy(outline, (const char *)sqlite3_column_text(query, 0));
    size_t point = find_point(outline, (const char *)sqlite3_column_text(query, 1));
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
        if (chart->count == MOST_PANELS)
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
        if (panel->lanes < MOST_LANES)
            panel->numbers[panel->lanes++] = database_column_integer(query, 0);
    sqlite3_finalize(query);
    if (panel->lanes > chart->most_lanes)
        chart->most_lanes = panel->lanes;
    return step == DATABASE_END;
}

static bool find_all_lanes(struct chart *chart, struct error *error)
{
    for (size_t i = 0; i < chart->count; i++)
        if (!find_lanes(chart, &chart->panels[i], error))
            return false;
    return true;
}

/* Lanes are 1 high, the first from 0 to -1; -1 of one that is not shown. */
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
    double at[MOST_LANES + 1][SIGNS]; /* the network's last */
};

/* True if it would lie upon the last one. */
static bool is_hidden(const struct chart *chart, struct last_marks *last, double place, enum sign sign,
                      double at)
{
    double *before = &last->at[place > 0 ? MOST_LANES : (size_t)-place][sign];
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
    for (size_t i = 0; i <= MOST_LANES; i++)
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

static bool write_data(const struct chart *chart, struct error *error)
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

/* Words. */

static double goodput_of(const struct chart *chart, int64_t run)
{
    const struct database_value key = database_integer(run);
    sqlite3_stmt *query = database_query(
        chart->database, "select value from metric where run = ?1 and name = 'goodput' and replay is null", 1,
        &key, NULL);
    double value = NAN;
    if (query && database_next(chart->database, query, NULL) == DATABASE_ROW)
        value = database_column_real(query, 0);
    sqlite3_finalize(query);
    return value;
}

static size_t count_learners(const struct panel *panel)
{
    size_t shown = 0;
    for (size_t i = 0; i < panel->lanes; i++)
        shown += panel->numbers[i] >= 0;
    return shown;
}

/* "diloco: goodput 57.2 %, 374 faults, 32 of 100 learners" */
static void describe(const struct chart *chart, const struct panel *panel, char words[CAPTION_LENGTH])
{
    char faults[NOTATION_LENGTH], merges[NOTATION_LENGTH], rest[CAPTION_LENGTH];
    const char *name = chart->outline->strategies[panel->strategy];
    size_t shown = count_learners(panel);
    notation_count(faults, (double)panel->faults);
    notation_count(merges, (double)panel->merges);
    int length = snprintf(rest, sizeof rest, ": goodput %.1f %%, %s fault%s",
                          100 * goodput_of(chart, panel->run), faults, panel->faults == 1 ? "" : "s");
    if (panel->merges)
        length += snprintf(rest + length, sizeof rest - (size_t)length, ", %s merge%s", merges,
                           panel->merges == 1 ? "" : "s");
    if ((int64_t)shown < panel->learners)
        length += snprintf(rest + length, sizeof rest - (size_t)length, "; %zu of %" PRId64 " learners",
                           shown, panel->learners);
    length = snprintf(words, CAPTION_LENGTH, "%.*s%s", caption_cut(name, MOST_TITLE - length), name, rest);
    assert(length < CAPTION_LENGTH);
}

/* "syncer", "0", …; of many lanes but every few, and none right below the syncer. */
static void name_lanes(const struct chart *chart, const struct panel *panel, char words[CAPTION_LENGTH])
{
    size_t length = 0, every = chart->most_lanes > 20 ? 4 : chart->most_lanes > 10 ? 2 : 1;
    size_t others = panel->lanes - count_learners(panel);
    words[0] = '\0';
    for (size_t i = 0; i < panel->lanes && length + 24 < CAPTION_LENGTH; i++) {
        bool close = every > 1 && i > 0 && i == others;
        if (i < others)
            length += (size_t)snprintf(words + length, CAPTION_LENGTH - length, "%s ",
                                       panel->syncer ? "syncer" : "merges");
        else if ((i - others) % every == 0 && !close)
            length +=
                (size_t)snprintf(words + length, CAPTION_LENGTH - length, "%" PRId64 " ", panel->numbers[i]);
        else
            length += (size_t)snprintf(words + length, CAPTION_LENGTH - length, "_ ");
    }
}

static void write_panels(const struct chart *chart)
{
    char words[MOST_PANELS][CAPTION_LENGTH], lanes[MOST_PANELS][CAPTION_LENGTH];
    const char *heads[MOST_PANELS], *names[MOST_PANELS];
    for (size_t i = 0; i < chart->count; i++) {
        describe(chart, &chart->panels[i], words[i]);
        name_lanes(chart, &chart->panels[i], lanes[i]);
        heads[i] = words[i];
        names[i] = lanes[i];
    }
    script_set_strings(chart->out, "panel", chart->count, heads);
    script_set_strings(chart->out, "lane_names", chart->count, names);
}

/* Which learners those are that are shown of more. */
static void write_choice(const struct chart *chart, char *text, size_t size)
{
    int64_t most = 0;
    for (size_t i = 0; i < chart->count; i++)
        if (chart->panels[i].learners > most)
            most = chart->panels[i].learners;
    text[0] = '\0';
    if (most > ACTIVITY_FOLLOWED)
        snprintf(text, size, "; of the first %d learners those that lost most time", ACTIVITY_FOLLOWED);
    else if (most > ACTIVITY_LANES)
        snprintf(text, size, "; learners that lost most time");
}

static void write_note(const struct chart *chart)
{
    const struct outline *outline = chart->outline;
    char point[CAPTION_LENGTH], length[NOTATION_LENGTH], note[3 * CAPTION_LENGTH];
    double resolution = 0;
    for (size_t i = 0; i < chart->count; i++)
        resolution = fmax(resolution, chart->panels[i].resolution);
    notation_duration(length, resolution);
    caption_point(point, outline, &outline->points[chart->point], SIZE_MAX);
    caption_shorten(point, MOST_WORDS);
    int end = snprintf(note, sizeof note, "study %" PRId64 ": one replication%s%s", outline->study,
                       *point ? " at " : "", point);
    if (chart->count < chart->all)
        end += snprintf(note + end, sizeof note - (size_t)end, "; %zu of %zu strategies", chart->count,
                        chart->all);
    if (resolution > 0)
        end += snprintf(note + end, sizeof note - (size_t)end, "; what lasts less than %s is put together",
                        length);
    write_choice(chart, note + end, sizeof note - (size_t)end);
    script_set_string(chart->out, "note", note);
}

static void write_words(const struct chart *chart)
{
    char text[CAPTION_LENGTH];
    caption_title(text, "Learners over time", chart->outline);
    script_set_string(chart->out, "title", text);
    write_note(chart);
    snprintf(text, sizeof text, "Simulated time (%s)", chart->time->name);
    script_set_string(chart->out, "x_label", text);
    script_set_string(chart->out, "y_label", "Learner");
    write_panels(chart);
}

static void write_axes(const struct chart *chart)
{
    const struct axis x = {.high = chart->seconds / chart->time->scale};
    struct axis_ticks ticks = axis_list(&x, 10, strcmp(chart->time->name, "h") == 0);
    script_set_number(chart->out, "x_to", x.high);
    script_set_string(chart->out, "x_ticks", ticks.values);
    script_set_string(chart->out, "x_words", ticks.labels);
}

/* A lane's height, in pixels. */
static double height_of_lane(const struct chart *chart)
{
    return chart->most_lanes <= 4 ? 22 : chart->most_lanes <= 10 ? 15 : chart->most_lanes <= 18 ? 10 : 7;
}

static void write_heights(const struct chart *chart, double *height)
{
    fprintf(chart->out, "array lanes[%zu] = [", chart->count);
    for (size_t i = 0; i < chart->count; i++)
        fprintf(chart->out, "%s%zu", i ? ", " : "", chart->panels[i].lanes);
    fputs("]\narray above[", chart->out);
    fprintf(chart->out, "%zu] = [", chart->count);
    for (size_t i = 0; i < chart->count; i++) {
        fprintf(chart->out, "%s%.1f", i ? ", " : "", *height);
        *height += ((double)chart->panels[i].lanes + 1) * height_of_lane(chart);
    }
    fputs("]\n", chart->out);
}

static void set_size(const struct chart *chart, struct figure_script *script)
{
    const double left = 78, top = 62, bottom = 60, gap = 28, right = 178, across = 680;
    double lanes = 0;
    const struct {
        const char *name;
        double number;
    } variables[] = {{"across", across}, {"left", left},     {"top", top},
                     {"gap", gap},       {"bottom", bottom}, {"down", height_of_lane(chart)}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(chart->out, variables[i].name, variables[i].number);
    write_heights(chart, &lanes);
    script->width = left + across + right;
    script->height = fmax(top + bottom + lanes + (double)chart->count * gap, 330);
}

bool lanes_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.database = store_database(store), .outline = outline, .out = script->out};
    bool written = find_runs(&chart, error) && find_all_lanes(&chart, error);
    if (written) {
        chart.time = notation_time_unit(chart.seconds / 2);
        written = write_data(&chart, error);
        set_size(&chart, script);
        write_words(&chart);
        write_axes(&chart);
    }
    outline_destroy(outline);
    return written;
}
