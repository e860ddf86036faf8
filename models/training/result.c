#include "models/training/result.h"

const char *const run_status_names[RUN_STATUSES] = {
    [RUN_DONE] = "done",     [RUN_UNFINISHED] = "unfinished",   [RUN_STALLED] = "stalled",
    [RUN_FAILED] = "failed", [RUN_INTERRUPTED] = "interrupted",
};

const struct run_metric_description run_metrics[RUN_METRICS] = {
    [METRIC_GOODPUT] = {"goodput", "1", "share of the allocated chip time spent in steps that count"},
    [METRIC_UPTIME] = {"uptime", "1", "share of the time in which some learner is stepping"},
    [METRIC_COMPUTE_UTILIZATION] = {"compute_utilization", "1",
                                    "useful time over useful time and exposed communication"},
    [METRIC_STEPS] = {"steps", "1", "steps that count, averaged over learners by their chips"},
    [METRIC_TOKENS] = {"tokens", "1", "tokens in steps that count"},
    [METRIC_STEPS_LOST] = {"steps_lost", "1", "steps thrown away, averaged likewise"},
    [METRIC_MERGES] = {"merges", "1", "outer synchronisations, merged fragments or gossip exchanges"},
    [METRIC_FAILURES] = {"failures", "1", "slices taken down by a failing chip"},
    [METRIC_MTBF] = {"mtbf", "s", "time between failures seen by the cluster"},
    [METRIC_RECONFIGURATIONS] = {"reconfigurations", "1", "down- and upscalings of all learners"},
    [METRIC_RESTARTS] = {"restarts", "1", "restarts of all learners"},
    [METRIC_LEARNERS_UP] = {"learners_up", "1", "learners with a slice present, mean over time"},
    [METRIC_WAN_BYTES] = {"wan_bytes", "B", "bytes sent by learners, and to them by the syncer"},
};
