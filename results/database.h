/*
 * The few calls that results/ makes of SQLite: a connection that knows its path, so that every failure is
 * an ERROR_SYSTEM which names it and says in plain words what the matter is.
 */
#ifndef RESULTS_DATABASE_H
#define RESULTS_DATABASE_H

#include "sim/error.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct database {
    sqlite3 *connection;
    char *path;         /* as the user gave it */
    sqlite3_stmt *mean; /* that of store_mean, prepared once: tables and figures ask it thousands of times */
};

/* Sets ERROR from what the connection says went wrong last. */
void database_fail(const struct database *database, struct error *error);

/* Runs SQL, one or more statements without parameters. */
bool database_execute(const struct database *database, const char *sql, struct error *error);

/* Begins a transaction that may write (waiting for another writer first), and ends one. After a failure in
 * between, database_roll_back leaves the database as it was before. */
bool database_begin(const struct database *database, struct error *error);
bool database_commit(const struct database *database, struct error *error);
void database_roll_back(const struct database *database);

/* A value for a statement's parameter; a real that is not a number and a text of NULL become SQL's null.
 * Texts and blobs must live until the statement is reset or finalised. */
struct database_value {
    enum { DATABASE_INTEGER, DATABASE_REAL, DATABASE_TEXT, DATABASE_BLOB } type;
    int64_t integer;
    double real;
    const char *text;
    const void *bytes;
    size_t length;
};

static inline struct database_value database_integer(int64_t integer)
{
    return (struct database_value){.type = DATABASE_INTEGER, .integer = integer};
}

static inline struct database_value database_real(double real)
{
    return (struct database_value){.type = DATABASE_REAL, .real = real};
}

static inline struct database_value database_text(const char *text)
{
    return (struct database_value){.type = DATABASE_TEXT, .text = text};
}

static inline struct database_value database_blob(const void *bytes, size_t length)
{
    return (struct database_value){.type = DATABASE_BLOB, .bytes = bytes, .length = length};
}

/* Prepares SQL and binds COUNT values to ?1, ?2, …. The caller finalises it; NULL on failure. */
sqlite3_stmt *database_query(const struct database *database, const char *sql, size_t count,
                             const struct database_value *values, struct error *error);

/* Gives a prepared query these values for its next rows; it must have been reset. */
bool database_bind(const struct database *database, sqlite3_stmt *query, size_t count,
                   const struct database_value *values, struct error *error);

enum database_step { DATABASE_ROW, DATABASE_END, DATABASE_FAILED };

/* The next row of a query. */
enum database_step database_next(const struct database *database, sqlite3_stmt *query, struct error *error);

/* Runs a prepared statement that returns no rows with these values, and resets it for the next ones. */
bool database_write(const struct database *database, sqlite3_stmt *statement, size_t count,
                    const struct database_value *values, struct error *error);

/* Prepares SQL, which returns no rows, and runs it once with these values. */
bool database_run(const struct database *database, const char *sql, size_t count,
                  const struct database_value *values, struct error *error);

/* One integer from a query of one row; false when it fails or has no row (ERROR is set only if it fails). */
bool database_read_integer(const struct database *database, const char *sql, int64_t *integer,
                           struct error *error);

/* A copy of a row's text, NULL for SQL's null or when memory is short. */
char *database_copy_text(sqlite3_stmt *query, int column);

/* A copy of a row's blob and its length; NULL only when memory is short. */
void *database_copy_blob(sqlite3_stmt *query, int column, size_t *length);

/* A row's integer, and its real, NAN for null. */
int64_t database_column_integer(sqlite3_stmt *query, int column);
double database_column_real(sqlite3_stmt *query, int column);

#endif
