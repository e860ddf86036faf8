#include "plots/spread.h"
#include "plots/caption.h"
#include "plots/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOGARITHMIC_FROM                                                                                     \
    8 /* how many times the least value the greatest one is; doublings look best this way */

enum { CHARACTER_WIDTH = 8, TICK_GAP = 12, GROUP_NAME = 2 * CAPTION_LENGTH + 2 };

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of an axis, ascending, into VALUES; their number. */
static size_t collect_values(const struct outline *outline, size_t axis, double *values)
{
    size_t count = 0, different = 0;
    for (size_t i = 0; i < outline->point_count; i++)
        if (outline->points[i].settings[axis].text)
            values[count++] = outline->points[i].settings[axis].number;
    qsort(values, count, sizeof *values, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i] != values[i - 1])
            values[different++] = values[i];
    return different;
}

static void choose_axis(struct spread *spread, const struct outline *outline)
{
    for (size_t i = 0; i < outline->axis_count; i++) {
        size_t count = collect_values(outline, i, spread->values);
        bool numeric = outline->axes[i].numeric && count > 1;
        if ((numeric && !spread->numeric) || (numeric == spread->numeric && count > spread->value_count)) {
            spread->axis = i;
            spread->numeric = numeric;
            spread->value_count = count;
        }
    }
    if (outline->axis_count > 0)
        spread->value_count = collect_values(outline, spread->axis, spread->values);
}

static void take_axis(struct spread *spread, const struct outline *outline, size_t axis)
{
    spread->axis = axis;
    spread->numeric = outline->axes[axis].numeric;
    spread->value_count = collect_values(outline, axis, spread->values);
}

static void label_values(struct spread *spread, const struct outline *outline)
{
    for (size_t i = 0; i < outline->point_count && outline->axis_count > 0; i++) {
        const struct outline_setting *setting = &outline->points[i].settings[spread->axis];
        for (size_t j = 0; j < spread->value_count; j++) {
            char text[CAPTION_LENGTH];
            if (!setting->text || setting->number != spread->values[j])
                continue;
            caption_value(text, &outline->axes[spread->axis], setting);
            snprintf(spread->labels[j], sizeof spread->labels[j], "%.63s", text);
        }
    }
}

/* The group with this caption, a new one if need be; false when out of memory. */
static bool find_group(struct spread *spread, const char *caption, size_t *group)
{
    for (*group = 0; *group < spread->group_count; ++*group)
        if (strcmp(spread->captions[*group], caption) == 0)
            return true;
    spread->captions[*group] = strdup(caption);
    return spread->captions[spread->group_count++] != NULL;
}

/* Whether a field says how a run is made: other values of it are no other question. */
static bool is_technical(const char *path)
{
    static const char *const fields[] = {"duration", "warm_up", "replications", "seed"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(path, fields[i]) == 0)
            return true;
    return strncmp(path, "strategies.", strlen("strategies.")) == 0;
}

/* Fields of what is trained, and on what, are named before others. */
static bool is_foremost(const char *path)
{
    return strncmp(path, "workload.", strlen("workload.")) == 0 ||
           strncmp(path, "cluster.", strlen("cluster.")) == 0;
}

static bool moves_along(const struct spread *spread, const struct outline *outline, size_t axis)
{
    return outline->axes[axis].leader == outline->axes[spread->axis].leader;
}

/* The words for a point's group: its values of all axes but the spread's, those that move along with it and,
 * unless ALL, technical ones. False when out of memory. */
static bool name_group(const struct spread *spread, const struct outline *outline, size_t point, bool all,
                       char name[GROUP_NAME])
{
    char parts[2][CAPTION_LENGTH];
    struct outline_point copy = outline->points[point];
    copy.settings = calloc(outline->axis_count + 1, sizeof *copy.settings);
    if (!copy.settings)
        return false;
    for (size_t part = 0; part < 2; part++) {
        for (size_t i = 0; i < outline->axis_count; i++) {
            const char *path = outline->axes[i].path;
            bool named = (all || !is_technical(path)) && is_foremost(path) == (part == 0) &&
                         !moves_along(spread, outline, i);
            copy.settings[i] = outline->points[point].settings[i];
            if (!named)
                copy.settings[i].text = NULL;
        }
        caption_point(parts[part], outline, &copy, spread->axis);
    }
    free(copy.settings);
    snprintf(name, GROUP_NAME, "%s%s%s", parts[0], *parts[0] && *parts[1] ? ", " : "", parts[1]);
    return true;
}

static void forget_groups(struct spread *spread)
{
    while (spread->group_count > 0)
        free(spread->captions[--spread->group_count]);
}

static bool group_points(struct spread *spread, const struct outline *outline, bool all)
{
    forget_groups(spread);
    for (size_t i = 0; i < outline->point_count; i++) {
        char caption[GROUP_NAME];
        if (!name_group(spread, outline, i, all, caption) || !find_group(spread, caption, &spread->groups[i]))
            return false;
    }
    return true;
}

/* Whether a strategy has runs at two points of a group with one value of the axis. */
static bool points_collide(const struct spread *spread, const struct outline *outline)
{
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct outline_point *one = &outline->points[i], *other = &outline->points[j];
            if (spread->groups[i] != spread->groups[j] ||
                one->settings[spread->axis].number != other->settings[spread->axis].number)
                continue;
            for (size_t k = 0; k < outline->strategy_count; k++)
                if (one->runs[k].all > 0 && other->runs[k].all > 0)
                    return true;
        }
    return false;
}

static bool allocate(struct spread *spread, size_t points)
{
    spread->values = calloc(points + 1, sizeof *spread->values);
    spread->labels = calloc(points + 1, sizeof *spread->labels);
    spread->groups = calloc(points + 1, sizeof *spread->groups);
    spread->captions = calloc(points + 1, sizeof *spread->captions);
    return spread->values && spread->labels && spread->groups && spread->captions;
}

static struct spread *create(const struct outline *outline, struct error *error)
{
    struct spread *spread = calloc(1, sizeof *spread);
    if (spread && allocate(spread, outline->point_count))
        return spread;
    spread_destroy(spread);
    error_out_of_memory(error, "a figure");
    return NULL;
}

/* SPREAD if it is GROUPED. */
static struct spread *finish(struct spread *spread, bool grouped, struct error *error)
{
    if (grouped)
        return spread;
    spread_destroy(spread);
    error_out_of_memory(error, "a figure");
    return NULL;
}

struct spread *spread_create(const struct outline *outline, struct error *error)
{
    struct spread *spread = create(outline, error);
    if (!spread)
        return NULL;
    choose_axis(spread, outline);
    label_values(spread, outline);
    return finish(spread, group_points(spread, outline, true), error);
}

struct spread *spread_create_along(const struct outline *outline, size_t axis, struct error *error)
{
    struct spread *spread = create(outline, error);
    if (!spread)
        return NULL;
    take_axis(spread, outline, axis);
    label_values(spread, outline);
    bool grouped = group_points(spread, outline, false);
    if (grouped && points_collide(spread, outline))
        grouped = group_points(spread, outline, true);
    return finish(spread, grouped, error);
}

void spread_destroy(struct spread *spread)
{
    if (!spread)
        return;
    for (size_t i = 0; i < spread->group_count; i++)
        free(spread->captions[i]);
    free(spread->values);
    free(spread->labels);
    free(spread->groups);
    free(spread->captions);
    free(spread);
}

static bool is_logarithmic(const struct spread *spread)
{
    double least = spread->values[0], greatest = spread->values[spread->value_count - 1];
    return spread->numeric && least > 0 && greatest >= LOGARITHMIC_FROM * least;
}

/* Writes the ticks' labels, leaving out those that would touch the one before. */
static void write_ticks(const struct spread *spread, double pixels, FILE *out)
{
    bool logarithmic = is_logarithmic(spread);
    double least = spread->values[0], greatest = spread->values[spread->value_count - 1];
    double free_from = -INFINITY;
    fputs("set xtics (", out);
    for (size_t i = 0; i < spread->value_count; i++) {
        double value = spread->values[i];
        double place =
            logarithmic ? log(value / least) / log(greatest / least) : (value - least) / (greatest - least);
        double half = CHARACTER_WIDTH * (double)strlen(spread->labels[i]) / 2;
        bool room = place * pixels - half >= free_from;
        fputs(i ? ", " : "", out);
        script_string(out, room ? spread->labels[i] : "");
        fprintf(out, " %.10g", value);
        if (room)
            free_from = place * pixels + half + TICK_GAP;
    }
    fputs(")\n", out);
}

void spread_write_axis(const struct spread *spread, double pixels, FILE *out)
{
    double from = spread->values[0], to = spread->values[spread->value_count - 1];
    bool logarithmic = is_logarithmic(spread);
    double factor = logarithmic ? pow(to / from, 0.05) : 1;
    double margin = logarithmic ? 0 : spread->numeric ? 0.05 * (to - from) : 0.5;
    from = from / factor - margin;
    to = to * factor + margin;
    fprintf(out, "%sset xrange [%.10g:%.10g]\n", logarithmic ? "set logscale x\n" : "", from, to);
    script_set_number(out, "x_from", from);
    script_set_number(out, "x_to", to);
    script_set_number(out, "x_logarithmic", logarithmic);
    write_ticks(spread, pixels, out);
}
