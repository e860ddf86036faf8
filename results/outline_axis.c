#include "results/outline_axis.h"
#include "results/notation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fills the axis's unit if all its values are quantities of one kind. */
static bool find_unit(struct outline *outline, size_t axis)
{
    struct notation_quantity largest = {0};
    for (size_t i = 0; i < outline->point_count; i++) {
        struct notation_quantity quantity;
        const char *text = outline->points[i].settings[axis].text;
        if (!text)
            continue;
        if (!notation_parse(text, &quantity) || (largest.base && strcmp(quantity.base, largest.base) != 0))
            return false;
        if (!largest.base || quantity.number * quantity.scale > largest.number * largest.scale)
            largest = quantity;
    }
    memcpy(outline->axes[axis].unit, largest.unit, sizeof largest.unit);
    return largest.base != NULL;
}

/* A value in the axis's unit. What is written in that unit already is not touched by rounding. */
static double axis_number(const struct outline_axis *axis, const char *text)
{
    struct notation_quantity quantity, unit;
    char one[32];
    snprintf(one, sizeof one, "1 %s", axis->unit);
    if (!notation_parse(text, &quantity) || !notation_parse(one, &unit))
        return NAN;
    if (strcmp(quantity.unit, axis->unit) == 0)
        return quantity.number;
    return quantity.number * quantity.scale / unit.scale;
}

/* How many different texts of the axis come before the first one like POINT's, points being in their first
 * order. */
static double text_place(const struct outline *outline, size_t axis, size_t point)
{
    const char *text = outline->points[point].settings[axis].text;
    double place = 0;
    for (size_t i = 0; i < point; i++) {
        const struct outline_setting *earlier = &outline->points[i].settings[axis];
        if (earlier->text && strcmp(earlier->text, text) == 0)
            return earlier->number;
        place = fmax(place, earlier->number + 1);
    }
    return place;
}

static void number_axis(struct outline *outline, size_t axis)
{
    struct outline_axis *description = &outline->axes[axis];
    description->numeric = find_unit(outline, axis);
    for (size_t i = 0; i < outline->point_count; i++) {
        struct outline_setting *setting = &outline->points[i].settings[axis];
        if (!setting->text)
            setting->number = -INFINITY;
        else if (description->numeric)
            setting->number = axis_number(description, setting->text);
        else
            setting->number = text_place(outline, axis, i);
    }
}

void outline_number_axes(struct outline *outline)
{
    for (size_t i = 0; i < outline->axis_count; i++)
        number_axis(outline, i);
}
