/*
 * Values between two ends, as people write them: "1..16 step 5", "0..1, 11 points", "log 0.1..1000 Gbit/s, 50
 * points". Axes of sweeps and grids of searches have this one grammar, and the same values.
 */
#ifndef SCENARIOS_RANGE_H
#define SCENARIOS_RANGE_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"
#include "scenarios/value.h"

/* A text that is read, for messages. */
struct range_text {
    struct loader *loader;
    const char *label; /* before every message: "expect.0.until: ", or "" */
    struct place place;
};

/* Adds MESSAGE as a fault; false. */
bool range_refuse(const struct range_text *range, const char *message);

/* LENGTH bytes of TEXT without the blanks around them, in the loader's memory; "" when out of memory. */
const char *range_trim(const struct range_text *range, const char *text, size_t length);

/* A value of a number's field in SI units, times in seconds. */
double range_as_real(const struct parameter *row, const union value *value);

/* Whether TEXT, given to FIELD, is meant as a range: numbers have no two dots in a row. */
bool range_is_meant(const struct field *field, const char *text);

/* Reads "LO..HI" into SEARCH, whose path, type and dimension are FIELD's: both are values of the field, held
 * to its bounds, and the lower one may leave its unit to the upper one. False with a fault. */
bool range_read_ends(const struct range_text *range, const struct field *field, const char *text,
                     struct scenario_search *search);

/* The same with the values between the ends: "LO..HI step S" from LO on as far as HI, S in the unit of HI
 * unless it has its own; "[log] LO..HI, N points" from LO to HI, evenly or by equal factors. They are from 2
 * to RANGE_MOST. */
enum { RANGE_MOST = 10000, RANGE_DIGITS = 15 /* of a value, so that 3 · 0.1 is 0.3 */ };
bool range_read(const struct range_text *range, const struct field *field, const char *text,
                struct scenario_search *search);

#endif
