#include "scenarios/files.h"

static const struct files_column columns[] = {
    {"name", "name", ""},
    {"vendor", "vendor", ""},
    {"tflops_bf16", "flops", " TFLOP/s"},
    {"hbm_gb", "memory", " GB"},
    {"hbm_tb_s", "memory_rate", " TB/s"},
    {"scaleup_gb_s", "scale_up_rate", " GB/s"},
    {"chips_per_host", "chips_per_host", ""},
    {"domain_chips", "domain_chips", ""},
    {"busy_w", "busy_power", " W"},
    {"idle_w", "idle_power", " W"},
    {"price_per_hour", "price_per_hour", ""},
};

void files_read_chips(struct loader *loader, const struct source *source, struct node *catalogue)
{
    static const struct files_table table = {"chips", columns, sizeof columns / sizeof *columns};
    files_read_table(loader, source, &table, catalogue);
}
