/*
 * The options that several commands share, as argp children.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "scenarios/scenario.h"
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_DATABASE "trainstorm.sqlite"

/* Texts in the order given; the strings are the arguments' own. */
struct option_list {
    const char **items;
    size_t count;
};

/* What is run: SCENARIO, --set, --seed, --replications, --strategy. */
struct scenario_options {
    const char *scenario;
    struct scenario_override *overrides;
    size_t override_count;
    struct option_list strategies;
};

/* How it is run: --db, -j, --quiet, --tape, --force. */
struct running_options {
    const char *database;
    size_t workers; /* 0: one a processor */
    bool quiet;
    bool tapes; /* keep the event tape of every run */
    bool force; /* run again what the database has */
};

/* Their inputs are the structs above, zeroed before. SCENARIO is the one argument, and required. */
extern const struct argp options_scenario_argp;
extern const struct argp options_running_argp;

/* Both of them, the scenario's first, as children of a command that runs one. */
extern const struct argp_child options_children[];

/* What a parser does with the one argument of its command ("DB"), which is required: takes it into ONE, NULL
 * before. ARGP_ERR_UNKNOWN of keys that are not about arguments. */
error_t options_parse_argument(const char **one, int key, char *argument, const struct argp_state *state);

/* Takes the one scenario that there may be; ends the program when there is another. */
void options_take_scenario(struct scenario_options *options, const char *scenario,
                           const struct argp_state *state);

/* --set alone, for `check`: its input is a struct scenario_options, too. */
extern const struct argp options_set_argp;

void options_scenario_free(struct scenario_options *options);

/* Adds TEXT to LIST; ends the program when memory is short. */
void option_list_add(struct option_list *list, const char *text, const struct argp_state *state);

/* The number of a WHAT ("run") in the database; ends the program when it is none. */
int64_t options_number(const char *text, const char *what, const struct argp_state *state);

/* A study's id from the argument of --study; ends the program when it is none. */
int64_t options_study(const char *text, const struct argp_state *state);

/* A number of workers from the argument of -j; ends the program when it is none. */
size_t options_workers(const char *text, const struct argp_state *state);

/* A share above 0, or 0 where ZERO is allowed, from the argument of the option NAME, "2" or "2%"; ends the
 * program when it is none. */
double options_percent(const char *text, const char *name, bool zero, const struct argp_state *state);

/* Adds PATH=VALUE, wanted by the option ORIGIN, to what is laid over the scenario. */
void options_add_override(struct scenario_options *options, const char *path, const char *value,
                          const char *origin, const struct argp_state *state);

/* ARGV as a shell would take it, for the study's record. The caller frees; NULL when out of memory. */
char *options_command_line(int argc, char **argv);

#endif
