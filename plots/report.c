/*
 * The page is written beside its target and then put in its place (place.h). A
 * figure for which the study lacks the data has no place in it.
 */
#include "plots/report.h"

#include "plots/caption.h"
#include "plots/figure.h"
#include "plots/html.h"
#include "plots/place.h"
#include "plots/report_tables.h"
#include "results/database.h"
#include "results/notation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report {
    struct store *store;
    const struct report_request *request;
    const struct outline *outline;
    FILE *out;
    const char *part; /* the file that is being written */
};

/* What the study's row says. */
enum fact { STARTED, VERSION, HOST, COMMAND_LINE, SCENARIO, DIGEST, FACTS };

struct facts {
    char *texts[FACTS];
};

static void free_facts(struct facts *facts)
{
    for (size_t i = 0; i < FACTS; i++)
        free(facts->texts[i]);
}

static bool read_facts(const struct report *report, struct facts *facts, struct error *error)
{
    const struct database *database = store_database(report->store);
    const struct database_value key = database_integer(report->outline->study);
    sqlite3_stmt *query =
        database_query(database,
                       "select started_utc, version, host, command_line, scenario, scenario_sha256 from study"
                       " where id = ?1",
                       1, &key, error);
    bool found = query && database_next(database, query, error) == DATABASE_ROW;
    for (int i = 0; found && i < FACTS; i++)
        facts->texts[i] = database_copy_text(query, i);
    sqlite3_finalize(query);
    return found;
}

static const char *fact(const struct facts *facts, enum fact which)
{
    return facts->texts[which] ? facts->texts[which] : "";
}

static bool write_asset(const struct report *report, const char *name, struct error *error)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", report->request->template_folder, name) < 0) {
        error_out_of_memory(error, "a report");
        return false;
    }
    bool written = place_copy(report->out, path, error);
    free(path);
    return written;
}

static bool write_head(const struct report *report, const char *title, struct error *error)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          report->out);
    html_text(report->out, title);
    fputs("</title>\n<style>\n", report->out);
    if (!write_asset(report, "report.css", error))
        return false;
    fputs("</style>\n</head>\n<body>\n<main>\n", report->out);
    return true;
}

static void write_fact(FILE *out, const char *name, const char *text)
{
    fputs("<dt>", out);
    html_text(out, name);
    fputs("</dt><dd>", out);
    html_text(out, text);
    fputs("</dd>\n", out);
}

/* "40 done, 2 stalled" */
static void write_runs(const struct report *report)
{
    const struct outline *outline = report->outline;
    char text[CAPTION_LENGTH] = "", note[CAPTION_LENGTH];
    size_t length = 0;
    for (enum run_status status = 0; status < RUN_STATUSES; status++) {
        int64_t count = 0;
        for (size_t i = 0; i < outline->point_count; i++)
            for (size_t j = 0; j < outline->strategy_count; j++)
                count += outline->points[i].runs[j].with[status];
        if (count > 0 && length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64 " %s",
                                       length ? ", " : "", count, run_status_names[status]);
    }
    write_fact(report->out, "Runs", text);
    caption_note(note, outline, false);
    write_fact(report->out, "Figures", note);
}

static void write_study(const struct report *report, const struct facts *facts, const char *title)
{
    FILE *out = report->out;
    fputs("<header><h1>", out);
    html_text(out, title);
    fputs("</h1>\n<dl>\n", out);
    write_runs(report);
    write_fact(out, "Started (UTC)", fact(facts, STARTED));
    write_fact(out, "Version", fact(facts, VERSION));
    write_fact(out, "Machine", fact(facts, HOST));
    fputs("</dl></header>\n", out);
}

/* Figures. */

/* Draws FIGURE into a scratch file and puts it in; true also if the study lacks what it shows, or has more.
 */
static bool write_figure(const struct report *report, const struct figure *figure, const char *scratch,
                         struct error *error)
{
    const struct figure_request request = {.figure = figure->name,
                                           .output = scratch,
                                           .template_folder = report->request->template_folder,
                                           .study = report->outline->study,
                                           .stop = report->request->stop};
    struct error lacking = {.kind = ERROR_NONE};
    if (figure->suits && !figure->suits(report->outline))
        return true;
    if (!figure_draw(report->store, &request, &lacking)) {
        if (lacking.kind == ERROR_INTERRUPTED)
            error_set(error, lacking.kind, "interrupted; %s was not written", report->request->output);
        else if (lacking.kind != ERROR_INPUT)
            error_set(error, lacking.kind, "%s", lacking.message);
        return lacking.kind == ERROR_INPUT;
    }
    fprintf(report->out, "<figure id=\"figure-%s\"><img alt=\"", figure->name);
    html_text(report->out, figure->sentence);
    fputs("\" src=\"", report->out);
    bool written = html_data(report->out, scratch, "image/svg+xml", error);
    fputs("\">\n<figcaption>", report->out);
    html_text(report->out, figure->sentence);
    fputs("</figcaption></figure>\n", report->out);
    return written;
}

static bool write_figures(const struct report *report, struct error *error)
{
    char *scratch = NULL;
    if (asprintf(&scratch, "%s.svg", report->part) < 0) {
        error_out_of_memory(error, "a report");
        return false;
    }
    bool written = true;
    fputs("<section id=\"figures\"><h2>Figures</h2>\n", report->out);
    for (size_t i = 0; i < figure_count && written; i++)
        written = write_figure(report, &figures[i], scratch, error);
    fputs("</section>\n", report->out);
    unlink(scratch);
    free(scratch);
    return written;
}

static void write_again(FILE *out, const struct facts *facts)
{
    fputs("<section id=\"again\"><h2>Run it again</h2>\n<p>The command:</p>\n<pre><code>", out);
    html_text(out, fact(facts, COMMAND_LINE));
    fputs("</code></pre>\n<p>The scenario as it was resolved, with every default and unit, which runs alone: "
          "save it as <code>scenario.yaml</code>, then <code>trainstorm sweep scenario.yaml</code>.</p>\n"
          "<details><summary>The scenario</summary>\n<pre><code>",
          out);
    html_text(out, fact(facts, SCENARIO));
    fputs("</code></pre></details>\n<p class=\"note\">SHA-256 ", out);
    html_text(out, fact(facts, DIGEST));
    fputs("</p></section>\n", out);
}

static bool write_page(const struct report *report, const struct facts *facts, struct error *error)
{
    char title[CAPTION_LENGTH];
    FILE *out = report->out;
    caption_title(title, "Report", report->outline);
    if (!write_head(report, title, error))
        return false;
    write_study(report, facts, title);
    fputs("<section id=\"comparison\"><h2>Comparison</h2>\n", out);
    report_comparison(report->store, report->outline, out);
    fputs("</section>\n", out);
    if (!report_expectations(report->store, report->outline, out, error) || !write_figures(report, error))
        return false;
    fputs("<section id=\"budget\"><h2>Time budget</h2>\n", out);
    report_budget(report->store, report->outline, out);
    fputs("</section>\n", out);
    write_again(out, facts);
    fputs("</main>\n<script>\n", out);
    bool written = write_asset(report, "report.js", error);
    fputs("</script>\n</body>\n</html>\n", out);
    return written;
}

/* Into the part. */
static bool write_part(struct report *report, struct error *error)
{
    struct facts facts = {0};
    report->out = fopen(report->part, "w");
    if (!report->out) {
        error_set(error, ERROR_SYSTEM, "%s: %s", report->request->output, strerror(errno));
        return false;
    }
    bool written = read_facts(report, &facts, error) && write_page(report, &facts, error);
    free_facts(&facts);
    bool kept = !ferror(report->out);
    kept &= fclose(report->out) == 0;
    if (written && !kept)
        error_set(error, ERROR_SYSTEM, "%s: the report can not be written: %s", report->request->output,
                  strerror(errno));
    return written && kept;
}

static bool write_beside(struct report *report, struct error *error)
{
    struct place_part part;
    if (!place_begin(&part, report->request->output, "report", error))
        return false;
    part.stop = report->request->stop;
    report->part = part.path;
    return place_end(&part, write_part(report, error), error);
}

static bool write_outlined(struct store *store, const struct report_request *request, struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    struct report report = {.store = store, .request = request, .outline = outline};
    bool written = outline && write_beside(&report, error);
    outline_destroy(outline);
    return written;
}

/* From one snapshot: a sweep may be writing meanwhile. */
bool report_write(struct store *store, const struct report_request *request, struct error *error)
{
    const struct database *database = store_database(store);
    if (!database_execute(database, "begin", error))
        return false;
    bool written = write_outlined(store, request, error);
    database_roll_back(database);
    return written;
}
