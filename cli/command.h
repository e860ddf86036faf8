/*
 * The commands of the program: one file each, one line each in the table of main.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum status {
    STATUS_DONE = 0,
    STATUS_MISSED = 1,        /* an expectation was missed */
    STATUS_USAGE = 2,         /* wrong usage, or a scenario that is missing, unreadable or wrong */
    STATUS_TROUBLE = 3,       /* the database, an output or the system failed */
    STATUS_INTERRUPTED = 130, /* finished runs were kept */
};

/* Each gets its own arguments, ARGV[0] being "trainstorm NAME" for messages, and returns an enum status;
 * wrong usage ends the program through argp. */
int command_check(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_export(int argc, char **argv);
int command_fit(int argc, char **argv);
int command_import(int argc, char **argv);
int command_list(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_report(int argc, char **argv);
int command_run(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_validate(int argc, char **argv);

#endif
