/*
 * Values that a study's scenario has, by path.
 */
#ifndef RESULTS_BASE_VALUES_H
#define RESULTS_BASE_VALUES_H

#include "results/store.h"

struct base_values;

/* Reads the resolved scenario that is stored with the study. NULL: it can't be read, or memory is short; what
 * is asked of NULL has no answer. The caller destroys it. */
struct base_values *base_values_create(struct store *store, int64_t study);
void base_values_destroy(struct base_values *values);

/* The text of the value at PATH, "strategies.diloco.learners", where items of lists go by name or index.
 * False: there is none, or it is longer than SIZE. */
bool base_values_find(const struct base_values *values, const char *path, char *text, size_t size);

#endif
