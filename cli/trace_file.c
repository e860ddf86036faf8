#include "cli/trace_file.h"

#include "cli/interrupt.h"
#include "cli/show.h"
#include "plots/place.h"
#include "studies/tracing.h"

static bool fill(const struct plan *plan, const struct place_part *part, bool *interrupted,
                 struct error *error)
{
    const struct tracing_options options = {
        .stop = interrupt_catch(), .note = show_remark, .output = part->output};
    FILE *out = fopen(part->path, "w");
    if (!out)
        return place_fail(part, error);
    bool written = tracing_write(plan, &options, out, interrupted, error);
    if (fclose(out) == 0 || !written)
        return written;
    return place_fail(part, error);
}

int trace_file_write(const struct plan *plan, const char *path)
{
    struct error error = {.kind = ERROR_NONE};
    struct place_part part;
    bool interrupted = false;
    if (!place_begin(&part, path, "trace", &error))
        return show_error(&error);
    part.stop = interrupt_catch();
    bool filled = fill(plan, &part, &interrupted, &error);
    bool placed = place_end(&part, filled, &error);
    if (!placed)
        return show_error(&error);
    if (interrupted)
        show_note("interrupted; the trace in %s ends early", path);
    return interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}
