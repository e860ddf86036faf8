/*
 * Quantities: a number and a unit, through UDUNITS-2.
 *
 * The units are those a cluster needs, and no others: seconds (min, h, d, week, year = 365 d), bits and bytes
 * (b, B), bps, FLOP, watts, watt-hours, joules, percent, decimal prefixes, and binary ones for bytes. They
 * are defined here and not read from the library's own collection, where a bit is a pure number, b a barn, Gb
 * a gigabarn and a year 365.2422 days.
 *
 * UDUNITS-2 parses with static state: use it in one thread at a time.
 */
#ifndef SCENARIOS_UNITS_H
#define SCENARIOS_UNITS_H

#include "models/parameter.h"
#include "sim/clock.h"
#include <stdbool.h>

struct units;

struct units *units_create(void); /* NULL when out of memory */
void units_destroy(struct units *units);

/* What is wrong with a text, as a clause: "3600 has no unit; expected a time such as \"30 s\"". */
struct units_fault {
    char message[300];
};

/* False, with how to write it, for a number with a letter for a power of ten, such as "13B" or "4k". */
bool units_check_plain(const char *text, struct units_fault *fault);

/* TEXT as a quantity of DIMENSION in SI units (s, bit, bit/s, FLOP/s, W, J, a pure number). */
bool units_parse(const struct units *units, const char *text, enum parameter_dimension dimension,
                 double *value, struct units_fault *fault);

/* TEXT as a time, rounded to the nanosecond; at most 290 years either way. */
bool units_parse_time(const struct units *units, const char *text, sim_time *time, struct units_fault *fault);
#define UNITS_LONGEST_SECONDS (290 * 365 * 86400.0)

/* The shortest text that reads back as the same VALUE, to the bit. Returns TEXT. */
enum { UNITS_BYTES = 64 };
char *units_print(const struct units *units, double value, enum parameter_dimension dimension,
                  char text[UNITS_BYTES]);
char *units_print_time(const struct units *units, sim_time time, char text[UNITS_BYTES]);

/* "a time such as \"30 s\"", for messages and documents; and the example alone. */
const char *units_expectation(enum parameter_dimension dimension);

#endif
