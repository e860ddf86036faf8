/*
 * The pool of threads that OpenBLAS starts as it is loaded, before main. This program runs its own threads,
 * and each replay calls OpenBLAS from one (models/learning/blas.h): the pool is never used.
 */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stddef.h>

/* Where the address space is limited (ulimit -v), begins the program anew without the pool: its threads ask
 * for 128 MB each, ask again without end where there is no room, and the program's end waits for them. To be
 * called before anything else; returns where all is well, or nothing can be done. */
void pool_leave_out(char **argv);

/* How many of WORKERS wanted may replay at a time: an OpenBLAS that was built without threads (Debian's
 * libopenblas0-serial) gives wrong products to callers side by side, and so one. */
size_t pool_replays(size_t workers);

#endif
