/*
 * What calibrating came to, for people and for programs: what was tried, the fields, the figures, and what
 * these don't determine.
 */
#ifndef STUDIES_CALIBRATE_REPORT_H
#define STUDIES_CALIBRATE_REPORT_H

#include "studies/calibrate.h"

/* Tables of the tries (but for those made for slopes, which are counted), the fields and the figures, and
 * sentences about the fit. The caller frees; NULL when out of memory. */
char *calibrate_report_text(const struct calibrate_results *results);

/* The same facts and all tries as JSON, values in the unit that such figures are published in, figures in
 * their metric's. */
char *calibrate_report_json(const struct calibrate_results *results, int64_t study);

#endif
