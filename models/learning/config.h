/*
 * What learns, on what, and how: the section "learning" of a scenario. A strategy's own learning options
 * (outer optimiser, merge, mixing, compression) stand with the strategy.
 */
#ifndef MODELS_LEARNING_CONFIG_H
#define MODELS_LEARNING_CONFIG_H

#include "models/parameter.h"

enum learning_model { LEARNING_TRANSFORMER, LEARNING_QUADRATIC };
enum learning_precision { LEARNING_SINGLE, LEARNING_DOUBLE_PRECISION };
enum learning_source { SOURCE_MARKOV, SOURCE_HIDDEN_MARKOV, SOURCE_TEXT };
enum learning_optimiser { INNER_ADAMW, INNER_SGD, INNER_MUON };

struct transformer_config {
    int64_t layers, width, heads, context;
};

struct quadratic_config {
    int64_t dimension;
    double condition; /* largest over smallest curvature; the spectrum is geometric between */
    double noise;     /* standard deviation of each gradient coordinate at a batch of one sequence */
    double skew;      /* how far apart the shards' own optima lie; 0: the same */
};

enum { DATA_ORDER_MAXIMUM = 8, DATA_STATES_MAXIMUM = 64 };

struct data_config {
    int64_t source;
    int64_t symbols; /* of a synthetic language */
    int64_t order;   /* markov: symbols of context that decide the next */
    int64_t states;  /* hidden-markov */
    double zipf;     /* exponent of the symbols' frequencies */
    double contrast; /* standard deviation of what a context or state adds to the log of a frequency */
    int64_t shards;  /* languages, or parts of the text, among which skew divides the learners */
    double skew;     /* 0: learners draw from what all share; 1: each from its own shards (data.h) */
    char *file;      /* of source text */
    double held_out; /* share of a text kept for evaluation */
};

struct inner_config {
    int64_t optimiser;
    double rate;
    double adamw_rate; /* of what muon leaves to adamw; NAN: rate */
    int64_t warm_up_steps;
    int64_t decay_steps; /* cosine from the warm-up's end to this step; PARAMETER_UNSET: constant */
    double final_share;  /* of the rate, after the decay */
    double beta1, beta2, epsilon, weight_decay;
    double momentum; /* of sgd and muon */
    double clip;     /* largest gradient norm; NAN or infinite: none */
};

struct learning_config {
    char *name;    /* what the database calls this variant */
    int64_t model; /* PARAMETER_UNSET: nothing is replayed */
    int64_t precision;
    struct transformer_config transformer;
    struct quadratic_config quadratic;
    struct data_config data;
    struct inner_config inner;
    int64_t batch;          /* sequences in one step of the whole cluster with every slice present */
    double steps_per_step;  /* inner steps of the replay per step of the run */
    int64_t evaluate_every; /* full steps' worth of tokens between evaluations */
    int64_t evaluate_sequences;
    double target_loss; /* of metric time_to_loss; NAN: none */
};

extern const struct parameter_table learning_parameters; /* section "learning" */

#endif
