/*
 * Axes are joined by groups that move together. A group that is asked for takes the place of all the groups
 * that have one of its paths, none of which may have a path that it has not: whether that should stand still
 * or go on with other values can't be known.
 */
#include "studies/axes.h"

#include <stdlib.h>
#include <string.h>

/* Axes that move together, of an array. */
struct group {
    const struct scenario_axis *axes;
    size_t count;
};

static struct group group_at(const struct scenario_axis *axes, size_t count, size_t first)
{
    return (struct group){axes + first, scenario_axes_together(axes, count, first)};
}

const struct scenario_axis *axes_find(const struct scenario_axis *axes, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(axes[i].path, path) == 0)
            return &axes[i];
    return NULL;
}

/* Which of two requests for one path is meant can't be known. */
static bool check_asked(const struct scenario_axis *asked, size_t count, struct error *error)
{
    for (size_t i = 1; i < count; i++)
        if (axes_find(asked, i, asked[i].path)) {
            error_set(error, ERROR_INPUT, "--axis: %s is given twice; put all its values into one",
                      asked[i].path);
            return false;
        }
    return true;
}

static bool share_a_path(struct group a, struct group b)
{
    for (size_t i = 0; i < a.count; i++)
        if (axes_find(b.axes, b.count, a.axes[i].path))
            return true;
    return false;
}

/* Whether ASKED has all the paths of OLD, which shares one with it. */
static bool replaces(struct group asked, struct group old, struct error *error)
{
    for (size_t i = 0; i < old.count; i++)
        if (!axes_find(asked.axes, asked.count, old.axes[i].path)) {
            error_set(error, ERROR_INPUT,
                      "--axis: %s moves with %s in the scenario's sweep; give values to both, as in "
                      "--axis '%s=...+%s=...'",
                      asked.axes[0].path, old.axes[i].path, asked.axes[0].path, old.axes[i].path);
            return false;
        }
    return true;
}

static void append(struct axes *axes, struct group group)
{
    if (group.count)
        memcpy(axes->items + axes->count, group.axes, group.count * sizeof *group.axes);
    axes->count += group.count;
}

/* Puts ASKED among AXES, an array with room for it. */
static bool place(struct axes *axes, struct group asked, struct error *error)
{
    struct scenario_axis *old = axes->items;
    const size_t count = axes->count;
    struct axes joined = {.items = calloc(count + asked.count + 1, sizeof *joined.items)};
    bool good = joined.items != NULL, placed = false;
    if (!good)
        error_out_of_memory(error, "the axes of the sweep");
    for (size_t i = 0; i < count && good;) {
        struct group group = group_at(old, count, i);
        if (!share_a_path(asked, group)) {
            append(&joined, group);
        } else {
            good = replaces(asked, group, error);
            if (good && !placed)
                append(&joined, asked);
            placed = true;
        }
        i += group.count;
    }
    if (good && !placed)
        append(&joined, asked);
    free(good ? old : joined.items);
    if (good) {
        axes->items = joined.items;
        axes->count = joined.count;
    }
    return good;
}

static bool join_conditions(const struct scenario *base, const char *const *conditions, size_t count,
                            struct axes *axes)
{
    axes->conditions = calloc(base->condition_count + count + 1, sizeof *axes->conditions);
    if (!axes->conditions)
        return false;
    for (size_t i = 0; i < base->condition_count; i++)
        axes->conditions[axes->condition_count++] =
            (struct scenario_condition){base->conditions[i], "sweep: where"};
    for (size_t i = 0; i < count; i++)
        axes->conditions[axes->condition_count++] = (struct scenario_condition){conditions[i], "--where"};
    return true;
}

bool axes_join(const struct scenario *base, const struct scenario_axis *asked, size_t count,
               const char *const *conditions, size_t condition_count, struct axes *axes, struct error *error)
{
    if (!check_asked(asked, count, error))
        return false;
    axes->items = calloc(base->axis_count + 1, sizeof *axes->items);
    if (!axes->items || !join_conditions(base, conditions, condition_count, axes)) {
        error_out_of_memory(error, "the axes of the sweep");
        return false;
    }
    append(axes, (struct group){base->axes, base->axis_count});
    for (size_t i = 0; i < count; i += group_at(asked, count, i).count)
        if (!place(axes, group_at(asked, count, i), error))
            return false;
    return true;
}

void axes_free(struct axes *axes)
{
    free(axes->items);
    free(axes->conditions);
    *axes = (struct axes){0};
}
