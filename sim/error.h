/*
 * How a function says what went wrong: it fills a struct error of its caller's and returns false or
 * NULL. Nothing below cli/ prints; the command shows the message once and turns the kind into its
 * exit status.
 */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

enum error_kind {
    ERROR_NONE,
    ERROR_INPUT,       /* the scenario, an argument or a file of the user's is missing or wrong */
    ERROR_SYSTEM,      /* the database, an output, memory or the operating system failed */
    ERROR_INTERRUPTED, /* the caller's flag said to stop */
};

struct error {
    enum error_kind kind;
    char message[2000]; /* names the file, the field and the value; may span lines; no final newline */
};

/* Sets kind and message (printf format), unless an earlier error stands: the first cause is the one
 * worth reading. ERROR may be NULL, for callers that only want to know that it failed. */
void error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory" with what was wanted, as ERROR_SYSTEM. */
void error_out_of_memory(struct error *error, const char *wanted);

#endif
