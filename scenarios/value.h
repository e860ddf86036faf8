/*
 * One value of a field: from what a scenario writes to what lands in a struct, and back.
 */
#ifndef SCENARIOS_VALUE_H
#define SCENARIOS_VALUE_H

#include "models/parameter.h"
#include "scenarios/document.h"
#include "scenarios/memory.h"
#include "scenarios/units.h"
#include "scenarios/writer.h"
#include "sim/clock.h"

/* Room for a value of any type. */
union value {
    double real;
    int64_t integer;
    sim_time time;
    bool boolean;
    char *text;
    struct sim_values list;
};

struct value_fault {
    char message[500];
    const struct node *node; /* the one at fault: the value, or an item of its list */
};

/* Reads NODE as ROW says into TARGET (of the type of ROW) and checks its bounds. Texts and lists are kept
 * in MEMORY. False with FAULT. */
bool value_read(const struct units *units, struct scenario_memory *memory, const struct parameter *row,
                const struct node *node, void *target, struct value_fault *fault);

/* As if TEXT stood in a scenario, without quotes. */
bool value_read_text(const struct units *units, struct scenario_memory *memory, const struct parameter *row,
                     const char *text, void *target, struct value_fault *fault);

/* Marks TARGET as left out, and tells whether it is. */
void value_unset(const struct parameter *row, void *target);
bool value_is_unset(const struct parameter *row, const void *target);

/* Writes what TARGET holds, as a scenario would write it: canonical, and read back as the same value. */
void value_write(const struct units *units, const struct parameter *row, const void *target,
                 struct writer *writer);

/* A text as YAML: plain where that is safe, else in double quotes. */
void value_write_text(const char *text, struct writer *writer);

/* "at least 1", "above 0 and at most 1": what ROW's bounds allow; "" where they allow everything. */
enum { VALUE_RANGE_BYTES = 160 };
const char *value_range(const struct units *units, const struct parameter *row, char text[VALUE_RANGE_BYTES]);

/* Adds the choices of ROW to WRITER, with commas between them. */
void value_write_choices(const struct parameter *row, struct writer *writer);

#endif
