/*
 * What a reader is told of a field, in the reference page and to editors alike.
 */
#ifndef SCENARIOS_DESCRIBE_H
#define SCENARIOS_DESCRIBE_H

#include "scenarios/fields.h"
#include "scenarios/units.h"
#include "scenarios/writer.h"

/* What may stand there, in words: "whole number, at least 1", "time, at least 0 s", "one of a, b". */
void describe_value(const struct units *units, const struct field *field, struct writer *writer);

/* The first word below PREFIX of the path of field INDEX, its length in *LENGTH; NULL unless the field is
 * below PREFIX and the first of the scope to have this word. */
const char *describe_segment(const struct scope *scope, size_t index, const char *prefix, size_t *length);

#endif
