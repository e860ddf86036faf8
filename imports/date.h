/*
 * Dates as logs write them.
 */
#ifndef IMPORTS_DATE_H
#define IMPORTS_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* TEXT, YYYY-MM-DD HH:MM or YYYY-MM-DD HH:MM:SS with a blank or T between day and hour, as seconds from the
 * year 1970. Clocks are taken as they are: no zones, no summer time. False if it is no date. */
bool date_parse(const char *text, int64_t *seconds);

enum { DATE_BYTES = 40 };
/* SECONDS as YYYY-MM-DD HH:MM:SS. Returns TEXT. */
char *date_print(int64_t seconds, char text[DATE_BYTES]);

#endif
