/*
 * Networks of sites by hand, with what scenarios fill in by default.
 */
#ifndef TESTS_SITES_FIXTURE_H
#define TESTS_SITES_FIXTURE_H

#include "models/network/route.h"

/* Everything left out, but what is named: a later initialiser overrides an earlier one. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define SITE(NAME, ...)                                                                                      \
    {                                                                                                        \
        .name = (char[]){NAME}, .learners = PARAMETER_UNSET, .share = NAN, .uplink = NAN, .downlink = NAN,   \
        .inner_bandwidth = NAN, __VA_ARGS__                                                                  \
    }
#define LINK(FROM, TO, ...)                                                                                  \
    {                                                                                                        \
        .from = (char[]){FROM}, .to = (char[]){TO}, .bandwidth = NAN, __VA_ARGS__                            \
    }
#define PROFILE(NAME, ...)                                                                                   \
    {                                                                                                        \
        .name = (char[]){NAME}, .schedule_every = PARAMETER_UNSET, .daily_lowest = NAN,                      \
        .random_factor.law = PARAMETER_UNSET, .random_lasting.law = PARAMETER_UNSET,                         \
        .outage_after.law = PARAMETER_UNSET, .outage_lasting.law = PARAMETER_UNSET, __VA_ARGS__              \
    }
#define NETWORK(...)                                                                                         \
    {                                                                                                        \
        .wan_bandwidth = NAN, .wan_latency = PARAMETER_UNSET, .connections = 1, .between.bandwidth = NAN,    \
        .between.latency = PARAMETER_UNSET, __VA_ARGS__                                                      \
    }
#define ITEMS(array)                                                                                         \
    {                                                                                                        \
        array, sizeof(array) / sizeof *(array)                                                               \
    }

#endif
