/*
 * The field table: that it is sound, and what is made from it: the JSON Schema and the reference page.
 */
#include "models/learning/metrics.h"
#include "models/training/result.h"
#include "scenarios/document.h"
#include "scenarios/fields.h"
#include "scenarios/metrics.h"
#include "scenarios/scenario.h"
#include "scenarios/value.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scenario_memory *memory;
static struct units *units;
static const struct scope *root;

static void open_table(void)
{
    memory = memory_create();
    units = units_create();
    root = fields_create(memory);
    ck_assert_ptr_nonnull(root);
}

static void close_table(void)
{
    memory_destroy(memory);
    units_destroy(units);
}

static void check_default(const struct field *field)
{
    union value value;
    struct value_fault fault = {.message = ""};
    if (field->form != FIELD_VALUE || !field->row.fallback || !*field->row.fallback)
        return;
    ck_assert_msg(value_read_text(units, memory, &field->row, field->row.fallback, &value, &fault), "%s: %s",
                  field->row.path, fault.message);
}

static void check_scope(const struct scope *scope, void (*check)(const struct field *))
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct field *field = &scope->fields[i];
        check(field);
        for (size_t kind = 0; field->form == FIELD_ITEMS && kind < field->kind_count; kind++)
            check_scope(&field->kinds[kind], check);
    }
}

START_TEST(every_default_is_right_for_its_field)
{
    check_scope(root, check_default);
}
END_TEST

/* A path is words of small letters and digits; its sentence is one. */
static void check_words(const struct field *field)
{
    const char *path = field->row.path, *sentence = field->row.sentence;
    ck_assert_msg(strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(path), "%s", path);
    ck_assert_msg(sentence && strlen(sentence) > 10 && sentence[strlen(sentence) - 1] == '.', "%s: %s", path,
                  sentence);
}

START_TEST(every_field_has_a_path_and_a_sentence)
{
    check_scope(root, check_words);
}
END_TEST

static void check_unique(const struct scope *scope)
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct field *field = &scope->fields[i];
        ck_assert_ptr_eq(fields_find(scope, field->row.path), field);
        ck_assert_msg(!fields_is_section(scope, field->row.path), "%s is a field and a section",
                      field->row.path);
        for (size_t kind = 0; field->form == FIELD_ITEMS && kind < field->kind_count; kind++)
            check_unique(&field->kinds[kind]);
    }
}

START_TEST(no_path_is_used_twice)
{
    check_unique(root);
}
END_TEST

/* A path of instead_of that is misspelt would exclude nothing. */
static void check_exclusions(const struct scope *scope)
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct field *field = &scope->fields[i];
        const char *path = field->row.instead_of;
        while (path && *path) {
            const char *word = memory_copy(memory, path, strcspn(path, " "));
            ck_assert_msg(fields_find(scope, word) || fields_is_section(scope, word), "%s: %s",
                          field->row.path, word);
            ck_assert_str_eq(field->row.fallback, "");
            path += strlen(word) + strspn(path + strlen(word), " ");
        }
        for (size_t kind = 0; field->form == FIELD_ITEMS && kind < field->kind_count; kind++)
            check_exclusions(&field->kinds[kind]);
    }
}

START_TEST(what_stands_instead_of_another_field_knows_it)
{
    check_exclusions(root);
    const struct field *steps = fields_find(root, "until.steps"),
                       *processes = fields_find(root, "failures.processes");
    ck_assert(fields_excludes(steps, fields_find(root, "until.tokens")));
    ck_assert(!fields_excludes(steps, fields_find(root, "until.loss")));
    ck_assert(
        fields_excludes(fields_find(processes->kinds, "every"), fields_find(processes->kinds, "life.law")));
}
END_TEST

START_TEST(a_boolean_or_law_always_has_a_default)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct field *field = &root->fields[i];
        if (field->form == FIELD_VALUE && (field->row.type == PARAMETER_BOOLEAN || field->part == LAW_NAME))
            ck_assert_msg(field->row.fallback && *field->row.fallback, "%s", field->row.path);
    }
}
END_TEST

START_TEST(a_path_of_an_override_leads_to_its_field)
{
    const char *near;
    const struct field *field = fields_resolve(root, "strategies.v1.2.learners", &near, memory);
    ck_assert_ptr_nonnull(field);
    ck_assert_str_eq(field->row.path, "learners");
    ck_assert_ptr_null(fields_resolve(root, "strategies.a.lerners", &near, memory));
    ck_assert_str_eq(near, "strategies.a.learners");
    ck_assert_ptr_null(fields_resolve(root, "strategies.a", &near, memory));
    ck_assert_ptr_null(fields_resolve(root, "", &near, memory));
    ck_assert_ptr_nonnull(fields_resolve(root, "failures.chip.mtbi", &near, memory));
}
END_TEST

static struct node *parse(const char *text)
{
    static struct source source;
    struct faults faults = {.memory = memory};
    source = (struct source){"made", text, strlen(text), true};
    struct node *node = document_parse(&source, 0, memory, &faults);
    ck_assert_msg(node != NULL, "%s", faults.count ? faults.shown[0].message : "empty");
    return node;
}

/* The schema's mapping for a path, through "properties" at each level. */
static const struct node *in_schema(const struct node *schema, const char *path)
{
    while (schema && *path) {
        size_t length = strcspn(path, ".");
        schema = document_member(schema, "properties", strlen("properties"));
        schema = schema ? document_member(schema, path, length) : NULL;
        path += length + (path[length] == '.');
    }
    return schema;
}

START_TEST(the_schema_has_every_field)
{
    char *text = scenario_schema();
    const struct node *schema = parse(text);
    for (size_t i = 0; i < root->count; i++) {
        const struct field *field = &root->fields[i];
        const struct node *node = in_schema(schema, field->row.path);
        ck_assert_msg(node && document_member(node, "description", strlen("description")), "%s",
                      field->row.path);
    }
    const struct node *strategies = in_schema(schema, "strategies");
    const struct node *items = document_member(strategies, "items", 5);
    const struct node *kinds = document_member(items, "oneOf", 5);
    ck_assert_uint_eq(kinds->count, STRATEGY_KINDS);
    for (const struct node *kind = kinds->first; kind; kind = kind->next)
        ck_assert_ptr_nonnull(document_member(in_schema(kind, "kind"), "const", 5));
    free(text);
}
END_TEST

START_TEST(the_reference_page_names_every_field)
{
    char *page = scenario_reference();
    for (size_t i = 0; i < root->count; i++) {
        const struct field *field = &root->fields[i];
        size_t length = strlen(field->row.path) - (field->part == LAW_NAME ? strlen(".law") : 0);
        char cell[128];
        snprintf(cell, sizeof cell, "`%.*s", (int)length, field->row.path);
        ck_assert_msg(field->part > LAW_NAME || strstr(page, cell) != NULL, "%s", cell);
    }
    free(page);
}
END_TEST

START_TEST(the_example_in_the_reference_page_loads)
{
    char *page = scenario_reference();
    char *start = strstr(page, "```yaml\n");
    ck_assert_ptr_nonnull(start);
    start += strlen("```yaml\n");
    size_t length = (size_t)(strstr(start, "```") - start);
    start[length] = '\0';
    const struct scenario_text text = {(char[]){"example"}, start, length};
    struct error error = {0};
    struct scenario *scenario = scenario_create(&text, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    scenario_destroy(scenario);
    free(page);
}
END_TEST

START_TEST(the_page_in_doc_is_the_one_made_from_the_table)
{
    const char *folder = getenv("top_srcdir");
    char path[4096];
    snprintf(path, sizeof path, "%s/doc/scenario.md", folder ? folder : ".");
    struct scenario_text text;
    struct error error = {0};
    ck_assert_msg(scenario_text_read(path, &text, &error), "%s", error.message);
    char *page = scenario_reference();
    ck_assert_msg(strcmp(page, text.bytes) == 0, "doc/scenario.md is out of date: make reference");
    free(page);
    scenario_text_free(&text);
}
END_TEST

START_TEST(metrics_have_their_units)
{
    struct metrics_form form;
    ck_assert(metrics_find("mtbf", &form) && form.dimension == DIMENSION_TIME);
    ck_assert_str_eq(form.unit, "s");
    ck_assert(metrics_find("energy:down", &form) && form.dimension == DIMENSION_ENERGY);
    ck_assert_double_eq(form.size, 3.6e6);
    ck_assert(metrics_find("share:useful", &form) && form.dimension == DIMENSION_NONE);
    ck_assert_str_eq(form.unit, "1");
    ck_assert(!metrics_find("share:nothing", &form));
    ck_assert(!metrics_find("goodputs", &form));
    ck_assert(!metrics_find("waste:", &form));
}
END_TEST

/* What calls itself a share of something is held to that, but for the use of links, which may be above 1. */
static void check_ranges(const struct metric_description *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct metrics_form form;
        bool share = strstr(metrics[i].sentence, "share of") && strcmp(metrics[i].name, "link_utilization");
        ck_assert(metrics_find(metrics[i].name, &form));
        ck_assert_msg(!share || form.range != METRICS_ANY, "%s may be anything", metrics[i].name);
        ck_assert_msg(form.range == METRICS_ANY || form.dimension == DIMENSION_NONE, "%s", metrics[i].name);
    }
}

START_TEST(shares_are_held_to_what_they_can_be)
{
    static const struct {
        const char *metric;
        enum metrics_range range;
    } samples[] = {{"compute_utilization", METRICS_SHARE}, {"share:down", METRICS_SHARE},
                   {"waste:host", METRICS_SHARE},          {"time_saved", METRICS_SAVING},
                   {"link_utilization", METRICS_ANY},      {"time_ratio", METRICS_ANY},
                   {"statistical_goodput", METRICS_ANY},   {"loss_over_reference", METRICS_ANY}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct metrics_form form;
        ck_assert(metrics_find(samples[i].metric, &form));
        ck_assert_msg(form.range == samples[i].range, "%s", samples[i].metric);
    }
    check_ranges(run_metrics, RUN_METRICS);
    check_ranges(learning_metrics, LEARNING_METRICS);
}
END_TEST

static const struct {
    const char *metric, *text;
    bool spread;
    double value;        /* NAN: refused */
    const char *message; /* with this */
} figures[] = {
    {"goodput", "80 %", false, 0.8, NULL},
    {"goodput", "1", false, 1, NULL},
    {"goodput", "80", false, NAN, "must be at least 0 and at most 1, not \"80\"; did you mean \"80 %\"?"},
    {"goodput", "8e1", true, NAN, "must be at least 0 and at most 1, not \"8e1\"; did you mean \"8e1 %\"?"},
    {"waste:host", "1.5", false, NAN,
     "must be at least 0 and at most 1, not \"1.5\"; did you mean \"1.5 %\"?"},
    {"goodput", "120 %", false, NAN, "must be at least 0 and at most 1, not \"120 %\""},
    {"goodput", "120", false, NAN, "must be at least 0 and at most 1, not \"120\""},
    {"share:down", "-0.1", false, NAN, "must be at least 0 and at most 1, not \"-0.1\""},
    {"time_saved", "-25 %", false, -0.25, NULL},
    {"time_saved", "-25 %", true, NAN, "must be at least 0 and at most 1, not \"-25 %\""},
    {"time_saved", "25", false, NAN, "must be at most 1, not \"25\"; did you mean \"25 %\"?"},
    {"link_utilization", "1.2", false, 1.2, NULL},
    {"steps", "80", false, 80, NULL},
    {"wan_bytes", "2 GB", false, 2e9, NULL},
    {"energy", "2 MWh", true, 2000, NULL},
    {"energy", "2", false, NAN, "2 has no unit; expected an energy such as \"500 MWh\""},
};

START_TEST(figures_are_read_in_the_unit_of_results)
{
    struct metrics_form form;
    struct value_fault fault = {.message = ""};
    double value = NAN;
    ck_assert(metrics_find(figures[_i].metric, &form));
    bool read = metrics_read(&form, figures[_i].spread, units, figures[_i].text, &value, &fault);
    ck_assert_int_eq(read, !figures[_i].message);
    if (read)
        ck_assert_double_eq(value, figures[_i].value);
    else
        ck_assert_str_eq(fault.message, figures[_i].message);
}
END_TEST

static Suite *fields_suite(void)
{
    Suite *suite = suite_create("fields");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, open_table, close_table);
    tcase_add_test(table, every_default_is_right_for_its_field);
    tcase_add_test(table, every_field_has_a_path_and_a_sentence);
    tcase_add_test(table, no_path_is_used_twice);
    tcase_add_test(table, what_stands_instead_of_another_field_knows_it);
    tcase_add_test(table, a_boolean_or_law_always_has_a_default);
    tcase_add_test(table, a_path_of_an_override_leads_to_its_field);
    tcase_add_test(table, metrics_have_their_units);
    tcase_add_test(table, shares_are_held_to_what_they_can_be);
    tcase_add_loop_test(table, figures_are_read_in_the_unit_of_results, 0, sizeof figures / sizeof *figures);
    suite_add_tcase(suite, table);

    TCase *made = tcase_create("made from the table");
    tcase_add_checked_fixture(made, open_table, close_table);
    tcase_add_test(made, the_schema_has_every_field);
    tcase_add_test(made, the_reference_page_names_every_field);
    tcase_add_test(made, the_example_in_the_reference_page_loads);
    tcase_add_test(made, the_page_in_doc_is_the_one_made_from_the_table);
    suite_add_tcase(suite, made);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(fields_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
