#include "results/database.h"
#include "results/schema.h"
#include "results/store.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct fixture_run one_run = {.strategy = "elastic",
                                           .point = "{}",
                                           .seed = 1,
                                           .chips = 4096,
                                           .seconds = 3600,
                                           .goodput = 0.75,
                                           .uptime = 0.8};

static size_t count_files(const char *folder)
{
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Opening PATH fails as the database's fault, with a message that names PATH and holds WORDS. */
static void assert_refused(const char *path, const char *words)
{
    struct error error = {0};
    ck_assert_ptr_null(store_open(path, &error));
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_msg(strstr(error.message, path) && strstr(error.message, words), "%s", error.message);
}

/* Runs WORK in a process of its own and gives its wait status. */
static int in_process(void (*work)(const struct fixture *), const struct fixture *fixture)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        work(fixture);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void assert_sound(const struct fixture *fixture, int64_t runs)
{
    struct store *store = fixture_open(fixture);
    ck_assert_int_eq(fixture_integer(store, "select integrity_check = 'ok' from pragma_integrity_check"), 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from pragma_foreign_key_check"), 0);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from run"), runs);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study_run"), runs);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from budget"), runs * BUDGET_CATEGORIES);
    store_close(store);
}

START_TEST(what_is_written_is_read_again)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    int64_t study = fixture_add_study(store, "made-up");
    fixture_add_runs(store, study, &one_run, 1);
    store_close(store);
    struct error error = {0};
    store = store_open_read_only(fixture.path, &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    ck_assert_int_eq(store_latest_study(store, &error), study);
    ck_assert_int_eq(fixture_integer(store,
                                     "select count(*) from study where name = 'made-up' and host = 'here'"
                                     " and started_utc like '20__-__-__T__:__:__Z'"),
                     1);
    ck_assert_int_eq(fixture_integer(store,
                                     "select count(*) from run where strategy = 'elastic' and point = '{}'"
                                     " and seed = 1 and status = 'done' and simulated_s = 3600.0"
                                     " and wall_s = 0.25 and events = 1000"),
                     1);
    ck_assert_double_eq(fixture_real(store, "select value from metric where name = 'goodput'"), 0.75);
    ck_assert_double_eq(fixture_real(store, "select value from run_figure where name = 'share:useful'"),
                        0.75);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric where replay is not null"), 0);
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(values_without_meaning_have_no_row)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    fixture_add_runs(store, fixture_add_study(store, "made-up"), &one_run, 1);
    ck_assert_int_eq(
        fixture_integer(store, "select count(*) from metric where name in ('mtbf', 'wan_bytes')"), 0);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric"), 5);
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

/* 10⁹ chips for a century and a nanosecond: beyond 64 bits of nanoseconds, and exact all the same. */
START_TEST(chip_time_is_exact_beyond_64_bits)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    int64_t study = fixture_add_study(store, "made-up");
    struct fixture_run run = one_run;
    run.chips = 1000000000;
    run.seconds = INT64_C(3153600000);
    struct run_result result = fixture_result(&run);
    result.ledger.amount[BUDGET_REDONE] += 1;
    result.ledger.amount[BUDGET_RESTART] += 999999999;
    const struct run_record record = {.strategy = "a", .point = "{}", .seed = 1, .result = &result};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
    ck_assert_int_eq(fixture_integer(store, "select sum(chip_s) + sum(chip_ns) / 1000000000 from budget"),
                     INT64_C(3153600000000000001));
    ck_assert_int_eq(fixture_integer(store, "select sum(chip_ns) % 1000000000 from budget"), 0);
    ck_assert_int_eq(fixture_integer(store, "select chip_ns from budget where category = 'redone'"), 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from budget"), BUDGET_CATEGORIES);
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(seeds_keep_all_their_bits)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    struct fixture_run run = one_run;
    run.seed = UINT64_MAX - 1;
    fixture_add_runs(store, fixture_add_study(store, "made-up"), &run, 1);
    ck_assert_uint_eq((uint64_t)fixture_integer(store, "select seed from run"), UINT64_MAX - 1);
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

/* The second of three runs is one that the study already has. */
START_TEST(runs_are_added_all_or_none)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    int64_t study = fixture_add_study(store, "made-up");
    fixture_add_runs(store, study, &one_run, 1);
    struct run_result result = fixture_result(&one_run);
    const struct run_record records[] = {
        {.strategy = "elastic", .point = "{}", .replication = 1, .seed = 1, .result = &result},
        {.strategy = "elastic", .point = "{}", .replication = 0, .seed = 1, .result = &result},
        {.strategy = "elastic", .point = "{}", .replication = 2, .seed = 1, .result = &result},
    };
    struct error error = {0};
    ck_assert(!store_add_runs(store, study, records, 3, &error));
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, fixture.path));
    ck_assert_int_eq(fixture_integer(store, "select count(*) from run"), 1);
    fixture_add_runs(store, study, &(struct fixture_run){.strategy = "later", .chips = 1, .seconds = 1}, 1);
    store_close(store);
    assert_sound(&fixture, 2);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_point_that_is_no_json_is_refused)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    int64_t study = fixture_add_study(store, "made-up");
    struct run_result result = fixture_result(&one_run);
    const struct run_record record = {.strategy = "a", .point = "{chips", .result = &result};
    struct error error = {0};
    ck_assert(!store_add_runs(store, study, &record, 1, &error));
    store_close(store);
    assert_sound(&fixture, 0);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_file_without_a_study_goes_away)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    ck_assert_int_eq(access(fixture.path, F_OK), 0);
    store_close(store);
    ck_assert_uint_eq(count_files(fixture.folder), 0);
    store = fixture_open(&fixture);
    fixture_add_study(store, "made-up");
    store_close(store);
    ck_assert_uint_eq(count_files(fixture.folder), 1);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_file_that_was_there_stays)
{
    struct fixture fixture = fixture_create("a.sqlite");
    write_file(fixture.path, "", 0);
    store_close(fixture_open(&fixture));
    ck_assert_int_eq(access(fixture.path, F_OK), 0);
    fixture_remove(&fixture);
}
END_TEST

/* The first opener made the file, the second one uses it: whichever closes first, the study stays. */
START_TEST(a_file_that_another_uses_stays)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *first = fixture_open(&fixture), *second = fixture_open(&fixture);
    store_close(first);
    fixture_add_study(second, "made-up");
    store_close(second);
    first = fixture_open(&fixture);
    ck_assert_int_eq(fixture_integer(first, "select count(*) from study"), 1);
    store_close(first);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(names_that_sqlite_gives_a_meaning_are_plain_files)
{
    struct fixture fixture = fixture_create("unused");
    ck_assert_int_eq(chdir(fixture.folder), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b'c%41#.sqlite"};
    for (size_t i = 0; i < 3; i++) {
        struct error error = {0};
        struct store *store = store_open(names[i], &error);
        ck_assert_msg(store != NULL, "%s", error.message);
        fixture_add_study(store, "made-up");
        store_close(store);
        ck_assert_int_eq(access(names[i], F_OK), 0);
        store = store_open_read_only(names[i], &error);
        ck_assert_msg(store != NULL, "%s", error.message);
        store_close(store);
    }
    fixture_remove(&fixture);
}
END_TEST

START_TEST(junk_is_refused_and_left_alone)
{
    struct fixture fixture = fixture_create("junk.sqlite");
    unsigned char junk[5000], now[5000];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (unsigned char)(i * 2654435761U >> 13);
    write_file(fixture.path, junk, sizeof junk);
    assert_refused(fixture.path, "not a SQLite database");
    FILE *file = fopen(fixture.path, "r");
    ck_assert_uint_eq(fread(now, 1, sizeof now, file), sizeof now);
    fclose(file);
    ck_assert_mem_eq(junk, now, sizeof junk);
    ck_assert_uint_eq(count_files(fixture.folder), 1);
    struct error error = {0};
    ck_assert_ptr_null(store_open_read_only(fixture.path, &error));
    ck_assert_ptr_nonnull(strstr(error.message, fixture.path));
    fixture_remove(&fixture);
}
END_TEST

/* Makes a database with SQL of its own. */
static void make_database(const char *path, const char *sql)
{
    sqlite3 *connection;
    ck_assert_int_eq(sqlite3_open(path, &connection), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(connection, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(connection);
}

START_TEST(databases_of_others_are_refused_and_left_alone)
{
    struct fixture fixture = fixture_create("other.sqlite");
    static const char *const others[] = {
        "create table run (x)",
        "pragma application_id = 77",
        "pragma user_version = 1",
        "pragma application_id = 77; pragma user_version = 1; create table study (id)",
    };
    for (size_t i = 0; i < 4; i++) {
        unlink(fixture.path);
        make_database(fixture.path, others[i]);
        assert_refused(fixture.path, "another program");
    }
    sqlite3 *connection;
    sqlite3_stmt *mode;
    ck_assert_int_eq(sqlite3_open(fixture.path, &connection), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(connection, "pragma journal_mode", -1, &mode, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(mode), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(mode, 0), "delete");
    sqlite3_finalize(mode);
    sqlite3_close(connection);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_newer_format_is_refused)
{
    struct fixture fixture = fixture_create("newer.sqlite");
    struct store *store = fixture_open(&fixture);
    fixture_add_study(store, "made-up");
    struct error error = {0};
    char sql[80];
    snprintf(sql, sizeof sql, "pragma user_version = %d", results_schema.version + 1);
    ck_assert(database_execute(store_database(store), sql, &error));
    store_close(store);
    assert_refused(fixture.path, "newer version");
    ck_assert_ptr_null(store_open_read_only(fixture.path, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "newer version"));
    fixture_remove(&fixture);
}
END_TEST

START_TEST(an_older_format_is_brought_up_to_date)
{
    struct fixture fixture = fixture_create("older.sqlite");
    static const char *const migrations[] = {"create table t (a text) strict; insert into t values ('kept')",
                                             "alter table t add column b text default 'new'"};
    const struct schema old = {.application_id = 5, .version = 1, .migrations = migrations};
    const struct schema new = {.application_id = 5, .version = 2, .migrations = migrations};
    struct database database = {.path = fixture.path};
    struct error error = {0};
    int version = -1;
    ck_assert_int_eq(sqlite3_open(fixture.path, &database.connection), SQLITE_OK);
    ck_assert_msg(schema_upgrade(&database, &old, &error), "%s", error.message);
    ck_assert_msg(schema_upgrade(&database, &new, &error), "%s", error.message);
    ck_assert_msg(schema_upgrade(&database, &new, &error), "%s", error.message);
    ck_assert(schema_recognise(&database, &new, &version, &error));
    ck_assert_int_eq(version, 2);
    int64_t rows = 0;
    ck_assert(database_read_integer(&database, "select count(*) from t where a = 'kept' and b = 'new'", &rows,
                                    &error));
    ck_assert_int_eq(rows, 1);
    ck_assert(!schema_recognise(&database, &old, &version, &error));
    sqlite3_close(database.connection);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_failed_migration_leaves_the_older_format)
{
    struct fixture fixture = fixture_create("older.sqlite");
    static const char *const migrations[] = {
        "create table t (a text) strict",
        "create table u (c text) strict; create table t (again text) strict"};
    const struct schema old = {.application_id = 5, .version = 1, .migrations = migrations};
    const struct schema broken = {.application_id = 5, .version = 2, .migrations = migrations};
    struct database database = {.path = fixture.path};
    struct error error = {0};
    int version = -1;
    ck_assert_int_eq(sqlite3_open(fixture.path, &database.connection), SQLITE_OK);
    ck_assert(schema_upgrade(&database, &old, &error));
    ck_assert(!schema_upgrade(&database, &broken, &error));
    struct error again = {0};
    ck_assert(schema_recognise(&database, &broken, &version, &again));
    ck_assert_int_eq(version, 1);
    int64_t tables = 0;
    ck_assert(database_read_integer(&database, "select count(*) from sqlite_schema", &tables, &again));
    ck_assert_int_eq(tables, 1);
    sqlite3_close(database.connection);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    struct fixture fixture = fixture_create("a.sqlite");
    assert_refused(fixture.folder, "folder");
    assert_refused("/dev/null", "no ordinary file");
    char missing[200];
    snprintf(missing, sizeof missing, "%s/no/such/a.sqlite", fixture.folder);
    assert_refused(missing, "No such file");
    assert_refused("", "can not be created");
    ck_assert_uint_eq(count_files(fixture.folder), 0);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(reading_a_missing_file_is_the_users_fault)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct error error = {0};
    ck_assert_ptr_null(store_open_read_only(fixture.path, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, fixture.path));
    ck_assert_uint_eq(count_files(fixture.folder), 0);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(a_database_without_a_study_says_so)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    struct error error = {0};
    ck_assert_int_eq(store_latest_study(store, &error), -1);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, fixture.path));
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

/* To whom permissions apply. Root stays who it is, since another might not come to the folder: what lies
 * above it may be root's alone. */
static void become_ordinary(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
    ck_assert_int_eq(syscall(SYS_capget, &header, data), 0);
    data[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    ck_assert_int_eq(syscall(SYS_capset, &header, data), 0);
}

static void open_unwritable(const struct fixture *fixture)
{
    become_ordinary();
    assert_refused(fixture->path, "can not be written");
    struct error error = {0};
    struct store *store = store_open_read_only(fixture->path, &error);
    ck_assert_msg(store != NULL, "%s", error.message);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study"), 1);
    const struct study_record record = {
        .name = "b", .scenario = "", .scenario_sha256 = "", .version = "", .command_line = "", .host = ""};
    ck_assert_int_eq(store_add_study(store, &record, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.message, fixture->path));
    store_close(store);
}

START_TEST(a_read_only_file_is_read_but_not_written)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    fixture_add_study(store, "made-up");
    store_close(store);
    ck_assert_int_eq(chmod(fixture.path, 0444), 0);
    ck_assert_int_eq(chmod(fixture.folder, 0555), 0);
    int status = in_process(open_unwritable, &fixture);
    chmod(fixture.folder, 0755);
    fixture_remove(&fixture);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* The files that reading makes beside a database go with the last reader, and are the writer's while it
 * writes. */
START_TEST(reading_leaves_no_files_behind)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct error error = {0};
    struct store *store = fixture_open(&fixture);
    fixture_add_study(store, "made-up");
    struct store *reader = store_open_read_only(fixture.path, &error);
    ck_assert_msg(reader != NULL, "%s", error.message);
    ck_assert_int_eq(fixture_integer(reader, "select count(*) from study"), 1);
    store_close(reader);
    fixture_add_study(store, "another");
    store_close(store);
    ck_assert_uint_eq(count_files(fixture.folder), 1);
    reader = store_open_read_only(fixture.path, &error);
    ck_assert_int_eq(fixture_integer(reader, "select count(*) from study"), 2);
    const struct study_record record = {
        .name = "b", .scenario = "", .scenario_sha256 = "", .version = "", .command_line = "", .host = ""};
    ck_assert_int_eq(store_add_study(reader, &record, &error), -1);
    store_close(reader);
    ck_assert_uint_eq(count_files(fixture.folder), 1);
    fixture_remove(&fixture);
}
END_TEST

static void create_in_unwritable_folder(const struct fixture *fixture)
{
    become_ordinary();
    assert_refused(fixture->path, "Permission denied");
}

START_TEST(a_folder_that_cannot_be_written_is_refused)
{
    struct fixture fixture = fixture_create("a.sqlite");
    ck_assert_int_eq(chmod(fixture.folder, 0555), 0);
    int status = in_process(create_in_unwritable_folder, &fixture);
    chmod(fixture.folder, 0755);
    ck_assert_uint_eq(count_files(fixture.folder), 0);
    fixture_remove(&fixture);
    ck_assert_int_eq(status, 0);
}
END_TEST

enum { STUDIES_EACH = 2, BATCHES = 20, BATCH = 5 };

static void write_many(const struct fixture *fixture)
{
    struct store *store = fixture_open(fixture);
    for (int i = 0; i < STUDIES_EACH; i++) {
        int64_t study = fixture_add_study(store, "made-up");
        for (int64_t batch = 0; batch < BATCHES; batch++) {
            struct fixture_run runs[BATCH];
            for (int64_t run = 0; run < BATCH; run++) {
                runs[run] = one_run;
                runs[run].replication = batch * BATCH + run;
            }
            fixture_add_runs(store, study, runs, BATCH);
        }
        struct error error = {0};
        ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    }
    store_close(store);
}

START_TEST(processes_write_at_once)
{
    struct fixture fixture = fixture_create("a.sqlite");
    enum { PROCESSES = 3 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0) {
            write_many(&fixture);
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    assert_sound(&fixture, PROCESSES * STUDIES_EACH * BATCHES * BATCH);
    fixture_remove(&fixture);
}
END_TEST

/* Opens and closes a file that nobody needs, again and again, while the other process wants to use it. */
static void open_and_close(const struct fixture *fixture)
{
    for (int i = 0; i < 40; i++)
        store_close(fixture_open(fixture));
}

START_TEST(a_study_is_never_taken_away_with_the_file)
{
    struct fixture fixture = fixture_create("a.sqlite");
    for (int round = 0; round < 10; round++) {
        pid_t child = fork();
        if (child == 0) {
            open_and_close(&fixture);
            _exit(0);
        }
        struct store *store = fixture_open(&fixture);
        fixture_add_study(store, "made-up");
        store_close(store);
        int status = 1;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        store = fixture_open(&fixture);
        ck_assert_int_eq(fixture_integer(store, "select count(*) from study"), 1);
        store_close(store);
        unlink(fixture.path);
    }
    fixture_remove(&fixture);
}
END_TEST

static int die(void *unused)
{
    (void)unused;
    raise(SIGKILL);
    return 0;
}

static void die_in_transaction(const struct fixture *fixture)
{
    struct store *store = fixture_open(fixture);
    int64_t study = fixture_add_study(store, "made-up");
    fixture_add_runs(store, study, &one_run, 1);
    sqlite3_commit_hook(store_connection(store), die, NULL);
    struct fixture_run runs[BATCH];
    for (int64_t i = 0; i < BATCH; i++) {
        runs[i] = one_run;
        runs[i].replication = i + 1;
    }
    fixture_add_runs(store, study, runs, BATCH);
}

START_TEST(a_killed_transaction_leaves_no_run)
{
    struct fixture fixture = fixture_create("a.sqlite");
    int status = in_process(die_in_transaction, &fixture);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_sound(&fixture, 1);
    fixture_remove(&fixture);
}
END_TEST

/* The system refuses to let any file grow beyond SIZE, like a disk that is full. */
static void limit_files(rlim_t size)
{
    const struct rlimit limit = {.rlim_cur = size, .rlim_max = size};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void fill_disk(const struct fixture *fixture)
{
    struct store *store = fixture_open(fixture);
    int64_t study = fixture_add_study(store, "made-up");
    fixture_add_runs(store, study, &one_run, 1);
    limit_files(500000);
    struct fixture_run run = one_run;
    struct run_result result = fixture_result(&one_run);
    struct error error = {0};
    bool added = true;
    for (run.replication = 1; added && run.replication < 10000; run.replication++) {
        const struct run_record records[] = {
            {.strategy = "a", .point = "{}", .replication = run.replication, .result = &result},
            {.strategy = "b", .point = "{}", .replication = run.replication, .result = &result},
        };
        added = store_add_runs(store, study, records, 2, &error);
    }
    ck_assert(!added);
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_msg(strstr(error.message, fixture->path) != NULL, "%s", error.message);
    store_close(store);
}

START_TEST(a_full_disk_keeps_whole_transactions)
{
    struct fixture fixture = fixture_create("a.sqlite");
    ck_assert_int_eq(in_process(fill_disk, &fixture), 0);
    struct store *store = fixture_open(&fixture);
    int64_t runs = fixture_integer(store, "select count(*) from run");
    ck_assert_int_gt(runs, 1);
    ck_assert_int_eq(runs % 2, 1);
    store_close(store);
    assert_sound(&fixture, runs);
    fixture_remove(&fixture);
}
END_TEST

/* The limits end the opening at different places: no page at all, some of the tables. */
static void create_on_full_disk(const struct fixture *fixture)
{
    static const rlim_t sizes[] = {60000, 20000, 6000, 4096, 100, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        limit_files(sizes[i]);
        struct error error = {0};
        ck_assert_ptr_null(store_open(fixture->path, &error));
        ck_assert_int_eq(error.kind, ERROR_SYSTEM);
        ck_assert_msg(strstr(error.message, fixture->path) != NULL, "%s", error.message);
        ck_assert_uint_eq(count_files(fixture->folder), 0);
    }
}

START_TEST(a_full_disk_leaves_no_half_made_file)
{
    struct fixture fixture = fixture_create("a.sqlite");
    ck_assert_int_eq(in_process(create_on_full_disk, &fixture), 0);
    fixture_remove(&fixture);
}
END_TEST

START_TEST(expectations_keep_what_is_not_known_as_null)
{
    struct fixture fixture = fixture_create("a.sqlite");
    struct store *store = fixture_open(&fixture);
    int64_t study = fixture_add_study(store, "made-up");
    const struct expectation_record record = {.strategy = "a",
                                              .point = "{}",
                                              .metric = "goodput",
                                              .wanted = 0.5,
                                              .tolerance = NAN,
                                              .got = NAN,
                                              .low = NAN,
                                              .high = NAN,
                                              .confidence = NAN};
    struct error error = {0};
    ck_assert_msg(store_add_expectation(store, study, &record, &error), "%s", error.message);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from expectation where wanted = 0.5"
                                            " and tolerance is null and got is null and met = 0"
                                            " and source is null and against is null and bound is null"
                                            " and low is null and high is null and confidence is null"),
                     1);
    store_close(store);
    fixture_remove(&fixture);
}
END_TEST

static Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *rows = tcase_create("rows");
    tcase_add_test(rows, what_is_written_is_read_again);
    tcase_add_test(rows, values_without_meaning_have_no_row);
    tcase_add_test(rows, chip_time_is_exact_beyond_64_bits);
    tcase_add_test(rows, seeds_keep_all_their_bits);
    tcase_add_test(rows, runs_are_added_all_or_none);
    tcase_add_test(rows, a_point_that_is_no_json_is_refused);
    tcase_add_test(rows, expectations_keep_what_is_not_known_as_null);
    suite_add_tcase(suite, rows);
    TCase *files = tcase_create("files");
    tcase_add_test(files, a_file_without_a_study_goes_away);
    tcase_add_test(files, a_file_that_was_there_stays);
    tcase_add_test(files, a_file_that_another_uses_stays);
    tcase_add_test(files, names_that_sqlite_gives_a_meaning_are_plain_files);
    tcase_add_test(files, junk_is_refused_and_left_alone);
    tcase_add_test(files, databases_of_others_are_refused_and_left_alone);
    tcase_add_test(files, a_newer_format_is_refused);
    tcase_add_test(files, an_older_format_is_brought_up_to_date);
    tcase_add_test(files, a_failed_migration_leaves_the_older_format);
    tcase_add_test(files, what_is_no_file_is_refused);
    tcase_add_test(files, reading_a_missing_file_is_the_users_fault);
    tcase_add_test(files, a_database_without_a_study_says_so);
    tcase_add_test(files, a_read_only_file_is_read_but_not_written);
    tcase_add_test(files, reading_leaves_no_files_behind);
    tcase_add_test(files, a_folder_that_cannot_be_written_is_refused);
    suite_add_tcase(suite, files);
    TCase *trouble = tcase_create("trouble");
    tcase_add_test(trouble, processes_write_at_once);
    tcase_add_test(trouble, a_study_is_never_taken_away_with_the_file);
    tcase_add_test(trouble, a_killed_transaction_leaves_no_run);
    tcase_add_test(trouble, a_full_disk_keeps_whole_transactions);
    tcase_add_test(trouble, a_full_disk_leaves_no_half_made_file);
    suite_add_tcase(suite, trouble);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(store_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
