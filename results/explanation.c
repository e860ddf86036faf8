#include "results/explanation.h"

#include "results/database.h"
#include "results/explained.h"
#include "results/notation.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { NAME, FAULT, FAULTS, FIRST, LAST, SINCE, COST, OF_LOST, OF_ALL, INTO, COLUMNS };
enum { TEXT = 160, NAMED = 3 };

#define NAMED_SHARE 0.01 /* categories that took less of a cause's cost are not named */

/* "12.5 s", "3:20:05", "2 d 03:20:05"; "–" of what is not known. */
static void write_clock(char text[TEXT], double seconds)
{
    if (!isfinite(seconds)) {
        snprintf(text, TEXT, "–");
        return;
    }
    if (seconds < 60) {
        snprintf(text, TEXT, "%.4g s", seconds);
        return;
    }
    int64_t whole = (int64_t)seconds, days = whole / 86400, hours = whole / 3600 % 24;
    int minutes = (int)(whole / 60 % 60), rest = (int)(whole % 60);
    if (days > 0)
        snprintf(text, TEXT, "%" PRId64 " d %02d:%02d:%02d", days, (int)hours, minutes, rest);
    else
        snprintf(text, TEXT, "%d:%02d:%02d", (int)hours, minutes, rest);
}

/* Head. */

static bool has_settings(const char *point)
{
    return strcmp(point, "{}") != 0;
}

static void write_head(const struct explained *explained, FILE *out)
{
    char simulated[NOTATION_LENGTH], chips[NOTATION_LENGTH];
    bool at = has_settings(explained->point);
    notation_duration(simulated, explained->seconds);
    notation_count(chips, (double)explained->chips);
    fprintf(out,
            "Run %" PRId64 " of study %" PRId64 " (%s): strategy %s%s%s, replication %" PRId64
            ", seed %" PRIu64 ", %s\n",
            explained->run, explained->study, explained->name, explained->strategy, at ? " at " : "",
            at ? explained->point : "", explained->replication, (uint64_t)explained->seed, explained->status);
    fprintf(out, "%s simulated of %s chips", simulated, chips);
    if (isfinite(explained->goodput))
        fprintf(out, "; goodput %.2f %%", 100 * explained->goodput);
    fputs("\n\n", out);
}

/* Table. */

static struct table *create_table(void)
{
    static const enum table_alignment alignments[COLUMNS] = {
        [NAME] = TABLE_LEFT,    [FAULT] = TABLE_LEFT, [FAULTS] = TABLE_RIGHT, [SINCE] = TABLE_RIGHT,
        [FIRST] = TABLE_RIGHT,  [LAST] = TABLE_RIGHT, [COST] = TABLE_RIGHT,   [OF_LOST] = TABLE_RIGHT,
        [OF_ALL] = TABLE_RIGHT, [INTO] = TABLE_LEFT};
    static const char *const names[COLUMNS] = {
        [FAULT] = "fault",     [FAULTS] = "faults", [SINCE] = "cost since",
        [FIRST] = "first",     [LAST] = "last",     [COST] = "chip-hours",
        [OF_LOST] = "of lost", [OF_ALL] = "of all", [INTO] = "which went into"};
    struct table *table = table_create(COLUMNS, alignments);
    size_t head = table ? table_add_row(table) : 0;
    for (size_t i = 0; i < COLUMNS && table; i++)
        table_set(table, head, i, "%s", names[i] ? names[i] : "");
    return table;
}

static void set_cost(struct table *table, size_t row, const struct explained *explained, sim_amount amount,
                     bool lost)
{
    char cost[NOTATION_LENGTH];
    notation_suffixed(cost, sim_amount_to_seconds(amount) / 3600);
    table_set(table, row, COST, "%s", cost);
    if (lost)
        table_set(table, row, OF_LOST, "%.1f %%", 100 * explained_share(amount, explained->lost));
    table_set(table, row, OF_ALL, "%.2f %%", 100 * explained_share(amount, explained->allocated));
}

/* The category of which most is left; *LEFT loses it. */
static size_t take_largest(sim_amount left[BUDGET_CATEGORIES], sim_amount *amount)
{
    size_t largest = 0;
    for (size_t i = 1; i < BUDGET_CATEGORIES; i++)
        if (left[i] > left[largest])
            largest = i;
    *amount = left[largest];
    left[largest] = 0;
    return largest;
}

/* "down 60 %, restart 30 %, redone 10 %" */
static void write_categories(char text[TEXT], const struct explained_cause *cause)
{
    sim_amount left[BUDGET_CATEGORIES], amount;
    size_t length = 0;
    memcpy(left, cause->by, sizeof left);
    text[0] = '\0';
    for (int i = 0; i < NAMED; i++) {
        size_t category = take_largest(left, &amount);
        char name[NOTATION_LENGTH];
        if (explained_share(amount, cause->lost) < NAMED_SHARE || length >= TEXT)
            return;
        notation_metric(name, budget_metrics[category]);
        length += (size_t)snprintf(text + length, TEXT - length, "%s%s %.0f %%", i ? ", " : "", name,
                                   100 * explained_share(amount, cause->lost));
    }
}

static void add_cause(struct table *table, const struct explained *explained,
                      const struct explained_cause *cause)
{
    char faults[NOTATION_LENGTH], text[TEXT];
    size_t row = table_add_row(table);
    notation_count(faults, (double)cause->struck);
    table_set(table, row, NAME, "  %s", cause->name);
    table_set(table, row, FAULT, "%s of %s", cause->fault, cause->domain);
    table_set(table, row, FAULTS, "%s", faults);
    write_clock(text, cause->cost_since);
    table_set(table, row, SINCE, "%s", text);
    write_clock(text, cause->first);
    table_set(table, row, FIRST, "%s", text);
    write_clock(text, cause->last);
    table_set(table, row, LAST, "%s", text);
    set_cost(table, row, explained, cause->lost, true);
    write_categories(text, cause);
    table_set(table, row, INTO, "%s", text);
}

static void add_causes(struct table *table, const struct explained *explained)
{
    if (explained->cause_count == 0)
        return;
    table_add_line(table, "Lost to failures, in the order in which they began to cost time");
    for (size_t i = 0; i < explained->cause_count; i++)
        add_cause(table, explained, &explained->causes[i]);
}

static void add_amount(struct table *table, const struct explained *explained, const char *name,
                       sim_amount amount, bool lost)
{
    size_t row = table_add_row(table);
    table_set(table, row, NAME, "%s", name);
    set_cost(table, row, explained, amount, lost);
}

static void add_category(struct table *table, const struct explained *explained, size_t category,
                         sim_amount amount, bool counted)
{
    char name[NOTATION_LENGTH], cost[NOTATION_LENGTH];
    size_t row = table_add_row(table);
    notation_metric(name, budget_metrics[category]);
    table_set(table, row, NAME, "  %s", name);
    table_set(table, row, INTO, "%s", budget_descriptions[category]);
    notation_suffixed(cost, sim_amount_to_seconds(amount) / 3600);
    if (counted)
        set_cost(table, row, explained, amount, true);
    else
        table_set(table, row, COST, "%s", cost);
}

/* What no cause is charged with, the largest first. */
static void add_others(struct table *table, const struct explained *explained)
{
    sim_amount left[BUDGET_CATEGORIES], amount;
    bool any = false;
    memcpy(left, explained->without, sizeof left);
    left[BUDGET_USEFUL] = left[BUDGET_WARM_UP] = left[BUDGET_AWAY] = 0;
    for (size_t category = take_largest(left, &amount); amount > 0; category = take_largest(left, &amount)) {
        if (!any)
            table_add_line(table, "Lost to no failure");
        any = true;
        add_category(table, explained, category, amount, true);
    }
}

static void add_uncounted(struct table *table, const struct explained *explained)
{
    bool any = false;
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        if (explained_is_counted(i) || explained->budget[i] == 0)
            continue;
        if (!any)
            table_add_line(table, "Not counted");
        any = true;
        add_category(table, explained, i, explained->budget[i], false);
    }
}

static bool write_table(const struct explained *explained, FILE *out, struct error *error)
{
    struct table *table = create_table();
    if (table) {
        add_causes(table, explained);
        add_others(table, explained);
        table_add_line(table, "In all");
        add_amount(table, explained, "  lost", explained->lost, true);
        add_amount(table, explained, "  useful", explained->budget[BUDGET_USEFUL], false);
        add_amount(table, explained, "  allocated", explained->allocated, false);
        add_uncounted(table, explained);
    }
    bool written = table && table_write(table, out);
    table_destroy(table);
    if (!written)
        error_out_of_memory(error, "an explanation");
    return written;
}

/* What bytes that have piled up take afterwards can't be told from what they would have taken anyway. */
static void write_links(const struct explained *explained, FILE *out)
{
    bool struck = false;
    for (size_t i = 0; i < explained->cause_count; i++)
        struck |= explained->causes[i].strikes_links && explained->causes[i].struck > 0;
    if (struck)
        fputs("\nFaults of links are charged with the waits for bytes that cross them, as long as they last; "
              "what "
              "piles up\nmeanwhile and is waited for later, and waits for other learners, have no cause.\n",
              out);
}

/* Stretches. */

/* "learner 3", "learners 0, 1 and 5", "8 learners" */
static void name_learners(const struct stretch *stretch, FILE *out)
{
    if (stretch->learner_count > 4) {
        fprintf(out, "%zu learners", stretch->learner_count);
        return;
    }
    fprintf(out, "learner%s ", stretch->learner_count > 1 ? "s" : "");
    for (size_t i = 0; i < stretch->learner_count; i++)
        fprintf(out, "%s%" PRId64,
                i == 0                           ? ""
                : i + 1 < stretch->learner_count ? ", "
                                                 : " and ",
                stretch->learners[i]);
}

static size_t find_longest(const double seconds[BUDGET_CATEGORIES])
{
    size_t longest = 0;
    for (size_t i = 1; i < BUDGET_CATEGORIES; i++)
        if (seconds[i] > seconds[longest])
            longest = i;
    return longest;
}

static void write_stretch(const struct stretch *stretch, FILE *out)
{
    char at[TEXT], length[NOTATION_LENGTH];
    double left[BUDGET_CATEGORIES];
    const char *separator = "";
    memcpy(left, stretch->by, sizeof left);
    write_clock(at, stretch->begin);
    notation_duration(length, stretch->end - stretch->begin);
    fprintf(out, "  at %s for %s: ", at, length);
    name_learners(stretch, out);
    fprintf(out, ", after %s: ", stretch->name);
    for (size_t i = find_longest(left); left[i] > 0; left[i] = 0, i = find_longest(left)) {
        char name[NOTATION_LENGTH];
        notation_metric(name, budget_metrics[i]);
        notation_duration(length, left[i]);
        fprintf(out, "%s%s %s", separator, name, length);
        separator = ", ";
    }
    fputc('\n', out);
}

static void write_stretches(const struct stretches *stretches, FILE *out)
{
    char resolution[NOTATION_LENGTH];
    if (!stretches->kept)
        fputs("\nWhen learners stood still is kept of replication 0 at a study's first point alone.\n", out);
    if (stretches->count == 0)
        return;
    fputs("\nThe longest stretches in which a learner stood still because of a failure", out);
    if (stretches->watched < stretches->learners)
        fprintf(out, ", of the %" PRId64 " of ", stretches->watched);
    if (stretches->learners > ACTIVITY_FOLLOWED)
        fprintf(out, "the first %d of ", ACTIVITY_FOLLOWED);
    if (stretches->watched < stretches->learners)
        fprintf(out, "%" PRId64 " learners that lost most", stretches->learners);
    notation_duration(resolution, stretches->resolution);
    if (stretches->resolution > 0)
        fprintf(out, " (to %s)", resolution);
    fputc('\n', out);
    for (size_t i = 0; i < stretches->count; i++)
        write_stretch(&stretches->longest[i], out);
}

static void refuse_strategy(const struct database *database, const char *strategy, struct error *error)
{
    sqlite3_stmt *query = database_query(
        database, "select group_concat(strategy, ', ') from (select distinct strategy from run order by id)",
        0, NULL, error);
    if (query && database_next(database, query, error) == DATABASE_ROW) {
        const char *names = (const char *)sqlite3_column_text(query, 0);
        error_set(error, ERROR_INPUT, "%s: \"%s\" is no run's number, nor a strategy, which are %s",
                  database->path, strategy, names ? names : "none");
    }
    sqlite3_finalize(query);
}

int64_t explanation_find(struct store *store, const char *strategy, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_text(strategy);
    sqlite3_stmt *query =
        database_query(database,
                       "select run.id from run join study_run on study_run.run = run.id"
                       " where strategy = ?1 order by study_run.study desc,"
                       " run.id not in (select run from timeline), replication, run.id limit 1",
                       1, &key, error);
    int64_t run = 0;
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW)
        run = database_column_integer(query, 0);
    else if (step == DATABASE_END)
        refuse_strategy(database, strategy, error);
    sqlite3_finalize(query);
    return run;
}

char *explanation_table(struct store *store, int64_t run, struct error *error)
{
    struct explained explained;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool read = explained_read(store, run, &explained, error), written = read && out;
    if (written) {
        write_head(&explained, out);
        written = write_table(&explained, out, error);
        write_links(&explained, out);
        write_stretches(&explained.stretches, out);
    }
    explained_free(&explained);
    if (out && fclose(out) == 0 && written)
        return text;
    if (read && (written || !out))
        error_out_of_memory(error, "an explanation");
    free(text);
    return NULL;
}
