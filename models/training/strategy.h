/*
 * Strategies as a scenario describes them. How each acts is in the file of its kind; a new kind is
 * one file and one line in the table of strategy.c.
 */
#ifndef MODELS_TRAINING_STRATEGY_H
#define MODELS_TRAINING_STRATEGY_H

#include "models/parameter.h"
#include "models/tape/rule.h"
#include "models/training/workload.h"
#include "sim/clock.h"

/* What a learner that isn't elastic does about a failed slice. */
enum loss_response {
    LOSS_REPLACE, /* a healthy slice from outside the job takes its place during the restart */
    LOSS_WAIT,    /* it waits for the slice to return, then restarts */
};

/* The first member of every kind's options: how its learners are built. */
struct learner_options {
    int64_t learners;          /* 0 in a kind that has no such field: one learner holds all chips */
    bool elastic;              /* goes on without the slices that failed */
    int64_t slice_loss;        /* enum loss_response, of a learner that isn't elastic */
    struct learning_rule rule; /* of replays; mixing NAN: 1, 0.5 with two peers at once */
};

/* Where the reduction of gradients takes its time. */
enum gradient_reduction {
    REDUCTION_INCLUDED, /* it is part of the step time */
    REDUCTION_NETWORK,  /* the step time is computing alone; gradients cross the network between sites */
};

/* How an elastic learner gives slices that it takes in its state. */
enum upscaling {
    UPSCALING_TIME,     /* within failures.upscale_time */
    UPSCALING_TRANSFER, /* after that, the state crosses the network, and everybody stands still */
};

/* When what a step adds to the drift is sent. */
enum drift_release {
    RELEASE_STEP,  /* all of it after the step */
    RELEASE_LAYER, /* layer by layer as the step's backward pass goes on (workload.layers) */
};

struct all_reduce_options {
    struct learner_options learner;
    int64_t collective; /* enum collective_algorithm */
    int64_t reduction;  /* enum gradient_reduction */
    int64_t upscaling;  /* enum upscaling, of an elastic learner */
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
    int64_t collective; /* enum collective_algorithm */
    int64_t release;    /* enum drift_release */
};

/* How much a learner's fragment weighs in a merge. */
enum merge_weighting {
    WEIGHT_TOKENS, /* tokens · tokens / steps since it last took the fragment (arXiv 2604.21428 §2) */
    WEIGHT_EQUAL,
};

/* How the fragments of a merge come together. */
enum decoupled_collective {
    DECOUPLED_SYNCER, /* to the syncer and back */
    DECOUPLED_RING,
};

struct decoupled_options {
    struct learner_options learner;
    int64_t inner_steps;                       /* H */
    int64_t fragments;                         /* P */
    int64_t overlap;                           /* τ, steps */
    int64_t quorum;                            /* K, capped at the learners that are up */
    double grace;                              /* γ, share of the slack spent waiting beyond the quorum */
    int64_t weighting;                         /* enum merge_weighting */
    int64_t collective;                        /* enum decoupled_collective */
    char *syncer;                              /* name of its site; NULL: as traffic.h says */
    sim_time timeout;                          /* of a pull; not above 0: none */
    sim_time snapshot_interval, snapshot_time; /* of the syncer */
    sim_time syncer_restart;
};

struct streaming_options {
    struct learner_options learner;
    int64_t inner_steps; /* H */
    int64_t fragments;   /* P */
    int64_t overlap;     /* τ, steps */
    int64_t collective;  /* enum collective_algorithm */
    int64_t release;     /* enum drift_release */
};

struct gossip_options {
    struct learner_options learner;
    int64_t inner_steps; /* local steps a round */
    int64_t peers;       /* 1 or 2 in a round's random matching */
    int64_t topology;    /* enum topology */
    sim_time timeout;    /* of a round's exchanges; not above 0: none */
};

/* Of a kind that trains nothing. */
struct gpu_overlap_options {
    struct learner_options learner; /* not looked at */
    int64_t mode;                   /* enum gpu_mode; PARAMETER_UNSET: the workload's */
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
    STRATEGY_STREAMING,
    STRATEGY_DECOUPLED,
    STRATEGY_GOSSIP,
    STRATEGY_TRAINING_KINDS, /* the kinds so far; those that follow train nothing */
    STRATEGY_GPU_OVERLAP = STRATEGY_TRAINING_KINDS,
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
                    "job replaces it during the restart, or it waits for the repair. Where the cluster has " \
                    "spares, one of those does, and it waits while there is none.",                          \
        .source = "ours", .offset = offsetof(struct learner_options, slice_loss)                             \
    }
#define STRATEGY_COLLECTIVE(OPTIONS)                                                                         \
    {                                                                                                        \
        .path = "collective", .type = PARAMETER_CHOICE, .choices = strategy_collective_names,                \
        .fallback = "ring", .sentence = "Algorithm of the all-reduce over the network.",                     \
        .source = "ours: what the published costs assume", .offset = offsetof(OPTIONS, collective)           \
    }
#define STRATEGY_RELEASE(OPTIONS)                                                                            \
    {                                                                                                        \
        .path = "release", .type = PARAMETER_CHOICE, .choices = strategy_release_names, .fallback = "step",  \
        .sentence = "When drifts set out: after the step, or layer by layer as its backward pass goes on, "  \
                    "which needs workload.layers; without them, after the step.",                            \
        .source = "arXiv 2311.08105; layers: 2501.18512", .offset = offsetof(OPTIONS, release)               \
    }
/* What replays read: the outer optimiser, and how drifts are merged and compressed. */
#define STRATEGY_OUTER                                                                                       \
    {.path = "outer_optimiser",                                                                              \
     .type = PARAMETER_CHOICE,                                                                               \
     .choices = strategy_outer_names,                                                                        \
     .fallback = "nesterov",                                                                                 \
     .sentence = "Outer optimiser; read by replays only.",                                                   \
     .source = "arXiv 2311.08105",                                                                           \
     .offset = offsetof(struct learner_options, rule.outer)},                                                \
        STRATEGY_OUTER_RATE,                                                                                 \
    {                                                                                                        \
        .path = "outer_delay", .type = PARAMETER_INTEGER, .fallback = "4", .minimum = 1, .maximum = 1e6,     \
        .sentence = "Merges between momentum steps of delayed-nesterov; read by replays only.",              \
        .source = "arXiv 2401.09135: the number of learners",                                                \
        .offset = offsetof(struct learner_options, rule.outer_delay)                                         \
    }
#define STRATEGY_OUTER_RATE                                                                                  \
    {.path = "outer_rate",                                                                                   \
     .type = PARAMETER_REAL,                                                                                 \
     .fallback = "0.7",                                                                                      \
     .minimum = 0,                                                                                           \
     .maximum = INFINITY,                                                                                    \
     .sentence = "Learning rate of the outer optimiser; read by replays only.",                              \
     .source = "arXiv 2311.08105; no value published for Decoupled DiLoCo and GASLoC",                       \
     .offset = offsetof(struct learner_options, rule.outer_rate)},                                           \
    {                                                                                                        \
        .path = "outer_momentum", .type = PARAMETER_REAL, .fallback = "0.9", .minimum = 0,                   \
        .maximum = 0.999999, .sentence = "Momentum of the outer optimiser; read by replays only.",           \
        .source = "arXiv 2311.08105; no value published for Decoupled DiLoCo and GASLoC",                    \
        .offset = offsetof(struct learner_options, rule.outer_momentum)                                      \
    }
#define STRATEGY_MERGE(MERGE, SOURCE)                                                                        \
    {.path = "merge",                                                                                        \
     .type = PARAMETER_CHOICE,                                                                               \
     .choices = strategy_merge_names,                                                                        \
     .fallback = MERGE,                                                                                      \
     .sentence = "How drifts are merged: their weighted mean, radial-directional averaging of all but "      \
                 "embeddings, or of all tensors; read by replays only.",                                     \
     .source = SOURCE,                                                                                       \
     .offset = offsetof(struct learner_options, rule.merge)},                                                \
        {.path = "bits",                                                                                     \
         .type = PARAMETER_INTEGER,                                                                          \
         .fallback = "",                                                                                     \
         .minimum = 1,                                                                                       \
         .maximum = 64,                                                                                      \
         .sentence =                                                                                         \
             "Bits per parameter of the drifts sent; where left out 4 for e3m0, 1 for sign, and the "        \
             "workload's for others.",                                                                       \
         .offset = offsetof(struct learner_options, rule.compression_bits)},                                 \
        {.path = "compression",                                                                              \
         .type = PARAMETER_CHOICE,                                                                           \
         .choices = strategy_compression_names,                                                              \
         .fallback = "none",                                                                                 \
         .sentence =                                                                                         \
             "Format of drifts on the network: linear for integers times a scale with the bits above, "      \
             "e3m0 for sign and exponent, sign for the mean magnitude's; read by replays only.",             \
         .offset = offsetof(struct learner_options, rule.compression)},                                      \
    {                                                                                                        \
        .path = "error_feedback", .type = PARAMETER_BOOLEAN, .fallback = "false",                            \
        .sentence = "Whether a learner adds to its next drift what compression left out of the last; read "  \
                    "by replays only.",                                                                      \
        .offset = offsetof(struct learner_options, rule.error_feedback)                                      \
    }

extern const char *const strategy_outer_names[];
extern const char *const strategy_merge_names[];
extern const char *const strategy_compression_names[];
extern const char *const strategy_slice_loss_names[];
extern const char *const strategy_collective_names[]; /* the first of enum collective_algorithm */
extern const char *const strategy_release_names[];

/* The options of every kind begin with those of its learners. */
static inline const struct learner_options *strategy_learners(const struct strategy_config *config)
{
    return (const struct learner_options *)config->options;
}

/* What a replay needs of CONFIG, with everything that depends on other options filled in. */
struct learning_rule strategy_rule(const struct strategy_config *config);

/* Layers of WORKLOAD that drifts set out by where RELEASE (enum drift_release) says so; 0: they go whole. */
int64_t strategy_released_layers(int64_t release, const struct workload_config *workload);

/* Bits per parameter of drifts sent as RULE says; PARAMETER_UNSET: the workload's. */
int64_t strategy_drift_bits(const struct learning_rule *rule);

/* False if RULE's format has other bits than those given. */
bool strategy_check_format(const struct learning_rule *rule);

/* Fragments that the model is cut into; 0 where it is always sent whole. */
int64_t strategy_fragments(const struct strategy_config *config);

static inline int64_t strategy_learner_count(const struct strategy_config *config)
{
    int64_t learners = strategy_learners(config)->learners;
    return learners > 0 ? learners : 1;
}

#endif
