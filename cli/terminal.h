/*
 * What a terminal gets to see. Names come from files of anybody's, and a control character in one could move
 * the cursor, change the window's title or turn a line around: none reaches an output as it is.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/* From now on whatever goes through stdout and stderr, argp's words too, has its control characters, marks of
 * writing direction and bytes that are no UTF-8 written as JSON writes them: \u001b. Line ends, tabs and a
 * CSV's CR LF stay. False when out of memory. */
bool terminal_guard(void);

/* For what is meant to move the cursor: straight to standard error. */
void terminal_draw(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
