#include "plots/labels.h"

#include <math.h>
#include <stdlib.h>

enum { DIRECTIONS = 16, RINGS = 5, ROUNDS = 4, MARK_RADIUS = 7 };

#define STRANGER 100 /* what it costs that a name is about as close to another mark as to its own */

static const double rings[RINGS] = {11, 18, 30, 46, 66}; /* pixels from the mark to the name */

static double overlap(const struct rectangle *a, const struct rectangle *b)
{
    double across = fmin(a->right, b->right) - fmax(a->left, b->left);
    double down = fmin(a->top, b->top) - fmax(a->bottom, b->bottom);
    return across > 0 && down > 0 ? across * down : 0;
}

/* What of NAME lies out of ROOM. */
static double outside(const struct rectangle *name, const struct rectangle *room)
{
    return (name->right - name->left) * (name->top - name->bottom) - overlap(name, room);
}

/* From a name to a mark. */
static double distance(const struct rectangle *name, const struct label *mark)
{
    double across = fmax(0, fmax(name->left - mark->x, mark->x - name->right));
    double down = fmax(0, fmax(name->bottom - mark->y, mark->y - name->top));
    return hypot(across, down);
}

struct rectangle labels_extent(const struct label *label)
{
    double left = label->at_x;
    if (label->alignment == 0)
        left -= label->width / 2;
    else if (label->alignment < 0)
        left -= label->width;
    return (struct rectangle){left, label->at_y - label->height / 2, left + label->width,
                              label->at_y + label->height / 2};
}

/* Puts the name in a direction, the first one right of the mark, then anticlockwise. */
static void put(struct label *label, size_t ring, size_t direction)
{
    double angle = 2 * M_PI * (double)direction / DIRECTIONS;
    double sideways = cos(angle), upwards = sin(angle);
    label->at_x = label->x + rings[ring] * sideways;
    label->at_y = label->y + (rings[ring] + label->height / 4) * upwards;
    label->alignment = sideways > 0.3 ? 1 : sideways < -0.3 ? -1 : 0;
    label->far = ring >= 2;
}

/* A name is best read right of its mark, then left, above or below. */
static double dislike(size_t ring, size_t direction)
{
    static const double turns[DIRECTIONS] = {0, 5, 6, 5, 3, 6, 7, 6, 1, 6, 7, 6, 3, 5, 6, 5};
    return 20 * (double)ring * (double)ring + turns[direction];
}

struct surroundings {
    const struct label *labels;
    size_t count;
    const bool *placed;
    const struct rectangle *obstacles;
    size_t obstacle_count;
    const struct rectangle *room;
};

/* How much the name of label I, as it is put, hides and is hidden. */
static double conflict(const struct surroundings *around, size_t i)
{
    struct rectangle name = labels_extent(&around->labels[i]);
    double own = distance(&name, &around->labels[i]), cost = 10 * outside(&name, around->room);
    for (size_t j = 0; j < around->count; j++) {
        const struct label *other = &around->labels[j];
        const struct rectangle mark = {other->x - MARK_RADIUS, other->y - MARK_RADIUS, other->x + MARK_RADIUS,
                                       other->y + MARK_RADIUS};
        cost += 8 * overlap(&name, &mark);
        if (j == i)
            continue;
        cost += STRANGER * fmax(0, 1.6 - distance(&name, other) / own);
        if (!around->placed[j])
            continue;
        struct rectangle extent = labels_extent(other);
        cost += 8 * overlap(&name, &extent);
    }
    for (size_t j = 0; j < around->obstacle_count; j++)
        cost += 6 * overlap(&name, &around->obstacles[j]);
    return cost;
}

static void place(struct label *label, const struct surroundings *around, size_t i)
{
    struct label best = *label;
    double least = INFINITY;
    for (size_t ring = 0; ring < RINGS; ring++)
        for (size_t direction = 0; direction < DIRECTIONS; direction++) {
            put(label, ring, direction);
            double cost = conflict(around, i) + dislike(ring, direction);
            if (cost >= least)
                continue;
            least = cost;
            best = *label;
        }
    *label = best;
}

bool labels_place(struct label *labels, size_t count, const struct rectangle *obstacles,
                  size_t obstacle_count, const struct rectangle *room)
{
    bool *placed = calloc(count + 1, sizeof *placed);
    if (!placed)
        return false;
    const struct surroundings around = {labels, count, placed, obstacles, obstacle_count, room};
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            place(&labels[i], &around, i);
            placed[i] = true;
        }
    free(placed);
    return true;
}
