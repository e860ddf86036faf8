/*
 * Columns are those that `trainstorm export --chaos` writes; what became of a fault is not part of the
 * schedule, but that it was spared is.
 */
#include "scenarios/files.h"

static const struct files_column columns[] = {
    {"at_ns", "at", " ns"},
    {"cause", "cause", ""},
    {"kind", "kind", ""},
    {"domain", "domain", ""},
    {"unit", "unit", ""},
    {"for_ns", "for", " ns"},
    {"detection_ns", "detection", " ns"},
    {"notice_ns", "notice", " ns"},
    {"factor", "factor", ""},
    {"spared", "spared", ""},
    {"outcome", NULL, ""},
};

void files_read_chaos(struct loader *loader, const struct source *source, struct node *schedule)
{
    static const struct files_table table = {"faults", columns, sizeof columns / sizeof *columns};
    files_read_table(loader, source, &table, schedule);
}
