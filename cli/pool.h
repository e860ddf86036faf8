/*
 * The pool of threads that OpenBLAS starts as it is loaded, before main. This program runs its own threads,
 * and each replay calls OpenBLAS from one (models/learning/blas.h): the pool is never used.
 */
#ifndef CLI_POOL_H
#define CLI_POOL_H

/* Where the address space is limited (ulimit -v), begins the program anew without the pool: its threads ask
 * for 128 MB each, ask again without end where there is no room, and the program's end waits for them. To be
 * called before anything else; returns where all is well, or nothing can be done. */
void pool_leave_out(char **argv);

#endif
