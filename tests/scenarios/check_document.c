/*
 * Documents: the tree, places, what is refused, and overrides. A tree is shown as one line of JSON with the
 * offset of each value behind it.
 */
#include "scenarios/document.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scenario_memory *memory;
static struct faults faults;

static void open_memory(void)
{
    memory = memory_create();
    faults = (struct faults){.memory = memory};
}

static void close_memory(void)
{
    memory_destroy(memory);
}

static void show(const struct node *node, struct writer *writer)
{
    if (node->kind == NODE_SCALAR) {
        writer_add(writer, "%s%s%s", node->quoted ? "'" : "", node->text, node->quoted ? "'" : "");
    } else {
        writer_add(writer, node->kind == NODE_MAPPING ? "{" : "[");
        for (const struct node *child = node->first; child; child = child->next) {
            if (child->key)
                writer_add(writer, "%s@%zu:", child->key, child->key_place.offset);
            show(child, writer);
            if (child->next)
                writer_add(writer, ",");
        }
        writer_add(writer, node->kind == NODE_MAPPING ? "}" : "]");
    }
    writer_add(writer, "@%zu", node->place.offset);
}

static struct source source_of(const char *bytes, size_t length)
{
    return (struct source){"doc.yaml", bytes, length, true};
}

/* The message of all faults, or "" if there are none. */
static const char *message(struct error *error)
{
    *error = (struct error){0};
    if (faults.count)
        faults_report(&faults, error);
    return error->message;
}

static const struct {
    const char *yaml, *tree;
} trees[] = {
    {"a: 1\nb: [x, 'y']\n", "{a@0:1@3,b@5:[x@9,'y'@13]@8}@0"},
    {"s:\n  t: u\n  v:\n  - w\n", "{s@0:{t@5:u@8,v@12:[w@19]@17}@5}@0"},
    {"a: &x {k: 1}\nb: *x\n", "{a@0:{k@7:1@10}@6,b@13:{k@7:1@10}@6}@0"},
    {"a:\nb: ~\n", "{a@0:@0,b@3:~@6}@0"},
    {"\"a\\tb\": |\n  two\n  lines\n", "{a\tb@1:'two\nlines\n'@10}@0"},
    {"%YAML 1.2\n---\na: 1\n...\n", "{a@14:1@17}@14"},
    {"a: 1\r\nb: 2\r\n", "{a@0:1@3,b@6:2@9}@0"},
    {"\xef\xbb\xbf"
     "a: 1\n",
     "{a@3:1@6}@3"},
    {"just a text", "just a text@0"},
    {"- 1\n- - 2\n", "[1@2,[2@8]@6]@0"},
};

START_TEST(a_document_becomes_a_tree_with_places)
{
    struct source source = source_of(trees[_i].yaml, strlen(trees[_i].yaml));
    struct error error;
    struct writer writer = {0};
    struct node *root = document_parse(&source, 0, memory, &faults);
    ck_assert_str_eq(message(&error), "");
    ck_assert_ptr_nonnull(root);
    show(root, &writer);
    ck_assert_str_eq(writer.text, trees[_i].tree);
    free(writer_take(&writer));
}
END_TEST

static const struct {
    const char *yaml, *message;
} refusals[] = {
    {"a: 1\n a: 2\n", "doc.yaml:1:4: not valid YAML: invalid multiline plain key\n    a: 1\n       ^"},
    {"a: [1,\n", "doc.yaml:1:7: not valid YAML: did not find expected node content\n    a: [1,\n"
                 "          ^"},
    {"w:\n\tb: c\n", "doc.yaml:2:1: not valid YAML: tab character may not be used as indentation\n"
                     "    \tb: c\n    ^"},
    {"a: 1\nb: 2\na: 3\n", "doc.yaml:3:1: \"a\" is given twice; it is already in line 1\n    a: 3\n    ^"},
    {"a: !!int 3\n", "doc.yaml:1:4: tags have no meaning in a scenario\n    a: !!int 3\n       ^"},
    {"a: 1\n---\nb: 2\n", "doc.yaml:2:1: a second document begins here; a scenario is one\n    ---\n    ^"},
    {"? [x]\n: 1\n", "doc.yaml:1:3: a key must be a plain word\n    ? [x]\n      ^"},
    {"a: *x\n", "doc.yaml:1:5: no anchor of this name stands before its alias\n    a: *x\n        ^"},
    {"a: &x [*x]\n", "doc.yaml:1:9: an alias inside its own anchor\n    a: &x [*x]\n            ^"},
    {"é: \"\\0\"\n", "doc.yaml:1:5: a text can't contain a zero byte\n    é: \"\\0\"\n        ^"},
    {"a: \x01\n", "doc.yaml:1:4: a control character, where a text is expected\n    a: ?\n       ^"},
    {"a: \xff\n", "doc.yaml:1:4: a byte that is not UTF-8, where a text is expected\n    a: \xff\n       ^"},
    {"a: \xed\xa0\x80\n", "doc.yaml:1:4: a byte that is not UTF-8, where a text is expected\n"
                          "    a: \xed\xa0\x80\n       ^"},
    {"a: \xc0\xaf\n", "doc.yaml:1:4: a byte that is not UTF-8, where a text is expected\n"
                      "    a: \xc0\xaf\n       ^"},
};

START_TEST(what_is_no_scenario_is_refused_at_its_place)
{
    struct source source = source_of(refusals[_i].yaml, strlen(refusals[_i].yaml));
    struct error error;
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(message(&error), refusals[_i].message);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
}
END_TEST

START_TEST(a_zero_byte_in_the_file_is_refused)
{
    struct source source = source_of("a: 1\0b: 2\n", 10);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_uint_eq(faults.count, 1);
    ck_assert_str_eq(faults.shown[0].message, "a control character, where a text is expected");
}
END_TEST

START_TEST(several_faults_are_found_at_once)
{
    const char *yaml = "a: !x 1\na: 2\nb: !y 3\nb: 4\n";
    struct source source = source_of(yaml, strlen(yaml));
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_uint_eq(faults.count, 4);
}
END_TEST

START_TEST(nothing_is_no_fault)
{
    static const char *const empty[] = {"", "\n\n", "# a comment\n", "---\n...\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct source source = source_of(empty[i], strlen(empty[i]));
        struct node *root = document_parse(&source, 0, memory, &faults);
        ck_assert(!root || document_is_null(root));
        ck_assert_uint_eq(faults.count, 0);
    }
}
END_TEST

START_TEST(depth_is_bounded)
{
    char yaml[100000];
    memset(yaml, '[', sizeof yaml);
    struct source source = source_of(yaml, sizeof yaml - 1);
    yaml[sizeof yaml - 1] = '\0';
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(faults.shown[0].message, "nested too deeply");
}
END_TEST

START_TEST(brackets_are_bounded)
{
    enum { PAIRS = 150000 };
    char *yaml = malloc(2 * PAIRS + 1);
    for (size_t i = 0; i < PAIRS; i++)
        memcpy(yaml + 2 * i, "{}", 3);
    struct source source = source_of(yaml, 2 * PAIRS);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(faults.shown[0].message, "more than 100000 brackets; this is no scenario");
    ck_assert_uint_eq(faults.shown[0].place.offset, 200000);
    free(yaml);
}
END_TEST

START_TEST(size_is_bounded)
{
    char *yaml = calloc(DOCUMENT_LARGEST + 2, 1);
    memset(yaml, '#', DOCUMENT_LARGEST + 1);
    struct source source = source_of(yaml, DOCUMENT_LARGEST);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_uint_eq(faults.count, 0);
    source.length++;
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(faults.shown[0].message, "larger than 1 MiB; this is no scenario");
    free(yaml);
}
END_TEST

/* Each line doubles what the one before it stands for. */
START_TEST(aliases_of_aliases_are_bounded)
{
    struct writer yaml = {0};
    writer_add(&yaml, "a0: &a0 [1, 1]\n");
    for (int i = 1; i < 30; i++)
        writer_add(&yaml, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    struct source source = source_of(yaml.text, yaml.length);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_ptr_nonnull(strstr(faults.shown[0].message, "too many values"));
    free(writer_take(&yaml));
}
END_TEST

START_TEST(keys_and_anchors_are_bounded)
{
    struct writer keys = {0}, anchors = {0};
    for (int i = 0; i < 2000; i++) {
        writer_add(&keys, "k%d: 1\n", i);
        writer_add(&anchors, "- &a%d 1\n", i);
    }
    struct source source = source_of(keys.text, keys.length);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(faults.shown[0].message, "too many keys in one mapping");
    source = source_of(anchors.text, anchors.length);
    ck_assert_ptr_null(document_parse(&source, 0, memory, &faults));
    ck_assert_str_eq(faults.shown[1].message, "too many anchors");
    free(writer_take(&keys));
    free(writer_take(&anchors));
}
END_TEST

static const char base[] = "n: 1\nlist:\n- {name: one, v: 1}\n- {name: a.b, v: 2}\n- {w: 3}\nempty: []\n";

static const struct {
    const char *yaml, *override, *tree;
} overrides[] = {
    {"n: 1\n", "n=2", "{n@0:2@2}@0"},
    {"n: 1\n", "a.b.c=5 d", "{n@0:1@3,a@0:{b@2:{c@4:5 d@6}@2}@0}@0"},
    {"a:\n", "a.b=x", "{a@0:{b@2:x@4}@0}@0"},
    {"a: {x: 1}\n", "a=[1, 2]", "{a@0:[1@3,2@6]@2}@0"},
    {"n: 1\n", "n=", "{n@0:@2}@0"},
    {"s: {a.b: 1, a: 2}\n", "s.a.b=3", "{s@0:{a.b@2:3@6,a@12:2@15}@3}@0"},
    {"", "n=1", "{n@0:1@2}@0"},
    {base, "list.one.v=9",
     "{n@0:1@3,list@0:[{name@14:one@20,v@9:9@11}@13,{name@34:a.b@40,v@45:2@48}@33,"
     "{w@54:3@57}@53]@11,empty@60:[]@67}@0"},
    {base, "list.a.b.v=9",
     "{n@0:1@3,list@0:[{name@14:one@20,v@25:1@28}@13,{name@34:a.b@40,v@9:9@11}@33,"
     "{w@54:3@57}@53]@11,empty@60:[]@67}@0"},
    {base, "list.2.z=9",
     "{n@0:1@3,list@0:[{name@14:one@20,v@25:1@28}@13,{name@34:a.b@40,v@45:2@48}@33,"
     "{w@54:3@57,z@7:9@9}@53]@11,empty@60:[]@67}@0"},
    {"l:\n- {name: one, v: 1}\n- {w: {}}\n", "l.*.v=9",
     "{l@0:[{name@6:one@12,v@4:9@6}@5,{w@26:{}@29,v@4:9@6}@25]@3}@0"},
};

START_TEST(an_override_is_laid_over_the_tree)
{
    struct source source = source_of(overrides[_i].yaml, strlen(overrides[_i].yaml));
    struct source laid = {"--set", overrides[_i].override, strlen(overrides[_i].override), false};
    struct error error;
    struct writer writer = {0};
    struct node *root = document_parse(&source, 0, memory, &faults);
    bool good = document_override(&root, &laid, memory, &faults);
    ck_assert_str_eq(message(&error), "");
    ck_assert(good);
    show(root, &writer);
    ck_assert_str_eq(writer.text, overrides[_i].tree);
    free(writer_take(&writer));
}
END_TEST

START_TEST(an_override_of_an_alias_leaves_its_anchor_alone)
{
    const char *yaml = "a: &x {k: 1}\nb: *x\n";
    struct source source = source_of(yaml, strlen(yaml)), laid = {"--set", "b.k=2", 5, false};
    struct node *root = document_parse(&source, 0, memory, &faults);
    ck_assert(document_override(&root, &laid, memory, &faults));
    ck_assert_str_eq(document_member(document_member(root, "a", 1), "k", 1)->text, "1");
    ck_assert_str_eq(document_member(document_member(root, "b", 1), "k", 1)->text, "2");
}
END_TEST

static const struct {
    const char *override, *message;
} refused[] = {
    {"n.x=1", "--set: \"1\" stands there, which has no parts\n    n.x=1\n      ^"},
    {"list.two.v=1", "--set: no item of the list is called \"two\"; there are \"one\", \"a.b\", ...\n"
                     "    list.two.v=1\n         ^"},
    {"list.3.v=1", "--set: no item of the list is called \"3\"; there are \"one\", \"a.b\", ...\n"
                   "    list.3.v=1\n         ^"},
    {"empty.*.v=1", "--set: the list is empty\n    empty.*.v=1\n          ^"},
    {"a..b=1", "--set: a path is names with dots between them\n    a..b=1\n      ^"},
    {"a.=1", "--set: expected PATH=VALUE\n    a.=1\n    ^"},
    {"=1", "--set: expected PATH=VALUE\n    =1\n    ^"},
    {"n", "--set: expected PATH=VALUE\n    n\n    ^"},
    {"n=[1", "--set: not valid YAML: flow sequence without a closing bracket\n    n=[1\n        ^"},
    {"n=\x02", "--set: a control character, where a text is expected\n    n=?\n      ^"},
};

START_TEST(a_broken_override_is_refused_at_its_place)
{
    struct source source = source_of(base, strlen(base));
    struct source laid = {"--set", refused[_i].override, strlen(refused[_i].override), false};
    struct error error;
    struct node *root = document_parse(&source, 0, memory, &faults);
    ck_assert(!document_override(&root, &laid, memory, &faults));
    ck_assert_str_eq(message(&error), refused[_i].message);
}
END_TEST

START_TEST(a_long_line_is_shown_around_the_place)
{
    struct writer yaml = {0}, report = {0};
    for (int i = 0; i < 300; i++)
        writer_add(&yaml, "%d,", i % 10);
    struct source source = source_of(yaml.text, yaml.length);
    source_report(&report, (struct place){&source, 300}, "here");
    ck_assert_uint_lt(report.length, 350);
    ck_assert_ptr_nonnull(strstr(report.text, "doc.yaml:1:301: here\n    ..."));
    free(writer_take(&yaml));
    free(writer_take(&report));
}
END_TEST

START_TEST(many_faults_are_counted)
{
    struct source source = source_of("line\n", 5);
    struct error error;
    for (int i = 0; i < 500; i++)
        faults_add(
            &faults, (struct place){&source, 0}, "fault %d%s", i,
            " which is described at such a length that not all of them have room in the message of an error,"
            " however large that is, and the last line has to say so");
    ck_assert_ptr_nonnull(strstr(message(&error), "\nand 49"));
    ck_assert_uint_lt(strlen(error.message), sizeof error.message - 1);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

static Suite *document_suite(void)
{
    Suite *suite = suite_create("document");
    TCase *parsing = tcase_create("parsing");
    tcase_add_checked_fixture(parsing, open_memory, close_memory);
    tcase_add_loop_test(parsing, a_document_becomes_a_tree_with_places, 0, COUNT(trees));
    tcase_add_loop_test(parsing, what_is_no_scenario_is_refused_at_its_place, 0, COUNT(refusals));
    tcase_add_test(parsing, a_zero_byte_in_the_file_is_refused);
    tcase_add_test(parsing, several_faults_are_found_at_once);
    tcase_add_test(parsing, nothing_is_no_fault);
    suite_add_tcase(suite, parsing);

    TCase *bounds = tcase_create("bounds");
    tcase_add_checked_fixture(bounds, open_memory, close_memory);
    tcase_add_test(bounds, depth_is_bounded);
    tcase_add_test(bounds, brackets_are_bounded);
    tcase_add_test(bounds, size_is_bounded);
    tcase_add_test(bounds, aliases_of_aliases_are_bounded);
    tcase_add_test(bounds, keys_and_anchors_are_bounded);
    suite_add_tcase(suite, bounds);

    TCase *overriding = tcase_create("overriding");
    tcase_add_checked_fixture(overriding, open_memory, close_memory);
    tcase_add_loop_test(overriding, an_override_is_laid_over_the_tree, 0, COUNT(overrides));
    tcase_add_test(overriding, an_override_of_an_alias_leaves_its_anchor_alone);
    tcase_add_loop_test(overriding, a_broken_override_is_refused_at_its_place, 0, COUNT(refused));
    suite_add_tcase(suite, overriding);

    TCase *reporting = tcase_create("reporting");
    tcase_add_checked_fixture(reporting, open_memory, close_memory);
    tcase_add_test(reporting, a_long_line_is_shown_around_the_place);
    tcase_add_test(reporting, many_faults_are_counted);
    suite_add_tcase(suite, reporting);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(document_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
