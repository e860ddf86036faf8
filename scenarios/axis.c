/*
 * Axes given on the command line, and the points that axes span.
 */
#include "scenarios/axis.h"

#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

enum { POINT_LIMIT = 1000000 };

/* What is parsed: "PATH=V1,V2+PATH=V3,V4". */
struct parser {
    struct loader *loader;
    const struct source *source;
};

static struct place place_of(const struct parser *parser, const char *at)
{
    return (struct place){parser->source, (size_t)(at - parser->source->bytes)};
}

/* The text between two commas, without the blanks around it. */
static void trim(const char **start, size_t *length)
{
    while (*length && **start == ' ') {
        (*start)++;
        (*length)--;
    }
    while (*length && (*start)[*length - 1] == ' ')
        (*length)--;
}

static bool has(const char *start, size_t length, const char *word)
{
    return memmem(start, length, word, strlen(word)) != NULL;
}

/* Bytes of the value at START, LENGTH bytes of values with commas between them. A range without a step has
 * its number of points behind a comma. */
static size_t value_length(const struct field *field, const char *start, size_t length)
{
    const char *comma = memchr(start, ',', length);
    if (!comma)
        return length;
    size_t first = (size_t)(comma - start);
    enum parameter_type type = field->row.type;
    bool number = type == PARAMETER_REAL || type == PARAMETER_INTEGER || type == PARAMETER_TIME;
    if (!number || !has(start, first, "..") || has(start, first, " step "))
        return first;
    const char *second = memchr(comma + 1, ',', length - first - 1);
    size_t whole = second ? (size_t)(second - start) : length;
    return has(comma, whole - first, " points") ? whole : first;
}

/* Reads LENGTH bytes at START, "V1,V2". False when out of memory. */
static bool read_values(const struct parser *parser, struct sweep_axis *axis, const char *start,
                        size_t length)
{
    for (bool more = true; more;) {
        size_t whole = value_length(axis->field, start, length), trimmed = whole;
        const char *value = start;
        trim(&value, &trimmed);
        struct node node = {.kind = NODE_SCALAR, .place = place_of(parser, value)};
        node.text = memory_copy(parser->loader->scratch, value, trimmed);
        if (!node.text || !sweep_add(parser->loader, axis, &node))
            return false;
        more = whole < length;
        start += whole + more;
        length -= whole + more;
    }
    return true;
}

/* Reads LENGTH bytes at START, "PATH=V1,V2". False when out of memory. */
static bool read_axis(const struct parser *parser, const char *start, size_t length, struct sweep_axis *axis)
{
    const char *equals = memchr(start, '=', length), *path = start;
    size_t bytes = equals ? (size_t)(equals - start) : 0;
    trim(&path, &bytes);
    *axis = (struct sweep_axis){.label = ""};
    if (!bytes) {
        faults_add(&parser->loader->faults, place_of(parser, start), "expected PATH=V1,V2,...");
        return true;
    }
    axis->path = memory_copy(parser->loader->memory, path, bytes);
    if (!axis->path)
        return false;
    axis->field = sweep_field(parser->loader, axis->path, place_of(parser, path));
    return !axis->field || read_values(parser, axis, equals + 1, length - (size_t)(equals + 1 - start));
}

/* Where the next axis begins, behind a plus: what follows is a path and an equals sign. The end if there is
 * none. */
static const char *next_axis(const char *text)
{
    for (const char *plus = strchr(text, '+'); plus; plus = strchr(plus + 1, '+')) {
        const char *path = plus + 1 + strspn(plus + 1, " ");
        size_t length = strcspn(path, "=,+");
        if (path[length] == '=' && (*path | 0x20) >= 'a' && (*path | 0x20) <= 'z')
            return plus;
    }
    return text + strlen(text);
}

static bool copy_values(const struct sweep_axis *axis, struct scenario_axis *copy)
{
    copy->path = strdup(axis->path);
    copy->values = calloc(axis->count + 1, sizeof *copy->values);
    bool good = copy->path && copy->values;
    for (; good && copy->count < axis->count; copy->count++) {
        copy->values[copy->count] = strdup(axis->values[copy->count]);
        good = copy->values[copy->count] != NULL;
    }
    return good;
}

/* Adds a copy of AXIS to AXES. */
static bool append(struct scenario_axes *axes, const struct sweep_axis *axis, bool locked)
{
    struct scenario_axis *items = reallocarray(axes->items, axes->count + 1, sizeof *items);
    if (!items)
        return false;
    axes->items = items;
    axes->items[axes->count] = (struct scenario_axis){.locked = locked};
    return copy_values(axis, &axes->items[axes->count++]);
}

/* False when out of memory. */
static bool parse(const struct parser *parser, struct scenario_axes *axes)
{
    const char *start = parser->source->bytes, *what;
    struct loader *loader = parser->loader;
    size_t bad = source_first_bad_byte(parser->source, 0, &what);
    struct sweep_axis first = {0}, axis;
    if (bad < parser->source->length) {
        faults_add(&loader->faults, (struct place){parser->source, bad}, "%s, where a text is expected",
                   what);
        return true;
    }
    for (size_t i = 0;; i++) {
        const char *end = next_axis(start);
        if (!read_axis(parser, start, (size_t)(end - start), &axis))
            return false;
        if (i)
            sweep_check_lockstep(loader, &first, &axis, place_of(parser, start));
        else
            first = axis;
        if (!loader->faults.count && !append(axes, &axis, i > 0))
            return false;
        if (!*end)
            return i > 0 || loader->faults.count || sweep_refuse_duplicate(loader, &first);
        start = end + 1 + strspn(end + 1, " ");
    }
}

bool scenario_axes_parse(const char *text, struct scenario_axes *axes, struct error *error)
{
    const struct source source = {"--axis", text, strlen(text), false};
    struct loader loader;
    if (!loader_open(&loader, error))
        return false;
    bool good = parse(&(struct parser){&loader, &source}, axes);
    if (!good)
        error_out_of_memory(error, "an axis");
    else if (loader.faults.count)
        faults_report(&loader.faults, error);
    good = good && !loader.faults.count;
    loader_close(&loader);
    memory_destroy(loader.memory);
    return good;
}

void scenario_axes_free(struct scenario_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        struct scenario_axis *axis = &axes->items[i];
        for (size_t j = 0; j < axis->count; j++)
            free(axis->values[j]);
        free(axis->values);
        free(axis->path);
    }
    free(axes->items);
    *axes = (struct scenario_axes){0};
}

size_t scenario_axes_together(const struct scenario_axis *axes, size_t count, size_t first)
{
    size_t together = 1;
    while (first + together < count && axes[first + together].locked)
        together++;
    return together;
}

/* How many points there are; 0 if they are more than POINT_LIMIT. */
static size_t count_points(const struct scenario_axis *axes, size_t count)
{
    size_t points = 1;
    for (size_t i = 0; i < count; i++) {
        points *= axes[i].locked ? 1 : axes[i].count;
        if (points > POINT_LIMIT)
            return 0;
    }
    return points;
}

/* Point INDEX, as a number whose digits are the values' indices. */
static bool fill_point(const struct scenario_axis *axes, size_t count, size_t index,
                       struct scenario_point *point)
{
    point->settings = calloc(count + 1, sizeof *point->settings);
    if (!point->settings)
        return false;
    point->count = count;
    bool good = true;
    for (size_t i = count; i-- > 0;) {
        struct scenario_setting *setting = &point->settings[i];
        setting->path = strdup(axes[i].path);
        setting->value = strdup(axes[i].values[index % axes[i].count]);
        if (!axes[i].locked)
            index /= axes[i].count;
        good = good && setting->path && setting->value;
    }
    return good;
}

bool scenario_points_create(const struct scenario_axis *axes, size_t count, struct scenario_point **points,
                            size_t *point_count, struct error *error)
{
    *point_count = count_points(axes, count);
    *points = NULL;
    if (!*point_count) {
        error_set(error, ERROR_INPUT, "the axes span more than %d points", POINT_LIMIT);
        return false;
    }
    *points = calloc(*point_count, sizeof **points);
    bool good = *points != NULL;
    for (size_t i = 0; good && i < *point_count; i++)
        good = fill_point(axes, count, i, &(*points)[i]);
    if (!good) {
        error_out_of_memory(error, "the points of a sweep");
        scenario_points_free(*points, *point_count);
        *points = NULL;
    }
    return good;
}

void scenario_point_free(struct scenario_point *point)
{
    for (size_t i = 0; i < point->count; i++) {
        free(point->settings[i].path);
        free(point->settings[i].value);
    }
    free(point->settings);
}

void scenario_points_free(struct scenario_point *points, size_t count)
{
    for (size_t i = 0; points && i < count; i++)
        scenario_point_free(&points[i]);
    free(points);
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const struct scenario_setting *const *)a)->path,
                  (*(const struct scenario_setting *const *)b)->path);
}

/* A value as JSON; what can't be read stands as it is, in quotes. */
static void add_json(struct loader *loader, const struct scenario_setting *setting, struct writer *writer)
{
    const char *near;
    const struct field *field = fields_resolve(loader->root, setting->path, &near, loader->scratch);
    const struct source source = {"", setting->value, strlen(setting->value), false};
    const struct node *node = document_parse(&source, 0, loader->scratch, &loader->faults);
    union value value;
    struct value_fault fault;
    if (!field || field->form != FIELD_VALUE || !node ||
        !value_read(loader->units, loader->scratch, &field->row, node, &value, &fault)) {
        writer_add_quoted(writer, setting->value);
        return;
    }
    enum parameter_type type = field->row.type;
    struct writer text = {0};
    value_write(loader->units, &field->row, &value, &text);
    char *canonical = writer_take(&text);
    bool bare = type == PARAMETER_INTEGER || type == PARAMETER_BOOLEAN ||
                (type == PARAMETER_REAL && field->row.dimension == DIMENSION_NONE);
    if (!canonical)
        writer->failed = true;
    else if (bare)
        writer_add(writer, "%s", canonical);
    else
        writer_add_quoted(writer, type == PARAMETER_TEXT ? value.text : canonical);
    free(canonical);
}

char *scenario_point_json(const struct scenario_point *point)
{
    struct loader loader;
    const struct scenario_setting **sorted = calloc(point->count + 1, sizeof(struct scenario_setting *));
    if (!sorted || !loader_open(&loader, NULL)) {
        free(sorted);
        return NULL;
    }
    for (size_t i = 0; i < point->count; i++)
        sorted[i] = &point->settings[i];
    qsort(sorted, point->count, sizeof *sorted, by_path);
    struct writer writer = {0};
    writer_add(&writer, "{");
    for (size_t i = 0; i < point->count; i++) {
        writer_add(&writer, "%s", i ? "," : "");
        writer_add_quoted(&writer, sorted[i]->path);
        writer_add(&writer, ":");
        add_json(&loader, sorted[i], &writer);
    }
    writer_add(&writer, "}");
    free(sorted);
    loader_close(&loader);
    memory_destroy(loader.memory);
    return writer_take(&writer);
}
