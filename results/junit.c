/*
 * Cases are written into a text of their own first: their numbers stand in the suite's head.
 */
#include "results/junit.h"
#include "results/baseline.h"
#include "results/database.h"
#include "results/expectations.h"
#include "results/junit_names.h"
#include "results/outline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct store *store;
    const struct outline *outline;
    const char *trouble; /* or NULL */
    FILE *cases;
    size_t tests, failures, errors;
    double seconds;
    struct junit_names taken;    /* by cases that are written */
    struct junit_names expected; /* of all expectations, without their sources */
    bool short_of_memory;
};

/* Length of the character of valid UTF-8 that TEXT begins with and that XML may hold; 0: there is none. */
static size_t character_length(const unsigned char *text)
{
    if (text[0] < 0x80)
        return text[0] >= 0x20 || strchr("\t\n\r", text[0]) ? 1 : 0;
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    bool beyond = (text[0] == 0xF4 && text[1] > 0x8F) || (text[0] == 0xED && text[1] > 0x9F);
    bool none = text[0] == 0xEF && text[1] == 0xBF && text[2] > 0xBD;
    return overlong || beyond || none ? 0 : length;
}

/* As the content of an attribute or an element; what XML may not hold becomes U+FFFD. */
static void put_text(FILE *out, const char *text)
{
    static const char special[] = "<>&\"\n\t\r";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", "&#9;", "&#13;"};
    while (*text) {
        size_t length = character_length((const unsigned char *)text);
        const char *place = length == 1 ? strchr(special, *text) : NULL;
        if (!length)
            fputs("\xEF\xBF\xBD", out);
        else if (place)
            fputs(entities[place - special], out);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_text(out, text);
    fputc('"', out);
}

/* What a case is called: "BEFORE[ AFTER][ at POINT][ (SOURCE)]", of STRATEGY. */
struct title {
    const char *strategy, *before, *after, *point; /* the last two "": none */
    const char *source;                            /* NULL: none */
};

static void put_part(FILE *out, const char *before, const char *text, const char *after)
{
    if (!text || !*text)
        return;
    fputs(before, out);
    put_text(out, text);
    fputs(after, out);
}

/* Both attributes up to the last quote. The caller frees; NULL when out of memory. */
static char *write_title(const struct report *report, const struct title *title)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_part(out, "classname=\"", report->outline->name, ".");
    put_text(out, title->strategy);
    put_part(out, "\" name=\"", title->before, "");
    put_part(out, " ", title->after, "");
    put_part(out, " at ", title->point, "");
    put_part(out, " (", title->source, ")");
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* TEXT, or TEXT with the least number that no case has yet; the caller frees, NULL when out of memory. */
static char *take_name(struct report *report, const char *text)
{
    char *name = strdup(text);
    for (size_t number = 2; name; number++) {
        size_t times = junit_names_add(&report->taken, name);
        if (times == 1)
            return name;
        free(name);
        if (times == 0 || asprintf(&name, "%s (%zu)", text, number) < 0)
            name = NULL;
    }
    return NULL;
}

/* A case up to the end of its head. */
static void begin_case(struct report *report, const struct title *title, double seconds)
{
    char *text = write_title(report, title), *name = text ? take_name(report, text) : NULL;
    report->tests++;
    report->seconds += seconds;
    report->short_of_memory |= !name;
    fprintf(report->cases, "    <testcase %s\" time=\"%.3f\"", name ? name : "name=\"", seconds);
    free(text);
    free(name);
}

/* The end of a case, empty or with ELEMENT, which says MESSAGE. */
static void end_case(struct report *report, const char *element, const char *type, const char *message)
{
    FILE *out = report->cases;
    if (!element) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", element);
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    fputc('>', out);
    put_text(out, message);
    fprintf(out, "</%s>\n    </testcase>\n", element);
}

static const char runs_sql[] =
    "select strategy, point, count(*), sum(status = 'failed'), sum(wall_s) from study_run"
    " join run on run.id = study_run.run where study_run.study = ?1 group by 1, 2 order by min(run.id)";

static char *point_words(const struct outline *outline, const char *json)
{
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, json) == 0)
            return outline_point_words(outline, &outline->points[i]);
    return strdup(json);
}

static bool write_runs_of(struct report *report, sqlite3_stmt *query)
{
    const char *json = (const char *)sqlite3_column_text(query, 1);
    char *point = json ? point_words(report->outline, json) : NULL;
    long long all = database_column_integer(query, 2), failed = database_column_integer(query, 3);
    char message[100];
    if (!point)
        return false;
    const char *strategy = (const char *)sqlite3_column_text(query, 0);
    begin_case(report, &(struct title){strategy, "runs", "", point, NULL}, database_column_real(query, 4));
    snprintf(message, sizeof message, "%lld of %lld runs failed", failed, all);
    end_case(report, failed ? "error" : NULL, "failed", message);
    report->errors += failed > 0;
    free(point);
    return true;
}

static bool write_runs(struct report *report, struct error *error)
{
    const struct database *database = store_database(report->store);
    const struct database_value key = database_integer(report->outline->study);
    sqlite3_stmt *query = database_query(database, runs_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!write_runs_of(report, query)) {
            error_out_of_memory(error, "a report");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

enum { ASKED = 400 };

/* "goodput against plain", in ASKED. */
static struct title title_of(const struct expectation_words *words, char asked[ASKED])
{
    snprintf(asked, ASKED, "%s%s%s%s%s", words->metric, words->until ? " until " : "",
             words->until ? words->until : "", words->against ? " against " : "",
             words->against ? words->against : "");
    return (struct title){words->strategy, asked, words->wanted, words->point, NULL};
}

static void count_title(void *context, const struct expectation_words *words)
{
    struct report *report = context;
    char asked[ASKED];
    const struct title title = title_of(words, asked);
    char *text = write_title(report, &title);
    report->short_of_memory |= !text || !junit_names_add(&report->expected, text);
    free(text);
}

/* The source tells those apart that differ in nothing else. */
static void write_expectation(void *context, const struct expectation_words *words)
{
    struct report *report = context;
    char asked[ASKED], message[2 * EXPECTATION_WORDS + 600];
    struct title title = title_of(words, asked);
    char *text = write_title(report, &title);
    if (text && junit_names_count(&report->expected, text) > 1)
        title.source = words->source;
    free(text);
    snprintf(message, sizeof message, "wanted %s, got %s%s%.500s", words->wanted, words->got,
             words->source ? "; source: " : "", words->source ? words->source : "");
    begin_case(report, &title, 0);
    end_case(report, words->met ? NULL : "failure", "expectation", message);
    report->failures += !words->met;
}

static void write_change(void *context, const struct baseline_words *words)
{
    struct report *report = context;
    bool regressed = strcmp(words->verdict, "regressed") == 0;
    char message[1200];
    snprintf(message, sizeof message,
             "wanted relatively no more than %s confidence worse than %s in %.300s, got %s: %s",
             words->allowed, words->before, words->baseline, words->now, words->change);
    begin_case(report,
               &(struct title){words->strategy, words->metric, "against the baseline", words->point, NULL},
               0);
    if (regressed || strcmp(words->verdict, "unclear") != 0)
        end_case(report, regressed ? "failure" : NULL, "regression", message);
    else {
        fputs(">\n      <system-out>unclear: ", report->cases);
        put_text(report->cases, message);
        fputs("</system-out>\n    </testcase>\n", report->cases);
    }
    report->failures += regressed;
}

static void put_property(FILE *out, const char *name, const char *value)
{
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

/* The suite's head, from the study's row. */
static bool write_head(const struct report *report, FILE *out, struct error *error)
{
    const struct database *database = store_database(report->store);
    const struct database_value key = database_integer(report->outline->study);
    sqlite3_stmt *query = database_query(database,
                                         "select host, rtrim(started_utc, 'Z'), version, scenario_sha256,"
                                         " command_line from study where id = ?1",
                                         1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    if (read) {
        fputs("  <testsuite", out);
        put_attribute(out, "name", report->outline->name);
        fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.3f\"",
                report->tests, report->failures, report->errors, report->seconds);
        put_attribute(out, "timestamp", (const char *)sqlite3_column_text(query, 1));
        put_attribute(out, "hostname", (const char *)sqlite3_column_text(query, 0));
        fputs(">\n    <properties>\n", out);
        put_property(out, "version", (const char *)sqlite3_column_text(query, 2));
        put_property(out, "scenario_sha256", (const char *)sqlite3_column_text(query, 3));
        put_property(out, "command_line", (const char *)sqlite3_column_text(query, 4));
        fputs("    </properties>\n", out);
    }
    sqlite3_finalize(query);
    return read;
}

static bool write_document(struct report *report, const char *cases, FILE *out, struct error *error)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n", report->tests,
            report->failures, report->errors, report->seconds);
    bool written = write_head(report, out, error);
    fputs(cases, out);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return written;
}

static void write_trouble(struct report *report)
{
    if (!report->trouble)
        return;
    begin_case(report, &(struct title){"study", "whole", "", "", NULL}, 0);
    end_case(report, "error", "study", report->trouble);
    report->errors++;
}

static bool write_cases(struct report *report, struct error *error)
{
    write_trouble(report);
    return write_runs(report, error) &&
           expectations_for_each(report->store, report->outline, count_title, report, error) &&
           expectations_for_each(report->store, report->outline, write_expectation, report, error) &&
           baseline_for_each(report->store, report->outline, write_change, report, error) &&
           !report->short_of_memory;
}

/* NULL: failed, or out of memory, which ERROR then says. */
static char *write_report(struct report *report, struct error *error)
{
    char *cases = NULL, *text = NULL;
    size_t cases_size = 0, size = 0;
    report->cases = open_memstream(&cases, &cases_size);
    bool written = report->cases && write_cases(report, error);
    written = report->cases && fclose(report->cases) == 0 && written;
    FILE *out = written ? open_memstream(&text, &size) : NULL;
    written = out && write_document(report, cases, out, error);
    written = out && fclose(out) == 0 && written;
    free(cases);
    junit_names_free(&report->taken);
    junit_names_free(&report->expected);
    if (written)
        return text;
    free(text);
    if (error->kind == ERROR_NONE)
        error_out_of_memory(error, "a report");
    return NULL;
}

char *junit_report(struct store *store, int64_t study, const char *trouble, struct error *error)
{
    struct error failure = {.kind = ERROR_NONE};
    struct outline *outline = outline_create(store, study, &failure);
    char *text = NULL;
    if (outline) {
        struct report report = {.store = store, .outline = outline, .trouble = trouble};
        text = write_report(&report, &failure);
        outline_destroy(outline);
    }
    if (!text)
        error_set(error, failure.kind, "%s", failure.message);
    return text;
}
