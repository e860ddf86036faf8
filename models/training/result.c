#include "models/training/result.h"

const char *const run_status_names[RUN_STATUSES] = {
    [RUN_DONE] = "done",     [RUN_UNFINISHED] = "unfinished",   [RUN_STALLED] = "stalled",
    [RUN_FAILED] = "failed", [RUN_INTERRUPTED] = "interrupted",
};

const struct metric_description run_metrics[RUN_METRICS] = {
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
    [METRIC_LINK_UTILIZATION] = {"link_utilization", "1",
                                 "mean rate on the busiest link, as a share of its nominal bandwidth"},
    [METRIC_LINK_PEAK] = {"link_peak", "bit/s", "greatest rate on any link"},
    [METRIC_PAIR_TIME] = {"pair_time", "s",
                          "time of a product and its collective on one GPU, mean over the pairs"},
    [METRIC_PRODUCT_TIME] = {"product_time", "s", "time of a product alone on the GPU"},
    [METRIC_COLLECTIVE_TIME] = {"collective_time", "s", "time of a collective alone on the GPU"},
    [METRIC_TIME_RATIO] = {"time_ratio", "1", "time of all pairs over their time one kernel after another"},
    [METRIC_TIME_BOUND] = {"time_bound", "1",
                           "the least that ratio could be: the longer of both kinds alone"},
    [METRIC_TIME_RATIO_TO_BASELINE] = {"time_ratio_to_baseline", "1",
                                       "time of all pairs over that of overlap without priority and shaping"},
    [METRIC_TIME_SAVED] = {"time_saved", "1", "share of the time of that overlap which is saved"},
    [METRIC_OVERLAP_RATE] = {"overlap_rate", "1",
                             "share of the shorter of both kinds of kernels that is hidden"},
    [METRIC_OCCUPANCY] = {"occupancy", "1", "share of an SM's threads that blocks of a product have at most"},
    [METRIC_BLOCKS_PER_SM] = {"blocks_per_sm", "1", "blocks of a product on an SM, at most"},
    [METRIC_NETWORK_COST] = {"network_cost", "1",
                             "price of the bytes sent, where links have one; in the currency of the prices"},
    [METRIC_COST] =
        {"cost", "1",
         "price of all chips for the whole time, and of the bytes sent; in the currency of the prices"},
    [METRIC_COST_PER_BILLION_TOKENS] = {"cost_per_billion_tokens", "1",
                                        "that cost for every 10^9 tokens in steps that count"},
    [METRIC_TOKENS_TRAINED] = {"tokens:trained", "1",
                               "tokens: trained since the start, of strategies with a syncer; the sum of the "
                               "next three"},
    [METRIC_TOKENS_MERGED] = {"tokens:merged", "1", "tokens: merged into the syncer's model"},
    [METRIC_TOKENS_LOST] = {"tokens:lost", "1", "tokens: lost with a learner, or with the syncer"},
    [METRIC_TOKENS_PENDING] = {"tokens:pending", "1", "tokens: not merged yet"},
    [METRIC_ENERGY] = {"energy", "kWh", "energy of all chips, where their power is known"},
    [METRIC_ENERGY_OF + BUDGET_USEFUL] = {"energy:useful", "kWh", "energy: in steps that count"},
    [METRIC_ENERGY_OF + BUDGET_STRAGGLER_WAIT] = {"energy:straggler_wait", "kWh",
                                                  "energy: waiting for the slowest chip of a step"},
    [METRIC_ENERGY_OF + BUDGET_COMMUNICATION_WAIT] = {"energy:communication_wait", "kWh",
                                                      "energy: waiting for bytes under way"},
    [METRIC_ENERGY_OF +
        BUDGET_QUORUM_WAIT] = {"energy:quorum_wait", "kWh", "energy: waiting for other learners"},
    [METRIC_ENERGY_OF + BUDGET_DATA_WAIT] = {"energy:data_wait", "kWh", "energy: waiting for data"},
    [METRIC_ENERGY_OF + BUDGET_DETECTION] = {"energy:detection", "kWh",
                                             "energy: standing still before a failure is found out"},
    [METRIC_ENERGY_OF +
        BUDGET_CHECKPOINT_SAVE] = {"energy:checkpoint_save", "kWh", "energy: writing checkpoints"},
    [METRIC_ENERGY_OF +
        BUDGET_RESTORE] = {"energy:restore", "kWh", "energy: loading checkpoints or states of peers"},
    [METRIC_ENERGY_OF + BUDGET_RESTART] = {"energy:restart", "kWh", "energy: restarting"},
    [METRIC_ENERGY_OF +
        BUDGET_RECONFIGURATION] = {"energy:reconfiguration", "kWh", "energy: down- and upscaling"},
    [METRIC_ENERGY_OF +
        BUDGET_REPAIR_WAIT] = {"energy:repair_wait", "kWh", "energy: healthy chips waiting for failed ones"},
    [METRIC_ENERGY_OF + BUDGET_REDONE] = {"energy:redone", "kWh", "energy: in steps that were thrown away"},
    [METRIC_ENERGY_OF + BUDGET_DOWN] = {"energy:down", "kWh", "energy: failed slices"},
    [METRIC_ENERGY_OF +
        BUDGET_IDLE_SPARE] = {"energy:idle_spare", "kWh", "energy: chips that no learner holds"},
    [METRIC_ENERGY_OF + BUDGET_AWAY] = {"energy:away", "kWh", "energy: chips that are gone, none"},
};
