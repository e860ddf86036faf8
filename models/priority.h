/*
 * What comes first among events of one instant: the world, then messages, then the learners' own clocks, then
 * the syncer. A chip that fails at the very end of a step failed in that step; a merge that arrives at that
 * instant is there for the next one.
 */
#ifndef MODELS_PRIORITY_H
#define MODELS_PRIORITY_H

enum event_priority {
    PRIORITY_OUTAGE = 10,
    PRIORITY_MESSAGE = 20,
    PRIORITY_LEARNER = 40,
    PRIORITY_SYNCER = 45,  /* after all reports of the instant, those of steps that end at it included */
    PRIORITY_WARM_UP = 50, /* after what ends at that instant is booked */
    PRIORITY_OBSERVER = 60,
};

#endif
