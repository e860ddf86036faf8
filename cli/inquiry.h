/*
 * Questions to a scenario whose answers are found by trying: what `solve`, `tune` and `calibrate` share. An
 * inquiry is opened with its plan and its database, asked, and its answer shown.
 */
#ifndef CLI_INQUIRY_H
#define CLI_INQUIRY_H

#include "cli/conduct.h"

/* What they all are told. */
struct inquiry_options {
    struct scenario_options scenario;
    struct running_options running;
    struct option_list vary;
    bool json;
};

/* The keys of --json and --vary, whose rows are in each command's own table, for what they do differs; those
 * of the command's own options begin at INQUIRY_OWN. */
enum { INQUIRY_JSON = 0x200, INQUIRY_VARY, INQUIRY_OWN };

/* What a command's parser does with the keys that are not its own; its children are options_children. */
error_t inquiry_parse(struct inquiry_options *options, int key, char *argument, struct argp_state *state);
void inquiry_options_free(struct inquiry_options *options);

struct inquiry {
    struct plan *plan;
    struct store *store;
    struct option_list strategies; /* that are asked about: those of --strategy, or all of the plan's */
    struct study_request request;  /* a study of the plan, with progress where it is seen */
    const char *database;
    double begun; /* sim_wall_seconds */
};

/* Opens an inquiry as OPTIONS tell, which have to outlive it. False with ERROR; the caller closes INQUIRY in
 * any case. */
bool inquiry_open(struct inquiry *inquiry, const struct inquiry_options *options, const char *command_line,
                  struct error *error);
void inquiry_close(struct inquiry *inquiry);

/* To be called once the runs are over, before anything is shown. */
void inquiry_end(const struct inquiry *inquiry);

/* Shows TEXT, a report that it frees (NULL: out of memory) and, unless it is JSON, names STUDY and what came
 * of its RUNS. Returns the status. */
int inquiry_show(const struct inquiry *inquiry, char *text, bool json, int64_t study,
                 const struct runner_outcome *runs);

/* Says that the inquiry was interrupted. Returns the status. */
int inquiry_interrupted(const struct runner_outcome *runs);

#endif
