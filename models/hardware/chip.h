/*
 * The chip catalogue: what a data sheet says of an accelerator, and how a scenario adds chips of its own
 * ("cluster.catalogue"). Amounts of data are in bits and rates in bit/s, as everywhere below scenarios/.
 */
#ifndef MODELS_HARDWARE_CHIP_H
#define MODELS_HARDWARE_CHIP_H

#include "models/parameter.h"

struct chip {
    const char *name;
    const char *vendor;    /* NULL: not said */
    double flops;          /* dense bf16, FLOP/s */
    double memory;         /* HBM, bits */
    double memory_rate;    /* HBM, bit/s */
    double scale_up_rate;  /* total of one chip (GPUs: one direction), bit/s */
    int64_t host_chips;    /* on one host */
    int64_t domain_chips;  /* largest scale-up domain */
    double busy_watts;     /* in a step; NAN: not known */
    double idle_watts;     /* otherwise; NAN: not known */
    double price_per_hour; /* of one chip, in the scenario's currency; NAN: not known */
};

/* What is built in; none has a price. */
extern const struct chip chip_catalogue[];
extern const size_t chip_catalogue_count;

/* The names in the catalogue's order, NULL at the end: the choices of a scenario's chip fields, unless it has
 * chips of its own. */
extern const char *const chip_names[];

/* The fields of an own chip, a struct chip ("cluster.catalogue[]"). */
extern const struct parameter_list chip_list;

/* Where chips come from: the catalogue, and COUNT OWN ones, which come after it in order unless they have the
 * name of a built-in chip: then they take its place, and what they leave open (NAN, NULL, PARAMETER_UNSET) is
 * the built-in one's. */
struct chip_table {
    const struct chip *own;
    size_t count;
};

/* How many names the choices of a chip field have, and the I-th of them. */
size_t chip_count(struct chip_table table);
const char *chip_name(struct chip_table table, size_t i);

/* The I-th chip. Its hosts and domains have at least one chip; a domain is no smaller than a host. */
struct chip chip_find(struct chip_table table, size_t i);

/* The first own chip that says too little to be used, with the field it lacks; count if there is none. */
size_t chip_incomplete(struct chip_table table, const char **field);

#endif
