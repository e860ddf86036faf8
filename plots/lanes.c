/*
 * A panel per strategy, all of one point, of one replication: a lane for the syncer and one for each learner
 * that is told apart.
 */
#include "plots/lanes.h"

#include "plots/axis.h"
#include "plots/caption.h"
#include "plots/lanes_internal.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_WORDS = 110, MOST_TITLE = 90 };

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
    char words[LANES_MOST_PANELS][CAPTION_LENGTH], lanes[LANES_MOST_PANELS][CAPTION_LENGTH];
    const char *heads[LANES_MOST_PANELS], *names[LANES_MOST_PANELS];
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
    bool written = lanes_find(&chart, error);
    if (written) {
        chart.time = notation_time_unit(chart.seconds / 2);
        written = lanes_write_data(&chart, error);
        set_size(&chart, script);
        write_words(&chart);
        write_axes(&chart);
    }
    outline_destroy(outline);
    return written;
}
