#include "results/top_rows.h"

static bool add_strategy(struct table *table, const struct database *database, int64_t study,
                         const char *strategy, const struct top_rows *rows, struct error *error)
{
    const struct database_value key[] = {database_integer(study), database_text(strategy),
                                         database_integer(rows->most)};
    sqlite3_stmt *query = database_query(database, rows->sql, 3, key, error);
    enum database_step step = DATABASE_FAILED;
    for (size_t i = 0; query && (step = database_next(database, query, error)) == DATABASE_ROW; i++) {
        size_t row = table_add_row(table);
        table_set(table, row, 0, "%s", i ? "" : strategy);
        rows->set(table, row, query);
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static bool write_table(struct table *table, const struct database *database, const struct outline *outline,
                        const struct top_rows *rows, FILE *out, struct error *error)
{
    size_t row = table_add_row(table);
    for (size_t i = 0; i < rows->columns; i++)
        table_set(table, row, i, "%s", rows->names[i]);
    for (size_t i = 0; i < outline->strategy_count; i++)
        if (!add_strategy(table, database, outline->study, outline->strategies[i], rows, error))
            return false;
    fputc('\n', out);
    if (table_write(table, out))
        return true;
    error_out_of_memory(error, rows->what);
    return false;
}

bool top_rows_write(struct store *store, const struct outline *outline, const struct top_rows *rows,
                    FILE *out, struct error *error)
{
    struct table *table = table_create(rows->columns, rows->alignments);
    if (!table)
        error_out_of_memory(error, rows->what);
    bool written = table && write_table(table, store_database(store), outline, rows, out, error);
    table_destroy(table);
    return written;
}
