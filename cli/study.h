/*
 * Which study of a database a command is about: one file holds many.
 */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "results/store.h"
#include <stdint.h>

/* The help of --study, which plot, compare and replay have in common. */
#define STUDY_HELP                                                                                           \
    "The study with the number N, which `run', `sweep' and `validate' print (default: the newest that any "  \
    "of "                                                                                                    \
    "them began)"

/* Where a person didn't name a study and the database holds several: says on standard error which one is
 * shown, for the newest may come from another command than the one in mind. */
void study_tell_newest(struct store *store, const char *database);

#endif
