/*
 * Ctrl-C, or a job's system that ends it: the first asks the workers to stop, the second kills the program.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdatomic.h>

/* Catches SIGINT, SIGTERM and SIGHUP once from now on. The flag becomes true with it. */
const atomic_bool *interrupt_catch(void);

#endif
