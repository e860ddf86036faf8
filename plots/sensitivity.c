/*
 * A panel per strategy, with a row per number that it feels, the one that matters most on top. A row has two
 * half rows, the lower value's above, so that both are seen where they lie on one side of the base.
 */
#include "plots/sensitivity.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "plots/panels.h"
#include "results/notation.h"
#include "results/sensitivity.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 15,
    FEW_ROWS = 5,
    CHARACTER_WIDTH = 7,
    ROW_HEIGHT = 34,
    ACROSS = 440,
    MOST_TICKS = 7,
    MOST_NAME = 60
};

struct tornado {
    struct store *store;
    const struct outline *outline;
    const char *metric;
    double scale; /* from the database to the figure: 100 for a share */
    struct sensitivity *panels[MOST_LEARNING_PANELS];
    size_t count;
    int64_t pairs;
    FILE *out;
};

bool sensitivity_has_axes(const struct outline *outline)
{
    return !sensitivity_is_study(outline);
}

/* What is felt; if nothing is, the few that come nearest. What changes nothing at all has no row. */
static size_t rows_of(const struct sensitivity *sensitivity)
{
    size_t count = sensitivity->felt, most = MOST_ROWS;
    if (!count) {
        most = FEW_ROWS;
        while (count < sensitivity->count && sensitivity->rows[count].span > 0)
            count++;
    }
    return count < most ? count : most;
}

static size_t most_rows(const struct tornado *tornado)
{
    size_t most = 1;
    for (size_t i = 0; i < tornado->count; i++)
        most = rows_of(tornado->panels[i]) > most ? rows_of(tornado->panels[i]) : most;
    return most;
}

static void free_panels(struct tornado *tornado)
{
    for (size_t i = 0; i < tornado->count; i++)
        sensitivity_destroy(tornado->panels[i]);
}

static bool read_panels(struct tornado *tornado, const char *only, struct error *error)
{
    const struct outline *outline = tornado->outline;
    if (!panels_check_strategy(outline, only, error))
        return false;
    for (size_t i = 0; i < outline->strategy_count && tornado->count < MOST_LEARNING_PANELS; i++) {
        if (only && strcmp(only, outline->strategies[i]) != 0)
            continue;
        struct sensitivity *panel =
            sensitivity_create(tornado->store, outline, outline->strategies[i], tornado->metric, error);
        if (!panel)
            return false;
        tornado->pairs = panel->pairs > tornado->pairs ? panel->pairs : tornado->pairs;
        if (panel->count)
            tornado->panels[tornado->count++] = panel;
        else
            sensitivity_destroy(panel);
    }
    if (tornado->count)
        return true;
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no two points with the metric \"%s\"%s%s",
              outline->study, outline->name, tornado->metric, only ? " of strategy " : "", only ? only : "");
    return false;
}

/* Names of rows */

/* In the panel of the strategy whose field it is, the strategy goes without saying. */
static void field_words(char text[NOTATION_LENGTH], const char *path, const char *strategy)
{
    char general[256];
    const size_t list = strlen("strategies."), length = strlen(strategy);
    if (strncmp(path, "strategies.", list) == 0 && strncmp(path + list, strategy, length) == 0 &&
        path[list + length] == '.') {
        snprintf(general, sizeof general, "strategies.*%s", path + list + length);
        notation_field(text, general);
    } else {
        notation_field(text, path);
    }
}

/* "chips: 1200000"; by its path where another row of the panel has the same words. */
static void row_name(char text[CAPTION_LENGTH], const struct sensitivity *panel, size_t row)
{
    char words[NOTATION_LENGTH], others[NOTATION_LENGTH];
    const struct sensitivity_row *fact = &panel->rows[row];
    bool alone = true;
    field_words(words, fact->path, panel->strategy);
    for (size_t i = 0; i < rows_of(panel) && alone; i++) {
        field_words(others, panel->rows[i].path, panel->strategy);
        alone = i == row || strcmp(others, words) != 0;
    }
    snprintf(text, CAPTION_LENGTH, "%.100s%s%s", alone ? words : fact->path, *fact->base ? ": " : "",
             fact->base);
}

static double widest_name(const struct tornado *tornado)
{
    size_t widest = 0;
    for (size_t i = 0; i < tornado->count; i++)
        for (size_t j = 0; j < rows_of(tornado->panels[i]); j++) {
            char text[CAPTION_LENGTH];
            row_name(text, tornado->panels[i], j);
            widest = table_text_width(text) > widest ? table_text_width(text) : widest;
        }
    return CHARACTER_WIDTH * (double)widest;
}

/* Panels */

static void base_text(char text[NOTATION_LENGTH], const struct tornado *tornado, double base)
{
    if (notation_is_share(tornado->metric))
        snprintf(text, NOTATION_LENGTH, "%.2f %%", base);
    else if (notation_is_loss(tornado->metric))
        notation_loss(text, base, NAN);
    else
        notation_plain(text, base);
}

/* "decoupled: 89.1 %; 4 more change less, 38 nothing beyond the noise" */
static void panel_title(char text[CAPTION_LENGTH], const struct tornado *tornado,
                        const struct sensitivity *panel)
{
    char base[NOTATION_LENGTH];
    const size_t shown = rows_of(panel), rest = panel->count - panel->felt;
    base_text(base, tornado, tornado->scale * panel->base);
    size_t length = (size_t)snprintf(text, CAPTION_LENGTH, "%.*s: %s",
                                     caption_cut(panel->strategy, MOST_NAME), panel->strategy, base);
    if (!panel->felt)
        snprintf(text + length, CAPTION_LENGTH - length, "; nothing changes it beyond the noise");
    else if (panel->felt > shown)
        snprintf(text + length, CAPTION_LENGTH - length,
                 "; %zu more change less, %zu nothing beyond the noise", panel->felt - shown, rest);
    else if (rest)
        snprintf(text + length, CAPTION_LENGTH - length, "; %zu other%s change%s nothing beyond the noise",
                 rest, rest == 1 ? "" : "s", rest == 1 ? "s" : "");
}

/* All that is drawn in the panel, and room beyond it for the values. */
static struct axis panel_axis(const struct tornado *tornado, const struct sensitivity *panel)
{
    struct axis axis = axis_empty();
    axis_include(&axis, tornado->scale * panel->base);
    for (size_t i = 0; i < rows_of(panel); i++)
        for (int side = 0; side < 2; side++) {
            const struct sensitivity_side *fact = &panel->rows[i].sides[side];
            axis_include(&axis, tornado->scale * (panel->base + fact->difference));
            axis_include(&axis, tornado->scale * (panel->base + fact->low));
            axis_include(&axis, tornado->scale * (panel->base + fact->high));
        }
    axis_pad(&axis, 0.2);
    return axis;
}

/* Half a row: its middle, where the bar ends, the interval there, where the text begins, and the text. */
static void write_side(const struct tornado *tornado, const struct sensitivity *panel, size_t row, int side)
{
    const struct sensitivity_side *fact = &panel->rows[row].sides[side];
    if (!*fact->value)
        return;
    bool left = fact->difference < 0;
    double end = panel->base + fact->difference, low = panel->base + fact->low,
           high = panel->base + fact->high;
    double text = left ? fmin(fmin(end, low), panel->base) : fmax(fmax(end, high), panel->base);
    const double numbers[] = {end, low, high, text};
    fprintf(tornado->out, "%.2f", (double)row + (side ? 1.21 : 0.79));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fputc(' ', tornado->out);
        script_number(tornado->out, tornado->scale * numbers[i]);
    }
    fprintf(tornado->out, " %d ", left);
    script_string(tornado->out, fact->value);
    fputc('\n', tornado->out);
}

/* Blocks of each panel: lower values, then higher ones. */
static void write_sides(const struct tornado *tornado)
{
    fputs("$sides << END_OF_DATA\n", tornado->out);
    for (size_t i = 0; i < tornado->count; i++)
        for (int side = 0; side < 2; side++) {
            fputs("NaN NaN NaN NaN NaN 0 \"\"\n", tornado->out); /* so that an empty block counts */
            for (size_t row = 0; row < rows_of(tornado->panels[i]); row++)
                write_side(tornado, tornado->panels[i], row, side);
            fputs("\n\n", tornado->out);
        }
    fputs("END_OF_DATA\n", tornado->out);
}

static void write_numbers(FILE *out, const char *name, const double *numbers, size_t count)
{
    fprintf(out, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        script_number(out, numbers[i]);
    }
    fputs("]\n", out);
}

static void write_panels(const struct tornado *tornado)
{
    double bases[MOST_LEARNING_PANELS], lows[MOST_LEARNING_PANELS], highs[MOST_LEARNING_PANELS];
    double steps[MOST_LEARNING_PANELS], rows[MOST_LEARNING_PANELS];
    char titles[MOST_LEARNING_PANELS][CAPTION_LENGTH];
    const char *names[MOST_LEARNING_PANELS];
    for (size_t i = 0; i < tornado->count; i++) {
        struct axis axis = panel_axis(tornado, tornado->panels[i]);
        bases[i] = tornado->scale * tornado->panels[i]->base;
        lows[i] = axis.low;
        highs[i] = axis.high;
        steps[i] = axis_step(axis.high - axis.low, MOST_TICKS, false);
        rows[i] = (double)rows_of(tornado->panels[i]);
        panel_title(titles[i], tornado, tornado->panels[i]);
        names[i] = titles[i];
    }
    script_set_strings(tornado->out, "panel", tornado->count, names);
    write_numbers(tornado->out, "base", bases, tornado->count);
    write_numbers(tornado->out, "low", lows, tornado->count);
    write_numbers(tornado->out, "high", highs, tornado->count);
    write_numbers(tornado->out, "step", steps, tornado->count);
    write_numbers(tornado->out, "rows_of", rows, tornado->count);
}

/* Of all panels, one after another. False when out of memory. */
static bool write_names(const struct tornado *tornado)
{
    const size_t most = tornado->count * most_rows(tornado);
    char(*texts)[CAPTION_LENGTH] = calloc(most, sizeof *texts);
    const char **names = calloc(most, sizeof *names);
    for (size_t i = 0; i < most && texts && names; i++) {
        const struct sensitivity *panel = tornado->panels[i / most_rows(tornado)];
        size_t row = i % most_rows(tornado);
        if (row < rows_of(panel))
            row_name(texts[i], panel, row);
        names[i] = texts[i];
    }
    bool written = texts && names;
    if (written)
        script_set_strings(tornado->out, "name", most, names);
    free(texts);
    free(names);
    return written;
}

static void write_words(const struct tornado *tornado)
{
    char name[CAPTION_LENGTH], subject[CAPTION_LENGTH + 24], text[CAPTION_LENGTH];
    struct outline base = *tornado->outline; /* of one point: what the title says is said of the base */
    for (size_t i = 0; i < base.point_count; i++)
        if (strcmp(base.points[i].json, "{}") == 0)
            base.points += i;
    base.point_count = 1;
    caption_metric_name(name, tornado->metric);
    snprintf(subject, sizeof subject, "Sensitivity of the %s", name);
    if (name[0] >= 'A' && name[0] <= 'Z' && !(name[1] >= 'A' && name[1] <= 'Z'))
        subject[strlen("Sensitivity of the ")] = (char)(name[0] - 'A' + 'a');
    caption_title(text, subject, &base);
    script_set_string(tornado->out, "title", text);
    if (tornado->pairs > 1)
        snprintf(text, sizeof text,
                 "study %" PRId64 ": means of %" PRId64
                 " pairs of replications with 95 %% intervals of the difference",
                 base.study, tornado->pairs);
    else
        snprintf(text, sizeof text, "study %" PRId64 ": one replication", base.study);
    script_set_string(tornado->out, "note", text);
    caption_metric(text, tornado->metric);
    script_set_string(tornado->out, "metric", text);
    script_set_string(tornado->out, "metric_format", notation_is_share(tornado->metric) ? "%g" : "%.3s%c");
}

static void lay_out(const struct tornado *tornado, struct figure_script *script)
{
    const size_t columns = tornado->count < 2 ? 1 : 2, rows = (tornado->count + columns - 1) / columns;
    const double label = 28 + widest_name(tornado), down = ROW_HEIGHT * (double)most_rows(tornado) + 14;
    const double top = 110, gap = 100, bottom = 62;
    script->width = (double)columns * (label + ACROSS + 24);
    script->height = top + bottom + (double)rows * (down + gap) - gap;
    const struct {
        const char *name;
        double number;
    } variables[] = {{"columns", (double)columns},
                     {"most_rows", (double)most_rows(tornado)},
                     {"label", label},
                     {"across", ACROSS},
                     {"aside", 24},
                     {"down", down},
                     {"top", top},
                     {"gap", gap}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(tornado->out, variables[i].name, variables[i].number);
}

static bool write_tornado(struct tornado *tornado, const char *only, struct figure_script *script,
                          struct error *error)
{
    const struct outline *outline = tornado->outline;
    if (!sensitivity_is_study(outline)) {
        error_set(error, ERROR_INPUT,
                  "study %" PRId64
                  " (%s) is no sensitivity analysis, which `trainstorm sweep --sensitivity 10%%' makes",
                  outline->study, outline->name);
        return false;
    }
    if (!read_panels(tornado, only, error))
        return false;
    lay_out(tornado, script);
    write_words(tornado);
    write_panels(tornado);
    write_sides(tornado);
    if (write_names(tornado))
        return true;
    error_out_of_memory(error, "a figure");
    return false;
}

bool sensitivity_write(struct store *store, const struct figure_request *request,
                       struct figure_script *script, struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct tornado tornado = {
        .store = store,
        .outline = outline,
        .metric = request->metric ? request->metric : "goodput",
        .out = script->out,
    };
    tornado.scale = notation_is_share(tornado.metric) ? 100 : 1;
    bool written = write_tornado(&tornado, request->strategy, script, error);
    free_panels(&tornado);
    outline_destroy(outline);
    return written;
}
