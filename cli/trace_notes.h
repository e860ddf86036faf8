/*
 * What reading a trace met and did something about, in a line each.
 */
#ifndef CLI_TRACE_NOTES_H
#define CLI_TRACE_NOTES_H

#include "scenarios/trace.h"

void show_trace_notes(const struct trace *trace);

#endif
