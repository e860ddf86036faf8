/*
 * Decimal numbers as scenarios write them: "-4", "4194304", "5e9", ".5". No infinity, no NaN, no hexadecimal.
 * The program runs in the C locale, so that a decimal point is a point.
 */
#ifndef SCENARIOS_NUMBER_H
#define SCENARIOS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes at the start of TEXT that are a number; 0 if none are. */
size_t number_length(const char *text);

/* All of TEXT as a number. False if it is none, or too large for a double. */
bool number_parse(const char *text, double *value);

/* All of TEXT as a whole number, exactly; "1.2e6" is one. False if it is none or beyond 64 bits. */
bool number_parse_integer(const char *text, int64_t *value);

/* Whether DIGITS significant digits, at least 1, tell VALUE from all other doubles. */
bool number_is_short(double value, size_t digits);

/* The number of DIGITS significant digits, from 1 to 17, that is nearest to VALUE: 0.1 + 0.2 is 0.3 again. */
double number_round(double value, size_t digits);

/* The shortest text that reads back as VALUE, which is finite. Returns TEXT. */
enum { NUMBER_BYTES = 40 };
char *number_print(char text[NUMBER_BYTES], double value);

#endif
