/*
 * Small files that a command makes beside what it prints.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include "sim/error.h"
#include <stdbool.h>

/* Puts TEXT into the file PATH, which is replaced only when all is written (plots/place.h); WHAT it is, for
 * messages. False with ERROR: the system's, or the first Ctrl-C ended the wait for a pipe's reader. */
bool output_file_write(const char *path, const char *what, const char *text, struct error *error);

#endif
