/*
 * Carrying a study out for a person: progress, Ctrl-C, the table, and the status that it all means. `run` and
 * `sweep` are this with different points; `validate` does it for several studies.
 */
#ifndef CLI_CONDUCT_H
#define CLI_CONDUCT_H

#include "cli/options.h"
#include "results/baseline.h"
#include "studies/study.h"

struct ranks;

struct conduct_request {
    const struct scenario_options *scenario;
    const struct running_options *running;
    const struct scenario_axes *axes;     /* of --axis; NULL: none */
    const struct option_list *conditions; /* of --where; NULL: none */
    bool sweep;
    double sensitivity;               /* of --sensitivity, a share; 0: none */
    struct rounds_options rounds;     /* of all runs, or a share of them */
    struct baseline_options baseline; /* its database NULL: none */
    const char *junit, *markdown;     /* files to write; NULL: none */
    const char *trace;                /* a file to write the first point's runs to; NULL: none */
    bool json;                        /* instead of the table */
    const char *command_line;         /* of the study's record */
};

/* The plan that REQUEST asks for; NULL with the error. */
struct plan *conduct_plan(const struct conduct_request *request, struct error *error);

/* Whether METRIC is one, and runs of PLAN will have it: what is learned has metrics where something is. */
bool conduct_check_metric(const struct plan *plan, const char *metric, struct error *error);

/* Runs PLAN into the database and shows the comparison. Returns the status. Under mpirun only the first
 * process does so, and the others simulate for it. */
int conduct(const struct plan *plan, const struct conduct_request *request);

/* One study into an open database, with progress where it is seen. SOLVE: look for the values of fields that
 * are expected, too. */
bool conduct_study(const struct plan *plan, struct store *store, const struct running_options *running,
                   const char *command_line, bool solve, struct study_outcome *outcome, struct error *error);

/* A study of PLAN as RUNNING says, with progress where it is seen. */
struct study_request conduct_study_request(const struct plan *plan, const struct running_options *running,
                                           const char *command_line);

/* Says in which database the results are, and as which study: what plot and compare ask for. With RUNS, that
 * took SECONDS, also what came of them; NULL: nothing. */
void conduct_name_study(int64_t study, const char *database, const struct runner_outcome *runs,
                        double seconds);

/* Says on standard error what a sensitivity analysis leaves out, or changes by less than it was asked to. */
void conduct_note_variations(const struct plan *plan);

/* Says on standard error what went wrong with the runs, if anything did, and returns the status of OUTCOME.
 */
int conduct_status(const struct plan *plan, const struct study_outcome *outcome);

#endif
