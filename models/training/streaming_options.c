/*
 * The options of Streaming DiLoCo, and what of them does not go together.
 */
#include "models/training/streaming_internal.h"

#include <stddef.h>

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Steps between two synchronisations of one fragment, H.",
     .source = "arXiv 2501.18512",
     .offset = offsetof(struct streaming_options, inner_steps)},
    {.path = "fragments",
     .type = PARAMETER_INTEGER,
     .fallback = "8",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Fragments that the model is cut into, P, at most H.",
     .source = "arXiv 2501.18512: 3 layers of 24 each",
     .offset = offsetof(struct streaming_options, fragments)},
    {.path = "overlap",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e6,
     .sentence = "Steps that learners go on while a fragment is synchronised, τ.",
     .source = "arXiv 2501.18512",
     .offset = offsetof(struct streaming_options, overlap)},
    {.path = "blend",
     .type = PARAMETER_REAL,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of its own parameters that a learner keeps when it takes a fragment in, α; read by "
                 "replays only.",
     .source = "arXiv 2501.18512: 0 or 0.5",
     .offset = offsetof(struct learner_options, rule.blend)},
    STRATEGY_COLLECTIVE(struct streaming_options),
    STRATEGY_RELEASE(struct streaming_options),
    STRATEGY_OUTER,
    STRATEGY_MERGE("mean", "arXiv 2501.18512"),
};

const struct parameter_variant streaming_variant = {
    .name = "streaming-diloco",
    .sentence = "DiLoCo by fragments: each is all-reduced while learners step on",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct streaming_options),
};

bool streaming_check(const void *options, const char **path, const char **reason)
{
    const struct streaming_options *streaming = options;
    if (streaming->fragments > streaming->inner_steps) {
        *path = "fragments";
        *reason = "more fragments than inner steps: each step synchronises one fragment at most";
        return false;
    }
    if (streaming->overlap >= streaming->inner_steps) {
        *path = "overlap";
        *reason =
            "the overlap must be shorter than the inner steps, or a fragment would be sent again under way";
        return false;
    }
    return true;
}

double streaming_reductions(const void *options, const struct workload_config *workload)
{
    const struct streaming_options *streaming = options;
    return (double)strategy_released_layers(streaming->release, workload) / (double)streaming->inner_steps;
}
