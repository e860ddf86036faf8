#include "models/hardware/chip.h"

#define TERA 1e12
#define GIGA 1e9

/* TPU rows: vendor documentation. GPU rows: vendor figures. One row a chip; its name comes from the
 * same place, so that the two tables can't differ. */
#define CHIPS(ROW)                                                                                           \
    ROW("tpu-v4", "google", 275, 32, 1.2, 270, 4, 4096)                                                      \
    ROW("tpu-v5e", "google", 197, 16, 0.82, 200, 8, 256)                                                     \
    ROW("tpu-v5p", "google", 459, 95, 2.765, 600, 4, 8960)                                                   \
    ROW("tpu-v6e", "google", 918, 32, 1.64, 400, 8, 256)                                                     \
    ROW("tpu-v7", "google", 2307, 192, 7.37, 600, 4, 9216)                                                   \
    ROW("a40", "nvidia", 149.7, 48, 0.696, 56, 4, 4)                                                         \
    ROW("a100", "nvidia", 312, 80, 2.0, 300, 8, 8)                                                           \
    ROW("h100", "nvidia", 989, 80, 3.35, 450, 8, 8)                                                          \
    ROW("h200", "nvidia", 989, 141, 4.8, 450, 8, 8)                                                          \
    ROW("b200", "nvidia", 2250, 180, 7.7, 900, 8, 8)                                                         \
    ROW("gb200", "nvidia", 2500, 186, 8.0, 900, 4, 72)                                                       \
    ROW("mi250x", "amd", 383, 128, 3.28, 350, 4, 8)                                                          \
    ROW("mi300x", "amd", 1307, 192, 5.3, 448, 8, 8)

#define AS_CHIP(name, vendor, tflops, hbm_gb, hbm_tb_s, scale_up_gb_s, per_host, domain)                     \
    {name, vendor, (tflops)*TERA, (hbm_gb)*GIGA, (hbm_tb_s)*TERA, (scale_up_gb_s)*GIGA, per_host, domain},
#define AS_NAME(name, ...) name,

const struct chip chip_catalogue[] = {CHIPS(AS_CHIP)};
const size_t chip_catalogue_count = sizeof chip_catalogue / sizeof *chip_catalogue;
const char *const chip_names[] = {CHIPS(AS_NAME) NULL};
