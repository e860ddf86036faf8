/*
 * Where chip time goes: the ledger's categories. They are disjoint and sum to chips × elapsed exactly.
 */
#ifndef MODELS_TRAINING_BUDGET_H
#define MODELS_TRAINING_BUDGET_H

enum budget_category {
    BUDGET_USEFUL,             /* in a step that counts */
    BUDGET_STRAGGLER_WAIT,     /* in a step, waiting for its slowest chip */
    BUDGET_COMMUNICATION_WAIT, /* for bytes under way */
    BUDGET_QUORUM_WAIT,        /* for other learners */
    BUDGET_DATA_WAIT,          /* for data to train on */
    BUDGET_CHECKPOINT_SAVE,    /* standing still to write a checkpoint */
    BUDGET_DETECTION,          /* after a failure that nobody knows of yet */
    BUDGET_RESTORE,            /* loading a checkpoint, or a peer's state */
    BUDGET_RESTART,            /* a learner starting again */
    BUDGET_INITIALISATION,     /* a learner setting up its processes after that */
    BUDGET_RECONFIGURATION,    /* down- or upscaling, and a returned slice waiting to be taken in */
    BUDGET_REPAIR_WAIT,        /* healthy chips of a learner that waits for a failed slice to return */
    BUDGET_REDONE,             /* steps that a rollback or a failure threw away */
    BUDGET_DOWN,               /* failed slices */
    BUDGET_IDLE_SPARE,         /* healthy chips that no learner holds */
    BUDGET_AWAY,               /* chips that are not allocated at the time */
    BUDGET_WARM_UP,            /* everything before the warm-up's end */
    BUDGET_CATEGORIES
};

extern const char *const budget_names[BUDGET_CATEGORIES];   /* "useful", "straggler_wait", … */
extern const char *const budget_metrics[BUDGET_CATEGORIES]; /* of their shares of chip time: "share:useful" */
extern const char *const budget_descriptions[BUDGET_CATEGORIES]; /* a sentence each, for reports */

/* The category of this name; BUDGET_CATEGORIES if none has it, as in the database of another version. */
enum budget_category budget_find(const char *name);

#endif
