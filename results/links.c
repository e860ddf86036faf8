/*
 * A run has no row for a link that it didn't use: means divide by the runs, not by the rows.
 */
#include "results/links.h"
#include "results/notation.h"
#include "results/top_rows.h"

#include <math.h>

enum { BUSIEST = 3 }; /* of a strategy */

enum column { STRATEGY, LINK, BYTES, MEAN, PEAK, BANDWIDTH, USED, COLUMNS };

static bool has_sites(const struct database *database, int64_t study, bool *sites, struct error *error)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(
        database,
        "select exists (select 1 from study_run join link on link.run = study_run.run"
        " where study_run.study = ?1 and link.kind in ('inner', 'uplink', 'pair', 'between', 'backbone'))",
        1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    *sites = read && database_column_integer(query, 0) != 0;
    sqlite3_finalize(query);
    return read;
}

/* ?1: study, ?2: strategy, ?3: rows at most. */
static const char busiest_sql[] =
    "select link.name, sum(link.bytes) / runs.n, sum(link.mean_bit_s) / runs.n, max(link.peak_bit_s),"
    "  max(link.capacity_bit_s)"
    " from (select count(*) n from " TOP_ROWS_COUNTED " and run.strategy = ?2) runs,"
    "  (select run.id from " TOP_ROWS_COUNTED
    " and run.strategy = ?2) counted join link on link.run = counted.id"
    " where link.kind <> 'others' group by link.kind, link.name"
    /* Rounded, so that it doesn't matter in which order the runs came to be added. */
    " order by round(sum(link.mean_bit_s) / nullif(max(link.capacity_bit_s), 0), 9) desc,"
    "  sum(link.bytes) desc, min(link.rowid) limit ?3";

static void set_rate(struct table *table, size_t row, enum column column, double rate)
{
    char text[NOTATION_LENGTH];
    notation_suffixed(text, rate);
    if (isfinite(rate))
        table_set(table, row, column, "%s%sbit/s", text, rate < 999.5 ? " " : "");
    else
        table_set(table, row, column, "–");
}

static void set_link(struct table *table, size_t row, sqlite3_stmt *query)
{
    char bytes[NOTATION_LENGTH];
    double size = database_column_real(query, 1), mean = database_column_real(query, 2);
    double bandwidth = database_column_real(query, 4);
    notation_suffixed(bytes, size);
    table_set(table, row, LINK, "%s", (const char *)sqlite3_column_text(query, 0));
    table_set(table, row, BYTES, "%s%sB", bytes, size < 999.5 ? " " : "");
    set_rate(table, row, MEAN, mean);
    set_rate(table, row, PEAK, database_column_real(query, 3));
    set_rate(table, row, BANDWIDTH, bandwidth);
    if (bandwidth > 0)
        table_set(table, row, USED, "%.1f %%", 100 * mean / bandwidth);
    else
        table_set(table, row, USED, "–");
}

bool links_write_table(struct store *store, const struct outline *outline, FILE *out, struct error *error)
{
    static const char *const names[COLUMNS] = {"strategy", "busiest links", "bytes", "mean",
                                               "peak",     "bandwidth",     "used"};
    static const enum table_alignment alignments[COLUMNS] = {
        TABLE_LEFT, TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT,
    };
    bool sites = false;
    if (outline->point_count != 1)
        return true;
    if (!has_sites(store_database(store), outline->study, &sites, error))
        return false;
    if (!sites)
        return true;
    const struct top_rows rows = {"a table of links", COLUMNS, names,   alignments,
                                  busiest_sql,        BUSIEST, set_link};
    return top_rows_write(store, outline, &rows, out, error);
}
