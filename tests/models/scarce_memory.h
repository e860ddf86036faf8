/*
 * Memory that runs out where a test says: the linker puts the functions of scarce_memory.c in place of malloc
 * and its like (scarce_memory_flags in local.mk).
 */
#ifndef TESTS_MODELS_SCARCE_MEMORY_H
#define TESTS_MODELS_SCARCE_MEMORY_H

/* Allocations that succeed before one fails; negative: none fails. After the failure it is negative. */
extern long scarce_memory_left;

#endif
