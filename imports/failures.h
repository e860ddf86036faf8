/*
 * Logs of failures that others measured, as traces (scenarios/trace.h), whose beginning is the first time
 * in the log. A record whose end lies before its beginning, or that is no record, is refused at its place;
 * the rest is what trace_arrange makes of it.
 */
#ifndef IMPORTS_FAILURES_H
#define IMPORTS_FAILURES_H

#include "scenarios/trace.h"

/* What an import met and did something about, beside what the trace itself counts. */
struct failures_summary {
    int64_t begin; /* of the trace, in seconds from 1970; 0 where the log has no dates */
    bool dated;
    size_t unnamed;      /* records without a node: taken as those of the whole system */
    size_t beyond;       /* records of a node whose number is beyond the system's count: kept */
    size_t never_failed; /* units that have no record, and are in the trace as observed alone */
};

/* The node outages of Los Alamos National Laboratory, 1996-2005 (LA-UR-05-7318; Schroeder and Gibson, DSN
 * '06): columns system, nodes, node, start, fixed, category. A unit is SYSTEM-NODE; it was observed from the
 * first record of its system to the last. The nodes 0 … nodes − 1 that never failed are in the trace where
 * all that failed are among them. SYSTEM: "20"; NULL for all. */
bool lanl_import(struct trace *trace, const char *path, const char *system, struct failures_summary *summary,
                 struct error *error);

/* Spot instances in the form of Bamboo (Thorpe et al., NSDI '23): milliseconds, add or remove, node; no
 * heading. An instance is installed when it is added and down for ever ("preemption") when it is removed; one
 * that is added again is a new unit, NODE/2 and so on. */
bool spot_import(struct trace *trace, const char *path, struct failures_summary *summary,
                 struct error *error);

/* Any table with a column of units, one of beginnings, one of ends (empty: never) and, if COLUMNS has a
 * fourth, one of kinds (else "failure"). COLUMNS: their names, NULL at the end. Times are dates
 * (imports/date.h) or numbers of UNIT seconds. */
bool table_import(struct trace *trace, const char *path, const char *const *columns, double unit,
                  struct failures_summary *summary, struct error *error);

#endif
