#include "models/failures/units.h"

#include <assert.h>
#include <stdlib.h>

void units_init(struct units *units, int64_t chips, int64_t chips_per_slice)
{
    *units = (struct units){
        .chips = chips, .chips_per_slice = chips_per_slice, .slices = (chips - 1) / chips_per_slice + 1};
}

void units_free(struct units *units)
{
    free(units->hosts);
    free(units->site_ends);
}

static int64_t chips_before(const struct units *units, int64_t slice)
{
    int64_t chips = slice * units->chips_per_slice;
    return chips < units->chips ? chips : units->chips;
}

/* Of CHIPS on hosts of HOST_CHIPS; the last one may not be full. */
static int64_t hosts_of(int64_t chips, int64_t host_chips)
{
    return (chips + host_chips - 1) / host_chips;
}

bool units_add_hosts(struct units *units, int64_t host_chips, int64_t end, struct error *error)
{
    struct units_hosts *hosts = realloc(units->hosts, (units->host_kinds + 1) * sizeof *hosts);
    if (!hosts) {
        error_out_of_memory(error, "the hosts");
        return false;
    }
    units->hosts = hosts;
    struct units_hosts *last = units->host_kinds ? &hosts[units->host_kinds - 1] : NULL;
    struct units_hosts *next = &hosts[units->host_kinds++];
    *next = (struct units_hosts){.host_chips = host_chips, .end_chip = chips_before(units, end)};
    if (last) {
        next->first_chip = last->end_chip;
        next->first_host = last->first_host + hosts_of(last->end_chip - last->first_chip, last->host_chips);
    }
    return true;
}

bool units_add_site(struct units *units, int64_t end, struct error *error)
{
    int64_t *ends = realloc(units->site_ends, (units->sites + 1) * sizeof *ends);
    if (!ends) {
        error_out_of_memory(error, "the sites");
        return false;
    }
    units->site_ends = ends;
    ends[units->sites++] = end;
    return true;
}

static int64_t host_count(const struct units *units)
{
    if (units->host_kinds == 0)
        return units->slices;
    const struct units_hosts *last = &units->hosts[units->host_kinds - 1];
    return last->first_host + hosts_of(last->end_chip - last->first_chip, last->host_chips);
}

int64_t units_count(const struct units *units, enum fault_domain domain)
{
    switch (domain) {
    case FAULT_OF_CHIP:
        return units->chips;
    case FAULT_OF_HOST:
        return host_count(units);
    case FAULT_OF_SLICE:
        return units->slices;
    case FAULT_OF_RACK:
        return units->rack_chips > 0 ? hosts_of(units->chips, units->rack_chips) : 0;
    case FAULT_OF_SITE:
        return (int64_t)units->sites;
    case FAULT_OF_LINK:
        return units->links;
    default:
        return 1;
    }
}

/* Chips FIRST … END - 1. */
struct chip_run {
    int64_t first, end;
};

static struct chip_run run_of(const struct units *units, int64_t chips, int64_t unit)
{
    int64_t end = (unit + 1) * chips;
    return (struct chip_run){unit * chips, end < units->chips ? end : units->chips};
}

static struct chip_run host_chips(const struct units *units, int64_t host)
{
    if (units->host_kinds == 0)
        return run_of(units, units->chips_per_slice, host);
    const struct units_hosts *hosts = &units->hosts[units->host_kinds - 1];
    while (hosts->first_host > host || hosts->first_chip == hosts->end_chip)
        hosts--;
    int64_t first = hosts->first_chip + (host - hosts->first_host) * hosts->host_chips;
    int64_t end = first + hosts->host_chips;
    return (struct chip_run){first, end < hosts->end_chip ? end : hosts->end_chip};
}

static struct chip_run chips_of(const struct units *units, enum fault_domain domain, int64_t unit)
{
    assert(unit >= 0 && (domain == FAULT_OF_LINK || unit < units_count(units, domain)));
    switch (domain) {
    case FAULT_OF_CHIP:
        return run_of(units, 1, unit);
    case FAULT_OF_HOST:
        return host_chips(units, unit);
    case FAULT_OF_SLICE:
        return run_of(units, units->chips_per_slice, unit);
    case FAULT_OF_RACK:
        return run_of(units, units->rack_chips, unit);
    case FAULT_OF_SITE:
        return (struct chip_run){unit ? chips_before(units, units->site_ends[unit - 1]) : 0,
                                 chips_before(units, units->site_ends[unit])};
    case FAULT_OF_CLUSTER:
        return (struct chip_run){0, units->chips};
    default:
        return (struct chip_run){0, 0};
    }
}

struct units_run units_slices(const struct units *units, enum fault_domain domain, int64_t unit)
{
    struct chip_run run = chips_of(units, domain, unit);
    if (run.first == run.end)
        return (struct units_run){0, 0};
    return (struct units_run){run.first / units->chips_per_slice, (run.end - 1) / units->chips_per_slice + 1};
}

int64_t units_chips(const struct units *units, enum fault_domain domain, int64_t unit)
{
    struct chip_run run = chips_of(units, domain, unit);
    return run.end - run.first;
}

int64_t units_chips_in(const struct units *units, enum fault_domain domain, int64_t unit, int64_t slice)
{
    struct chip_run run = chips_of(units, domain, unit);
    int64_t first = chips_before(units, slice), end = chips_before(units, slice + 1);
    first = run.first > first ? run.first : first;
    end = run.end < end ? run.end : end;
    return end > first ? end - first : 0;
}
