/*
 * Which figure, if it were observed too, would determine what a set of figures does not: one that moves,
 * where those don't. Looked for among everything that the tries around a fit have measured.
 */
#ifndef STUDIES_SUGGEST_H
#define STUDIES_SUGGEST_H

#include "studies/deviations.h"

/* How far the fields are moved for it: the longest part of a direction, as a share of the range. */
#define SUGGEST_MOVE 0.1
/* Only so many strategies and points are looked at, in the order of the figures. */
enum { SUGGEST_PLACES = 4, SUGGEST_METRIC_SIZE = 64 };

struct suggestion {
    char metric[SUGGEST_METRIC_SIZE]; /* "": nothing tells */
    size_t figure;                    /* whose strategy and point it is to be observed at */
    double from, to;                  /* its value at the fit, and with the fields moved, as slopes have it */
    double clarity; /* the difference, in its usual standard deviation (figures.h) and noise together */
};

/* Looks for the metric that is clearest about moving all fields of try NUMBER by DIRECTION, whose longest
 * part is 1, among those that are not figures already; at least 1 clear. Errors as deviations_try's. */
bool suggest(struct deviations *deviations, size_t number, const double direction[SCENARIO_RANGES_MOST],
             struct suggestion *suggestion, struct error *error);

#endif
