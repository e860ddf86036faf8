#include "results/outline_axis.h"
#include "results/notation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest unit that makes no less than 1 of LARGEST, which a search wrote: of those that other values are
 * written in, or of long times. */
static struct notation_quantity better_unit(const struct outline *outline, size_t axis,
                                            struct notation_quantity largest)
{
    static const char *const times[] = {"1 d", "1 year"};
    struct notation_quantity best = largest, quantity;
    for (size_t i = 0; i < outline->point_count + sizeof times / sizeof *times; i++) {
        const char *text = i < outline->point_count ? outline->points[i].settings[axis].text
                                                    : times[i - outline->point_count];
        if (text && notation_parse(text, &quantity) && strcmp(quantity.base, largest.base) == 0 &&
            quantity.scale > best.scale && quantity.scale <= largest.number * largest.scale)
            best = quantity;
    }
    return best;
}

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
    if (largest.unit[0] && !notation_is_brief(&largest))
        largest = better_unit(outline, axis, largest);
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

/* The numbers of two axes at a point. */
struct pair {
    double first, second;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (left->second > right->second) - (left->second < right->second);
}

/* Sorts COUNT pairs; how many different ones there are, and different first numbers. */
static size_t count_different(struct pair *pairs, size_t count, size_t *firsts)
{
    size_t different = 0;
    *firsts = 0;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        *firsts += i == 0 || pairs[i].first != pairs[i - 1].first;
        different += i == 0 || compare_pairs(&pairs[i], &pairs[i - 1]) != 0;
    }
    return different;
}

/* Of axes that every point sets. PAIRS has room for all points. */
static bool move_together(const struct outline *outline, size_t one, size_t other, struct pair *pairs)
{
    size_t firsts, seconds, count = outline->point_count;
    for (size_t i = 0; i < count; i++) {
        const struct outline_setting *settings = outline->points[i].settings;
        if (!settings[one].text || !settings[other].text)
            return false;
        pairs[i] = (struct pair){settings[one].number, settings[other].number};
    }
    size_t different = count_different(pairs, count, &firsts);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct pair){pairs[i].second, pairs[i].first};
    count_different(pairs, count, &seconds);
    return different > 1 && firsts == different && seconds == different;
}

static bool find_leaders(struct outline *outline)
{
    struct pair *pairs = calloc(outline->point_count + 1, sizeof *pairs);
    for (size_t i = 0; i < outline->axis_count && pairs; i++) {
        outline->axes[i].leader = i;
        for (size_t j = 0; j < i && outline->axes[i].leader == i; j++)
            if (outline->axes[j].leader == j && move_together(outline, j, i, pairs))
                outline->axes[i].leader = j;
    }
    free(pairs);
    return pairs != NULL;
}

bool outline_number_axes(struct outline *outline)
{
    for (size_t i = 0; i < outline->axis_count; i++)
        number_axis(outline, i);
    return find_leaders(outline);
}
