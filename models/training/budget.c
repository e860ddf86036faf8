#include "models/training/budget.h"

#include <string.h>

#define CATEGORIES(ROW)                                                                                      \
    ROW(BUDGET_USEFUL, "useful", "in steps that count")                                                      \
    ROW(BUDGET_STRAGGLER_WAIT, "straggler_wait", "in steps, waiting for the slowest chip")                   \
    ROW(BUDGET_COMMUNICATION_WAIT, "communication_wait", "waiting for bytes under way")                      \
    ROW(BUDGET_QUORUM_WAIT, "quorum_wait", "waiting for other learners")                                     \
    ROW(BUDGET_DATA_WAIT, "data_wait", "waiting for data to train on")                                       \
    ROW(BUDGET_CHECKPOINT_SAVE, "checkpoint_save", "standing still to write a checkpoint")                   \
    ROW(BUDGET_DETECTION, "detection", "standing still after a failure that is not found out yet")           \
    ROW(BUDGET_RESTORE, "restore", "loading a checkpoint or a peer's state")                                 \
    ROW(BUDGET_RESTART, "restart", "learners starting again")                                                \
    ROW(BUDGET_INITIALISATION, "initialisation", "learners setting up their processes after a restart")      \
    ROW(BUDGET_RECONFIGURATION, "reconfiguration",                                                           \
        "down- and upscaling, and returned slices waiting to be taken in")                                   \
    ROW(BUDGET_REPAIR_WAIT, "repair_wait", "healthy chips waiting for a failed slice of their learner")      \
    ROW(BUDGET_REDONE, "redone", "in steps that a failure or rollback threw away")                           \
    ROW(BUDGET_DOWN, "down", "failed slices")                                                                \
    ROW(BUDGET_IDLE_SPARE, "idle_spare", "healthy chips that no learner holds")                              \
    ROW(BUDGET_AWAY, "away", "chips that come and go, while they are not allocated")                         \
    ROW(BUDGET_WARM_UP, "warm_up", "before the end of the warm-up")

#define NAME(category, name, description) [category] = (name),
#define METRIC(category, name, description) [category] = "share:" name,
#define DESCRIPTION(category, name, description) [category] = (description),

const char *const budget_names[BUDGET_CATEGORIES] = {CATEGORIES(NAME)};
const char *const budget_metrics[BUDGET_CATEGORIES] = {CATEGORIES(METRIC)};
const char *const budget_descriptions[BUDGET_CATEGORIES] = {CATEGORIES(DESCRIPTION)};

enum budget_category budget_find(const char *name)
{
    enum budget_category category = 0;
    while (category < BUDGET_CATEGORIES && strcmp(budget_names[category], name) != 0)
        category++;
    return category;
}
