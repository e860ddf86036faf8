/*
 * What is wrong with a scenario: faults are collected while it is read, so that a user sees them all,
 * and become one error message in the end.
 */
#ifndef SCENARIOS_FAULTS_H
#define SCENARIOS_FAULTS_H

#include "scenarios/memory.h"
#include "scenarios/source.h"
#include "sim/error.h"

enum { FAULTS_SHOWN = 10 }; /* the others are counted */

struct found_fault {
    struct place place;
    const char *message;
};

struct faults {
    struct scenario_memory *memory; /* holds the messages */
    struct found_fault shown[FAULTS_SHOWN];
    size_t count; /* of all */
};

/* Adds a fault, unless it is there already. */
void faults_add(struct faults *faults, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts all faults, in the order of their places, into ERROR as ERROR_INPUT. Call it when there are any. */
void faults_report(struct faults *faults, struct error *error);

/* TEXT for use in a message: in quotes, shortened, on one line. Returns BUFFER. */
enum { FAULTS_QUOTED = 64 };
const char *faults_quote(char buffer[FAULTS_QUOTED], const char *text);

#endif
