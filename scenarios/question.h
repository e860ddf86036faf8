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

/* Which values of some fields make a metric as large as it gets, or as small. */
enum { SCENARIO_GOAL_MOST = 8 /* fields: among more, chance decides */ };

struct scenario_goal {
    const char *metric;
    bool largest; /* else smallest */
    struct scenario_search searches[SCENARIO_GOAL_MOST];
    size_t count;
    struct scenario_memory *memory; /* owns the strings above */
};

/* Parses COUNT, at least 1, texts of --vary ("PATH=LO..HI"), and METRIC, which the option ORIGIN named.
 * Errors as above. The caller destroys it. */
struct scenario_goal *scenario_goal_create(const char *const *vary, size_t count, const char *metric,
                                           const char *origin, struct error *error);
void scenario_goal_destroy(struct scenario_goal *goal);

/* VALUE as a scenario writes it for the field that is searched, whole where the field is. The caller frees;
 * NULL when out of memory. */
char *scenario_search_text(const struct scenario_search *search, double value);

/* The I-th value of the grid, from 0 on. */
double scenario_search_point(const struct scenario_search *search, int64_t i);

/* The unit that figures of DIMENSION are published in ("Gbit/s", "s", "1" for pure numbers), and its size in
 * SI units. */
const char *scenario_published_unit(enum parameter_dimension dimension, double *size);

#endif
