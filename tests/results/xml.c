#include "tests/results/xml.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8, NAME = 40, VALUE = 2000 };

/* An element, the elements that it may be in, and its attributes, those that it must have with a "!". */
static const struct rule {
    const char *element, *parents, *attributes;
} rules[] = {
    {"testsuites", " / ", " name time tests failures errors "},
    {"testsuite", " / testsuites testsuite ",
     " name! tests! failures! errors! group time skipped timestamp hostname id package file log url "},
    {"properties", " testsuite ", " "},
    {"property", " properties ", " name! value! "},
    {"testcase", " testsuite ", " name! time classname group "},
    {"skipped", " testcase ", " type message "},
    {"error", " testcase ", " type message "},
    {"failure", " testcase ", " type message "},
    {"system-out", " testcase testsuite ", " "},
    {"system-err", " testcase testsuite ", " "},
};

struct reader {
    const char *text, *at;
    char open[DEPTH][NAME]; /* the elements that are open */
    size_t depth;
    struct xml_tally counted, said;
};

static const struct rule *find_rule(const char *element)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].element, element) == 0)
            return &rules[i];
    ck_abort_msg("no element <%s>", element);
}

/* Whether WORD stands in LIST with MARK behind it. */
static bool lists(const char *list, const char *word, const char *mark)
{
    char sought[NAME + 4];
    snprintf(sought, sizeof sought, " %s%s ", word, mark);
    return strstr(list, sought) != NULL;
}

static void read_name(struct reader *reader, char name[NAME])
{
    size_t length = strcspn(reader->at, " =/>\n");
    ck_assert_uint_gt(length, 0);
    ck_assert_uint_lt(length, NAME);
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
}

/* Text up to END, in which a bare "<" or "&" and control characters are wrong. */
static void read_text(struct reader *reader, char end, char *value)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", "&#9;", "&#13;"};
    size_t length = 0;
    while (*reader->at != end) {
        unsigned char c = (unsigned char)*reader->at;
        ck_assert_msg(c >= 0x20 || c == '\n', "a control character: %.40s", reader->at);
        ck_assert_msg(c != '<', "a bare <: %.40s", reader->at);
        if (c == '&') {
            bool known = false;
            for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
                known |= strncmp(reader->at, entities[i], strlen(entities[i])) == 0;
            ck_assert_msg(known, "a bare &: %.40s", reader->at);
        }
        if (value && length < VALUE - 1)
            value[length++] = (char)c;
        reader->at++;
    }
    if (value)
        value[length] = '\0';
}

/* Seconds as Surefire writes them. */
static void check_time(const char *value)
{
    ck_assert_msg(*value && strspn(value, "0123456789.,") == strlen(value), "time=\"%s\"", value);
}

static void note(struct reader *reader, const char *element, const char *attribute, const char *value)
{
    size_t number = strtoul(value, NULL, 10);
    if (strcmp(attribute, "time") == 0)
        check_time(value);
    if (strcmp(element, "testsuite") != 0)
        return;
    if (strcmp(attribute, "tests") == 0)
        reader->said.tests += number;
    if (strcmp(attribute, "failures") == 0)
        reader->said.failures += number;
    if (strcmp(attribute, "errors") == 0)
        reader->said.errors += number;
}

/* Reads the attributes of ELEMENT, whose RULE says which; SEEN is a list of their names. */
static void read_attributes(struct reader *reader, const struct rule *rule, char *seen, size_t size)
{
    while (*reader->at == ' ') {
        char name[NAME], value[VALUE];
        reader->at++;
        read_name(reader, name);
        ck_assert_msg(strncmp(reader->at, "=\"", 2) == 0, "no value: %.40s", reader->at);
        reader->at += 2;
        read_text(reader, '"', value);
        reader->at++;
        ck_assert_msg(lists(rule->attributes, name, "") || lists(rule->attributes, name, "!"), "<%s %s>",
                      rule->element, name);
        ck_assert_msg(!lists(seen, name, ""), "%s twice", name);
        strncat(seen, name, size - strlen(seen) - 1);
        strncat(seen, " ", size - strlen(seen) - 1);
        note(reader, rule->element, name, value);
    }
}

static void check_required(const struct rule *rule, const char *seen)
{
    char list[300], *rest = list, *word;
    snprintf(list, sizeof list, "%s", rule->attributes);
    while ((word = strtok_r(rest, " ", &rest))) {
        size_t length = strlen(word);
        if (word[length - 1] != '!')
            continue;
        word[length - 1] = '\0';
        ck_assert_msg(lists(seen, word, ""), "<%s> without %s", rule->element, word);
    }
}

static void count(struct reader *reader, const char *element)
{
    reader->counted.tests += strcmp(element, "testcase") == 0;
    reader->counted.failures += strcmp(element, "failure") == 0;
    reader->counted.errors += strcmp(element, "error") == 0;
}

/* What stands before a case's time, its classname and its name, no case before it has. */
static void check_unlike(const struct reader *reader)
{
    const char *end = strstr(reader->at, " time=\"");
    ck_assert_ptr_nonnull(end);
    size_t length = (size_t)(end - reader->at) + 1;
    ck_assert_msg(!memmem(reader->text, (size_t)(reader->at - reader->text), reader->at, length),
                  "two cases are called%.*s", (int)length, reader->at);
}

static void read_start(struct reader *reader)
{
    char name[NAME], seen[300] = " ";
    const char *parent = reader->depth ? reader->open[reader->depth - 1] : "/";
    read_name(reader, name);
    const struct rule *rule = find_rule(name);
    ck_assert_msg(lists(rule->parents, parent, ""), "<%s> in <%s>", name, parent);
    if (strcmp(name, "testcase") == 0)
        check_unlike(reader);
    read_attributes(reader, rule, seen, sizeof seen);
    check_required(rule, seen);
    count(reader, name);
    if (*reader->at == '/') {
        reader->at++;
    } else {
        ck_assert_uint_lt(reader->depth, DEPTH);
        memcpy(reader->open[reader->depth++], name, sizeof name);
    }
    ck_assert_msg(*reader->at++ == '>', "an element that doesn't end: %.40s", reader->at);
}

static void read_end(struct reader *reader)
{
    char name[NAME];
    read_name(reader, name);
    ck_assert_uint_gt(reader->depth, 0);
    ck_assert_str_eq(name, reader->open[--reader->depth]);
    ck_assert(*reader->at++ == '>');
}

void xml_check_junit(const char *text, struct xml_tally *tally)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    struct reader reader = {.text = text, .at = text};
    ck_assert(strncmp(text, head, sizeof head - 1) == 0);
    reader.at += sizeof head - 1;
    while (*reader.at == '<') {
        reader.at++;
        if (*reader.at == '/') {
            reader.at++;
            read_end(&reader);
        } else {
            read_start(&reader);
        }
        if (reader.depth)
            read_text(&reader, '<', NULL);
        else
            reader.at += *reader.at == '\n';
    }
    ck_assert_msg(!*reader.at && !reader.depth, "something behind the end: %.40s", reader.at);
    ck_assert_uint_eq(reader.said.tests, reader.counted.tests);
    ck_assert_uint_eq(reader.said.failures, reader.counted.failures);
    ck_assert_uint_eq(reader.said.errors, reader.counted.errors);
    *tally = reader.counted;
}
