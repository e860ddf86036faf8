/*
 * All times of a stage and micro-batch are worked out once; a step is (m + (p − 1)/v) of them and what comes
 * after the last.
 */
#include "models/hardware/parallel.h"

#include <math.h>
#include <stddef.h>

/* Forward, backward by activations, backward by parameters take equal time. */
#define BACKWARD_SHARE (2.0 / 3)
/* Two in the forward pass, two in the backward pass. */
#define COLLECTIVES_PER_LAYER 4

const char *const blast_radius_names[] = {[BLAST_SLICE] = "slice", [BLAST_REPLICA] = "replica", NULL};

bool parallel_is_given(const struct parallel_config *parallel)
{
    return parallel_replica_chips(parallel) > 1 || parallel->micro_batches > 1;
}

int64_t parallel_replica_chips(const struct parallel_config *parallel)
{
    return parallel->tensor * parallel->pipeline * parallel->expert;
}

int64_t parallel_replica_slices(const struct parallel_config *parallel, int64_t chips_per_slice)
{
    return (parallel_replica_chips(parallel) - 1) / chips_per_slice + 1;
}

/* Of RANKS chips, STRIDE apart, those in one domain. */
static int64_t ranks_inside(const struct parallel_links *links, int64_t ranks, int64_t stride)
{
    int64_t inside = links->domain_chips / stride;
    if (inside < 1)
        return 1;
    return inside < ranks ? inside : ranks;
}

static double halving_doubling(double bits, int64_t ranks, double rate, double latency)
{
    if (ranks == 1)
        return 0;
    double n = (double)ranks;
    return 2 * ceil(log2(n)) * latency + 2 * (n - 1) / n * bits / rate;
}

double parallel_all_reduce(const struct parallel_links *links, double bits, int64_t ranks, int64_t stride)
{
    int64_t inside = ranks_inside(links, ranks, stride);
    int64_t domains = (ranks - 1) / inside + 1;
    return halving_doubling(bits, inside, links->up_rate, links->up_latency) +
           halving_doubling(bits / (double)inside, domains, links->out_rate, links->out_latency);
}

double parallel_all_to_all(const struct parallel_links *links, double bits, int64_t ranks, int64_t stride)
{
    int64_t inside = ranks_inside(links, ranks, stride);
    double n = (double)ranks, near = (double)(inside - 1), far = (double)(ranks - inside);
    double up = near > 0 ? near * links->up_latency + near / n * bits / links->up_rate : 0;
    double out = far > 0 ? far * links->out_latency + far / n * bits / links->out_rate : 0;
    return fmax(up, out);
}

/* The first micro-batch on its way to the last stage, and the last one's gradients on their way back. */
static double sends(const struct parallel_config *parallel, const struct parallel_links *links, double bits)
{
    double hops = 2 * (double)(parallel->pipeline - 1);
    int64_t neighbour = parallel->tensor * parallel->expert;
    bool outside = parallel->pipeline * neighbour > links->domain_chips;
    double rate = outside ? links->out_rate : links->up_rate;
    double latency = outside ? links->out_latency : links->up_latency;
    return hops > 0 ? hops * (latency + bits / (double)parallel->tensor / rate) : 0;
}

/* What every chip holds, reduced among those that hold the same. *SENT are the bits that reducing takes. */
static double gradient_reduction(const struct parallel_config *parallel, const struct parallel_model *model,
                                 const struct parallel_links *links, int64_t chips, double *sent)
{
    double sharded = (double)(parallel->tensor * parallel->pipeline);
    int64_t data = chips / parallel_replica_chips(parallel);
    double shared_bits = (model->parameters - model->expert_parameters) / sharded * model->gradient_bits;
    double expert_bits = model->expert_parameters / sharded / (double)parallel->expert * model->gradient_bits;
    double seconds = parallel_all_reduce(links, shared_bits, data * parallel->expert, parallel->tensor);
    *sent = 2 * (shared_bits + expert_bits);
    if (expert_bits > 0)
        seconds += parallel_all_reduce(links, expert_bits, data, parallel->tensor * parallel->expert);
    return seconds;
}

struct parallel_step parallel_step_of(const struct parallel_config *parallel,
                                      const struct parallel_model *model, const struct parallel_links *links,
                                      double tokens, int64_t chips, double flops)
{
    double t = (double)parallel->tensor, p = (double)parallel->pipeline, m = (double)parallel->micro_batches;
    double batch = tokens * t * p / ((double)chips * m); /* of a micro-batch */
    double bits = batch * model->width * model->activation_bits;
    double collectives = COLLECTIVES_PER_LAYER * model->layers / p * m;
    struct parallel_step step = {.compute = 6 * model->active_parameters * tokens / ((double)chips * flops)};
    if (parallel->tensor > 1)
        step.tensor = collectives * parallel_all_reduce(links, bits, parallel->tensor, 1);
    if (parallel->expert > 1)
        step.expert = collectives * parallel_all_to_all(links, bits * model->experts_per_token / t,
                                                        parallel->expert, parallel->tensor);
    double busy = step.compute + step.tensor + step.expert;
    step.bubble = busy * (p - 1) / ((double)parallel->virtual_stages * m) + sends(parallel, links, bits);
    step.backward = BACKWARD_SHARE * step.compute / m;
    double reduction = gradient_reduction(parallel, model, links, chips, &step.gradient_bits);
    step.hidden = fmin(reduction, parallel->overlap * step.backward);
    step.gradient = reduction - step.hidden;
    step.seconds = busy + step.bubble + step.gradient;
    return step;
}
