/*
 * Nothing here knows a table. A primary result code decides the words; where the operating system was the
 * cause its own message is added, since SQLite says only "disk I/O error".
 */
#include "results/database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the primary result CODE means to a user; NULL: SQLite's own message is as good. */
static const char *database_reason(int code)
{
    switch (code) {
    case SQLITE_NOTADB:
        return "this is not a SQLite database";
    case SQLITE_CORRUPT:
        return "the database is damaged";
    case SQLITE_FULL:
        return "no space is left for the database";
    case SQLITE_READONLY:
        return "the database can not be written";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program keeps the database locked";
    case SQLITE_CANTOPEN:
        return "the database can not be opened";
    default:
        return NULL;
    }
}

void database_fail(const struct database *database, struct error *error)
{
    int code = sqlite3_errcode(database->connection) & 0xff;
    const char *reason = database_reason(code);
    int cause = 0;
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        cause = sqlite3_system_errno(database->connection);
    error_set(error, ERROR_SYSTEM, "%s: %s%s%s", database->path,
              reason ? reason : sqlite3_errmsg(database->connection), cause ? ": " : "",
              cause ? strerror(cause) : "");
}

bool database_execute(const struct database *database, const char *sql, struct error *error)
{
    if (sqlite3_exec(database->connection, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    database_fail(database, error);
    return false;
}

/* Immediate: a transaction that first reads and then wants to write could find that another writer was
 * faster, and SQLite would not wait for it. */
bool database_begin(const struct database *database, struct error *error)
{
    return database_execute(database, "begin immediate", error);
}

bool database_commit(const struct database *database, struct error *error)
{
    return database_execute(database, "commit", error);
}

/* SQLite rolls back by itself after some errors; then there is nothing left to do here. */
void database_roll_back(const struct database *database)
{
    if (!sqlite3_get_autocommit(database->connection))
        sqlite3_exec(database->connection, "rollback", NULL, NULL, NULL);
}

static int bind(sqlite3_stmt *statement, int parameter, const struct database_value *value)
{
    switch (value->type) {
    case DATABASE_INTEGER:
        return sqlite3_bind_int64(statement, parameter, value->integer);
    case DATABASE_REAL:
        return sqlite3_bind_double(statement, parameter, value->real);
    case DATABASE_TEXT:
        return sqlite3_bind_text(statement, parameter, value->text, -1, SQLITE_STATIC);
    case DATABASE_BLOB: /* SQLite takes a null pointer for null, whatever the length */
        return sqlite3_bind_blob64(statement, parameter, value->bytes ? value->bytes : "", value->length,
                                   SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

bool database_bind(const struct database *database, sqlite3_stmt *statement, size_t count,
                   const struct database_value *values, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (bind(statement, (int)i + 1, &values[i]) == SQLITE_OK)
            continue;
        database_fail(database, error);
        return false;
    }
    return true;
}

sqlite3_stmt *database_query(const struct database *database, const char *sql, size_t count,
                             const struct database_value *values, struct error *error)
{
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(database->connection, sql, -1, &query, NULL) != SQLITE_OK) {
        database_fail(database, error);
        return NULL;
    }
    if (database_bind(database, query, count, values, error))
        return query;
    sqlite3_finalize(query);
    return NULL;
}

enum database_step database_next(const struct database *database, sqlite3_stmt *query, struct error *error)
{
    switch (sqlite3_step(query)) {
    case SQLITE_ROW:
        return DATABASE_ROW;
    case SQLITE_DONE:
        return DATABASE_END;
    default:
        database_fail(database, error);
        return DATABASE_FAILED;
    }
}

bool database_write(const struct database *database, sqlite3_stmt *statement, size_t count,
                    const struct database_value *values, struct error *error)
{
    if (!database_bind(database, statement, count, values, error))
        return false;
    bool done = database_next(database, statement, error) == DATABASE_END;
    sqlite3_reset(statement);
    return done;
}

bool database_run(const struct database *database, const char *sql, size_t count,
                  const struct database_value *values, struct error *error)
{
    sqlite3_stmt *statement = database_query(database, sql, 0, NULL, error);
    if (!statement)
        return false;
    bool done = database_write(database, statement, count, values, error);
    sqlite3_finalize(statement);
    return done;
}

bool database_read_integer(const struct database *database, const char *sql, int64_t *integer,
                           struct error *error)
{
    sqlite3_stmt *query = database_query(database, sql, 0, NULL, error);
    if (!query)
        return false;
    bool found = database_next(database, query, error) == DATABASE_ROW;
    if (found)
        *integer = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return found;
}

char *database_copy_text(sqlite3_stmt *query, int column)
{
    const unsigned char *text = sqlite3_column_text(query, column);
    return text ? strdup((const char *)text) : NULL;
}

void *database_copy_blob(sqlite3_stmt *query, int column, size_t *length)
{
    const void *bytes = sqlite3_column_blob(query, column);
    *length = (size_t)sqlite3_column_bytes(query, column);
    if (!bytes && *length > 0)
        return NULL;
    void *copy = malloc(*length + 1);
    if (copy && *length > 0)
        memcpy(copy, bytes, *length);
    return copy;
}

int64_t database_column_integer(sqlite3_stmt *query, int column)
{
    return sqlite3_column_int64(query, column);
}

double database_column_real(sqlite3_stmt *query, int column)
{
    return sqlite3_column_type(query, column) == SQLITE_NULL ? NAN : sqlite3_column_double(query, column);
}
