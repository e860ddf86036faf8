/*
 * Scenarios by name: a path of the user's, or the name of one that comes with the program, such as
 * "million-chips" or "validation/table1".
 */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

#include "scenarios/scenario.h"
#include <limits.h>

/* Reads the scenario that NAME stands for: the file of that path if there is one, else scenarios/NAME.yaml
 * of the data folder. */
bool shipped_read(const char *name, struct scenario_text *text, struct error *error);

/* The same for a validation study, where scenarios/validation/NAME.yaml comes before scenarios/NAME.yaml. */
bool shipped_read_validation(const char *name, struct scenario_text *text, struct error *error);

/* Names in order of the alphabet, owned by the list. */
struct shipped_list {
    char **names;
    size_t count;
};

enum shipped_folder { SHIPPED_SCENARIOS, SHIPPED_VALIDATION };

/* The scenarios in FOLDER, named by their path below the data folder's scenarios/. The caller frees LIST with
 * shipped_list_free in any case. */
bool shipped_list(enum shipped_folder folder, struct shipped_list *list, struct error *error);
void shipped_list_free(struct shipped_list *list);

#endif
