#include "models/failures/chaos_select.h"

#include "models/network/sites.h"
#include <stdlib.h>
#include <string.h>

bool chaos_next_name(const char **rest, char name[CHAOS_NAME])
{
    if (!*rest)
        return false;
    size_t length = strcspn(*rest, ",");
    const char *begin = *rest, *end = *rest + length;
    *rest = *end ? end + 1 : NULL;
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    length = (size_t)(end - begin);
    if (length >= CHAOS_NAME)
        length = CHAOS_NAME - 1;
    memcpy(name, begin, length);
    name[length] = '\0';
    return true;
}

int64_t chaos_find(const struct network_config *network, enum fault_domain domain, const char *name)
{
    return domain == FAULT_OF_SITE ? sites_find(network, name) : chaos_find_link(network, name);
}

/* The first unit of DOMAIN that begins at SLICE or later. Units are in the order of slices. */
static int64_t first_unit_from(const struct chaos_ground *ground, enum fault_domain domain, int64_t slice)
{
    int64_t low = 0, high = ground->units[domain];
    while (low < high) {
        int64_t middle = low + (high - low) / 2, first, end;
        ground->slices_of(ground->context, domain, middle, &first, &end);
        if (first < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct chaos_run chaos_population(const struct chaos_ground *ground, const struct chaos_entry *entry)
{
    enum fault_domain domain = chaos_target(entry);
    struct chaos_run all = {0, ground->units[domain]};
    int64_t first, end, reach;
    if (!entry->within || all.count == 0)
        return all;
    ground->slices_of(ground->context, FAULT_OF_SITE, sites_find(ground->network, entry->within), &first,
                      &end);
    int64_t from = first_unit_from(ground, domain, first), next = first_unit_from(ground, domain, end);
    /* One that reaches over the site's end is of both sites, and counts as of neither. */
    if (next > from) {
        ground->slices_of(ground->context, domain, next - 1, &first, &reach);
        next -= reach > end;
    }
    return (struct chaos_run){from, next - from};
}

static int compare_units(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t sort_and_unite(int64_t *units, int64_t count)
{
    int64_t kept = 0;
    qsort(units, (size_t)count, sizeof *units, compare_units);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || units[i] != units[kept - 1])
            units[kept++] = units[i];
    return kept;
}

/* COUNT of FROM without order: one after another is compared with what is still wanted of what is still
 * there (Fan, Muller and Rezucha's selection sampling) where many are taken; few are drawn until they are
 * different. */
static void sample(struct chaos_run from, int64_t count, struct sim_stream *stream, int64_t *units)
{
    int64_t taken = 0;
    if (count > from.count / 16)
        for (int64_t i = 0; taken < count; i++) {
            uint64_t left = (uint64_t)(from.count - i);
            if (sim_stream_below(stream, left) < (uint64_t)(count - taken))
                units[taken++] = from.first + i;
        }
    while (taken < count) {
        units[taken++] = from.first + (int64_t)sim_stream_below(stream, (uint64_t)from.count);
        if (taken == count)
            taken = sort_and_unite(units, taken);
    }
}

static int64_t select_random(const struct chaos_ground *ground, const struct chaos_entry *entry,
                             struct sim_stream *stream, int64_t **units)
{
    struct chaos_run from = chaos_population(ground, entry);
    int64_t count = 1;
    if (entry->all)
        count = from.count;
    else if (entry->count != PARAMETER_UNSET)
        count = entry->count;
    else if (!isnan(entry->share))
        count = (int64_t)ceil(entry->share * (double)from.count - 1e-9);
    else if (!isnan(entry->up_to))
        count = 1 + (int64_t)sim_stream_below(
                        stream, (uint64_t)fmax(1, floor(entry->up_to * (double)from.count + 1e-9)));
    *units = count <= CHAOS_MOST ? malloc((size_t)count * sizeof **units) : NULL;
    if (!*units)
        return -1;
    sample(from, count, stream, *units);
    return count;
}

static int64_t select_named(const struct chaos_ground *ground, const struct chaos_entry *entry,
                            int64_t **units)
{
    const char *rest = entry->named;
    char name[CHAOS_NAME];
    int64_t count = 0;
    *units = malloc((strlen(rest) / 2 + 1) * sizeof **units);
    while (*units && chaos_next_name(&rest, name))
        (*units)[count++] = chaos_find(ground->network, chaos_target(entry), name);
    return *units ? sort_and_unite(*units, count) : -1;
}

static int64_t select_numbered(const struct chaos_entry *entry, int64_t **units)
{
    size_t count = entry->units.count;
    *units = malloc(count * sizeof **units);
    if (!*units)
        return -1;
    for (size_t i = 0; i < count; i++)
        (*units)[i] = (int64_t)entry->units.values[i];
    return sort_and_unite(*units, (int64_t)count);
}

int64_t chaos_select(const struct chaos_ground *ground, const struct chaos_entry *entry,
                     struct sim_stream *stream, int64_t **units)
{
    if (entry->named)
        return select_named(ground, entry, units);
    if (entry->units.count > 0)
        return select_numbered(entry, units);
    return select_random(ground, entry, stream, units);
}
