/*
 * How long a job takes to set up its processes and their communication, once it has its machines: a constant,
 * and what grows with its chips, measured at some numbers of them (arXiv 2602.00277: 200, 300, 600 and 900 s
 * at 16, 22, 64 and 98 thousand).
 */
#ifndef MODELS_FAILURES_INITIALISATION_H
#define MODELS_FAILURES_INITIALISATION_H

#include "models/failures/failures.h"

/* Of a job of CHIPS chips: the constant and the line through the measured points; below the first of them its
 * time, beyond the last on along the last piece, or in proportion to chips where there is but one. */
sim_time initialisation_time(const struct initialisation_config *config, int64_t chips);

/* NULL, or what is wrong with the measured points. */
const char *initialisation_fault(const struct initialisation_config *config);

#endif
