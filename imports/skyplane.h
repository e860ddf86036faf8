/*
 * Measured networks between cloud regions, in the tables of Skyplane (Jain et al., NSDI '23; Apache-2.0), as
 * the section "network" of a scenario.
 *
 *   THROUGHPUT  src_region, src_tier, dst_region, dst_tier, received_bps   repeated pairs are averaged
 *   LATENCY     src_region, src_tier, dst_region, dst_tier, avg_rtt_ms     halved: one way
 *   COSTS       src, dst, cost: dollars per GB between regions of AWS, or from one to "internet"
 *
 * A region becomes a site; a measured direction becomes a link of one way, and a region measured against
 * itself an inner bandwidth. Where a direction has no latency it takes that of the other. A direction without
 * throughput, or without any latency, is missing: it gets no link.
 */
#ifndef IMPORTS_SKYPLANE_H
#define IMPORTS_SKYPLANE_H

#include "scenarios/writer.h"
#include "sim/error.h"

struct skyplane_request {
    const char *throughput, *latency; /* paths */
    const char *costs;                /* path; NULL: no prices */
    const char *const *regions;       /* names, or patterns with * and ?; a site for each that fits */
    size_t region_count;              /* 0: all with a throughput */
    const char *tier; /* "PREMIUM": of those regions that have it; others take what they have */
};

struct skyplane_summary {
    size_t sites, links;
    size_t averaged;      /* directions with several measurements */
    size_t missing;       /* directions without a link */
    size_t without_price; /* links, where COSTS is given */
};

/* Writes the section to TEXT, with comments on where it comes from and what is missing. False with ERROR: a
 * file, a line and column, or a region or tier that there is none of. */
bool skyplane_import(const struct skyplane_request *request, struct writer *text,
                     struct skyplane_summary *summary, struct error *error);

#endif
