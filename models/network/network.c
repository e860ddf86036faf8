#include "models/network/network.h"

static const struct parameter rows[] = {
    {.path = "wan.bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "100 Gbit/s",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Bandwidth of each learner's link to the others, each way.",
     .source = "ours",
     .offset = offsetof(struct network_config, wan_bandwidth)},
    {.path = "wan.latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "30 ms",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "One-way latency of that link.",
     .source = "ours",
     .offset = offsetof(struct network_config, wan_latency)},
};

const struct parameter_table network_parameters = {"network", rows, PARAMETER_COUNT(rows)};
