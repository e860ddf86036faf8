#include "cli/study.h"

#include "cli/show.h"
#include "results/database.h"

static const char newest_sql[] =
    "select id, name, command_line, (select count(*) from study) from study order by id desc limit 1";

void study_tell_newest(struct store *store, const char *database)
{
    const struct database *connection = store_database(store);
    sqlite3_stmt *query = database_query(connection, newest_sql, 0, NULL, NULL);
    if (query && database_next(connection, query, NULL) == DATABASE_ROW) {
        long long count = database_column_integer(query, 3);
        if (count > 1)
            show_note("of study %lld in %s (%s: %s), the newest of %lld; --study shows another",
                      (long long)database_column_integer(query, 0), database,
                      (const char *)sqlite3_column_text(query, 1),
                      (const char *)sqlite3_column_text(query, 2), count);
    }
    sqlite3_finalize(query);
}
