/*
 * A scenario: what to simulate, loaded from YAML, checked and resolved. Whatever is wrong is found here,
 * before a simulation starts, and reported with file, line, column, the line itself and a caret.
 *
 * Loading parses units, and the units library has static state: load in one thread, then share the
 * results, which are read only.
 */
#ifndef SCENARIOS_SCENARIO_H
#define SCENARIOS_SCENARIO_H

#include "models/learning/config.h"
#include "models/training/simulation.h"
#include "scenarios/axis.h"
#include "sim/error.h"

/* The bytes of a scenario file, so that many points of a sweep are resolved from one reading. */
struct scenario_text {
    char *name; /* as messages call it: the path as given */
    char *bytes;
    size_t length;
};

/* Reads PATH. False: missing, unreadable or larger than a MiB (ERROR_INPUT). */
bool scenario_text_read(const char *path, struct scenario_text *text, struct error *error);
void scenario_text_free(struct scenario_text *text);

/* PATH=VALUE laid over the file, VALUE being YAML: "cluster.chips" = "1200000". An element of a list is named
 * by its name or its index: "strategies.decoupled.quorum", "strategies.0.quorum"; all of them by "*":
 * "network.sites.*.uplink". */
struct scenario_override {
    const char *path;
    const char *value;
    const char *origin; /* who asks, for messages: "--set", "--axis", "sweep" */
};

/* What a metric should come to: "goodput>=0.9". */
struct scenario_target {
    char *metric;
    bool at_least; /* else at most */
    double value;  /* in the metric's unit, as results have it */
};

/* Where the value of a field is looked for that meets a target. Values are in SI units, times in seconds. */
struct scenario_search {
    char *path;
    enum parameter_type type; /* PARAMETER_REAL, _INTEGER or _TIME */
    enum parameter_dimension dimension;
    double low, high;
    int64_t points;   /* of a grid from low to high; 0: all values between them count */
    bool logarithmic; /* the grid's steps */
};

/* An entry of "expect". */
struct scenario_expectation {
    char *strategy;
    char *against; /* another strategy, or the reference of a scenario that learns; NULL: none */
    char *metric;
    struct scenario_point
        at; /* the sweep point it speaks of; no settings: the point {} or, in a sweep, every point */
    /* in the metric's unit, as results have it; with AGAINST, of the difference as a share of that strategy's
     * mean */
    double value;               /* NAN: a bound only */
    double tolerance, relative; /* how far the mean may be from VALUE; NAN: not given */
    double confidence;          /* that the interval decides, and at which confidence; NAN: the mean does */
    double minimum, maximum;    /* "min", "max"; NAN: no bound */
    char *source;               /* NULL: none */
    /* Of one about the value of a field that meets a target: the figures above are of that field, in SI
     * units, and METRIC is its path. */
    char *solve; /* the path; NULL: the expectation is about a metric, and what follows is empty */
    char *until, *grid, *range; /* as they were written; GRID, RANGE NULL: not given */
    struct scenario_target target;
    struct scenario_search search;
};

/* The strategy that a scenario with learning is given beside its own: data-parallel without failures, what
 * progress is measured against. */
#define SCENARIO_REFERENCE "reference"

struct scenario {
    char *name;
    char *description; /* NULL: none */
    char *notes;       /* NULL: none */
    uint64_t seed;
    int64_t replications;
    struct simulation_config simulation;
    struct learning_config learning;
    struct strategy_config *strategies;
    size_t strategy_count;
    struct scenario_axis *axes; /* "sweep", in the file's order */
    size_t axis_count;
    char **conditions; /* "where" of it: points that one of them is not true of are left out */
    size_t condition_count;
    struct scenario_expectation *expectations;
    size_t expectation_count;
    struct scenario_memory *memory; /* owns everything above */
};

/* Loads and checks TEXT with OVERRIDES laid over it, in their order. NULL with ERROR_INPUT and the
 * place of the fault, several faults one under another. The caller destroys it. */
struct scenario *scenario_create(const struct scenario_text *text, const struct scenario_override *overrides,
                                 size_t override_count, struct error *error);
void scenario_destroy(struct scenario *scenario);

/* A condition on a scenario's numbers: see scenarios/condition.h. */
struct scenario_condition {
    const char *text;
    const char *origin; /* who asks, for messages: "--where", "sweep: where" */
};

/* Whether all COUNT conditions are true (*ADMITTED) of TEXT with OVERRIDES laid over it, be the rest of it
 * right or not. False with ERROR_INPUT: one can't be decided. */
bool scenario_admits(const struct scenario_text *text, const struct scenario_override *overrides,
                     size_t override_count, const struct scenario_condition *conditions, size_t count,
                     bool *admitted, struct error *error);

/* The resolved scenario as YAML, every default and unit spelled out, what has no value left out; it loads
 * again to the same text. The caller frees it. NULL when out of memory. */
char *scenario_print(const struct scenario *scenario);

/* SHA-256 of TEXT as 64 hexadecimal digits and a zero. */
void scenario_digest(const char *text, char digest[65]);

/* Whether something is learned, if only at some points of its sweep. */
bool scenario_learns(const struct scenario *scenario);

/* The strategy called NAME, or NULL. */
const struct strategy_config *scenario_strategy(const struct scenario *scenario, const char *name);

/* From the same field table: the JSON Schema for editors, and the reference page in Markdown. The caller
 * frees. */
char *scenario_schema(void);
char *scenario_reference(void);

#endif
