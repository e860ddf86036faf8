#include "models/training/overlap.h"

#include <math.h>
#include <string.h>

#define GIGABYTE 8e9

static const char *const product_names[] = {"compute-bound", "memory-bound", NULL};
static const char *const collective_names[] = {
    [GPU_ALL_REDUCE] = "all-reduce", [GPU_ALL_TO_ALL] = "all-to-all", NULL};

/* M, N and K (arXiv 2606.09200). */
static const double shapes[][3] = {
    [PRODUCT_COMPUTE_BOUND] = {8192, 8192, 8192}, [PRODUCT_MEMORY_BOUND] = {8192, 57344, 8192}};

/* One row a tile; its name comes from the same place. */
#define TILES(ROW) ROW(64, 64, 32) ROW(64, 64, 64) ROW(128, 64, 32) ROW(128, 128, 32)
#define AS_SIZES(rows, columns, depth) {rows, columns, depth},
#define AS_NAME(rows, columns, depth) #rows "x" #columns "x" #depth,
static const int64_t tiles[][3] = {TILES(AS_SIZES)};
static const char *const tile_names[] = {TILES(AS_NAME) NULL};

/* Of a product's block: eight warps, whose threads hold the tile's sums in 32 bits and what is on its way to
 * them in some more registers (ours). */
enum { BLOCK_THREADS = 256, OTHER_REGISTERS = 24, NUMBER_BITS = 16 };

static const struct parameter rows[] = {
    {.path = "gpu",
     .type = PARAMETER_CHOICE,
     .choices = gpu_choices,
     .fallback = "none",
     .sentence = "GPU on which computing and collectives are simulated block by block.",
     .source = "ours: the overlap of cluster.parallel",
     .offset = offsetof(struct overlap_config, gpu)},
    {.path = "mode",
     .type = PARAMETER_CHOICE,
     .choices = gpu_mode_names,
     .fallback = "both",
     .sentence = "How a step's collectives, and those of kind gpu-overlap, run: after the computing they "
                 "follow, beside it on a stream of their own, "
                 "with priority for collectives, with shaped occupancy of the products, or with both.",
     .source = "arXiv 2606.09200",
     .offset = offsetof(struct overlap_config, mode)},
    {.path = "product",
     .type = PARAMETER_CHOICE,
     .choices = product_names,
     .fallback = "compute-bound",
     .sentence = "Matrix product of kind gpu-overlap: 8192 by 8192 by 8192, or 8192 by 57344 by 8192.",
     .source = "arXiv 2606.09200",
     .offset = offsetof(struct overlap_config, product)},
    {.path = "collective",
     .type = PARAMETER_CHOICE,
     .choices = collective_names,
     .fallback = "all-reduce",
     .sentence = "Collective of kind gpu-overlap.",
     .source = "arXiv 2606.09200",
     .offset = offsetof(struct overlap_config, collective)},
    {.path = "tile",
     .type = PARAMETER_CHOICE,
     .choices = tile_names,
     .fallback = "64x64x64",
     .sentence = "Rows, columns and depth of the tile that a block of a product holds in shared memory.",
     .source = "arXiv 2606.09200",
     .offset = offsetof(struct overlap_config, tile)},
    {.path = "grid",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 65535,
     .sentence = "Blocks of a product along each side of its grid; one for each tile where left out.",
     .offset = offsetof(struct overlap_config, grid)},
    {.path = "pairs",
     .type = PARAMETER_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = GPU_MOST_PAIRS,
     .sentence =
         "Products, each followed by its collective, that kind gpu-overlap runs, and training where the "
         "model's layers are not known.",
     .source = "ours",
     .offset = offsetof(struct overlap_config, pairs)},
    {.path = "data",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence =
         "Vector of a collective of kind gpu-overlap; workload.parameters with their bits where left out.",
     .offset = offsetof(struct overlap_config, data)},
    {.path = "ranks",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "GPUs in a collective of kind gpu-overlap; those of one node where left out.",
     .offset = offsetof(struct overlap_config, ranks)},
    {.path = "shaped_blocks",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = GPU_MOST_BLOCKS,
     .sentence = "Blocks of a product that shaping leaves on a streaming multiprocessor at a time.",
     .source = "ours: as few as there can be",
     .offset = offsetof(struct overlap_config, shaped)},
    {.path = "efficiency",
     .type = PARAMETER_REAL,
     .fallback = "0.33",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence =
         "Share of a GPU's peak that products of kind gpu-overlap reach where blocks hide all latencies; of "
         "training it is the chip's MFU.",
     .source = "calibrated once, on the A40: 25.5 % less time than the baseline (arXiv 2606.09200)",
     .offset = offsetof(struct overlap_config, efficiency)},
    {.path = "link_rate",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence =
         "Bandwidth between the GPUs of a node, one direction, of kind gpu-overlap; the GPU's where left "
         "out. In training the layout says how long a reduction takes.",
     .offset = offsetof(struct overlap_config, link_rate)},
    {.path = "block_link_rate",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "12.5 GB/s",
     .minimum = 1e6,
     .maximum = INFINITY,
     .sentence =
         "What one block of a collective moves at most; a collective has as many as fill the link. Of no "
         "consequence in training one after another (mode sequential).",
     .source = "two blocks fill the A40's link, 16 fill 190 GB/s (NVIDIA/nccl issue 689)",
     .offset = offsetof(struct overlap_config, block_rate)},
};

const struct parameter_table overlap_parameters = {"workload.overlap", rows, PARAMETER_COUNT(rows)};

bool overlap_is_given(const struct overlap_config *overlap)
{
    return overlap->gpu > 0;
}

static const struct gpu *gpu_of(const struct overlap_config *overlap)
{
    return &gpu_catalogue[overlap->gpu - 1];
}

static struct gpu_product product_of(const struct overlap_config *overlap, const double shape[3],
                                     double flops)
{
    const int64_t *tile = tiles[overlap->tile];
    return (struct gpu_product){.rows = shape[0],
                                .columns = shape[1],
                                .depth = shape[2],
                                .tile_rows = tile[0],
                                .tile_columns = tile[1],
                                .tile_depth = tile[2],
                                .bits = NUMBER_BITS,
                                .grid = overlap->grid == PARAMETER_UNSET ? 0 : overlap->grid,
                                .threads = BLOCK_THREADS,
                                .registers = tile[0] * tile[1] / BLOCK_THREADS + OTHER_REGISTERS,
                                .flops = flops};
}

const char *overlap_refusal(const struct overlap_config *overlap)
{
    struct gpu_product product = product_of(overlap, shapes[overlap->product], 1);
    struct gpu_block block = gpu_product_block(&product);
    return gpu_refusal(gpu_of(overlap), &block);
}

struct gpu_pairs overlap_pairs(const struct overlap_config *overlap, double model_bits, struct gpu *gpu)
{
    *gpu = *gpu_of(overlap);
    if (!isnan(overlap->link_rate))
        gpu->link_rate = overlap->link_rate;
    struct gpu_transfer transfer = {.collective = (enum gpu_collective)overlap->collective,
                                    .bits = isnan(overlap->data) ? model_bits : overlap->data,
                                    .ranks = overlap->ranks == PARAMETER_UNSET ? gpu->ranks : overlap->ranks,
                                    .link_rate = gpu->link_rate,
                                    .block_rate = overlap->block_rate};
    return (struct gpu_pairs){
        .gpu = gpu,
        .product = product_of(overlap, shapes[overlap->product], overlap->efficiency * gpu->flops),
        .transfer = transfer,
        .count = overlap->pairs,
        .shaped = overlap->shaped};
}

/* One pair of LOAD's: a square product of as many FLOP, and a transfer of as many bits at the reduction's
 * rate, to which GPU's link is narrowed. */
static struct gpu_pairs load_pairs(const struct overlap_config *overlap, const struct overlap_load *load,
                                   struct gpu *gpu)
{
    int64_t count = load->layers < 1                ? overlap->pairs
                    : load->layers < GPU_MOST_PAIRS ? load->layers
                                                    : GPU_MOST_PAIRS;
    double layers = (double)count,
           depth = load->width > 0 ? (double)load->width : shapes[overlap->product][2];
    double side = sqrt(load->compute * load->flops / layers / (2 * depth));
    const double shape[] = {fmax(1, side), fmax(1, side), depth};
    *gpu = *gpu_of(overlap);
    gpu->link_rate = load->bits / load->reduction;
    /* Between two, half of the vector is sent twice. */
    struct gpu_transfer transfer = {GPU_ALL_REDUCE, load->bits / layers, 2, gpu->link_rate,
                                    overlap->block_rate};
    return (struct gpu_pairs){.gpu = gpu,
                              .product = product_of(overlap, shape, load->flops),
                              .transfer = transfer,
                              .count = count,
                              .shaped = overlap->shaped};
}

/* LOAD shortened to what the clock can count; what launches add is then nothing to speak of. */
static struct overlap_load shorten(const struct overlap_load *load, double scale)
{
    struct overlap_load shorter = *load;
    shorter.compute *= scale;
    shorter.reduction *= scale;
    shorter.bits *= scale;
    return shorter;
}

static double work_out(const struct overlap_config *overlap, const struct overlap_load *load)
{
    double scale = fmin(1, GPU_LONGEST_KERNEL / fmax(load->compute, load->reduction));
    struct overlap_load shorter = shorten(load, scale);
    struct gpu gpu;
    struct gpu_pairs pairs = load_pairs(overlap, &shorter, &gpu);
    enum gpu_mode mode = (enum gpu_mode)overlap->mode;
    sim_time time, product, collective;
    if (mode == GPU_SEQUENTIAL)
        return load->reduction;
    if (!gpu_pairs_alone(&pairs, GPU_SEQUENTIAL, &product, &collective, NULL) ||
        !gpu_pairs_time(&pairs, mode, &time, NULL))
        return NAN;
    return fmax(0, sim_time_to_seconds(time) - sim_time_to_seconds(product)) / scale;
}

static bool is_same(const struct overlap_load *a, const struct overlap_load *b)
{
    return a->compute == b->compute && a->flops == b->flops && a->reduction == b->reduction &&
           a->bits == b->bits && a->layers == b->layers && a->width == b->width;
}

double overlap_exposed(const struct overlap_config *overlap, const struct overlap_load *load,
                       struct overlap_cache *cache)
{
    const size_t room = cache ? sizeof cache->answers / sizeof cache->answers[0] : 0;
    size_t i = 0;
    if (!(load->reduction > 0) || !(load->compute > 0))
        return load->reduction;
    while (i < room && cache->answers[i].known && !is_same(&cache->answers[i].load, load))
        i++;
    if (i < room && cache->answers[i].known)
        return cache->answers[i].exposed;
    double exposed = work_out(overlap, load);
    if (cache && isnan(exposed))
        cache->failed = true;
    else if (i < room) {
        cache->answers[i].load = *load;
        cache->answers[i].exposed = exposed;
        cache->answers[i].known = true;
    }
    return exposed;
}
