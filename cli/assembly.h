/*
 * The processes that mpirun started come together before the first run, so that what there is to say until
 * then is said once, and all of them end alike: of several, one that has read its arguments and scenario
 * while another could not has nothing to wait for.
 *
 * What a process tells on standard error is held back until they meet. Then the first of those whose status
 * is the gravest says it, and the others, which have the same to say as a rule, say nothing. Without mpirun,
 * or without MPI in the build, nothing is held back.
 */
#ifndef CLI_ASSEMBLY_H
#define CLI_ASSEMBLY_H

#include <stdbool.h>

/* Holds back what this process has to tell, and meets the others when it exits, unless they have met. To be
 * called when standard error is what it stays. False when out of memory. */
bool assembly_begin(void);

/* Meets the others, each with its own *STATUS, which becomes the gravest of them. Returns the channel to
 * them, which the caller closes. NULL: MPI failed, which is told, and *STATUS is to end with. */
struct channel *assembly_meet(int *status);

/* The same where there is nothing else to be done together; without others it is STATUS. */
int assembly_part(int status);

#endif
