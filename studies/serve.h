/*
 * A process that mpirun started besides the first: it does the runs that the first gives it, in threads of
 * its own, until it is sent away. It touches no database and says nothing.
 */
#ifndef STUDIES_SERVE_H
#define STUDIES_SERVE_H

#include "studies/plan.h"
#include "studies/runner.h"

struct channel;
struct ranks_leave;

/* Serves with the same PLAN as the first process and the same options; of them, workers (0: one), tapes,
 * version and stop count. LEAVE is how the first sent this one away. False: MPI, memory or threads failed
 * (ERROR_SYSTEM); it is not orderly then. */
bool serve(struct channel *channel, const struct plan *plan, const struct runner_options *options,
           struct ranks_leave *leave, struct error *error);

#endif
