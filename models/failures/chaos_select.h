/*
 * Which units a strike takes: for the parts of chaos alone.
 */
#ifndef MODELS_FAILURES_CHAOS_SELECT_H
#define MODELS_FAILURES_CHAOS_SELECT_H

#include "models/failures/chaos.h"
#include "sim/stream.h"

enum { CHAOS_NAME = 2 * NETWORK_NAME + 8 }; /* room for "A to B", and for what is too long to be a name */

/* Takes the next of the names in *REST, which commas part, without the blanks around it; false at the end. */
bool chaos_next_name(const char **rest, char name[CHAOS_NAME]);

/* The site or link called NAME, or -1. */
int64_t chaos_find(const struct network_config *network, enum fault_domain domain, const char *name);

/* Units FIRST … FIRST + COUNT − 1. */
struct chaos_run {
    int64_t first, count;
};

/* What an entry without names and numbers chooses from. */
struct chaos_run chaos_population(const struct chaos_ground *ground, const struct chaos_entry *entry);

/* The units of one strike, ascending, each once, in *UNITS (the caller frees) and how many; -1 when memory
 * ran out or they are more than CHAOS_MOST. Draws from STREAM. */
int64_t chaos_select(const struct chaos_ground *ground, const struct chaos_entry *entry,
                     struct sim_stream *stream, int64_t **units);

#endif
