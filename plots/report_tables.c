/*
 * A column of a metric is there if some run has it. A page of more rows than a person reads says where the
 * others are.
 */
#include "plots/report_tables.h"

#include "plots/caption.h"
#include "plots/html.h"
#include "results/database.h"
#include "results/expectations.h"
#include "results/notation.h"
#include "results/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 2000, MOST_COLUMNS = 48, MOST_AXES = 12 };

struct column {
    const char *metric, *heading;
    enum { PERCENT, COUNT, SUFFIXED, DURATION, LOSS } form;
};

static const struct column figures[] = {
    {"goodput", "goodput, %", PERCENT},
    {"uptime", "uptime, %", PERCENT},
    {"steps", "useful steps", COUNT},
    {"tokens", "tokens", SUFFIXED},
    {"time_to_finish", "time to finish", DURATION},
    {"failures", "failures", COUNT},
    {"mtbf", "MTBF", DURATION},
    {"cost", "cost", SUFFIXED},
    {"final_loss", "final loss", LOSS},
    {"excess_loss", "excess loss", LOSS},
    {"statistical_goodput", "statistical goodput, %", PERCENT},
};

struct sheet {
    struct store *store;
    const struct outline *outline;
    FILE *out;
    const struct column *columns[MOST_COLUMNS];
    size_t column_count;
};

static bool find_mean(const struct sheet *sheet, size_t point, size_t strategy, const char *metric,
                      struct store_mean *mean)
{
    const struct outline *outline = sheet->outline;
    return store_mean(sheet->store, outline->study, outline->strategies[strategy],
                      outline->points[point].json, metric, mean);
}

/* Whether some row has METRIC, and more than 0 of it where only that is of interest. */
static bool has_metric(const struct sheet *sheet, const char *metric, bool above_zero)
{
    const struct database_value key[] = {database_integer(sheet->outline->study), database_text(metric),
                                         database_real(above_zero ? 0.00005 : -INFINITY)};
    sqlite3_stmt *query = database_query(
        store_database(sheet->store),
        "select 1 from summary where study = ?1 and metric = ?2 and mean >= ?3 limit 1", 3, key, NULL);
    bool found = query && database_next(store_database(sheet->store), query, NULL) == DATABASE_ROW;
    sqlite3_finalize(query);
    return found;
}

static void write_figure(const struct sheet *sheet, const struct column *column,
                         const struct store_mean *mean)
{
    char text[NOTATION_LENGTH], half_text[NOTATION_LENGTH + 8] = "";
    double half = mean->count > 1 ? (mean->high - mean->low) / 2 : NAN;
    switch (column->form) {
    case PERCENT:
        snprintf(text, sizeof text, "%.2f", 100 * mean->mean);
        if (isfinite(half))
            snprintf(half_text, sizeof half_text, " ±\u00a0%.2f", 100 * half);
        break;
    case COUNT:
        notation_count(text, mean->mean);
        break;
    case DURATION:
        notation_duration(text, mean->mean);
        break;
    case LOSS:
        notation_loss(text, mean->mean, half);
        break;
    default:
        notation_interval(text, mean->mean, half);
    }
    char whole[2 * NOTATION_LENGTH + 8];
    snprintf(whole, sizeof whole, "%s%s", text, half_text);
    html_number(sheet->out, mean->mean, whole);
}

static void write_setting(const struct sheet *sheet, const struct outline_axis *axis,
                          const struct outline_setting *setting)
{
    char number[NOTATION_LENGTH];
    const char *text = setting->text ? setting->text : "–";
    if (setting->text && axis->unit[0] && caption_suits_unit(axis, setting)) {
        snprintf(number, sizeof number, "%.6g", setting->number);
        text = number;
    }
    if (axis->numeric)
        html_number(sheet->out, setting->number, text);
    else
        html_words(sheet->out, text);
}

/* Of a sensitivity analysis, each point sets one axis of many; of so many axes there is no column each. */
static bool has_columns(const struct outline *outline)
{
    return outline->axis_count <= MOST_AXES && !sensitivity_is_study(outline);
}

static void write_settings(const struct sheet *sheet, const struct outline_point *point)
{
    if (has_columns(sheet->outline)) {
        for (size_t i = 0; i < sheet->outline->axis_count; i++)
            write_setting(sheet, &sheet->outline->axes[i], &point->settings[i]);
        return;
    }
    char *words = outline_point_words(sheet->outline, point);
    html_words(sheet->out, words && *words ? words : "–");
    free(words);
}

static void write_row(const struct sheet *sheet, size_t point, size_t strategy)
{
    fputs("<tr>", sheet->out);
    html_words(sheet->out, sheet->outline->strategies[strategy]);
    write_settings(sheet, &sheet->outline->points[point]);
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct store_mean mean;
        if (find_mean(sheet, point, strategy, sheet->columns[i]->metric, &mean))
            write_figure(sheet, sheet->columns[i], &mean);
        else
            html_number(sheet->out, NAN, "–");
    }
    fputs("</tr>\n", sheet->out);
}

static void write_rows(const struct sheet *sheet)
{
    const struct outline *outline = sheet->outline;
    size_t rows = 0, left_out = 0;
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++) {
            if (outline->points[i].runs[j].all == 0)
                continue;
            if (rows++ < MOST_ROWS)
                write_row(sheet, i, j);
            else
                left_out++;
        }
    html_table_end(sheet->out);
    if (left_out)
        fprintf(sheet->out,
                "<p class=\"note\">%zu more rows are in <code>trainstorm export --csv</code>.</p>\n",
                left_out);
}

/* Strategy and axes are words, or may be. */
static void write_sheet(const struct sheet *sheet, const char *caption)
{
    const char *headings[MOST_COLUMNS + MOST_AXES + 1] = {"strategy"};
    char axes[MOST_AXES][CAPTION_LENGTH];
    size_t count = 1, numeric;
    if (!has_columns(sheet->outline))
        headings[count++] = "at";
    else
        for (size_t i = 0; i < sheet->outline->axis_count; i++) {
            caption_axis(axes[i], &sheet->outline->axes[i]);
            headings[count++] = axes[i];
        }
    numeric = count;
    for (size_t i = 0; i < sheet->column_count; i++)
        headings[count++] = sheet->columns[i]->heading;
    html_table_begin(sheet->out, caption, headings, count, numeric);
    write_rows(sheet);
}

void report_comparison(struct store *store, const struct outline *outline, FILE *out)
{
    struct sheet sheet = {.store = store, .outline = outline, .out = out};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (has_metric(&sheet, figures[i].metric, false))
            sheet.columns[sheet.column_count++] = &figures[i];
    write_sheet(&sheet, "Strategies side by side");
}

void report_budget(struct store *store, const struct outline *outline, FILE *out)
{
    struct sheet sheet = {.store = store, .outline = outline, .out = out};
    struct column columns[BUDGET_CATEGORIES];
    char headings[BUDGET_CATEGORIES][NOTATION_LENGTH];
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        notation_metric(headings[i], budget_metrics[i]);
        columns[i] = (struct column){budget_metrics[i], headings[i], PERCENT};
        if (has_metric(&sheet, budget_metrics[i], true))
            sheet.columns[sheet.column_count++] = &columns[i];
    }
    write_sheet(&sheet, "Where the chip time went, %");
}

/* Expectations. */

struct expected {
    FILE *out;
    size_t rows;
};

/* "decoupled against elastic": two words with another between them, or the first alone. */
static void write_joined(FILE *out, const char *first, const char *between, const char *second)
{
    fputs("<td>", out);
    html_text(out, first);
    if (second) {
        fprintf(out, " %s ", between);
        html_text(out, second);
    }
    fputs("</td>", out);
}

static void write_expectation(void *context, const struct expectation_words *words)
{
    static const char *const headings[] = {"verdict", "strategy", "at", "metric", "wanted", "got", "source"};
    struct expected *expected = context;
    FILE *out = expected->out;
    if (expected->rows++ == 0) {
        size_t count = sizeof headings / sizeof *headings;
        fputs("<section id=\"expectations\"><h2>What was expected</h2>\n", out);
        html_table_begin(out, "Expectations", headings, count, count);
    }
    fprintf(out, "<tr%s>", words->met ? "" : " class=\"missed\"");
    html_words(out, words->met ? "met" : "missed");
    write_joined(out, words->strategy, "against", words->against);
    html_words(out, words->point);
    write_joined(out, words->metric, "until", words->until);
    html_words(out, words->wanted);
    html_words(out, words->got);
    html_words(out, words->source ? words->source : "");
    fputs("</tr>\n", out);
}

bool report_expectations(struct store *store, const struct outline *outline, FILE *out, struct error *error)
{
    struct expected expected = {.out = out};
    bool written = expectations_for_each(store, outline, write_expectation, &expected, error);
    if (expected.rows > 0) {
        html_table_end(out);
        fputs("</section>\n", out);
    }
    return written;
}
