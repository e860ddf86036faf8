#include "models/tape/tape.h"
#include "results/database.h"
#include "results/export.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "a study, \"quoted\"");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

/* The export of a study, or of all, as text; the caller frees. */
static char *export_study_text(int64_t exported, enum export_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct error error = {0};
    ck_assert_msg(export_write(store, exported, format, out, &error), "%s", error.message);
    fclose(out);
    return text;
}

static char *export_text(enum export_format format)
{
    return export_study_text(EXPORT_ALL_STUDIES, format);
}

/* Counts how often WORDS stand in TEXT. */
static size_t count(const char *text, const char *words)
{
    size_t found = 0;
    for (; (text = strstr(text, words)); text += strlen(words))
        found++;
    return found;
}

static const struct fixture_run run = {.strategy = "a,b",
                                       .point = "{\"x\":1}",
                                       .replication = 3,
                                       .seed = UINT64_MAX,
                                       .chips = 2,
                                       .seconds = 3,
                                       .goodput = 0.1,
                                       .uptime = 1,
                                       .steps = 2};

#define ROW "1,\"a study, \"\"quoted\"\"\",1,\"a,b\",\"{\"\"x\"\":1}\",3,18446744073709551615,done,,"

START_TEST(csv_follows_the_rfc)
{
    fixture_add_runs(store, study, &run, 1);
    char *text = export_text(EXPORT_CSV);
    static const char expected[] =
        "study,study_name,run,strategy,point,replication,seed,status,learning,kind,name,value,unit,"
        "t_s,step,tokens\r\n" ROW "metric,goodput,0.10000000000000001,1,,,\r\n" ROW
        "metric,uptime,1,1,,,\r\n" ROW "metric,steps,2,1,,,\r\n" ROW "metric,tokens,8388608,1,,,\r\n" ROW
        "metric,failures,0,1,,,\r\n" ROW "budget,";
    ck_assert_str_eq(strncmp(text, expected, strlen(expected)) == 0 ? expected : text, expected);
    ck_assert_uint_eq(count(text, "\r\n"), 1 + 5 + BUDGET_CATEGORIES);
    ck_assert_uint_eq(count(text, "\r\n" ROW "budget,checkpoint_save,0.000000000,chip s,,,\r\n"), 1);
    ck_assert_uint_eq(count(text, "\r\n" ROW "budget,down,5.400000000,chip s,,,\r\n"), 1);
    ck_assert_uint_eq(count(text, "budget,useful,0.600000000,chip s,,,\r\n"), 1);
    free(text);
}
END_TEST

START_TEST(an_empty_database_is_a_header)
{
    char *text = export_text(EXPORT_CSV);
    ck_assert_uint_eq(count(text, "\r\n"), 1);
    free(text);
}
END_TEST

START_TEST(json_holds_everything)
{
    fixture_add_runs(store, study, &run, 1);
    struct error error = {0};
    ck_assert(store_summarise(store, study, &error));
    const struct expectation_record expectation = {.strategy = "a,b",
                                                   .point = "{\"x\":1}",
                                                   .metric = "goodput",
                                                   .wanted = 0.1,
                                                   .tolerance = NAN,
                                                   .bound = EXPECTATION_MINIMUM,
                                                   .got = 0.1,
                                                   .low = 0.05,
                                                   .high = 0.15,
                                                   .confidence = NAN,
                                                   .met = true};
    ck_assert(store_add_expectation(store, study, &expectation, &error));
    const struct expectation_record solved = {.strategy = "a,b",
                                              .point = "{}",
                                              .metric = "network.wan.bandwidth",
                                              .wanted = 2,
                                              .tolerance = 0.1,
                                              .got = NAN,
                                              .low = NAN,
                                              .high = NAN,
                                              .confidence = NAN,
                                              .until = "goodput>=0.9",
                                              .unit = "Gbit/s"};
    ck_assert(store_add_expectation(store, study, &solved, &error));
    char *text = export_text(EXPORT_JSON);
    static const char *const parts[] = {
        "{\"studies\":[{\"id\":1,\"name\":\"a study, \\\"quoted\\\"\",\"scenario\":\"name: made-up\\n\",",
        "\"runs\":[{\"id\":1,\"strategy\":\"a,b\",\"point\":{\"x\":1},\"replication\":3,\"seed\":"
        "18446744073709551615,"
        "\"status\":\"done\",\"simulated_s\":3,\"wall_s\":0.25,\"events\":1000,\"tape_bytes\":null,"
        "\"metrics\":[{\"name\":"
        "\"goodput\","
        "\"value\":0.10000000000000001,\"unit\":\"1\",\"learning\":null},",
        "{\"category\":\"useful\",\"chip_s\":0,\"chip_ns\":600000000}",
        "{\"strategy\":\"a,b\",\"point\":{\"x\":1},\"replay\":null,\"metric\":\"goodput\",\"n\":1,"
        "\"mean\":0.10000000000000001,\"sd\":null,\"ci95_low\":null,\"ci95_high\":null,"
        "\"p05\":0.10000000000000001,\"median\":0.10000000000000001,\"p95\":0.10000000000000001}",
        "\"expectations\":[{\"point\":{\"x\":1},\"strategy\":\"a,b\",\"against\":null,\"metric\":\"goodput\","
        "\"bound\":\"min\",\"source\":null,\"until\":null,\"unit\":null,\"wanted\":0.10000000000000001,"
        "\"tolerance\":null,"
        "\"got\":0.10000000000000001,\"low\":0.050000000000000003,\"high\":0.14999999999999999,"
        "\"confidence\":null,\"met\":true},{\"point\":{}",
        "\"metric\":\"network.wan.bandwidth\",\"bound\":null,\"source\":null,"
        "\"until\":\"goodput>=0.9\",\"unit\":\"Gbit/s\",\"wanted\":2,",
        "\"met\":false}]}]}\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s\nis not in\n%s", parts[i], text);
    free(text);
}
END_TEST

/* SQLite's own reader is the judge of what we call JSON. */
START_TEST(json_is_json)
{
    struct fixture_run odd = run;
    odd.strategy = "tab\t line\n quote\" back\\ bell\a µ";
    fixture_add_runs(store, study, &odd, 1);
    struct error error = {0};
    ck_assert(store_summarise(store, study, &error));
    fixture_add_study(store, "second");
    char *text = export_text(EXPORT_JSON);
    sqlite3_stmt *query =
        database_query(store_database(store),
                       "select json_valid(?1), json_extract(?1, '$.studies[0].runs[0].strategy'),"
                       " json_array_length(?1, '$.studies')",
                       1, &(struct database_value){.type = DATABASE_TEXT, .text = text}, &error);
    ck_assert_int_eq(database_next(store_database(store), query, &error), DATABASE_ROW);
    ck_assert_int_eq(database_column_integer(query, 0), 1);
    ck_assert_str_eq((const char *)sqlite3_column_text(query, 1), odd.strategy);
    ck_assert_int_eq(database_column_integer(query, 2), 2);
    sqlite3_finalize(query);
    free(text);
}
END_TEST

START_TEST(replays_are_exported_with_their_curves)
{
    fixture_add_runs(store, study, &run, 1);
    fixture_add_replay(store, &(struct fixture_replay){.strategy = "a,b",
                                                       .point = "{\"x\":1}",
                                                       .replication = 3,
                                                       .start = 4,
                                                       .final = 2,
                                                       .tokens = 8388608});
    char *csv = export_text(EXPORT_CSV), *json = export_text(EXPORT_JSON);
    ck_assert_uint_eq(count(csv, "done,learning,metric,final_loss,2,nats,,,\r\n"), 1);
    ck_assert_uint_eq(count(csv, "done,learning,series,loss,"), 3);
    ck_assert_uint_eq(count(csv, "done,learning,series,loss,4,,0,0,0\r\n"), 1);
    ck_assert_uint_eq(count(csv, "done,learning,series,loss,2,,3,2,8388608\r\n"), 1);
    static const char *const parts[] = {
        "\"replays\":[{\"learning\":\"learning\",\"learning_sha256\":\"abcd\",\"status\":\"done\"}]",
        "\"series\":[{\"name\":\"loss\",\"t_s\":0,\"step\":0,\"tokens\":0,\"value\":4,"
        "\"learning\":\"learning\"},",
        "{\"name\":\"final_loss\",\"value\":2,\"unit\":\"nats\",\"learning\":\"learning\"}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ck_assert_msg(strstr(json, parts[i]) != NULL, "%s\nis not in\n%s", parts[i], json);
    free(csv);
    free(json);
}
END_TEST

/* A tape of one step. */
static struct tape *make_tape(void)
{
    struct error error = {0};
    struct tape_writer *writer = tape_writer_create(1, 1, 1000, (const double[]){1});
    tape_write(writer, (struct tape_record){.time = 1, .kind = TAPE_STEP_BEGIN, .tokens = 1000});
    tape_write(writer, (struct tape_record){.time = 2, .kind = TAPE_STEP_END, .clock = 1, .tokens = 1000});
    struct tape *tape = tape_finish(writer, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    return tape;
}

/* Adds a run with these bytes for its tape. */
static void add_taped_run(const char *strategy, const void *bytes, size_t length)
{
    struct run_result result = fixture_result(&run);
    const struct run_record record = {
        .strategy = strategy, .point = "{}", .result = &result, .tape = bytes, .tape_length = length};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
}

START_TEST(a_tape_is_exported_as_json_lines)
{
    struct tape *tape = make_tape();
    struct error error = {0};
    void *bytes;
    size_t length, size = 0;
    char *expected = tape_to_json(tape, &error), *text = NULL;
    ck_assert(tape_encode(tape, &bytes, &length, &error));
    add_taped_run("a", bytes, length);
    add_taped_run("b", "no tape", 7);
    fixture_add_runs(store, study, &run, 1);
    FILE *out = open_memstream(&text, &size);
    ck_assert_msg(export_tape(store, 1, out, &error), "%s", error.message);
    ck_assert_int_eq(error.kind, ERROR_NONE);
    ck_assert(!export_tape(store, 2, out, &error));
    ck_assert_int_eq(error.kind, ERROR_SYSTEM); /* the database's fault, not the user's */
    error = (struct error){0};
    ck_assert(!export_tape(store, 3, out, &error));
    ck_assert_msg(strstr(error.message, "without a tape") != NULL, "%s", error.message);
    fclose(out);
    ck_assert_str_eq(text, expected);
    char *json = export_text(EXPORT_JSON), member[40];
    snprintf(member, sizeof member, "\"tape_bytes\":%zu,", length);
    ck_assert_uint_eq(count(json, member), 1);
    ck_assert_uint_eq(count(json, "\"tape_bytes\":null,"), 1);
    free(json);
    free(text);
    free(expected);
    free(bytes);
    tape_destroy(tape);
}
END_TEST

START_TEST(one_study_of_several)
{
    fixture_add_runs(store, study, &run, 1);
    int64_t second = fixture_add_study(store, "the second");
    struct fixture_run other = run;
    other.strategy = "other";
    fixture_add_runs(store, second, &other, 1);
    for (int format = EXPORT_CSV; format <= EXPORT_JSON; format++) {
        const int64_t wanted[] = {second, -1};
        for (size_t i = 0; i < 2; i++) {
            char *text = export_study_text(wanted[i], (enum export_format)format);
            ck_assert(strstr(text, "the second") && strstr(text, "other"));
            ck_assert(!strstr(text, "a study") && !strstr(text, "a,b"));
            free(text);
        }
        char *text = export_study_text(EXPORT_ALL_STUDIES, (enum export_format)format);
        ck_assert(strstr(text, "the second") && strstr(text, "a study"));
        free(text);
        struct error error = {0};
        ck_assert(!export_write(store, 99, (enum export_format)format, stderr, &error));
        ck_assert_int_eq(error.kind, ERROR_INPUT);
    }
}
END_TEST

START_TEST(a_full_disk_is_said)
{
    fixture_add_runs(store, study, &run, 1);
    for (int format = EXPORT_CSV; format <= EXPORT_JSON; format++) {
        FILE *full = fopen("/dev/full", "w");
        if (!full)
            return;
        struct error error = {0};
        ck_assert(!export_write(store, EXPORT_ALL_STUDIES, (enum export_format)format, full, &error));
        ck_assert_int_eq(error.kind, ERROR_SYSTEM);
        ck_assert_ptr_nonnull(strstr(error.message, "No space left"));
        fclose(full);
    }
}
END_TEST

static Suite *export_suite(void)
{
    Suite *suite = suite_create("export");
    TCase *tests = tcase_create("export");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, csv_follows_the_rfc);
    tcase_add_test(tests, an_empty_database_is_a_header);
    tcase_add_test(tests, json_holds_everything);
    tcase_add_test(tests, json_is_json);
    tcase_add_test(tests, replays_are_exported_with_their_curves);
    tcase_add_test(tests, a_tape_is_exported_as_json_lines);
    tcase_add_test(tests, one_study_of_several);
    tcase_add_test(tests, a_full_disk_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(export_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
