/*
 * What a person gets to read: results on standard output, everything else on standard error.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "cli/command.h"
#include "sim/error.h"

/* Shows ERROR once, as "trainstorm: MESSAGE", or as it is when it begins with FILE:LINE:COLUMN. Returns the
 * status that it means. */
int show_error(const struct error *error);

/* One line for the user's information, after "trainstorm: ". */
void show_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A library's remark, as a note; CONTEXT is not used. */
void show_remark(void *context, const char *text);

/* Writes TEXT to standard output. */
void show_text(const char *text);

/* The same for a text of the caller's that a library has made: frees it. NULL is shown as ERROR. Returns the
 * status. */
int show_made_text(char *text, const struct error *error);

/* Flushes standard output. Returns STATUS, or STATUS_TROUBLE with a message when something that was written
 * did not arrive. */
int show_flush(int status);

/* Drops what standard output holds back, after an error that has told of its failure. */
void show_discard(void);

#endif
