/*
 * Opening and closing. The rules:
 *  - A file that is no database of ours is never changed: it is recognised before the journal mode or a
 *    table is touched.
 *  - The file is made here, not by SQLite, so that exactly one process knows that it made it. That process
 *    takes it away again if no study came to be in it and no other process has it open.
 *  - A connection holds SQLite's shared lock from the change to WAL until it is closed. Whoever takes the
 *    file away must first leave WAL, and so be alone. Between making the file and WAL there is a gap; a
 *    connection whose file was taken away in it starts over.
 */
#include "results/store.h"
#include "results/database.h"
#include "results/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MILLISECONDS = 60000, BUSY_PAUSE = 10, ONE_PAGE = 4096, MOST_ATTEMPTS = 20 };

struct store {
    struct database database;
    bool created; /* the file, by this call */
};

struct database *store_database(struct store *store)
{
    return &store->database;
}

struct sqlite3 *store_connection(struct store *store)
{
    return store->database.connection;
}

/* SQLite gives names such as ":memory:" and "file:…" a meaning of their own; "./" takes it away. */
static char *plain_path(const char *path)
{
    char *plain = NULL;
    if (asprintf(&plain, "%s%s", path[0] == '/' ? "" : "./", path) < 0)
        return NULL;
    return plain;
}

static bool is_regular(const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        error_set(error, ERROR_SYSTEM, "%s: the database can not be opened: %s", path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        error_set(error, ERROR_SYSTEM, "%s: this is a folder, not a database", path);
    else if (!S_ISREG(status.st_mode))
        error_set(error, ERROR_SYSTEM, "%s: this is no ordinary file", path);
    else
        return true;
    return false;
}

/* Whether another process took the file at PATH away just now. A link to nothing looks the same, for ever. */
static bool is_gone(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* Makes the file if there is none; *CREATED says whether. */
static bool create_file(const char *path, bool *created, struct error *error)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        *created = file >= 0;
        if (file >= 0)
            return close(file) == 0;
        if (errno != EEXIST) {
            error_set(error, ERROR_SYSTEM, "%s: the database can not be created: %s%s", path, strerror(errno),
                      errno == ENOENT ? " (is its folder there?)" : "");
            return false;
        }
        if (!is_gone(path))
            break;
    }
    return is_regular(path, error);
}

static bool connect(struct database *database, const char *name, int flags, struct error *error)
{
    int code = sqlite3_open_v2(name, &database->connection, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (!database->connection) {
        error_out_of_memory(error, "a database connection");
        return false;
    }
    if (code != SQLITE_OK) {
        database_fail(database, error);
        return false;
    }
    sqlite3_extended_result_codes(database->connection, 1);
    sqlite3_busy_timeout(database->connection, BUSY_MILLISECONDS);
    return database_execute(database, "pragma foreign_keys = on", error);
}

static struct store *allocate(const char *path, struct error *error)
{
    struct store *store = calloc(1, sizeof *store);
    if (store)
        store->database.path = strdup(path);
    if (store && store->database.path)
        return store;
    free(store);
    error_out_of_memory(error, "the results store");
    return NULL;
}

/* Others may read while one writes. Not every file system can do that; there the usual journal stays. SQLite
 * doesn't wait for a lock here by itself. */
static bool enter_wal(const struct database *database, struct error *error)
{
    for (int waited = 0;; waited += BUSY_PAUSE) {
        int code = sqlite3_exec(database->connection,
                                "pragma journal_mode = wal; pragma synchronous = normal", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return true;
        if ((code & 0xff) != SQLITE_BUSY || waited >= BUSY_MILLISECONDS)
            break;
        sqlite3_sleep(BUSY_PAUSE);
    }
    database_fail(database, error);
    return false;
}

static bool is_writable(const struct database *database, struct error *error)
{
    if (sqlite3_db_readonly(database->connection, "main") != 1)
        return true;
    error_set(error, ERROR_SYSTEM, "%s: the database can not be written: it is read-only", database->path);
    return false;
}

static bool prepare(struct store *store, struct error *error)
{
    const struct database *database = &store->database;
    char *name = plain_path(database->path);
    if (!name)
        error_out_of_memory(error, "the database's name");
    int version;
    bool ready = name && create_file(database->path, &store->created, error) &&
                 /* What is attached may be a URI; the name, a path, never looks like one. */
                 connect(&store->database, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, error) &&
                 is_writable(database, error) &&
                 schema_recognise(database, &results_schema, &version, error) && enter_wal(database, error) &&
                 schema_upgrade(database, &results_schema, error);
    free(name);
    return ready;
}

/* Whether the file was taken away or replaced since it was opened. */
static bool has_moved(const struct store *store)
{
    int moved = 0;
    if (!store->database.connection)
        return false;
    sqlite3_file_control(store->database.connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved || is_gone(store->database.path);
}

struct store *store_open(const char *path, struct error *error)
{
    for (int attempt = 1;; attempt++) {
        struct error failure = {0};
        struct store *store = allocate(path, &failure);
        bool ready = store && prepare(store, &failure), moved = store && has_moved(store);
        if (ready && !moved)
            return store;
        store_close(store);
        if (moved && attempt < MOST_ATTEMPTS)
            continue;
        if (ready)
            error_set(error, ERROR_SYSTEM, "%s: another process takes the database away again and again",
                      path);
        else
            error_set(error, failure.kind, "%s", failure.message);
        return NULL;
    }
}

/* True unless it is certain that there is none. A full disk may keep SQLite even from reading; but one page
 * holds no study. */
static bool may_have_study(const struct database *database)
{
    struct error ignored = {0};
    int64_t tables = 0, any = 1;
    if (!database_read_integer(database, "select count(*) from sqlite_schema", &tables, &ignored)) {
        struct stat status;
        return stat(database->path, &status) != 0 || status.st_size > ONE_PAGE;
    }
    if (tables == 0)
        return false;
    database_read_integer(database, "select exists (select 1 from study)", &any, &ignored);
    return any != 0;
}

static void unlink_with_suffix(const char *path, const char *suffix)
{
    char *name = NULL;
    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return;
    unlink(name);
    free(name);
}

/* The database itself last: once it is gone, another process may make one of the same name, with files of its
 * own beside it. */
static void unlink_all(const char *path)
{
    unlink_with_suffix(path, "-wal");
    unlink_with_suffix(path, "-shm");
    unlink_with_suffix(path, "-journal");
    unlink(path);
}

/* Leaving WAL succeeds only for the last connection, and the lock then keeps others out until the file is
 * gone. On a full disk neither may work; only what shows another connection stops it. */
static bool is_alone(const struct database *database)
{
    static const char *const steps[] = {"pragma journal_mode = delete", "begin exclusive"};
    sqlite3_busy_timeout(database->connection, 0);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if ((sqlite3_exec(database->connection, steps[i], NULL, NULL, NULL) & 0xff) == SQLITE_BUSY)
            return false;
    return true;
}

static void remove_unused(const struct store *store)
{
    const struct database *database = &store->database;
    if (!database->connection) {
        unlink(database->path);
        return;
    }
    if (may_have_study(database))
        return;
    if (is_alone(database) && !may_have_study(database) && !has_moved(store))
        unlink_all(database->path);
    database_roll_back(database);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->created)
        remove_unused(store);
    sqlite3_finalize(store->database.mean);
    sqlite3_close(store->database.connection);
    free(store->database.path);
    free(store);
}

/* The name as a URI that promises SQLite a file which nobody changes, so that it needs no lock and no files
 * beside it. */
static char *immutable_uri(const char *path)
{
    char *uri = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&uri, &size);
    if (!out)
        return NULL;
    fputs("file:", out);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        fprintf(out, "%%%02x", *c);
    fputs("?immutable=1", out);
    if (fclose(out) == 0)
        return uri;
    free(uri);
    return NULL;
}

static bool connect_immutable(struct database *database, const char *name, struct error *error)
{
    sqlite3_close(database->connection);
    database->connection = NULL;
    char *uri = immutable_uri(name);
    if (!uri)
        error_out_of_memory(error, "the database's name");
    bool connected = uri && connect(database, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    free(uri);
    return connected;
}

char *store_name_to_attach(struct store *store)
{
    char *name = plain_path(store->database.path);
    const char *opened = sqlite3_db_filename(store->database.connection, "main");
    if (!name || !opened || !sqlite3_uri_boolean(opened, "immutable", 0))
        return name;
    char *uri = immutable_uri(name);
    free(name);
    return uri;
}

/* Reading in WAL needs files beside the database, which may be impossible to make. Where they can be made the
 * last connection takes them away again, but only if it may write; nothing else is written by it. */
static bool connect_read_only(struct database *database, const char *name, struct error *error)
{
    struct error first = {0};
    int64_t version;
    if (!connect(database, name, SQLITE_OPEN_READWRITE, error) ||
        !database_execute(database, "pragma query_only = on", error))
        return false;
    if (database_read_integer(database, "pragma user_version", &version, &first))
        return true;
    int code = sqlite3_errcode(database->connection) & 0xff;
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)
        return connect_immutable(database, name, error);
    database_fail(database, error);
    return false;
}

static bool prepare_read_only(struct store *store, const char *name, struct error *error)
{
    int version = 0;
    if (!is_regular(store->database.path, error) || !connect_read_only(&store->database, name, error) ||
        !schema_recognise(&store->database, &results_schema, &version, error))
        return false;
    if (version == results_schema.version)
        return true;
    if (version == 0)
        error_set(error, ERROR_SYSTEM, "%s: the database is empty", store->database.path);
    else
        error_set(error, ERROR_SYSTEM,
                  "%s: this database has the older format %d; one run into it updates it",
                  store->database.path, version);
    return false;
}

struct store *store_open_read_only(const char *path, struct error *error)
{
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        error_set(error, ERROR_INPUT, "%s: there is no such file", path);
        return NULL;
    }
    struct store *store = allocate(path, error);
    char *name = plain_path(path);
    if (store && !name)
        error_out_of_memory(error, "the database's name");
    bool ready = store && name && prepare_read_only(store, name, error);
    free(name);
    if (ready)
        return store;
    store_close(store);
    return NULL;
}
