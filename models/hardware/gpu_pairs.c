#include "models/hardware/gpu_pairs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

const char *const gpu_mode_names[] = {
    [GPU_SEQUENTIAL] = "sequential", [GPU_BASELINE] = "baseline", [GPU_PRIORITY] = "priority",
    [GPU_SHAPED] = "shaped",         [GPU_BOTH] = "both",         [GPU_MODES] = NULL,
};

struct kernels {
    struct gpu_kernel product, collective;
};

static bool shapes(enum gpu_mode mode)
{
    return mode == GPU_SHAPED || mode == GPU_BOTH;
}

static struct kernels kernels_of(const struct gpu_pairs *pairs, enum gpu_mode mode)
{
    struct gpu_product product = pairs->product;
    struct gpu_block block = gpu_product_block(&product);
    if (shapes(mode))
        product.padding += gpu_shaped_shared(pairs->gpu, &block, pairs->shaped) - block.shared;
    return (struct kernels){.product = gpu_product_kernel(pairs->gpu, &product),
                            .collective = gpu_collective_kernel(pairs->gpu, &pairs->transfer)};
}

/* A run of the longest kernels ends long before time does. */
static bool takes_too_long(const struct gpu_pairs *pairs, enum gpu_pairs_part *part)
{
    struct kernels kernels = kernels_of(pairs, GPU_BOTH);
    *part = GPU_PAIRS_FLOPS;
    if (gpu_kernel_seconds(pairs->gpu, &kernels.product) > GPU_LONGEST_KERNEL)
        return true;
    struct gpu_pairs fast = *pairs;
    fast.transfer.block_rate = fast.transfer.link_rate;
    struct gpu_kernel alone = gpu_collective_kernel(fast.gpu, &fast.transfer);
    bool link = gpu_kernel_seconds(pairs->gpu, &alone) > GPU_LONGEST_KERNEL;
    *part = link ? GPU_PAIRS_LINK_RATE : GPU_PAIRS_BLOCK_RATE;
    return gpu_kernel_seconds(pairs->gpu, &kernels.collective) > GPU_LONGEST_KERNEL;
}

/* The vector alone, as far as the memory goes, and what the product adds to it. */
static bool is_too_large(const struct gpu_pairs *pairs, enum gpu_pairs_part *part)
{
    const struct gpu_product *product = &pairs->product;
    double bits = (double)product->bits, buffers = pairs->count > 1 ? 2 : 1;
    double factors = (product->rows * product->depth + product->depth * product->columns) * bits;
    double result = product->rows * product->columns * bits;
    *part = pairs->transfer.bits > result ? GPU_PAIRS_DATA : GPU_PAIRS_MATRICES;
    return factors + buffers * fmax(pairs->transfer.bits, result) > pairs->gpu->memory;
}

const char *gpu_pairs_refusal(const struct gpu_pairs *pairs, enum gpu_pairs_part *part)
{
    struct gpu_block block = gpu_product_block(&pairs->product);
    if (is_too_large(pairs, part))
        return *part == GPU_PAIRS_DATA ? "the collective's vector, of which there are two (a product writes "
                                         "one while the other is "
                                         "sent), and the product's factors are larger than the GPU's memory"
                                       : "the product's matrices are larger than the GPU's memory";
    *part = GPU_PAIRS_BLOCK;
    if (gpu_refusal(pairs->gpu, &block))
        return gpu_refusal(pairs->gpu, &block);
    if (!takes_too_long(pairs, part))
        return NULL;
    return *part == GPU_PAIRS_FLOPS ? "a product takes longer than an hour"
                                    : "a collective takes longer than an hour";
}

/* Where product and collective I are among the launches of two streams. */
static int product_at(int i)
{
    return i == 0 ? 0 : 2 * i - 1;
}

static int collective_at(int i, int count)
{
    return i + 1 < count ? 2 * i + 2 : 2 * i + 1;
}

/* The first product, then by turns the next product and the collective of the one before. */
static void enqueue_beside(const struct kernels *kernels, int count, int priority,
                           struct gpu_launch *launches)
{
    for (int i = 0; i < count; i++) {
        int reader = i < 2 ? GPU_NO_EVENT : collective_at(i - 2, count); /* of what this product overwrites */
        launches[product_at(i)] = (struct gpu_launch){&kernels->product, 0, 0, reader};
        launches[collective_at(i, count)] =
            (struct gpu_launch){&kernels->collective, 1, priority, product_at(i)};
    }
}

static void enqueue_one_by_one(const struct kernels *kernels, int count, struct gpu_launch *launches)
{
    for (int i = 0; i < count; i++) {
        launches[2 * i] = (struct gpu_launch){&kernels->product, 0, 0, GPU_NO_EVENT};
        launches[2 * i + 1] = (struct gpu_launch){&kernels->collective, 0, 0, GPU_NO_EVENT};
    }
}

/* Those of products and of collectives in the order of pairs. */
static void sort_spans(const struct gpu_span *all, enum gpu_mode mode, int count, struct gpu_span *spans)
{
    for (int i = 0; i < count; i++) {
        spans[2 * i] = all[mode == GPU_SEQUENTIAL ? 2 * i : product_at(i)];
        spans[2 * i + 1] = all[mode == GPU_SEQUENTIAL ? 2 * i + 1 : collective_at(i, count)];
    }
}

static bool run(const struct gpu_pairs *pairs, enum gpu_mode mode, struct gpu_history *history,
                struct gpu_span *spans, struct gpu_outcome *outcome, struct error *error)
{
    const int count = (int)pairs->count, priority = mode == GPU_PRIORITY || mode == GPU_BOTH;
    struct kernels kernels = kernels_of(pairs, mode);
    struct gpu_launch launches[2 * GPU_MOST_PAIRS];
    struct gpu_span all[2 * GPU_MOST_PAIRS];
    struct gpu_work work = {pairs->gpu, launches, 2 * (size_t)count, false, spans ? all : NULL, history};
    if (mode == GPU_SEQUENTIAL)
        enqueue_one_by_one(&kernels, count, launches);
    else
        enqueue_beside(&kernels, count, priority, launches);
    if (!gpu_run(&work, outcome, error))
        return false;
    if (spans)
        sort_spans(all, mode, count, spans);
    return true;
}

/* A kernel alone on the GPU, COUNT times one after another. */
static bool run_alone(const struct gpu *gpu, const struct gpu_kernel *kernel, int64_t count, sim_time *time,
                      struct error *error)
{
    struct gpu_launch launch = {kernel, 0, 0, GPU_NO_EVENT};
    struct gpu_work work = {.gpu = gpu, .launches = &launch, .count = 1};
    struct gpu_outcome outcome;
    if (!gpu_run(&work, &outcome, error))
        return false;
    *time = outcome.end * count;
    return true;
}

bool gpu_pairs_time(const struct gpu_pairs *pairs, enum gpu_mode mode, sim_time *time, struct error *error)
{
    assert(pairs->count >= 1 && pairs->count <= GPU_MOST_PAIRS);
    struct gpu_outcome outcome;
    bool done = run(pairs, mode, NULL, NULL, &outcome, error);
    if (done)
        *time = outcome.end;
    return done;
}

bool gpu_pairs_alone(const struct gpu_pairs *pairs, enum gpu_mode mode, sim_time *product,
                     sim_time *collective, struct error *error)
{
    struct kernels kernels = kernels_of(pairs, mode);
    return run_alone(pairs->gpu, &kernels.product, pairs->count, product, error) &&
           run_alone(pairs->gpu, &kernels.collective, pairs->count, collective, error);
}

static void measure_occupancy(const struct gpu_pairs *pairs, enum gpu_mode mode,
                              struct gpu_pairs_times *times)
{
    struct gpu_kernel product = kernels_of(pairs, mode).product;
    times->resident = product.resident;
    times->occupancy = (double)(product.resident * product.block.threads) / (double)pairs->gpu->threads;
}

bool gpu_pairs_run(const struct gpu_pairs *pairs, enum gpu_mode mode, struct gpu_history *history,
                   struct gpu_span *spans, struct gpu_pairs_times *times, struct error *error)
{
    assert(pairs->count >= 1 && pairs->count <= GPU_MOST_PAIRS);
    sim_time product, collective;
    struct gpu_outcome outcome;
    measure_occupancy(pairs, mode, times);
    if (!run(pairs, mode, history, spans, &outcome, error) ||
        !gpu_pairs_alone(pairs, mode, &times->product, &times->collective, error) ||
        !gpu_pairs_alone(pairs, GPU_SEQUENTIAL, &product, &collective, error))
        return false;
    times->time = outcome.end;
    times->events = outcome.events;
    times->unshaped = product;
    times->sequential = product + collective; /* each begins on an idle GPU */
    times->baseline = times->time;
    return mode == GPU_BASELINE || gpu_pairs_time(pairs, GPU_BASELINE, &times->baseline, error);
}

double gpu_pairs_overlap_rate(const struct gpu_pairs_times *times)
{
    sim_time shorter = times->product < times->collective ? times->product : times->collective;
    sim_time hidden = times->product + times->collective - times->time;
    return shorter > 0 ? (double)hidden / (double)shorter : NAN;
}
