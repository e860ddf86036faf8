/*
 * Each axis of the study's outline is a field, and its one or two values are the sides; which of them is the
 * lower one is told by the base value where there is but one.
 */
#include "results/sensitivity.h"
#include "results/base_values.h"
#include "results/notation.h"
#include "results/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOWER, HIGHER };

static const struct outline_point *base_point(const struct outline *outline)
{
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, "{}") == 0)
            return &outline->points[i];
    return NULL;
}

static size_t count_settings(const struct outline *outline, const struct outline_point *point)
{
    size_t count = 0;
    for (size_t i = 0; i < outline->axis_count; i++)
        count += point->settings[i].text != NULL;
    return count;
}

static size_t count_values(const struct outline *outline, size_t axis)
{
    size_t count = 0;
    for (size_t i = 0; i < outline->point_count; i++)
        count += outline->points[i].settings[axis].text != NULL;
    return count;
}

bool sensitivity_is_study(const struct outline *outline)
{
    if (!base_point(outline) || outline->point_count < 2)
        return false;
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, "{}") != 0 && count_settings(outline, &outline->points[i]) != 1)
            return false;
    for (size_t i = 0; i < outline->axis_count; i++)
        if (!outline->axes[i].numeric || count_values(outline, i) > 2)
            return false;
    return true;
}

/* The text's number in the base unit of its kind; NAN if it is none. */
static double number_of(const char *text)
{
    struct notation_quantity quantity;
    return notation_parse(text, &quantity) ? quantity.number * quantity.scale : NAN;
}

struct ranking {
    struct store *store;
    const struct outline *outline;
    const struct base_values *values;
    struct sensitivity *sensitivity;
};

/* TEXT in the unit of BASE, where both are quantities of one kind; a number that fills a line by its
 * exponent. */
static void put_value(char value[64], const char *text, const char *base)
{
    struct notation_quantity quantity, unit;
    if (!notation_parse(text, &quantity))
        snprintf(value, 64, "%.60s", text);
    else if (notation_parse(base, &unit) && *unit.unit && strcmp(quantity.base, unit.base) == 0)
        snprintf(value, 64, "%.6g %.24s", quantity.number * quantity.scale / unit.scale, unit.unit);
    else if (!*quantity.unit && fabs(quantity.number) >= 1e8)
        snprintf(value, 64, "%.4ge%d", quantity.number / pow(10, floor(log10(fabs(quantity.number)))),
                 (int)floor(log10(fabs(quantity.number))));
    else
        snprintf(value, 64, "%.60s", text);
}

/* False only when the database fails; a side without pairs stays as if it were not there. */
static bool read_side(const struct ranking *ranking, const struct outline_point *point, size_t axis,
                      const char *base, struct sensitivity_side *side, struct error *error)
{
    struct paired_point paired;
    struct sensitivity *sensitivity = ranking->sensitivity;
    if (!paired_read_points(ranking->store, ranking->outline->study, sensitivity->strategy, point->json, "{}",
                            sensitivity->metric, 0, &paired, error))
        return false;
    if (!paired.pairs)
        return true;
    *side = (struct sensitivity_side){"", paired.difference, paired.low, paired.high};
    put_value(side->value, point->settings[axis].text, base);
    sensitivity->base = paired.mean_b;
    sensitivity->pairs = paired.pairs > sensitivity->pairs ? paired.pairs : sensitivity->pairs;
    return true;
}

static bool is_felt(const struct sensitivity_side *side)
{
    if (!*side->value || side->difference == 0)
        return false;
    return isnan(side->low) || side->low > 0 || side->high < 0;
}

static double difference_of(const struct sensitivity_side *side)
{
    return *side->value ? side->difference : 0;
}

/* From side to side; one that is missing is the base. */
static double find_elasticity(const struct sensitivity_row *row, double metric)
{
    double ends[2], base = number_of(row->base);
    for (int i = LOWER; i <= HIGHER; i++)
        ends[i] = *row->sides[i].value ? number_of(row->sides[i].value) : base;
    double change = (difference_of(&row->sides[HIGHER]) - difference_of(&row->sides[LOWER])) / metric;
    double elasticity = change / ((ends[HIGHER] - ends[LOWER]) / base);
    return isfinite(elasticity) ? elasticity : NAN;
}

static void complete_row(struct sensitivity_row *row)
{
    double low = difference_of(&row->sides[LOWER]), high = difference_of(&row->sides[HIGHER]);
    row->span = fmax(0, fmax(low, high)) - fmin(0, fmin(low, high));
    row->felt = is_felt(&row->sides[LOWER]) || is_felt(&row->sides[HIGHER]);
}

/* The points are in the order of their values. */
static bool read_row(const struct ranking *ranking, size_t axis, struct sensitivity_row *row,
                     struct error *error)
{
    const struct outline *outline = ranking->outline;
    const struct sensitivity_side none = {"", NAN, NAN, NAN};
    *row =
        (struct sensitivity_row){.path = outline->axes[axis].path, .sides = {none, none}, .elasticity = NAN};
    base_values_find(ranking->values, row->path, row->base, sizeof row->base);
    const bool both = count_values(outline, axis) == 2;
    int which = LOWER;
    for (size_t i = 0; i < outline->point_count; i++) {
        const char *text = outline->points[i].settings[axis].text;
        if (!text)
            continue;
        if (!both)
            which = number_of(text) < number_of(row->base) ? LOWER : HIGHER;
        if (!read_side(ranking, &outline->points[i], axis, row->base, &row->sides[which++], error))
            return false;
    }
    complete_row(row);
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct sensitivity_row *left = a, *right = b;
    if (left->felt != right->felt)
        return left->felt ? -1 : 1;
    if (left->span != right->span)
        return left->span > right->span ? -1 : 1;
    return strcmp(left->path, right->path);
}

static bool read_rows(const struct ranking *ranking, struct error *error)
{
    struct sensitivity *sensitivity = ranking->sensitivity;
    for (size_t i = 0; i < ranking->outline->axis_count; i++) {
        struct sensitivity_row *row = &sensitivity->rows[sensitivity->count];
        if (!read_row(ranking, i, row, error))
            return false;
        sensitivity->count += *row->sides[LOWER].value || *row->sides[HIGHER].value;
    }
    for (size_t i = 0; i < sensitivity->count; i++) {
        struct sensitivity_row *row = &sensitivity->rows[i];
        row->elasticity = find_elasticity(row, sensitivity->base);
        sensitivity->felt += row->felt;
    }
    qsort(sensitivity->rows, sensitivity->count, sizeof *sensitivity->rows, compare_rows);
    return true;
}

struct sensitivity *sensitivity_create(struct store *store, const struct outline *outline,
                                       const char *strategy, const char *metric, struct error *error)
{
    struct sensitivity *sensitivity = calloc(1, sizeof *sensitivity);
    if (sensitivity)
        sensitivity->rows = calloc(outline->axis_count + 1, sizeof *sensitivity->rows);
    if (!sensitivity || !sensitivity->rows) {
        free(sensitivity);
        error_out_of_memory(error, "a sensitivity analysis");
        return NULL;
    }
    sensitivity->strategy = strategy;
    sensitivity->metric = metric;
    sensitivity->base = NAN;
    struct base_values *values = base_values_create(store, outline->study);
    bool read = read_rows(&(struct ranking){store, outline, values, sensitivity}, error);
    base_values_destroy(values);
    if (read)
        return sensitivity;
    sensitivity_destroy(sensitivity);
    return NULL;
}

void sensitivity_destroy(struct sensitivity *sensitivity)
{
    if (!sensitivity)
        return;
    free(sensitivity->rows);
    free(sensitivity);
}
