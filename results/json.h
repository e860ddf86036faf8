/*
 * JSON values written to a stream, so that documents of any length need no tree.
 */
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include <stdio.h>

/* A string with its quotes, escaped; null for NULL. TEXT is UTF-8 and written as it is. */
void json_string(FILE *out, const char *text);

/* A number that reads back to the same double; null when it is not finite, which JSON can't say. */
void json_number(FILE *out, double number);

/* "NAME": */
void json_name(FILE *out, const char *name);

/* A member of an object after another one, ,"NAME":NUMBER. */
void json_further_number(FILE *out, const char *name, double number);

/* Between values: what precedes element INDEX of a list, a comma or nothing. */
void json_separate(FILE *out, size_t index);

#endif
