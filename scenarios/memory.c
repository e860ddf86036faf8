/*
 * Blocks in a list; the newest is filled from its start. What is larger than a block gets its own.
 */
#include "scenarios/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 4096 };

struct block {
    struct block *next;
    size_t used, size;
    max_align_t bytes[];
};

struct scenario_memory {
    struct block *newest;
    bool failed;
};

struct scenario_memory *memory_create(void)
{
    return calloc(1, sizeof(struct scenario_memory));
}

void memory_destroy(struct scenario_memory *memory)
{
    if (!memory)
        return;
    while (memory->newest) {
        struct block *block = memory->newest;
        memory->newest = block->next;
        free(block);
    }
    free(memory);
}

static bool add_block(struct scenario_memory *memory, size_t size)
{
    size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct block *block = calloc(1, sizeof *block + bytes);
    if (!block)
        return false;
    block->size = bytes;
    block->next = memory->newest;
    memory->newest = block;
    return true;
}

void *memory_take(struct scenario_memory *memory, size_t count, size_t size)
{
    const size_t grain = sizeof(max_align_t);
    if (size && count > (SIZE_MAX / 2) / size) {
        memory->failed = true;
        return NULL;
    }
    size_t bytes = (count * size + grain - 1) / grain * grain;
    struct block *block = memory->newest;
    if ((!block || block->size - block->used < bytes) && !add_block(memory, bytes)) {
        memory->failed = true;
        return NULL;
    }
    block = memory->newest;
    void *taken = (char *)block->bytes + block->used;
    block->used += bytes;
    return taken;
}

char *memory_copy(struct scenario_memory *memory, const char *text, size_t length)
{
    char *copy = memory_take(memory, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *memory_format(struct scenario_memory *memory, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = memory_take(memory, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, arguments);
    va_end(arguments);
    return text;
}

bool memory_failed(const struct scenario_memory *memory)
{
    return memory->failed;
}

void memory_fail(struct scenario_memory *memory)
{
    memory->failed = true;
}
