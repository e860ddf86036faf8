/*
 * Ctrl-C, or a job's system that ends it: the first asks the workers to stop, one that comes half a second
 * later or more kills the program.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdatomic.h>

/* Catches SIGINT, SIGTERM and SIGHUP from now on, but for those that are ignored. The flag becomes true with
 * the first. */
const atomic_bool *interrupt_catch(void);

#endif
