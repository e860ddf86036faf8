/*
 * Numbers from a file: JSON if it begins like that, else a text with a number at the beginning of each line.
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

/* The number at OFFSET with blanks before and a blank, comma or the line's end behind it; false with a fault,
 * but for a heading. */
static bool read_line(struct loader *loader, const struct source *source, size_t offset, size_t length,
                      double *number, bool is_first)
{
    size_t cell = strcspn(source->bytes + offset, ", \t\r\n");
    char quoted[FAULTS_QUOTED];
    const char *text = memory_copy(loader->scratch, source->bytes + offset, cell < length ? cell : length);
    if (!text)
        return false;
    if (number_parse(text, number))
        return true;
    if (!is_first)
        faults_add(&loader->faults, (struct place){source, offset}, "%s is no number",
                   faults_quote(quoted, text));
    return false;
}

static void read_text(struct loader *loader, const struct source *source, const char *unit,
                      struct node *values)
{
    bool is_first = true;
    for (size_t offset = 0; offset < source->length;) {
        size_t length = strcspn(source->bytes + offset, "\n"),
               blank = strspn(source->bytes + offset, " \t\r");
        double number;
        if (blank < length && source->bytes[offset + blank] != '#') {
            if (read_line(loader, source, offset + blank, length - blank, &number, is_first))
                add_number(loader, number, unit, (struct place){source, offset + blank}, values);
            is_first = false;
        }
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
