/*
 * The word that was probably meant.
 */
#ifndef SCENARIOS_SPELLING_H
#define SCENARIOS_SPELLING_H

#include <stddef.h>

/* How many letters must be added, left out, changed or swapped with their neighbour to make A from B. Words
 * of more than 64 bytes are far from all others. */
size_t spelling_distance(const char *a, const char *b);

/* Keeps in *BEST the CANDIDATE nearest to WORD, its distance in *DISTANCE; start with NULL and 0. Only what
 * is near enough to be a slip is taken: up to a third of the letters. */
void spelling_consider(const char *word, const char *candidate, const char **best, size_t *distance);

#endif
