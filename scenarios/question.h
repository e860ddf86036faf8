/*
 * A question of the command line, and values and units of what is searched.
 */
#ifndef SCENARIOS_QUESTION_H
#define SCENARIOS_QUESTION_H

#include "scenarios/scenario.h"

/* Which value of a field meets a target. */
struct scenario_question {
    struct scenario_target target;
    struct scenario_search search;
    struct scenario_memory *memory; /* owns the strings above */
};

/* Parses what --vary ("PATH=LO..HI", or "PATH" with a grid), --until ("METRIC>=V") and --grid (NULL: none)
 * say. NULL with ERROR_INPUT and carets under what is wrong, or when out of memory. The caller destroys it.
 */
struct scenario_question *scenario_question_create(const char *vary, const char *until, const char *grid,
                                                   struct error *error);
void scenario_question_destroy(struct scenario_question *question);

/* Fields that are varied together, none twice, and between which values. */
enum { SCENARIO_RANGES_MOST = 8 /* fields: among more, chance decides */ };

struct scenario_ranges {
    struct scenario_search searches[SCENARIO_RANGES_MOST];
    size_t count;
    struct scenario_memory *memory; /* owns the strings above */
};

/* Parses COUNT, at least 1, texts of --vary ("PATH=LO..HI"). Errors as above. The caller destroys it. */
struct scenario_ranges *scenario_ranges_create(const char *const *vary, size_t count, struct error *error);
void scenario_ranges_destroy(struct scenario_ranges *ranges);

/* The values that the scenario of TEXT has for the fields of RANGES; NAN for one that has none. False with
 * ERROR: the scenario is faulty, or memory is short. */
bool scenario_present_values(const struct scenario_text *text, const struct scenario_ranges *ranges,
                             double values[SCENARIO_RANGES_MOST], struct error *error);

/* Which values of some fields make a metric as large as it gets, or as small. */
struct scenario_goal {
    const char *metric;
    bool largest; /* else smallest */
    const struct scenario_ranges *ranges;
};

/* Whether METRIC, which the option ORIGIN named, is a metric's name; ERROR_INPUT with the nearest if not. */
bool scenario_metric_check(const char *metric, const char *origin, struct error *error);

/* VALUE as a scenario writes it for the field that is searched, whole where the field is. The caller frees;
 * NULL when out of memory. */
char *scenario_search_text(const struct scenario_search *search, double value);

/* The I-th value of the grid, from 0 on. */
double scenario_search_point(const struct scenario_search *search, int64_t i);

/* The unit that figures of DIMENSION are published in ("Gbit/s", "s", "1" for pure numbers), and its size in
 * SI units. */
const char *scenario_published_unit(enum parameter_dimension dimension, double *size);

#endif
