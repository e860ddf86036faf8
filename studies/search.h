/*
 * The value of a field at which a metric meets its target, found by trying values. A search knows nothing of
 * runs: from what has been tried it says what to try next, and nothing else is remembered between two calls.
 *
 * The metric is taken to be monotone in the field. Where both ends of the range are tried it is known in
 * which direction: the answer is the least value that meets the target or, where the low end does and the
 * high end doesn't, the greatest. A grid and a whole number are bisected. A real value is found by Brent's
 * method (GSL), on the logarithm where the range is above 0 and wider than a factor of 10, until the value
 * that meets and the nearest one tried that doesn't are within the tolerance of each other.
 */
#ifndef STUDIES_SEARCH_H
#define STUDIES_SEARCH_H

#include "scenarios/scenario.h"

/* A try stands at a position of the search: the index on a grid, a whole number, a real value or its
 * logarithm. */
struct search_try {
    double position;
    double metric;    /* mean over replications; NAN: has no value there, which meets no target */
    double low, high; /* its interval at 95 %; NAN: none */
};

/* In the order of their positions, no two the same. */
struct search_tries {
    struct search_try *items;
    size_t count;
};

/* Adds ATTEMPT at its place. False when out of memory. */
bool search_add(struct search_tries *tries, const struct search_try *attempt);
void search_free(struct search_tries *tries);

enum search_status {
    SEARCH_GOES_ON,   /* try `next` */
    SEARCH_FOUND,     /* `meets` does, `misses` doesn't, and they are as near as asked for */
    SEARCH_ALL_MEET,  /* both ends meet the target */
    SEARCH_NONE_MEETS /* neither does */
};

struct search_state {
    enum search_status status;
    double next[2]; /* positions */
    size_t next_count;
    bool falling;                            /* the low end meets the target, the high end doesn't */
    const struct search_try *low, *high;     /* the ends, once they are tried */
    const struct search_try *meets, *misses; /* of SEARCH_FOUND; both in TRIES */
    /* Where the upper and the lower ends of the intervals cross the target, in order of size, drawn straight
     * from try to try, and not nearer than `meets`: the positions between which the answer lies at the
     * intervals' confidence. NAN: there are no intervals, or they are too wide for the range. */
    double between[2];
    bool monotone; /* no try contradicts that the metric is */
};

/* TOLERANCE is a share of the value, above 0. */
struct search_state search_step(const struct scenario_search *search, const struct scenario_target *target,
                                double tolerance, const struct search_tries *tries);

/* The value of the field at POSITION; real ones are rounded to six digits where no grid has them. */
double search_value(const struct scenario_search *search, double position);

/* The value SHARE of the way, 0 … 1, from the low end of a range without a grid to the high one, by equal
 * factors where the range is searched by its logarithm; whole where the field is, else of six digits. */
double search_value_at_share(const struct scenario_search *search, double share);

/* The other way round: how far VALUE is on its way; below 0 or above 1 where it is out of the range. */
double search_share_of_value(const struct scenario_search *search, double value);

/* By how much the value, taken as a real one, moves there for the whole range. */
double search_slope_at_value(const struct scenario_search *search, double value);

/* Whether a range is so wide that it is searched by its logarithm. */
bool search_is_wide(const struct scenario_search *search);

/* Whether METRIC meets TARGET. */
bool search_meets(const struct scenario_target *target, double metric);

#endif
