/*
 * All measurements are read first, since which tier a region is taken in depends on all of them; then they
 * are summed up in a square of cells, one for each ordered pair of the regions chosen.
 */
#include "imports/skyplane.h"

#include "models/network/sites.h"
#include "scenarios/csv.h"
#include "scenarios/spelling.h"
#include "scenarios/value.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct region {
    const char *name;
    bool measured; /* has a throughput */
    bool has_tier; /* has one in the tier asked for */
    bool chosen;
    int64_t site; /* -1: not chosen */
};

/* A row of throughput or latency. */
struct measurement {
    size_t from, to;         /* regions */
    bool from_tier, to_tier; /* in the tier asked for */
    double value;
    struct measurement *next;
};

/* From one site to another. */
struct cell {
    double rate, round_trip; /* sums: bit/s, seconds */
    size_t rates, round_trips;
    double price; /* per GB; NAN: unknown */
};

struct import {
    const struct skyplane_request *request;
    struct skyplane_summary *summary;
    struct scenario_memory *memory;
    struct region *regions;
    size_t region_count, region_room;
    struct measurement *throughputs, *latencies;
    const char **sites; /* names of the regions chosen */
    size_t site_count;
    struct cell *cells; /* from · sites + to */
    struct error *error;
};

static bool run_out(struct import *import)
{
    error_out_of_memory(import->error, "measurements");
    return false;
}

/* Number of the region called NAME, which is added if it is new. */
static bool number_of(struct import *import, const char *name, size_t *number)
{
    for (*number = 0; *number < import->region_count; ++*number)
        if (strcmp(import->regions[*number].name, name) == 0)
            return true;
    if (import->region_count == import->region_room) {
        size_t room = 2 * import->region_room + 64;
        struct region *larger = memory_take(import->memory, room, sizeof *larger);
        if (!larger)
            return run_out(import);
        if (import->region_count)
            memcpy(larger, import->regions, import->region_count * sizeof *larger);
        import->regions = larger;
        import->region_room = room;
    }
    import->regions[import->region_count++] = (struct region){.name = name, .site = -1};
    return true;
}

static const double rate_most = 1e15, round_trip_most = 2e12; /* bit/s, ms: twice 10⁹ s */

enum { FROM, FROM_TIER, TO, TO_TIER, VALUE, COLUMNS };

static bool add_measurement(struct import *import, const struct csv_cell *cells, double maximum,
                            struct measurement **list)
{
    struct measurement *measurement = memory_take(import->memory, 1, sizeof *measurement);
    if (!measurement)
        return run_out(import);
    *measurement =
        (struct measurement){.from_tier = strcmp(cells[FROM_TIER].text, import->request->tier) == 0,
                             .to_tier = strcmp(cells[TO_TIER].text, import->request->tier) == 0,
                             .next = *list};
    *list = measurement;
    if (!csv_number(&cells[VALUE], 0, &measurement->value, import->error))
        return false;
    if (measurement->value > maximum)
        return csv_refuse(cells[VALUE].place, import->error, "%.60s is above %g", cells[VALUE].text, maximum);
    return number_of(import, cells[FROM].text, &measurement->from) &&
           number_of(import, cells[TO].text, &measurement->to);
}

/* Values of 0 to MAXIMUM, what a scenario can have. */
static bool read_measurements(struct import *import, const char *path, const char *value, double maximum,
                              struct measurement **list)
{
    const char *const wanted[] = {"src_region", "src_tier", "dst_region", "dst_tier", value, NULL};
    struct csv csv;
    struct csv_cell cells[COLUMNS];
    if (!csv_open(&csv, path, wanted, import->memory, import->error))
        return false;
    while (csv_next(&csv, cells, import->error))
        if (!add_measurement(import, cells, maximum, list))
            return false;
    return import->error->kind == ERROR_NONE;
}

/* Which regions have a throughput, and in the tier. */
static bool note_tiers(struct import *import)
{
    bool any = false;
    for (const struct measurement *it = import->throughputs; it; it = it->next) {
        import->regions[it->from].measured = import->regions[it->to].measured = true;
        import->regions[it->from].has_tier |= it->from_tier;
        import->regions[it->to].has_tier |= it->to_tier;
        any = any || it->from_tier || it->to_tier;
    }
    if (!any)
        error_set(import->error, ERROR_INPUT, "%s: nothing is measured in tier \"%.60s\"",
                  import->request->throughput, import->request->tier);
    return any;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Makes sites of the regions that fit PATTERN and aren't sites yet, in the order of their names. */
static bool choose(struct import *import, const char *pattern)
{
    const char *near = NULL;
    size_t distance = 0, fitting = 0;
    const char **names = import->sites + import->site_count;
    size_t added = 0;
    for (size_t i = 0; i < import->region_count; i++) {
        struct region *region = &import->regions[i];
        if (!region->measured)
            continue;
        spelling_consider(pattern, region->name, &near, &distance);
        bool fits = fnmatch(pattern, region->name, 0) == 0;
        fitting += fits;
        if (fits && !region->chosen)
            names[added++] = region->name;
        region->chosen |= fits;
    }
    qsort(names, added, sizeof *names, compare_names);
    import->site_count += added;
    if (!fitting)
        error_set(import->error, ERROR_INPUT, "%s: no region is called \"%.60s\"%s%s%s",
                  import->request->throughput, pattern, near ? "; did you mean \"" : "", near ? near : "",
                  near ? "\"?" : "");
    return fitting > 0;
}

static void number_sites(struct import *import)
{
    for (size_t i = 0; i < import->region_count; i++)
        for (size_t site = 0; site < import->site_count; site++)
            if (import->sites[site] == import->regions[i].name)
                import->regions[i].site = (int64_t)site;
}

static bool choose_sites(struct import *import)
{
    const struct skyplane_request *request = import->request;
    import->sites = memory_take(import->memory, import->region_count + 1, sizeof *import->sites);
    if (!import->sites)
        return run_out(import);
    if (!request->region_count && !choose(import, "*"))
        return false;
    for (size_t i = 0; i < request->region_count; i++)
        if (!choose(import, request->regions[i]))
            return false;
    if (import->site_count > SITES_MOST)
        error_set(import->error, ERROR_INPUT, "%zu regions are more than the %d that a scenario can have",
                  import->site_count, SITES_MOST);
    else
        number_sites(import);
    return import->site_count <= SITES_MOST;
}

/* The cell that a measurement counts for, or NULL: it is of other regions, or of other tiers. */
static struct cell *cell_of(const struct import *import, const struct measurement *measurement)
{
    const struct region *from = &import->regions[measurement->from], *to = &import->regions[measurement->to];
    if (from->site < 0 || to->site < 0 || measurement->from_tier != from->has_tier ||
        measurement->to_tier != to->has_tier)
        return NULL;
    return &import->cells[(size_t)from->site * import->site_count + (size_t)to->site];
}

static bool fill_cells(struct import *import)
{
    size_t count = import->site_count * import->site_count;
    import->cells = memory_take(import->memory, count, sizeof *import->cells);
    if (!import->cells)
        return run_out(import);
    for (size_t i = 0; i < count; i++)
        import->cells[i].price = NAN;
    for (const struct measurement *it = import->throughputs; it; it = it->next) {
        struct cell *cell = cell_of(import, it);
        if (cell) {
            cell->rate += it->value;
            cell->rates++;
        }
    }
    for (const struct measurement *it = import->latencies; it; it = it->next) {
        struct cell *cell = cell_of(import, it);
        if (cell) {
            cell->round_trip += it->value / 1e3;
            cell->round_trips++;
        }
    }
    return true;
}

/* "us-east-1" for "aws:us-east-1"; NULL for regions of other clouds. */
static const char *aws_name(const struct import *import, size_t site)
{
    const char *name = import->sites[site];
    return strncmp(name, "aws:", 4) == 0 ? name + 4 : NULL;
}

/* COST is of what goes from the region FROM to TO; "internet" is every other cloud. */
static void set_prices(struct import *import, const char *from, const char *to, double cost)
{
    bool internet = strcmp(to, "internet") == 0;
    for (size_t i = 0; i < import->site_count; i++) {
        const char *source = aws_name(import, i);
        if (!source || strcmp(source, from) != 0)
            continue;
        for (size_t j = 0; j < import->site_count; j++) {
            const char *target = aws_name(import, j);
            if (target ? strcmp(target, to) == 0 : internet)
                import->cells[i * import->site_count + j].price = cost;
        }
    }
}

static bool read_costs(struct import *import)
{
    static const char *const wanted[] = {"src", "dst", "cost", NULL};
    struct csv csv;
    struct csv_cell cells[3];
    double cost;
    if (!import->request->costs)
        return true;
    if (!csv_open(&csv, import->request->costs, wanted, import->memory, import->error))
        return false;
    while (csv_next(&csv, cells, import->error)) {
        if (!csv_number(&cells[2], 0, &cost, import->error))
            return false;
        set_prices(import, cells[0].text, cells[1].text, cost);
    }
    return import->error->kind == ERROR_NONE;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct cell *at(const struct import *import, size_t from, size_t to)
{
    return &import->cells[from * import->site_count + to];
}

/* Seconds one way; NAN: not measured in either direction. */
static double latency_of(const struct import *import, size_t from, size_t to)
{
    const struct cell *there = at(import, from, to), *back = at(import, to, from);
    const struct cell *cell = there->round_trips ? there : back;
    return cell->round_trips ? cell->round_trip / (double)cell->round_trips / 2 : NAN;
}

static bool is_missing(const struct import *import, size_t from, size_t to)
{
    return !at(import, from, to)->rates || isnan(latency_of(import, from, to));
}

static void count(struct import *import)
{
    struct skyplane_summary *summary = import->summary;
    *summary = (struct skyplane_summary){.sites = import->site_count};
    for (size_t from = 0; from < import->site_count; from++)
        for (size_t to = 0; to < import->site_count; to++) {
            summary->averaged += at(import, from, to)->rates > 1;
            if (from == to)
                continue;
            bool missing = is_missing(import, from, to);
            summary->missing += missing;
            summary->links += !missing;
            summary->without_price +=
                !missing && import->request->costs && isnan(at(import, from, to)->price);
        }
}

static void write_heading(const struct import *import, struct writer *text)
{
    const struct skyplane_request *request = import->request;
    const struct skyplane_summary *summary = import->summary;
    writer_add(
        text,
        "# Cloud regions as sites, from measurements in the tables of Skyplane (Jain et al., NSDI '23;\n"
        "# github.com/skyplane-project/skyplane, Apache-2.0): %s, %s%s%s.\n"
        "# Bandwidth: mean of the bits received in a second between two virtual machines with parallel\n"
        "# connections, not what all machines of two regions share. %zu directions are means of several.\n"
        "# Latency: half of the mean round-trip time. Tier %s, where a region has it.\n",
        base_name(request->throughput), base_name(request->latency), request->costs ? ", " : "",
        request->costs ? base_name(request->costs) : "", summary->averaged, request->tier);
    if (request->costs)
        writer_add(text, "# Price: dollars per GB (10⁹ bytes); %zu links have none in the table.\n",
                   summary->without_price);
}

/* The directions from one site that lack a latency, or else a throughput, in one line. */
static void write_missing_from(const struct import *import, size_t from, bool latency, struct writer *text)
{
    bool any = false;
    for (size_t to = 0; to < import->site_count; to++) {
        if (from == to || !is_missing(import, from, to) || (at(import, from, to)->rates > 0) != latency)
            continue;
        if (!any)
            writer_add(text, "#   no %s from %s to", latency ? "latency" : "throughput", import->sites[from]);
        writer_add(text, "%s %s", any ? "," : "", import->sites[to]);
        any = true;
    }
    writer_add(text, "%s", any ? "\n" : "");
}

static void write_missing(const struct import *import, struct writer *text)
{
    if (!import->summary->missing)
        return;
    writer_add(text, "# Missing, and so without a link (a scenario may give network.between):\n");
    for (size_t from = 0; from < import->site_count; from++) {
        write_missing_from(import, from, false, text);
        write_missing_from(import, from, true, text);
    }
}

static void write_rate(const struct cell *cell, struct writer *text)
{
    writer_add(text, "bandwidth: %.4g Gbit/s", cell->rate / (double)cell->rates / 1e9);
}

static void write_sites(const struct import *import, struct writer *text)
{
    writer_add(text, "network:\n  sites:\n");
    for (size_t site = 0; site < import->site_count; site++) {
        const struct cell *inner = at(import, site, site);
        double latency = latency_of(import, site, site);
        writer_add(text, "  - {name: ");
        value_write_text(import->sites[site], text);
        writer_add(text, "%s", inner->rates || !isnan(latency) ? ", inner: {" : "");
        if (inner->rates)
            write_rate(inner, text);
        writer_add(text, "%s", inner->rates && !isnan(latency) ? ", " : "");
        if (!isnan(latency))
            writer_add(text, "latency: %.4g ms", latency * 1e3);
        writer_add(text, "%s}\n", inner->rates || !isnan(latency) ? "}" : "");
    }
}

static void write_link(const struct import *import, size_t from, size_t to, struct writer *text)
{
    const struct cell *cell = at(import, from, to);
    writer_add(text, "  - {from: ");
    value_write_text(import->sites[from], text);
    writer_add(text, ", to: ");
    value_write_text(import->sites[to], text);
    writer_add(text, ", ");
    write_rate(cell, text);
    writer_add(text, ", latency: %.4g ms, one_way: true", latency_of(import, from, to) * 1e3);
    if (!isnan(cell->price))
        writer_add(text, ", price: %.6g", cell->price);
    writer_add(text, "}\n");
}

static void write_links(const struct import *import, struct writer *text)
{
    if (!import->summary->links)
        return;
    writer_add(text, "  links:\n");
    for (size_t from = 0; from < import->site_count; from++)
        for (size_t to = 0; to < import->site_count; to++)
            if (from != to && !is_missing(import, from, to))
                write_link(import, from, to, text);
}

static bool gather(struct import *import)
{
    const struct skyplane_request *request = import->request;
    return read_measurements(import, request->throughput, "received_bps", rate_most, &import->throughputs) &&
           read_measurements(import, request->latency, "avg_rtt_ms", round_trip_most, &import->latencies) &&
           note_tiers(import) && choose_sites(import) && fill_cells(import) && read_costs(import);
}

bool skyplane_import(const struct skyplane_request *request, struct writer *text,
                     struct skyplane_summary *summary, struct error *error)
{
    struct import import = {
        .request = request, .summary = summary, .memory = memory_create(), .error = error};
    bool good = import.memory ? gather(&import) : run_out(&import);
    if (good) {
        count(&import);
        write_heading(&import, text);
        write_missing(&import, text);
        write_sites(&import, text);
        write_links(&import, text);
    }
    memory_destroy(import.memory);
    if (good && text->failed)
        good = run_out(&import);
    return good;
}
