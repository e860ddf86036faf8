/*
 * The chips that a scenario can name: those built in and those of its own catalogue.
 */
#ifndef SCENARIOS_CHIPS_H
#define SCENARIOS_CHIPS_H

#include "models/hardware/chip.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"

/* Lets the fields of LOADER's table choose among the chips that the document ROOT brings too; a name that is
 * there twice is a fault. False when out of memory. */
bool chips_name(struct loader *loader, const struct node *root);

/* The same for a scenario that is loaded already, and whose own chips are TABLE. */
bool chips_name_loaded(struct loader *loader, struct chip_table table);

/* Refuses own chips of which too little is known. */
void chips_check(struct loader *loader, const struct reading *root, struct chip_table table);

#endif
