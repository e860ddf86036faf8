/*
 * What tuning came to, for people and for programs: what was tried, the best, and how sure it is that it is
 * better than the scenario as it was.
 */
#ifndef STUDIES_TUNE_REPORT_H
#define STUDIES_TUNE_REPORT_H

#include "studies/tune.h"

/* A table of all tries, in the order in which they were made, and a sentence or two for each strategy. The
 * caller frees; NULL when out of memory. */
char *tune_report_text(const struct scenario_goal *goal, const struct tune_results *results);

/* The same facts as JSON, values in the unit that such figures are published in. */
char *tune_report_json(const struct scenario_goal *goal, const struct tune_results *results, int64_t study);

#endif
