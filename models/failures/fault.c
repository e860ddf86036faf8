#include "models/failures/fault.h"

const char *const fault_kind_names[FAULT_KINDS + 1] = {
    [FAULT_STOP] = "stop",
    [FAULT_HANG] = "hang",
    [FAULT_SLOW] = "slow",
    [FAULT_CORRUPTION] = "corruption",
    [FAULT_PREEMPTION] = "preemption",
    [FAULT_MAINTENANCE] = "maintenance",
    [FAULT_STALL] = "stall",
    [FAULT_LOSS] = "loss",
    [FAULT_THROTTLE] = "throttle",
    [FAULT_PARTITION] = "partition",
};

const char *const fault_domain_names[FAULT_DOMAINS + 1] = {
    [FAULT_OF_CHIP] = "chip", [FAULT_OF_HOST] = "host",     [FAULT_OF_SLICE] = "slice",
    [FAULT_OF_RACK] = "rack", [FAULT_OF_SITE] = "site",     [FAULT_OF_CLUSTER] = "cluster",
    [FAULT_OF_LINK] = "link", [FAULT_OF_SYNCER] = "syncer",
};
