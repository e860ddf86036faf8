/*
 * The trace that a scenario names (failures.trace), read into what plays it back.
 */
#ifndef SCENARIOS_TRACES_H
#define SCENARIOS_TRACES_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* Reads the trace of SCENARIO, whose file is called NAME, and checks what ROOT says of it. The path and the
 * digest become those of the file read, so that a printed scenario means the same anywhere on the machine.
 * Faults go to LOADER's; false when out of memory. */
bool traces_read(struct loader *loader, const struct reading *root, const char *name,
                 struct scenario *scenario);

#endif
