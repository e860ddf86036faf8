/*
 * Nothing is said of a trace that is in order.
 */
#include "cli/trace_notes.h"

#include "cli/show.h"

void show_trace_notes(const struct trace *trace)
{
    if (trace->duplicates)
        show_note("%zu records are there twice; each counts once", trace->duplicates);
    if (trace->disordered)
        show_note("%zu records stood before an earlier one of their unit; they were sorted",
                  trace->disordered);
    if (trace->overlapping)
        show_note("%zu outages began while their unit was down; it is down until the last of them ends",
                  trace->overlapping);
}
