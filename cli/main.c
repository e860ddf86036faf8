/*
 * trainstorm: finds the command and lets it do the rest. A new command is one file, one line in the table
 * below and one in command.h.
 */
#include "config.h"

#include "cli/assembly.h"
#include "cli/command.h"
#include "cli/pool.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "scenarios/spelling.h"
#include "studies/channel.h"

#include <argp.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command {
    const char *name;
    const char *sentence; /* for the list of commands: one line */
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "simulate a scenario and compare its strategies", command_run},
    {"sweep", "simulate it at every point of its axes", command_sweep},
    {"solve", "the least of a field that meets a target", command_solve},
    {"tune", "the values of fields with which a metric is best", command_tune},
    {"calibrate", "fields fitted to figures that were observed", command_calibrate},
    {"replay", "replay stored tapes with the real optimisers", command_replay},
    {"check", "validate a scenario and print it resolved", command_check},
    {"compare", "the difference of two strategies, with an interval", command_compare},
    {"explain", "what a run's time was lost to, cause by cause", command_explain},
    {"plot", "draw a figure from a database", command_plot},
    {"report", "write a study as one page of HTML", command_report},
    {"export", "write a database's runs as CSV or JSON", command_export},
    {"merge", "several databases in one, such as those of shards", command_merge},
    {"import", "measurements of others as a part of a scenario", command_import},
    {"fit", "the laws of a trace of failures", command_fit},
    {"validate", "published figures against simulated ones", command_validate},
    {"list", "scenarios, strategies, metrics, figures, chips, distributions", command_list},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void __attribute__((noreturn)) refuse_command(const char *name)
{
    const char *nearest = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < COMMANDS; i++)
        spelling_consider(name, commands[i].name, &nearest, &distance);
    if (nearest)
        show_note("there is no command \"%s\"; did you mean \"%s\"?", name, nearest);
    else
        show_note("there is no command \"%s\"; `trainstorm --help' lists the commands", name);
    exit(STATUS_USAGE);
}

/* The words before the command; parsing ends at the first that is not an option. */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    int *command = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_ARG:
        *command = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static char *list_commands(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *list = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return NULL;
    fputs("Commands:\n", out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s  %s\n", commands[i].name, commands[i].sentence);
    fputs("\n`trainstorm COMMAND --help' tells more about a command.", out);
    return fclose(out) == 0 ? list : NULL;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "COMMAND [ARGUMENT...]",
    .doc = "Simulate large-scale, failure-prone training: how much of a machine's time trains the model.\v",
    .help_filter = list_commands,
};

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fputs(PACKAGE_STRING "\n", stream);
    fputs(channel_is_built_in() ? "with MPI\n" : "without MPI\n", stream);
}

/* argp ends the program by itself after --help, --version and wrong usage: what it wrote must arrive, too. */
static void flush_at_exit(void)
{
    if (show_flush(STATUS_DONE) != STATUS_DONE)
        _exit(STATUS_TROUBLE);
}

/* Several processes that each do the same into the same files are no help to anybody. */
static void check_launch(const struct command *command)
{
    if (!channel_is_launched())
        return;
    if (!channel_is_built_in())
        show_note("started by mpirun, but built without MPI (configure --with-mpi)");
    else if (command->run != command_run && command->run != command_sweep)
        show_note("`run' and `sweep' are done by several processes, `%s' by one, without mpirun",
                  command->name);
    else
        return;
    exit(STATUS_USAGE);
}

static int run_command(int argc, char **argv)
{
    const struct command *command = find_command(argv[0]);
    if (!command)
        refuse_command(argv[0]);
    check_launch(command);
    char name[64];
    snprintf(name, sizeof name, PACKAGE_NAME " %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

/* What else would end the program becomes an error of the call that met it. */
static void keep_signals_away(void)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that has gone is an output that failed */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file of the greatest size that is allowed (ulimit -f) */
}

int main(int argc, char **argv)
{
    char name[] = PACKAGE_NAME;
    int command = argc;
    pool_leave_out(argv);
    argv[0] = name;
    argp_err_exit_status = STATUS_USAGE;
    argp_program_version_hook = print_version;
    keep_signals_away();
    gsl_set_error_handler_off();
    if (!terminal_guard())
        return STATUS_TROUBLE;
    atexit(flush_at_exit);
    if (!assembly_begin())
        return STATUS_TROUBLE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &command);
    return run_command(argc - command, argv + command);
}
