/*
 * Where the time of a step goes, for scenarios whose step time follows from a layout.
 */
#ifndef CLI_STEP_NOTES_H
#define CLI_STEP_NOTES_H

#include "scenarios/scenario.h"

/* Writes comments in YAML to standard output, a line for each strategy and kind of chips; nothing where the
 * step time is given or follows from the MFU alone. */
void step_notes_write(const struct scenario *scenario);

/* Notes on standard error what a scenario says that can be meant, and often is not: a GPU for overlap of
 * another kind than its chips; an all-reduce over several sites that the network between them doesn't slow.
 */
void step_notes_write_doubts(const struct scenario *scenario);

#endif
