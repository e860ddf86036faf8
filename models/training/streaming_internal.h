/*
 * What the parts of Streaming DiLoCo share, and what they ask of each other: the strategy (streaming.c), its
 * synchronisations (streaming_window.c), what is sent when (streaming_release.c) and the options
 * (streaming_options.c).
 */
#ifndef MODELS_TRAINING_STREAMING_INTERNAL_H
#define MODELS_TRAINING_STREAMING_INTERNAL_H

#include "models/training/fragments.h"
#include "models/training/kind.h"
#include "models/training/recovery.h"
#include "models/training/reducer.h"
#include "models/training/world.h"

struct member {
    struct streaming *streaming;
    struct learner *learner;
    int64_t applied;           /* step of the newest fragment taken in */
    struct learner_work *sent; /* its work when each fragment was last sent */
    struct recovery recovery;
};

/* The synchronisation of one step's fragment. */
struct synchronisation {
    int64_t step;
    bool over;
    bool *present;   /* by learner: it has sent its drift */
    int64_t count;   /* of those */
    int64_t laggard; /* had not done the step when last looked at: the learner to look at first */
};

/* Those of which somebody has sent a drift, and which somebody who is up has not taken in; by their steps. */
struct window {
    struct synchronisation *open; /* the oldest first */
    size_t count, capacity;
    bool *present;           /* what the open ones' present point into */
    struct tape_part *parts; /* scratch space, by learner */
    int64_t over_until;      /* the newest step whose synchronisation is over */
    int64_t untaken;         /* had not taken the head in when last looked at, as laggard */
};

struct streaming {
    struct world *world;
    const struct streaming_options *options;
    struct fragment_schedule schedule;
    struct reducer *reducer;
    int64_t layers; /* in which drifts are sent; 0: by whole fragments */
    double bits;    /* of a layer's drift, or a fragment's */
    struct member *members;
    struct learner_work *sent; /* what members' sent point into */
    struct window window;
};

static inline int64_t streaming_member_count(const struct streaming *streaming)
{
    return streaming->world->layout.learners;
}

/* Learners that wait look again. */
void streaming_poke_all(struct streaming *streaming);

/* The step whose fragment LEARNER needs for the step that it is to do or in. */
int64_t streaming_needed_step(const struct streaming *streaming, const struct learner *learner);

/* LEARNER takes in what is due and has come, unless something that is due is yet to come: false. */
bool streaming_take_in(struct streaming *streaming, struct learner *learner);

/* Options (streaming_options.c), as strategy_functions has them. */

bool streaming_check(const void *options, const char **path, const char **reason);
double streaming_reductions(const void *options, const struct workload_config *workload);

/* Synchronisations (streaming_window.c). */

/* Room for all that can be open at a time. False when out of memory; free it either way. */
bool streaming_window_create(struct streaming *streaming);
void streaming_window_free(struct window *window);

/* LEARNER sends its drift of the step that it has done, whose synchronisation opens with the first who does.
 * False: it has sent that one before. */
bool streaming_join(struct streaming *streaming, const struct learner *learner);

/* Ends those whose reductions are over and that nobody has yet to do the step of. */
void streaming_end_complete(struct streaming *streaming);

/* Drops those at the head that everybody who is up has taken in. */
void streaming_drop_taken(struct streaming *streaming);

/* The step of the newest one there has been. */
int64_t streaming_newest_step(const struct streaming *streaming);

/* What is sent when (streaming_release.c). */

/* Says in which pieces drifts are sent, and creates what reduces them. False with ERROR when out of memory;
 * the reducer is the caller's. */
bool streaming_create_reducer(struct streaming *streaming, struct error *error);

/* LEARNER has done a step at which a fragment is due, and joined. */
void streaming_release_whole(struct streaming *streaming, const struct learner *learner);

/* How far the last piece of the fragment of STEP is. */
enum reducer_progress streaming_progress(const struct streaming *streaming, int64_t step);

/* As strategy_functions has them. */
int streaming_part_obstacle(void *state, struct learner *learner, int64_t part);
int64_t streaming_part_stop(void *state, struct learner *learner, int64_t part);
void streaming_part_done(void *state, struct learner *learner, int64_t parts);

#endif
