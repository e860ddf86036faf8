#include "studies/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *identity_text(const struct scenario *scenario, const struct strategy_config *strategy,
                    bool failure_free)
{
    char no_name[] = "";
    struct scenario part = *scenario; /* it owns nothing */
    part.name = no_name;
    part.description = part.notes = NULL;
    part.replications = 1;
    part.strategies = (struct strategy_config *)strategy;
    part.strategy_count = 1;
    part.axis_count = part.condition_count = part.expectation_count = 0;
    if (failure_free)
        simulation_let_nothing_fail(&part.simulation);
    return scenario_print(&part);
}

/* Settings of many items at once may overlap with others, and then their order counts, which JSON has not. */
static bool order_counts(const struct scenario_point *point)
{
    for (size_t i = 0; i < point->count; i++)
        if (strchr(point->settings[i].path, '*'))
            return true;
    return false;
}

bool identity_digest(const char *text, const struct scenario_point *point, const char *json, char digest[65])
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    if (!out)
        return false;
    fprintf(out, "%s%s\n", text, json);
    for (size_t i = 0; order_counts(point) && i < point->count; i++)
        fprintf(out, "%s\n", point->settings[i].path);
    bool made = fclose(out) == 0;
    if (made)
        scenario_digest(key, digest);
    free(key);
    return made;
}
