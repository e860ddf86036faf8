/*
 * Outages by a script in place of the failure process: the linker puts these functions where
 * a run calls outages_create and its like (-Wl,--wrap), so that a test knows to the nanosecond what
 * happens, and can compute a run by hand.
 */
#ifndef TESTS_MODELS_SCRIPT_H
#define TESTS_MODELS_SCRIPT_H

#include "tests/models/fixture.h"

/* SLICE is down from second DOWN to second UP; times ascend for one slice. Tenths of a second are exact. */
struct script_line {
    int64_t slice;
    double down, up;
};

/* Runs FIXTURE with these outages and no others. */
struct run_result script_run(const struct fixture *fixture, const struct script_line *lines, size_t count);

#define SCRIPT_RUN(fixture, ...)                                                                             \
    script_run(fixture, (const struct script_line[]){__VA_ARGS__},                                           \
               sizeof((const struct script_line[]){__VA_ARGS__}) / sizeof(struct script_line))

#endif
