/*
 * The linked BLAS as a whole.
 */
#ifndef MODELS_LEARNING_BLAS_H
#define MODELS_LEARNING_BLAS_H

/* Keeps matrix products on the calling thread. A library that never starts threads is left alone. Its state
 * is the process's; calling this again changes nothing. */
void blas_pin_to_one_thread(void);

#endif
