#include "cli/output_file.h"

#include "cli/interrupt.h"
#include "plots/place.h"

static bool fill(const struct place_part *part, const char *text, struct error *error)
{
    FILE *out = fopen(part->path, "w");
    bool written = out && fputs(text, out) >= 0;
    if (out)
        written = fclose(out) == 0 && written;
    return written || place_fail(part, error);
}

bool output_file_write(const char *path, const char *what, const char *text, struct error *error)
{
    const atomic_bool *stop = interrupt_catch();
    struct place_part part;
    if (!place_begin(&part, path, what, error))
        return false;
    part.stop = stop;
    return place_end(&part, fill(&part, text, error), error);
}
