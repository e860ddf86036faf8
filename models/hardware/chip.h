/*
 * The chip catalogue: what a data sheet says of an accelerator.
 */
#ifndef MODELS_HARDWARE_CHIP_H
#define MODELS_HARDWARE_CHIP_H

#include <stddef.h>

struct chip {
    const char *name;
    const char *vendor;
    double flops;         /* dense bf16, FLOP/s */
    double memory_bytes;  /* HBM */
    double memory_rate;   /* HBM, byte/s */
    double scale_up_rate; /* total of one chip (GPUs: one direction), byte/s */
    int chips_per_host;
    int domain_chips; /* largest scale-up domain */
};

extern const struct chip chip_catalogue[];
extern const size_t chip_catalogue_count;

/* The names in the catalogue's order, NULL at the end: the choices of a scenario's chip fields. */
extern const char *const chip_names[];

#endif
