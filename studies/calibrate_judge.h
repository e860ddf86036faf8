/*
 * What a fit is worth, once its search has ended (calibrate.h tells what of).
 */
#ifndef STUDIES_CALIBRATE_JUDGE_H
#define STUDIES_CALIBRATE_JUDGE_H

#include "studies/calibrate.h"

/* From the tries of RESULTS, the best of them and its REPLICATIONS, those run for this alone included, the
 * values fitted and what the figures determine there: the errors, intervals and borders of the fields, the
 * degrees of freedom and how far the figures are widened and missed. */
bool calibrate_judge(struct calibrate_results *results, size_t replications, struct error *error);

#endif
