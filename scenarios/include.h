/*
 * "network.file": a file beside the scenario whose section "network" is taken in, so that measured sites
 * can be kept, or made, apart. It is taken in while the document is still a tree: what is loaded,
 * printed and stored is one self-contained scenario.
 */
#ifndef SCENARIOS_INCLUDE_H
#define SCENARIOS_INCLUDE_H

#include "scenarios/loader.h"

/* Takes in the file that the tree at ROOT (NULL: none) names, if any, and takes the name out. A relative path
 * starts at the folder of the file SCENARIO. What the tree says itself goes first: mappings are merged key by
 * key, items that have a name name by name, and of other lists the tree's own stays. What is wrong is added
 * to the loader's faults, at the name or in the file. */
void include_network(struct loader *loader, const struct source *scenario, struct node *root);

/* The path of an override that names such a file. */
#define INCLUDE_PATH "network.file"

#endif
