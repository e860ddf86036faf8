/*
 * Where the files that come with the program are: the folder that holds scenarios/ (with
 * validation/) and plots/. In a source tree that is the folder of the program itself, once
 * installed it is $(pkgdatadir), or ../share/trainstorm from the program if all was moved elsewhere together.
 * The environment's TRAINSTORM_DATADIR comes before all of them.
 */
#ifndef CLI_DATADIR_H
#define CLI_DATADIR_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"

enum datadir_part { DATADIR_SCENARIOS, DATADIR_PLOTS };

/* Writes the path, without a final slash, of the data folder that holds PART to PATH of SIZE bytes. False
 * with an ERROR_SYSTEM when no folder holds it or the path is longer than SIZE, and with an ERROR_INPUT when
 * TRAINSTORM_DATADIR is set to a folder that doesn't. */
bool datadir_find(enum datadir_part part, char *path, size_t size, struct error *error);

#endif
