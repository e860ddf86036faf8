/*
 * The layout inside a learner, and the time of a step that follows from it.
 *
 * A model's replica takes tensor × pipeline × expert chips; the rest of a learner's chips are further
 * replicas
 * ("data"). Tensor ranks are next to each other, then come expert, data and pipeline ranks, so that the
 * chattiest stay within a scale-up domain. With b tokens in a micro-batch, m of them in a step, L layers of
 * width h, t, p and e ranks and v virtual stages:
 *
 *   compute      6 · active parameters · tokens / (chips · FLOP/s reached); backward takes two thirds
 *                (arXiv 2001.08361 §2.1, 2104.04473 §3 without recomputation)
 *   tensor       4 all-reduces of b·h activations per layer and micro-batch (arXiv 1909.08053 §3; as many
 *                bytes with sequence parallelism, arXiv 2205.05198 §4.2.2)
 *   expert       4 all-to-alls of b·h·k/t activations per layer and micro-batch, k experts a token
 *                (arXiv 2006.16668 §3.2)
 *   bubble       (p − 1) / (v·m) of all the above (arXiv 2104.04473 §2.2), and the fill's and drain's sends
 *   gradient     an all-reduce of a chip's parameters among their replicas, hidden under the backward pass of
 * the last micro-batch as far as OVERLAP allows (arXiv 2006.15704 §3.2)
 *
 * Collectives are hierarchical: reduce-scatter and all-gather by recursive halving and doubling within a
 * scale-up domain, the same between domains over the scale-out network, 2⌈lg n⌉α + 2((n−1)/n)·bits/rate each
 * (Thakur, Rabenseifner, Gropp, IJHPCA 19(1) 2005), the second on the shard that the first leaves.
 */
#ifndef MODELS_HARDWARE_PARALLEL_H
#define MODELS_HARDWARE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* What stops with a chip that fails, in an elastic learner. */
enum blast_radius {
    BLAST_SLICE,   /* its slice alone */
    BLAST_REPLICA, /* all slices that hold a part of its copy of the model */
};
extern const char *const blast_radius_names[];

struct parallel_config { /* "cluster.parallel" */
    int64_t tensor, pipeline, expert;
    int64_t micro_batches;
    int64_t virtual_stages; /* of a pipeline rank, interleaved */
    double overlap;         /* share of the last backward pass that hides the gradients' reduction */
    int64_t blast_radius;   /* enum blast_radius */
};

/* True where some ranks are not all data-parallel, or a step comes in micro-batches. */
bool parallel_is_given(const struct parallel_config *parallel);

/* Chips of one copy of the model. */
int64_t parallel_replica_chips(const struct parallel_config *parallel);

/* Slices that hold one, rounded up. */
int64_t parallel_replica_slices(const struct parallel_config *parallel, int64_t chips_per_slice);

struct parallel_model {
    double parameters;
    double active_parameters; /* of them, at work on a token */
    double expert_parameters; /* of them, in experts */
    double experts_per_token;
    double layers, width;
    double gradient_bits, activation_bits; /* of one number */
};

struct parallel_links {
    double up_rate, up_latency;   /* of one chip, within a scale-up domain: bit/s, s */
    double out_rate, out_latency; /* of one chip, between domains */
    int64_t domain_chips;
};

/* Where the time of a step goes, in seconds; COMPUTE to GRADIENT sum to SECONDS. */
struct parallel_step {
    double compute, tensor, expert;
    double bubble; /* and sends that nothing hides */
    double gradient;
    double hidden; /* of the gradients' reduction, not in SECONDS */
    double seconds;
    double backward;      /* computing beside which gradients can be reduced: the last micro-batch's */
    double gradient_bits; /* that a chip sends to reduce them, to a factor of (n − 1)/n */
};

/* A step of TOKENS on CHIPS chips that reach FLOPS each while they compute. CHIPS is at least one replica's;
 * chips that make no whole replica share the work nevertheless. */
struct parallel_step parallel_step_of(const struct parallel_config *parallel,
                                      const struct parallel_model *model, const struct parallel_links *links,
                                      double tokens, int64_t chips, double flops);

/* An all-reduce of BITS among RANKS chips, STRIDE chips apart. */
double parallel_all_reduce(const struct parallel_links *links, double bits, int64_t ranks, int64_t stride);

/* Every one of RANKS chips sends each of the others its part of BITS. Those in the domain and those outside
 * are served at the same time. */
double parallel_all_to_all(const struct parallel_links *links, double bits, int64_t ranks, int64_t stride);

#endif
