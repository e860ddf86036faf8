/*
 * A chip field is an index: of the built-in rows first, then of those own rows that replace none of them. Own
 * rows are few, so they are looked through by name each time.
 */
#include "models/hardware/chip.h"

#include <string.h>

#define TERA 1e12
#define BYTES 8
#define GIGABYTES (1e9 * BYTES)
#define TERABYTES (1e12 * BYTES)

/* TPU rows: vendor documentation. GPU rows: vendor figures. Busy watts of GPUs are the vendor's thermal
 * design power; those of TPU v4 the measured mean, and its idle watts the measured minimum, of the vendor's
 * documentation (90/170/192 W). Of others no public figure is known to us. One row a chip; its name comes
 * from the same place, so that the two tables can't differ. */
#define CHIPS(ROW)                                                                                           \
    ROW("tpu-v4", "google", 275, 32, 1.2, 270, 4, 4096, 170, 90)                                             \
    ROW("tpu-v5e", "google", 197, 16, 0.82, 200, 8, 256, NAN, NAN)                                           \
    ROW("tpu-v5p", "google", 459, 95, 2.765, 600, 4, 8960, NAN, NAN)                                         \
    ROW("tpu-v6e", "google", 918, 32, 1.64, 400, 8, 256, NAN, NAN)                                           \
    ROW("tpu-v7", "google", 2307, 192, 7.37, 600, 4, 9216, NAN, NAN)                                         \
    ROW("a40", "nvidia", 149.7, 48, 0.696, 56, 4, 4, 300, NAN)                                               \
    ROW("a100", "nvidia", 312, 80, 2.0, 300, 8, 8, 400, NAN)                                                 \
    ROW("h100", "nvidia", 989, 80, 3.35, 450, 8, 8, 700, NAN)                                                \
    ROW("h200", "nvidia", 989, 141, 4.8, 450, 8, 8, 700, NAN)                                                \
    ROW("b200", "nvidia", 2250, 180, 7.7, 900, 8, 8, 1000, NAN)                                              \
    ROW("gb200", "nvidia", 2500, 186, 8.0, 900, 4, 72, 1200, NAN)                                            \
    ROW("mi250x", "amd", 383, 128, 3.28, 350, 4, 8, 560, NAN)                                                \
    ROW("mi300x", "amd", 1307, 192, 5.3, 448, 8, 8, 750, NAN)

#define AS_CHIP(name, vendor, tflops, hbm_gb, hbm_tb_s, scale_up_gb_s, per_host, domain, busy, idle)         \
    {name,                                                                                                   \
     vendor,                                                                                                 \
     (tflops)*TERA,                                                                                          \
     (hbm_gb)*GIGABYTES,                                                                                     \
     (hbm_tb_s)*TERABYTES,                                                                                   \
     (scale_up_gb_s)*GIGABYTES,                                                                              \
     per_host,                                                                                               \
     domain,                                                                                                 \
     busy,                                                                                                   \
     idle,                                                                                                   \
     NAN},
#define AS_NAME(name, ...) name,

const struct chip chip_catalogue[] = {CHIPS(AS_CHIP)};
const size_t chip_catalogue_count = sizeof chip_catalogue / sizeof *chip_catalogue;
const char *const chip_names[] = {CHIPS(AS_NAME) NULL};

static const struct parameter rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence =
         "Name of the chip; that of a built-in one replaces it, and what is left out stays as it was.",
     .offset = offsetof(struct chip, name)},
    {.path = "vendor",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Who makes the chip.",
     .offset = offsetof(struct chip, vendor)},
    {.path = "flops",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_FLOP_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Dense bf16 rate of one chip; needed of a chip that is not built in.",
     .offset = offsetof(struct chip, flops)},
    {.path = "memory",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "High-bandwidth memory of one chip.",
     .offset = offsetof(struct chip, memory)},
    {.path = "memory_rate",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Bandwidth of that memory.",
     .offset = offsetof(struct chip, memory_rate)},
    {.path = "scale_up_rate",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Bandwidth of one chip's links to the others of its scale-up domain, one direction.",
     .offset = offsetof(struct chip, scale_up_rate)},
    {.path = "chips_per_host",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Chips on one host; 1 where left out.",
     .offset = offsetof(struct chip, host_chips)},
    {.path = "domain_chips",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Chips of the largest scale-up domain; those of a host where left out.",
     .offset = offsetof(struct chip, domain_chips)},
    {.path = "busy_power",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_POWER,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Power of one chip in a step, with its share of host and cooling if those are to count.",
     .offset = offsetof(struct chip, busy_watts)},
    {.path = "idle_power",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_POWER,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Power of one chip that waits, is down or joins; that of a busy one where left out.",
     .offset = offsetof(struct chip, idle_watts)},
    {.path = "price_per_hour",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of one chip for an hour, in any currency: costs come in the same.",
     .offset = offsetof(struct chip, price_per_hour)},
};

const struct parameter_list chip_list = {.section = "cluster.catalogue",
                                         .rows = rows,
                                         .count = PARAMETER_COUNT(rows),
                                         .item_size = sizeof(struct chip)};

/* The built-in row called NAME, or the catalogue's count. */
static size_t built_in(const char *name)
{
    size_t i = 0;
    while (i < chip_catalogue_count && strcmp(chip_catalogue[i].name, name) != 0)
        i++;
    return i;
}

static bool is_new(const struct chip *own)
{
    return own->name && built_in(own->name) == chip_catalogue_count;
}

size_t chip_count(struct chip_table table)
{
    size_t count = chip_catalogue_count;
    for (size_t i = 0; i < table.count; i++)
        count += is_new(&table.own[i]);
    return count;
}

/* The own chip that is the I-th of all, or replaces it; NULL if there is none. */
static const struct chip *own_chip(struct chip_table table, size_t i)
{
    size_t next = chip_catalogue_count;
    for (size_t j = 0; j < table.count; j++) {
        const struct chip *own = &table.own[j];
        if (!own->name)
            continue;
        size_t place = built_in(own->name);
        if (place == chip_catalogue_count)
            place = next++;
        if (place == i)
            return own;
    }
    return NULL;
}

const char *chip_name(struct chip_table table, size_t i)
{
    return i < chip_catalogue_count ? chip_names[i] : own_chip(table, i)->name;
}

static double either(double own, double other)
{
    return isnan(own) ? other : own;
}

static int64_t either_count(int64_t own, int64_t other)
{
    return own == PARAMETER_UNSET ? other : own;
}

/* OWN, and what it leaves open as in BASE. */
static struct chip merge(const struct chip *own, const struct chip *base)
{
    return (struct chip){.name = own->name,
                         .vendor = own->vendor ? own->vendor : base->vendor,
                         .flops = either(own->flops, base->flops),
                         .memory = either(own->memory, base->memory),
                         .memory_rate = either(own->memory_rate, base->memory_rate),
                         .scale_up_rate = either(own->scale_up_rate, base->scale_up_rate),
                         .host_chips = either_count(own->host_chips, base->host_chips),
                         .domain_chips = either_count(own->domain_chips, base->domain_chips),
                         .busy_watts = either(own->busy_watts, base->busy_watts),
                         .idle_watts = either(own->idle_watts, base->idle_watts),
                         .price_per_hour = either(own->price_per_hour, base->price_per_hour)};
}

struct chip chip_find(struct chip_table table, size_t i)
{
    static const struct chip nothing = {.vendor = "",
                                        .flops = NAN,
                                        .memory = NAN,
                                        .memory_rate = NAN,
                                        .scale_up_rate = NAN,
                                        .host_chips = 1,
                                        .domain_chips = 1,
                                        .busy_watts = NAN,
                                        .idle_watts = NAN,
                                        .price_per_hour = NAN};
    const struct chip *own = own_chip(table, i);
    const struct chip *base = i < chip_catalogue_count ? &chip_catalogue[i] : &nothing;
    struct chip chip = own ? merge(own, base) : *base;
    if (chip.domain_chips < chip.host_chips)
        chip.domain_chips = chip.host_chips;
    return chip;
}

size_t chip_incomplete(struct chip_table table, const char **field)
{
    size_t i = 0;
    while (i < table.count && !(is_new(&table.own[i]) && isnan(table.own[i].flops)))
        i++;
    *field = "flops";
    return i;
}
