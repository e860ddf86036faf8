#include "models/training/budget.h"

const char *const budget_names[BUDGET_CATEGORIES] = {
    [BUDGET_USEFUL] = "useful",
    [BUDGET_STRAGGLER_WAIT] = "straggler_wait",
    [BUDGET_COMMUNICATION_WAIT] = "communication_wait",
    [BUDGET_QUORUM_WAIT] = "quorum_wait",
    [BUDGET_DATA_WAIT] = "data_wait",
    [BUDGET_CHECKPOINT_SAVE] = "checkpoint_save",
    [BUDGET_DETECTION] = "detection",
    [BUDGET_RESTORE] = "restore",
    [BUDGET_RESTART] = "restart",
    [BUDGET_RECONFIGURATION] = "reconfiguration",
    [BUDGET_REPAIR_WAIT] = "repair_wait",
    [BUDGET_REDONE] = "redone",
    [BUDGET_DOWN] = "down",
    [BUDGET_IDLE_SPARE] = "idle_spare",
    [BUDGET_AWAY] = "away",
    [BUDGET_WARM_UP] = "warm_up",
};

const char *const budget_descriptions[BUDGET_CATEGORIES] = {
    [BUDGET_USEFUL] = "in steps that count",
    [BUDGET_STRAGGLER_WAIT] = "in steps, waiting for the slowest chip",
    [BUDGET_COMMUNICATION_WAIT] = "waiting for bytes under way",
    [BUDGET_QUORUM_WAIT] = "waiting for other learners",
    [BUDGET_DATA_WAIT] = "waiting for data to train on",
    [BUDGET_CHECKPOINT_SAVE] = "standing still to write a checkpoint",
    [BUDGET_DETECTION] = "standing still after a failure that is not found out yet",
    [BUDGET_RESTORE] = "loading a checkpoint or a peer's state",
    [BUDGET_RESTART] = "learners starting again",
    [BUDGET_RECONFIGURATION] = "down- and upscaling, and returned slices waiting to be taken in",
    [BUDGET_REPAIR_WAIT] = "healthy chips waiting for a failed slice of their learner",
    [BUDGET_REDONE] = "in steps that a failure or rollback threw away",
    [BUDGET_DOWN] = "failed slices",
    [BUDGET_IDLE_SPARE] = "healthy chips that no learner holds",
    [BUDGET_AWAY] = "chips that come and go, while they are not allocated",
    [BUDGET_WARM_UP] = "before the end of the warm-up",
};
