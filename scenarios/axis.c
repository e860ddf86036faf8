/*
 * Axes given on the command line, and the points that axes span.
 */
#include "scenarios/axis.h"

#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_LIMIT = 10000, POINT_LIMIT = 1000000 };

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

static bool add_value(struct scenario_axis *axis, const char *value)
{
    bool full = (axis->count & (axis->count - 1)) == 0; /* at powers of two */
    char **values =
        full ? reallocarray(axis->values, axis->count ? 2 * axis->count : 1, sizeof *values) : axis->values;
    char *copy = values ? strdup(value) : NULL;
    if (values)
        axis->values = values;
    if (copy)
        axis->values[axis->count++] = copy;
    return copy != NULL;
}

/* A fault at the second of two equal values, if any. False when out of memory. */
static bool refuse_duplicate(struct loader *loader, const struct source *source,
                             const struct scenario_axis *axis)
{
    size_t index, length;
    if (!sweep_duplicate(axis, &index))
        return false;
    if (index == axis->count)
        return true;
    const char *value = strchr(source->bytes, '=') + 1;
    while (index-- > 0)
        value += strcspn(value, ",") + 1;
    length = strcspn(value, ",");
    trim(&value, &length);
    faults_add(&loader->faults, (struct place){source, (size_t)(value - source->bytes)},
               "%s is given this value twice", axis->path);
    return true;
}

/* Reads the values behind the equals sign of SOURCE, "PATH=V1,V2". */
static bool read_values(struct loader *loader, const struct source *source, const struct field *field,
                        struct scenario_axis *axis)
{
    const char *end = source->bytes + source->length, *start = strchr(source->bytes, '=') + 1;
    while (start <= end && axis->count < VALUE_LIMIT) {
        const char *value = start;
        size_t length = strcspn(start, ",");
        start += length + 1;
        trim(&value, &length);
        struct node node = {.kind = NODE_SCALAR, .text = memory_copy(loader->scratch, value, length)};
        node.place = (struct place){source, (size_t)(value - source->bytes)};
        char *canonical = node.text ? sweep_value(loader, field, axis->path, &node) : NULL;
        if (canonical && !add_value(axis, canonical))
            return false;
        if (memory_failed(loader->memory) || memory_failed(loader->scratch))
            return false;
    }
    if (start <= end)
        faults_add(&loader->faults, (struct place){source, (size_t)(start - source->bytes)},
                   "more than %d values", VALUE_LIMIT);
    return loader->faults.count > 0 || refuse_duplicate(loader, source, axis);
}

/* False when out of memory. */
static bool parse(struct loader *loader, const struct source *source, struct scenario_axis *axis)
{
    const char *equals = strchr(source->bytes, '=');
    const struct place start = {source, 0};
    const char *what;
    size_t bad = source_first_bad_byte(source, 0, &what);
    if (bad < source->length)
        faults_add(&loader->faults, (struct place){source, bad}, "%s, where a text is expected", what);
    if (!equals || equals == source->bytes)
        faults_add(&loader->faults, start, "expected PATH=V1,V2,...");
    if (loader->faults.count)
        return true;
    axis->path = strndup(source->bytes, (size_t)(equals - source->bytes));
    if (!axis->path)
        return false;
    const struct field *field = sweep_field(loader, axis->path, start);
    return !field || read_values(loader, source, field, axis);
}

bool scenario_axis_parse(const char *text, struct scenario_axis *axis, struct error *error)
{
    const struct source source = {"--axis", text, strlen(text), false};
    struct loader loader;
    *axis = (struct scenario_axis){0};
    if (!loader_open(&loader, error))
        return false;
    bool good = parse(&loader, &source, axis);
    if (!good)
        error_out_of_memory(error, "an axis");
    else if (loader.faults.count)
        faults_report(&loader.faults, error);
    good = good && !loader.faults.count;
    loader_close(&loader);
    memory_destroy(loader.memory);
    if (!good)
        scenario_axis_free(axis);
    return good;
}

void scenario_axis_free(struct scenario_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++)
        free(axis->values[i]);
    free(axis->values);
    free(axis->path);
    *axis = (struct scenario_axis){0};
}

/* How many points there are; 0 if they are more than POINT_LIMIT. */
static size_t count_points(const struct scenario_axis *axes, size_t count)
{
    size_t points = 1;
    for (size_t i = 0; i < count; i++) {
        points *= axes[i].count;
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

void scenario_points_free(struct scenario_point *points, size_t count)
{
    for (size_t i = 0; points && i < count; i++) {
        for (size_t j = 0; j < points[i].count; j++) {
            free(points[i].settings[j].path);
            free(points[i].settings[j].value);
        }
        free(points[i].settings);
    }
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
