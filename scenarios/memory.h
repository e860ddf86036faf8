/*
 * The memory of one scenario: everything taken from it lives until all of it is given back at once.
 * A scenario is thousands of small things of one lifetime, and an error path frees nothing by hand.
 */
#ifndef SCENARIOS_MEMORY_H
#define SCENARIOS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct scenario_memory;

struct scenario_memory *memory_create(void); /* NULL when out of memory */
void memory_destroy(struct scenario_memory *memory);

/* COUNT objects of SIZE bytes, zeroed, aligned for any type. NULL when out of memory, which
 * memory_failed remembers. */
void *memory_take(struct scenario_memory *memory, size_t count, size_t size);

/* LENGTH bytes of TEXT and a zero. */
char *memory_copy(struct scenario_memory *memory, const char *text, size_t length);

/* A text by printf's format. */
char *memory_format(struct scenario_memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

/* True once something could not be had, here or, as memory_fail was told, elsewhere. */
bool memory_failed(const struct scenario_memory *memory);
void memory_fail(struct scenario_memory *memory);

#endif
