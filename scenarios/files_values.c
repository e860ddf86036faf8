/*
 * Numbers from a file: JSON if it begins like that, else a text with one number in each line, below a heading
 * or not. A number without a unit is in its field's; more columns than one are refused, since the first may
 * be a count of the lines.
 */
#include "scenarios/files.h"

#include "scenarios/number.h"

#include <jansson.h>
#include <string.h>

static void add_number(struct loader *loader, double number, const char *unit, struct place place,
                       struct node *values)
{
    char text[NUMBER_BYTES];
    const char *copy = memory_format(loader->scratch, "%s%s", number_print(text, number), unit);
    if (copy)
        files_add(loader, values, NULL, NODE_SCALAR, copy, place);
}

static void refuse_json(struct loader *loader, const struct source *source)
{
    faults_add(&loader->faults, (struct place){source, 0},
               "expected a list of numbers, or an object with \"step_t_base\", the times of steps by their "
               "numbers");
}

/* The numbers of a list, or of an object's members in their order. */
static void add_json(struct loader *loader, const struct source *source, const char *unit, json_t *json,
                     struct node *values)
{
    void *member = json_is_object(json) ? json_object_iter(json) : NULL;
    size_t count = json_is_object(json) ? json_object_size(json) : json_array_size(json);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = member ? json_object_iter_value(member) : json_array_get(json, i);
        if (!json_is_number(item)) {
            refuse_json(loader, source);
            return;
        }
        add_number(loader, json_number_value(item), unit, (struct place){source, 0}, values);
        member = member ? json_object_iter_next(json, member) : NULL;
    }
}

static void read_json(struct loader *loader, const struct source *source, const char *unit,
                      struct node *values)
{
    json_error_t error;
    json_t *json = json_loadb(source->bytes, source->length, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        faults_add(&loader->faults, (struct place){source, (size_t)error.position}, "%s", error.text);
        return;
    }
    json_t *times = json_is_object(json) ? json_object_get(json, "step_t_base") : json;
    if (json_is_object(times) || (times == json && json_is_array(json)))
        add_json(loader, source, unit, times, values);
    else
        refuse_json(loader, source);
    json_decref(json);
}

/* What of the line at OFFSET, LENGTH long, says something: up to blanks and a comment at its end. */
static size_t length_of_text(const struct source *source, size_t offset, size_t length)
{
    const char *line = source->bytes + offset, *comment = memchr(line, '#', length);
    if (comment)
        length = (size_t)(comment - line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    return length;
}

/* Where TEXT has a second column: behind a comma, semicolon or tab or, but in a heading, as a number behind
 * blanks. 0: nowhere. */
static size_t second_column(const char *text, bool is_heading)
{
    size_t first = strcspn(text, ",;\t"), blank = strcspn(text, " ");
    if (text[first])
        return first + strspn(text + first, ",; \t");
    size_t second = blank + strspn(text + blank, " ");
    return !is_heading && text[second] && strchr("+-.0123456789", text[second]) ? second : 0;
}

/* A line with one number, which may have a unit of its own; else one with a fault, but for a heading. */
static void read_line(struct loader *loader, const struct source *source, size_t offset, const char *text,
                      const char *unit, bool is_first, struct node *values)
{
    double number;
    struct place place = {source, offset};
    bool is_heading = is_first && !strchr("+-.0123456789", *text);
    size_t second = second_column(text, is_heading);
    if (second)
        faults_add(&loader->faults, (struct place){source, offset + second},
                   "a second column, of which nobody knows whether it is the one that is meant: expected one "
                   "number in each line");
    else if (number_parse(text, &number))
        add_number(loader, number, unit, place, values);
    else if (!is_heading)
        files_add(loader, values, NULL, NODE_SCALAR, text, place);
}

static void read_text(struct loader *loader, const struct source *source, const char *unit,
                      struct node *values)
{
    bool is_first = true;
    for (size_t offset = 0; offset < source->length && !loader->faults.count;) {
        size_t length = strcspn(source->bytes + offset, "\n"),
               blank = strspn(source->bytes + offset, " \t\r"), start = offset + blank;
        size_t said = blank < length ? length_of_text(source, start, length - blank) : 0;
        const char *text = said ? memory_copy(loader->scratch, source->bytes + start, said) : NULL;
        if (text)
            read_line(loader, source, start, text, unit, is_first, values);
        is_first = is_first && !text;
        offset += length + 1;
    }
}

void files_read_values(struct loader *loader, const struct source *source, const char *unit,
                       struct node *values)
{
    size_t blank = strspn(source->bytes, " \t\r\n");
    if (source->bytes[blank] == '{' || source->bytes[blank] == '[')
        read_json(loader, source, unit, values);
    else
        read_text(loader, source, unit, values);
    if (!values->count && !loader->faults.count)
        faults_add(&loader->faults, (struct place){source, 0}, "there are no numbers in the file");
}
