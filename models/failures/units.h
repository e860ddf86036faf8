/*
 * The domain tree: what every unit of every domain is made of, as a run of slices.
 *
 * Chips are numbered through the whole cluster. A slice is chips_per_slice of them, a rack rack_chips; hosts
 * are numbered from the first chip of each kind of chips on, since kinds differ in chips per host; a site
 * holds a run of slices. Domains need not divide each other: a rack that holds half a slice takes it down
 * whole. A unit of links and syncers has no slices.
 */
#ifndef MODELS_FAILURES_UNITS_H
#define MODELS_FAILURES_UNITS_H

#include "models/failures/fault.h"
#include "sim/error.h"
#include <stdbool.h>

/* Hosts of one kind, as they follow one another. */
struct units_hosts {
    int64_t host_chips;
    int64_t first_chip, end_chip;
    int64_t first_host;
};

struct units {
    int64_t chips, chips_per_slice, slices;
    int64_t rack_chips;        /* 0: nothing is known of racks */
    struct units_hosts *hosts; /* none: every slice is a host */
    size_t host_kinds;
    int64_t *site_ends; /* the slice behind the last one of each site */
    size_t sites;
    int64_t links; /* entries that faults of links may name, see models/network */
};

/* Slices FIRST … END - 1. */
struct units_run {
    int64_t first, end;
};

/* All at 0 but for these; units_free whatever became of it. */
void units_init(struct units *units, int64_t chips, int64_t chips_per_slice);
void units_free(struct units *units);

/* The next slices, up to END, have hosts of HOST_CHIPS chips; are at the next site. False with ERROR when out
 * of memory. */
bool units_add_hosts(struct units *units, int64_t host_chips, int64_t end, struct error *error);
bool units_add_site(struct units *units, int64_t end, struct error *error);

/* Units of DOMAIN; 0: it does not exist here. */
int64_t units_count(const struct units *units, enum fault_domain domain);

/* The slices of UNIT, 0 … units_count − 1; none of links and the syncer, and of a site without chips. */
struct units_run units_slices(const struct units *units, enum fault_domain domain, int64_t unit);

/* Chips of UNIT, and those of them in SLICE. */
int64_t units_chips(const struct units *units, enum fault_domain domain, int64_t unit);
int64_t units_chips_in(const struct units *units, enum fault_domain domain, int64_t unit, int64_t slice);

#endif
