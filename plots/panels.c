#include "plots/panels.h"
#include "plots/caption.h"
#include "results/database.h"

#include <inttypes.h>
#include <string.h>

static bool has_replays(const struct outline *outline, size_t point)
{
    for (size_t i = 0; i < outline->strategy_count; i++)
        if (outline->points[point].runs[i].replays > 0)
            return true;
    return false;
}

/* The point that is the N-th with replays. */
static size_t nth_point(const struct outline *outline, size_t n)
{
    size_t i = 0;
    for (; i + 1 < outline->point_count; i++)
        if (has_replays(outline, i) && n-- == 0)
            break;
    return i;
}

bool panels_check_strategy(const struct outline *outline, const char *strategy, struct error *error)
{
    char names[400] = "";
    size_t length = 0;
    if (!strategy)
        return true;
    for (size_t i = 0; i < outline->strategy_count; i++) {
        if (strcmp(outline->strategies[i], strategy) == 0)
            return true;
        if (length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                       outline->strategies[i]);
    }
    error_set(error, ERROR_INPUT, "--strategy: study %" PRId64 " (%s) has no strategy \"%s\"; it has %s",
              outline->study, outline->name, strategy, names);
    return false;
}

bool panels_choose(struct panels *panels, const struct outline *outline, struct error *error)
{
    *panels = (struct panels){.outline = outline};
    for (size_t i = 0; i < outline->point_count; i++)
        panels->all += has_replays(outline, i);
    panels->count = panels->all < MOST_LEARNING_PANELS ? panels->all : MOST_LEARNING_PANELS;
    for (size_t i = 0; i < panels->count; i++)
        panels->points[i] = nth_point(outline, panels->all <= MOST_LEARNING_PANELS
                                                   ? i
                                                   : i * (panels->all - 1) / (MOST_LEARNING_PANELS - 1));
    if (panels->count > 0)
        return true;
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no replays: nothing was learned in it",
              outline->study, outline->name);
    return false;
}

void panels_lay_out(struct panels *panels, size_t most_columns, double across, double aside, double legend,
                    struct figure_script *script)
{
    const double left = 78, bottom = 68, gap = 64, top = panels->count > 1 ? 88 : 66;
    size_t columns = panels->count < most_columns ? panels->count : most_columns;
    panels->columns = columns;
    panels->legend = legend;
    panels->rows = (panels->count + columns - 1) / columns;
    panels->across = panels->count == 1 ? 540 : across;
    panels->down = panels->count == 1 ? 336 : 90 + across / 2;
    script->width = left + legend + (double)columns * (panels->across + aside) - aside;
    script->height = top + bottom + (double)panels->rows * (panels->down + gap) - gap;
    const struct {
        const char *name;
        double number;
    } variables[] = {
        {"columns", (double)columns},
        {"rows", (double)panels->rows},
        {"across", panels->across},
        {"down", panels->down},
        {"left", left},
        {"top", top},
        {"aside", aside},
        {"gap", gap},
        {"legend", legend},
    };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(script->out, variables[i].name, variables[i].number);
}

/* "study 1: means of 5 replications with 95 % intervals of the excess loss; 2 of 30 replays diverged" */
static void write_note(const struct panels *panels, const char *about, FILE *out)
{
    const struct outline *outline = panels->outline;
    int64_t replays = 0, diverged = 0;
    char note[CAPTION_LENGTH], text[2 * CAPTION_LENGTH];
    caption_note(note, outline, true);
    size_t length =
        (size_t)snprintf(text, sizeof text, "%s%.80s", note, outline->replications > 1 ? about : "");
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++) {
            replays += outline->points[i].runs[j].replays;
            diverged += outline->points[i].runs[j].diverged;
        }
    if (diverged > 0)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "; %" PRId64 " of %" PRId64 " replays diverged", diverged, replays);
    if (outline->learnings > 1)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "; learning %.80s", outline->learning);
    if (panels->count < panels->all)
        snprintf(text + length, sizeof text - length, "; %zu of %zu points", panels->count, panels->all);
    script_set_string(out, "note", text);
}

void panels_write_words(const struct panels *panels, const char *subject, const char *about, FILE *out)
{
    const struct outline *outline = panels->outline;
    char text[CAPTION_LENGTH], captions[MOST_LEARNING_PANELS][CAPTION_LENGTH];
    const char *names[MOST_LEARNING_PANELS];
    caption_title(text, subject, outline);
    script_set_string(out, "title", text);
    write_note(panels, about, out);
    for (size_t i = 0; i < panels->count; i++) {
        caption_point(captions[i], outline, &outline->points[panels->points[i]], SIZE_MAX);
        names[i] = captions[i];
    }
    script_set_strings(out, "panel", panels->count, names);
    script_set_strings(out, "strategy", outline->strategy_count, (const char *const *)outline->strategies);
}

void panels_write_loss_label(const struct panels *panels, struct store *store, const char *name,
                             const char *words, FILE *out)
{
    const struct database *database = store_database(store);
    const struct database_value study = database_integer(panels->outline->study);
    sqlite3_stmt *query = database_query(
        database,
        "select metric.unit from study_replay join metric on metric.replay = study_replay.replay"
        " where study_replay.study = ?1 and metric.name = 'final_loss' limit 1",
        1, &study, NULL);
    char text[CAPTION_LENGTH];
    snprintf(text, sizeof text, "%s", words);
    if (query && database_next(database, query, NULL) == DATABASE_ROW) {
        const char *unit = (const char *)sqlite3_column_text(query, 0);
        if (strcmp(unit, "1") != 0)
            snprintf(text, sizeof text, "%s (%s)", words, unit);
    }
    sqlite3_finalize(query);
    script_set_string(out, name, text);
}
