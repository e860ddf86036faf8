#include "results/causes.h"

#include "results/notation.h"
#include "results/top_rows.h"

#include <math.h>

enum { DEAREST = 5 }; /* of a strategy */

enum column { STRATEGY, SOURCE, FAULT, STRUCK, COST, EACH, COLUMNS };

static bool count_sources(const struct database *database, int64_t study, int64_t *sources,
                          struct error *error)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query =
        database_query(database,
                       "select count(distinct source) from (select run.id from " TOP_ROWS_COUNTED ") counted"
                       " join cause on cause.run = counted.id where struck > 0",
                       1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    *sources = read ? database_column_integer(query, 0) : 0;
    sqlite3_finalize(query);
    return read;
}

/* ?1: study, ?2: strategy, ?3: rows at most. A source that did not strike in some run counts as 0 there. */
static const char dearest_sql[] =
    "with counted as (select run.id from " TOP_ROWS_COUNTED " and run.strategy = ?2),"
    " spent as (select run, cause, sum(chip_s) + 1e-9 * sum(chip_ns) chip_time from waste"
    "   where run in counted group by run, cause),"
    " whole as (select sum(chip_s) + 1e-9 * sum(chip_ns) chip_time from budget where run in counted)"
    " select source, min(fault) || ' of ' || min(domain), 1.0 * sum(struck) / (select count(*) from counted),"
    "  ifnull(sum(spent.chip_time), 0) / (select chip_time from whole),"
    "  ifnull(sum(spent.chip_time), 0) / nullif(sum(struck), 0) / 3600"
    " from cause left join spent on spent.run = cause.run and spent.cause = cause.number"
    " where cause.run in counted group by source having sum(struck) > 0"
    " order by round(ifnull(sum(spent.chip_time), 0) / (select chip_time from whole), 9) desc, source limit "
    "?3";

static void set_cause(struct table *table, size_t row, sqlite3_stmt *query)
{
    char struck[NOTATION_LENGTH], each[NOTATION_LENGTH];
    notation_count(struck, database_column_real(query, 2));
    notation_suffixed(each, database_column_real(query, 4));
    table_set(table, row, SOURCE, "%s", (const char *)sqlite3_column_text(query, 0));
    table_set(table, row, FAULT, "%s", (const char *)sqlite3_column_text(query, 1));
    table_set(table, row, STRUCK, "%s", struck);
    table_set(table, row, COST, "%.2f %%", 100 * database_column_real(query, 3));
    table_set(table, row, EACH, "%s", each);
}

bool causes_write_table(struct store *store, const struct outline *outline, FILE *out, struct error *error)
{
    static const char *const names[COLUMNS] = {"strategy", "what failed",  "fault",
                                               "faults",   "of chip time", "chip-hours each"};
    static const enum table_alignment alignments[COLUMNS] = {
        TABLE_LEFT, TABLE_LEFT, TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT,
    };
    int64_t sources;
    if (outline->point_count != 1)
        return true;
    if (!count_sources(store_database(store), outline->study, &sources, error))
        return false;
    if (sources < 2)
        return true;
    const struct top_rows rows = {"a table of failures", COLUMNS, names,    alignments,
                                  dearest_sql,           DEAREST, set_cause};
    return top_rows_write(store, outline, &rows, out, error);
}
