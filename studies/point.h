/*
 * A point of a sweep, as the database keeps it, back as overrides of the scenario.
 */
#ifndef STUDIES_POINT_H
#define STUDIES_POINT_H

#include "scenarios/scenario.h"

struct point_overrides {
    struct scenario_override *items;
    size_t count;
    char **texts; /* what the items point to */
    size_t text_count;
};

/* The settings of POINT (JSON, see scenarios/axis.h), then the COUNT overrides MORE, which stay the caller's.
 */
bool point_overrides_parse(const char *point, const struct scenario_override *more, size_t count,
                           struct point_overrides *overrides, struct error *error);
void point_overrides_free(struct point_overrides *overrides);

#endif
