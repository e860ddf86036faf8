/*
 * Strategies as a scenario describes them. How each acts is in the file of its kind; a new kind is
 * one file and one line in the table of strategy.c.
 */
#ifndef MODELS_TRAINING_STRATEGY_H
#define MODELS_TRAINING_STRATEGY_H

#include "models/parameter.h"
#include "sim/clock.h"

/* What a learner that isn't elastic does about a failed slice. */
enum loss_response {
    LOSS_REPLACE, /* a healthy slice from outside the job takes its place during the restart */
    LOSS_WAIT,    /* it waits for the slice to return, then restarts */
};

/* The first member of every kind's options: how its learners are built. */
struct learner_options {
    int64_t learners;   /* 0 in a kind that has no such field: one learner holds all chips */
    bool elastic;       /* goes on without the slices that failed */
    int64_t slice_loss; /* enum loss_response, of a learner that isn't elastic */
};

struct all_reduce_options {
    struct learner_options learner;
};

/* The outer optimiser, which only replays read. */
struct outer_options {
    double rate, momentum;
};

/* What DiLoCo's outer synchronisation does about a learner that has lost all its slices. */
enum learner_loss {
    LEARNER_LOSS_DROP,
    LEARNER_LOSS_WAIT,
};

struct diloco_options {
    struct learner_options learner;
    int64_t inner_steps; /* H */
    int64_t learner_loss;
    struct outer_options outer;
};

struct decoupled_options {
    struct learner_options learner;
    int64_t inner_steps; /* H */
    int64_t fragments;   /* P */
    int64_t overlap;     /* τ, steps */
    int64_t quorum;      /* K, capped at the learners that are up */
    double grace;        /* γ, share of the slack spent waiting beyond the quorum */
    int64_t bits;        /* per parameter of what learners send and get; PARAMETER_UNSET: the workload's */
    struct outer_options outer;
};

enum gossip_algorithm {
    GOSSIP_GASLOC,         /* the stable form, momentum mixed too ("gossip-all") */
    GOSSIP_GASLOC_LITERAL, /* as printed */
};

struct gossip_options {
    struct learner_options learner;
    int64_t algorithm;
    int64_t inner_steps; /* local steps a round */
    int64_t peers;       /* 1 or 2 in a round's random matching */
    double mixing;       /* α; NAN: 1 with one peer, 0.5 with two */
    struct outer_options outer;
};

/* One entry of "strategies". */
struct strategy_config {
    char *name;
    int64_t kind;  /* row of strategy_variants */
    void *options; /* struct …_options of that kind */
};

enum strategy_kind {
    STRATEGY_ALL_REDUCE,
    STRATEGY_DILOCO,
    STRATEGY_DECOUPLED,
    STRATEGY_GOSSIP,
    STRATEGY_KINDS
};

extern const struct parameter_variant *const strategy_variants[STRATEGY_KINDS];
extern const struct parameter_list strategy_list; /* section "strategies" */

/* The rows that several kinds share, for a kind's options struct OWNER with members learner and outer. */
#define STRATEGY_LEARNERS(LEARNERS)                                                                          \
    {                                                                                                        \
        .path = "learners", .type = PARAMETER_INTEGER, .fallback = LEARNERS, .minimum = 1, .maximum = 1e6,   \
        .sentence = "Learners that share the chips.", .source = "arXiv 2604.21428 §4",                       \
        .offset = offsetof(struct learner_options, learners)                                                 \
    }
#define STRATEGY_ELASTIC(ELASTIC)                                                                            \
    {                                                                                                        \
        .path = "elastic", .type = PARAMETER_BOOLEAN, .fallback = ELASTIC,                                   \
        .sentence = "Whether a learner goes on without failed slices.", .source = "arXiv 2604.21428 §3.3",   \
        .offset = offsetof(struct learner_options, elastic)                                                  \
    }
#define STRATEGY_SLICE_LOSS                                                                                  \
    {                                                                                                        \
        .path = "slice_loss", .type = PARAMETER_CHOICE, .choices = strategy_slice_loss_names,                \
        .fallback = "replace",                                                                               \
        .sentence = "What a learner that isn't elastic does about a failed slice: a spare from outside the " \
                    "job replaces it during the restart, or it waits for the repair.",                       \
        .source = "ours", .offset = offsetof(struct learner_options, slice_loss)                             \
    }
#define STRATEGY_OUTER(OWNER)                                                                                \
    {.path = "outer_rate",                                                                                   \
     .type = PARAMETER_REAL,                                                                                 \
     .fallback = "0.7",                                                                                      \
     .minimum = 0,                                                                                           \
     .maximum = INFINITY,                                                                                    \
     .sentence = "Learning rate of the outer optimiser (Nesterov); read by replays only.",                   \
     .source = "arXiv 2311.08105; no value published for Decoupled DiLoCo and GASLoC",                       \
     .offset = offsetof(struct OWNER, outer.rate)},                                                          \
    {                                                                                                        \
        .path = "outer_momentum", .type = PARAMETER_REAL, .fallback = "0.9", .minimum = 0, .maximum = 1,     \
        .sentence = "Momentum of the outer optimiser; read by replays only.",                                \
        .source = "arXiv 2311.08105; no value published for Decoupled DiLoCo and GASLoC",                    \
        .offset = offsetof(struct OWNER, outer.momentum)                                                     \
    }

extern const char *const strategy_slice_loss_names[];

/* The options of every kind begin with those of its learners. */
static inline const struct learner_options *strategy_learners(const struct strategy_config *config)
{
    return (const struct learner_options *)config->options;
}

static inline int64_t strategy_learner_count(const struct strategy_config *config)
{
    int64_t learners = strategy_learners(config)->learners;
    return learners > 0 ? learners : 1;
}

#endif
