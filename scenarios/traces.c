/*
 * A trace may have a million rows: the scenario keeps its place and its digest, not its text.
 */
#include "scenarios/traces.h"

#include "scenarios/trace.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void refuse(struct loader *loader, const struct reading *root, const char *path, const char *reason)
{
    faults_add(&loader->faults, loader_place(root, path), "%s: %s", path, reason);
}

/* The file's whole path, kept in the scenario's memory; NULL with a fault. */
static char *find_file(struct loader *loader, const struct reading *root, const char *scenario,
                       const char *file)
{
    const char *slash = *file == '/' ? NULL : strrchr(scenario, '/');
    int folder = slash ? (int)(slash + 1 - scenario) : 0;
    const char *path = memory_format(loader->scratch, "%.*s%s", folder, scenario, file);
    char *whole = path ? realpath(path, NULL) : NULL;
    char *kept = whole ? memory_copy(loader->memory, whole, strlen(whole)) : NULL;
    struct stat status;
    if (path && !whole)
        faults_add(&loader->faults, loader_place(root, "failures.trace"), "failures.trace: %s: %m", path);
    else if (kept && (stat(kept, &status) != 0 || !S_ISREG(status.st_mode)))
        faults_add(&loader->faults, loader_place(root, "failures.trace"),
                   "failures.trace: %s: not a regular file", path);
    free(whole);
    return loader->faults.count ? NULL : kept;
}

static bool check_digest(struct loader *loader, const struct reading *root, struct playback_config *config)
{
    char digest[SHA256_DIGEST_STRING_LENGTH];
    if (!SHA256File(config->file, digest)) {
        faults_add(&loader->faults, loader_place(root, "failures.trace"), "failures.trace: %s: %m",
                   config->file);
        return false;
    }
    if (config->digest && strcmp(config->digest, digest) != 0) {
        faults_add(&loader->faults, loader_place(root, "failures.trace_digest"),
                   "failures.trace_digest: the file %s is another now, with %s", config->file, digest);
        return false;
    }
    config->digest = memory_copy(loader->memory, digest, strlen(digest));
    return config->digest != NULL;
}

static int32_t find_kind(const char **kinds, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(kinds[i], name) == 0)
            return (int32_t)i;
    kinds[*count] = name;
    return (int32_t)(*count)++;
}

static int compare_outages(const void *a, const void *b)
{
    const struct playback_outage *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* ROW is more of the same as the last of COUNT outages of its unit and kind, which then lasts as long. */
static bool extends(struct playback_outage *outages, size_t first, size_t count, const struct trace_row *row,
                    int32_t kind)
{
    while (count > first && outages[count - 1].kind != kind)
        count--;
    if (count == first || outages[count - 1].until < row->from)
        return false;
    if (outages[count - 1].until < row->until)
        outages[count - 1].until = row->until;
    return true;
}

/* As it is wanted: outages by time, units and kinds as numbers; outages of a unit that touch or overlap are
 * one. */
static bool convert(struct scenario_memory *memory, const struct trace *trace, struct playback_trace *played)
{
    struct playback_outage *outages = memory_take(memory, trace->row_count, sizeof *outages);
    const char **kinds = memory_take(memory, trace->row_count, sizeof *kinds);
    if (!outages || !kinds)
        return false;
    *played = (struct playback_trace){
        .outages = outages, .units = (int64_t)trace->unit_count, .length = trace->end, .kinds = kinds};
    for (size_t i = 0; i < trace->unit_count; i++) {
        const struct trace_unit *unit = &trace->units[i];
        size_t first = played->count;
        for (size_t k = unit->window_count; k < unit->count; k++) {
            const struct trace_row *row = &trace->rows[unit->first + k];
            int32_t kind = find_kind(kinds, &played->kind_count, row->kind);
            if (!extends(outages, first, played->count, row, kind))
                outages[played->count++] = (struct playback_outage){row->from, row->until, (int64_t)i, kind};
        }
    }
    qsort(outages, played->count, sizeof *outages, compare_outages);
    return true;
}

bool traces_read(struct loader *loader, const struct reading *root, const char *name,
                 struct scenario *scenario)
{
    struct playback_config *config = &scenario->simulation.trace;
    struct trace trace;
    struct error error = {.kind = ERROR_NONE};
    if (!config->file || loader->faults.count)
        return true;
    config->file = find_file(loader, root, name, config->file);
    if (!config->file || !check_digest(loader, root, config))
        return !memory_failed(loader->memory) && !memory_failed(loader->scratch);
    if (!trace_read(&trace, config->file, loader->memory, &error))
        refuse(loader, root, "failures.trace", error.message);
    else if (!convert(loader->memory, &trace, &config->trace))
        return false;
    else if (config->offset >= config->trace.length)
        refuse(loader, root, "failures.trace_offset", "the trace is over by then");
    return true;
}
