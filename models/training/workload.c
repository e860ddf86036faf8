#include "models/training/workload.h"

static const struct parameter rows[] = {
    {.path = "parameters",
     .type = PARAMETER_REAL,
     .minimum = 1,
     .maximum = 1e18,
     .sentence = "Parameters of the model.",
     .offset = offsetof(struct workload_config, parameters)},
    {.path = "tokens_per_step",
     .type = PARAMETER_REAL,
     .minimum = 1,
     .maximum = 1e15,
     .sentence = "Tokens in one step of the whole cluster with every slice present.",
     .offset = offsetof(struct workload_config, tokens_per_step)},
    {.path = "step_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 1e-6,
     .maximum = INFINITY,
     .sentence =
         "Time of one step on nominal chips of the first kind, its collectives included; where left out, 6 "
         "FLOP per active parameter and token at the chips' MFU, and what the layout in cluster.parallel "
         "adds.",
     .offset = offsetof(struct workload_config, step_time)},
    {.path = "bits_per_parameter",
     .type = PARAMETER_INTEGER,
     .fallback = "16",
     .minimum = 1,
     .maximum = 64,
     .sentence = "Bits per parameter that cross the network.",
     .source = "arXiv 2604.21428 App. E.4: bf16",
     .offset = offsetof(struct workload_config, bits_per_parameter)},
    {.path = "active_parameters",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e18,
     .sentence = "Parameters at work on one token; all of them where left out.",
     .offset = offsetof(struct workload_config, active_parameters)},
    {.path = "expert_parameters",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e18,
     .sentence = "Parameters of all experts, which cluster.parallel.expert divides.",
     .source = "none: a dense model",
     .offset = offsetof(struct workload_config, expert_parameters)},
    {.path = "experts_per_token",
     .type = PARAMETER_REAL,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e6,
     .above_minimum = true,
     .sentence = "Experts that a token is sent to.",
     .source = "ours: as Switch Transformer (arXiv 2101.03961)",
     .offset = offsetof(struct workload_config, experts_per_token)},
    {.path = "layers",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Layers; needed for tensor and expert parallelism, and to send gradients or drifts layer by "
                 "layer.",
     .offset = offsetof(struct workload_config, layers)},
    {.path = "width",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Activations of a token between layers; needed for tensor, pipeline and expert parallelism.",
     .offset = offsetof(struct workload_config, width)},
    {.path = "bits_per_activation",
     .type = PARAMETER_INTEGER,
     .fallback = "16",
     .minimum = 1,
     .maximum = 64,
     .sentence = "Bits per activation that chips send each other.",
     .source = "ours: bf16",
     .offset = offsetof(struct workload_config, bits_per_activation)},
};

const struct parameter_table workload_parameters = {"workload", rows, PARAMETER_COUNT(rows)};

int64_t workload_parts(const struct workload_config *workload)
{
    return workload->layers > 0 ? 3 * workload->layers - 1 : 1;
}

int64_t workload_parts_with_gradients(const struct workload_config *workload, int64_t layer)
{
    int64_t done = workload->layers + 2 * (workload->layers - layer + 1);
    return layer == 1 ? done - 1 : done;
}

int64_t workload_next_gradients(const struct workload_config *workload, int64_t done)
{
    int64_t first = workload->layers + 2, parts = workload_parts(workload);
    int64_t next = done < first ? first : done + 2 - (done - first) % 2;
    return next < parts ? next : parts;
}

int64_t workload_layer_with_gradients(const struct workload_config *workload, int64_t done)
{
    int64_t backward = done - workload->layers;
    if (done == workload_parts(workload))
        return 1;
    return backward > 0 && backward % 2 == 0 ? workload->layers - backward / 2 + 1 : 0;
}

struct parallel_model workload_model(const struct workload_config *workload)
{
    bool sparse = workload->active_parameters > 0;
    return (struct parallel_model){.parameters = workload->parameters,
                                   .active_parameters =
                                       sparse ? workload->active_parameters : workload->parameters,
                                   .expert_parameters = workload->expert_parameters,
                                   .experts_per_token = workload->experts_per_token,
                                   .layers = (double)workload->layers,
                                   .width = (double)workload->width,
                                   .gradient_bits = (double)workload->bits_per_parameter,
                                   .activation_bits = (double)workload->bits_per_activation};
}
