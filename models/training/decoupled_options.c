/*
 * The options of Decoupled DiLoCo, and what of them does not go together.
 */
#include "models/training/decoupled_internal.h"

#include <stddef.h>

static const char *const weighting_names[] = {"tokens", "equal", NULL};
static const char *const collective_names[] = {"syncer", "ring", NULL};

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Steps between two synchronisations of one fragment, H.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, inner_steps)},
    {.path = "fragments",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Fragments that the model is cut into, P, at most H.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, fragments)},
    {.path = "overlap",
     .type = PARAMETER_INTEGER,
     .fallback = "2",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Steps that a learner goes on while a fragment is merged, τ.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, overlap)},
    {.path = "quorum",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Learners that a merge needs, K; capped at those that are up.",
     .source = "arXiv 2604.21428 App. E",
     .offset = offsetof(struct decoupled_options, quorum)},
    {.path = "grace",
     .type = PARAMETER_REAL,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .sentence =
         "Share of its slack that the syncer waits for learners beyond the quorum, γ, and of τ steps that a "
         "report too late for one merge may come before the next one's quorum to count for that; 0 for "
         "none.",
     .source = "ours; arXiv 2604.21428 says only that it is below 1",
     .offset = offsetof(struct decoupled_options, grace)},
    {.path = "weighting",
     .type = PARAMETER_CHOICE,
     .choices = weighting_names,
     .fallback = "tokens",
     .sentence =
         "Weight of a learner in a merge: by the tokens it trained on since its last, and their rate, or "
         "equal; read by replays only.",
     .source = "arXiv 2604.21428 §2",
     .offset = offsetof(struct decoupled_options, weighting)},
    {.path = "collective",
     .type = PARAMETER_CHOICE,
     .choices = collective_names,
     .fallback = "syncer",
     .sentence =
         "How fragments are merged: by the syncer, to which they go and from which they come back, or in a "
         "ring all-reduce among the learners in the merge (those of a site among themselves first), by a "
         "syncer that sees metadata only.",
     .source = "ours; arXiv 2604.21428 App. E.4 counts the bytes of a ring",
     .offset = offsetof(struct decoupled_options, collective)},
    {.path = "syncer",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Name of the site that the syncer is at; where left out that with most learners, and without "
         "sites the middle of the network.",
     .offset = offsetof(struct decoupled_options, syncer)},
    {.path = "timeout",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Longest that a merge waits for a learner's fragment, once it has another's; of a ring, for "
                 "learners that are cut off. It waits for ever where left out.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, timeout)},
    {.path = "snapshot_interval",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "10 min",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Time between snapshots of the syncer; of consequence where it can be lost.",
     .source = "ours; arXiv 2604.21428 §2 does not say how often",
     .offset = offsetof(struct decoupled_options, snapshot_interval)},
    {.path = "snapshot_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "30 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Time until a snapshot is complete, at most their interval; it stops nobody.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, snapshot_time)},
    {.path = "syncer_restart",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "2 min",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Time that a lost syncer takes, once it is back, to start and to read its snapshot.",
     .source = "ours",
     .offset = offsetof(struct decoupled_options, syncer_restart)},
    STRATEGY_OUTER,
    STRATEGY_MERGE("radial-directional", "arXiv 2604.21428 App. C"),
};

const struct parameter_variant decoupled_variant = {
    .name = "decoupled-diloco",
    .sentence = "learners step on; a syncer merges fragments from a quorum and a grace window",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct decoupled_options),
};

bool decoupled_check(const void *options, const char **path, const char **reason)
{
    const struct decoupled_options *decoupled = options;
    if (decoupled->fragments > decoupled->inner_steps) {
        *path = "fragments";
        *reason = "more fragments than inner steps: each step synchronises one fragment at most";
        return false;
    }
    if (decoupled->quorum > decoupled->learner.learners) {
        *path = "quorum";
        *reason = "the quorum exceeds the learners";
        return false;
    }
    if (decoupled->snapshot_time > decoupled->snapshot_interval) {
        *path = "snapshot_time";
        *reason = "a snapshot is not complete when the next one begins (snapshot_interval)";
        return false;
    }
    return true;
}

/* Whether the syncer at SITE and all learners reach each other. */
static bool reaches_all(const struct network_config *network, int64_t learners, int64_t site)
{
    struct placement *placement = placement_create(network, learners, NULL);
    struct routes *routes = placement ? routes_create(network, placement, NULL) : NULL;
    struct endpoint syncer = endpoint_of_site(site);
    struct route route;
    bool reaches = true;
    for (int64_t i = 0; routes && i < learners; i++) {
        struct endpoint learner = endpoint_of_learner(placement, i);
        reaches &= route_find(routes, learner, syncer, &route) && route_find(routes, syncer, learner, &route);
    }
    routes_destroy(routes);
    placement_destroy(placement);
    return reaches;
}

bool decoupled_check_network(const void *options, const struct network_config *network, const char **path,
                             const char **reason)
{
    const struct decoupled_options *decoupled = options;
    if (!decoupled->syncer)
        return true;
    int64_t site = sites_find(network, decoupled->syncer);
    *path = "syncer";
    *reason = network->sites.count == 0 ? "the network has no sites"
              : site < 0                ? "no site of the network has that name"
                                        : "not all learners have a route to that site and back";
    return site >= 0 && reaches_all(network, decoupled->learner.learners, site);
}
