/*
 * Texts that are counted, so that no two test cases of a report have one name.
 */
#ifndef RESULTS_JUNIT_NAMES_H
#define RESULTS_JUNIT_NAMES_H

#include <stddef.h>

struct junit_names {
    void *tree; /* NULL: none yet */
};

/* Counts TEXT, of which a copy is kept, and returns how often it was now; 0 when out of memory. */
size_t junit_names_add(struct junit_names *names, const char *text);

/* How often TEXT was counted. */
size_t junit_names_count(const struct junit_names *names, const char *text);

void junit_names_free(struct junit_names *names);

#endif
