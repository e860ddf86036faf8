/*
 * The figure "timeline": of a study of GPUs their kernels (kernels.h), of any other its learners (lanes.h).
 */
#ifndef PLOTS_TIMELINE_H
#define PLOTS_TIMELINE_H

#include "plots/figure.h"
#include "plots/script.h"

bool timeline_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                    struct error *error);

#endif
