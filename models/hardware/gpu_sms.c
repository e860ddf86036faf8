/*
 * There are never more classes than SMs: a class is split only if both parts have some. Cohorts of a class
 * are in the order of their launch, group, series and remaining work, so that equal classes look alike.
 */
#include "models/hardware/gpu_sms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool gpu_sms_create(struct gpu_sms *sms, const struct gpu *gpu, struct error *error)
{
    assert(gpu->sms >= 1 && gpu->blocks <= GPU_MOST_BLOCKS);
    *sms =
        (struct gpu_sms){.gpu = gpu, .classes = calloc((size_t)gpu->sms, sizeof *sms->classes), .count = 1};
    if (sms->classes)
        sms->classes[0].sms = gpu->sms;
    else
        error_out_of_memory(error, "a GPU");
    return sms->classes != NULL;
}

void gpu_sms_free(struct gpu_sms *sms)
{
    free(sms->classes);
}

static int64_t count_of(const struct gpu_class *class, size_t launch)
{
    int64_t blocks = 0;
    for (size_t i = 0; i < class->count; i++)
        if (class->cohorts[i].launch == launch)
            blocks += class->cohorts[i].blocks;
    return blocks;
}

/* Resources of different kernels add up; RESIDENT holds the finer rule for one alone. */
static bool has_room(const struct gpu_class *class, const struct gpu *gpu, const struct gpu_kernel *kernel,
                     size_t launch)
{
    const struct gpu_block *block = &kernel->block;
    return class->blocks < gpu->blocks && class->threads + block->threads <= gpu->threads &&
           class->registers + gpu_block_registers(gpu, block) <= gpu->registers &&
           class->shared + gpu_block_shared(gpu, block) <= gpu->shared &&
           count_of(class, launch) < kernel->resident;
}

static void take(struct gpu_class *class, const struct gpu *gpu, const struct gpu_block *block,
                 int64_t blocks)
{
    class->blocks += blocks;
    class->threads += blocks * block->threads;
    class->registers += blocks * gpu_block_registers(gpu, block);
    class->shared += blocks * gpu_block_shared(gpu, block);
}

static int compare(const struct gpu_cohort *a, const struct gpu_cohort *b)
{
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    return (a->remaining > b->remaining) - (a->remaining < b->remaining);
}

static void add(struct gpu_class *class, const struct gpu_cohort *cohort)
{
    size_t i = class->count;
    while (i > 0 && compare(&class->cohorts[i - 1], cohort) >= 0)
        i--;
    if (i < class->count && compare(&class->cohorts[i], cohort) == 0) {
        class->cohorts[i].blocks += cohort->blocks;
        return;
    }
    memmove(&class->cohorts[i + 1], &class->cohorts[i], (class->count - i) * sizeof *cohort);
    class->cohorts[i] = *cohort;
    class->count++;
}

/* The class with room whose SMs hold fewest blocks; the count of classes if there is none. */
static size_t emptiest(const struct gpu_sms *sms, const struct gpu_kernel *kernel, size_t launch)
{
    size_t best = sms->count;
    for (size_t i = 0; i < sms->count; i++)
        if ((best == sms->count || sms->classes[i].blocks < sms->classes[best].blocks) &&
            has_room(&sms->classes[i], sms->gpu, kernel, launch))
            best = i;
    return best;
}

/* COUNT of its SMs become a class of their own, the last one. */
static struct gpu_class *split(struct gpu_sms *sms, size_t i, int64_t count)
{
    struct gpu_class *class = &sms->classes[i];
    if (count == class->sms)
        return class;
    struct gpu_class *part = &sms->classes[sms->count++];
    *part = *class;
    part->sms = count;
    class->sms -= count;
    return part;
}

int64_t gpu_sms_place(struct gpu_sms *sms, const struct gpu_kernel *kernel, size_t launch, size_t group,
                      int64_t series, int64_t count)
{
    double unit = kernel->groups[group].work;
    const struct gpu_cohort cohort = {.launch = launch,
                                      .group = group,
                                      .blocks = 1,
                                      .series = series,
                                      .unit = unit,
                                      .remaining = (double)series * unit};
    int64_t placed = 0;
    while (placed < count) {
        size_t i = emptiest(sms, kernel, launch);
        if (i == sms->count)
            break;
        int64_t room = sms->classes[i].sms, left = count - placed;
        struct gpu_class *class = split(sms, i, left < room ? left : room);
        add(class, &cohort);
        take(class, sms->gpu, &kernel->block, 1);
        placed += class->sms;
    }
    return placed;
}

void gpu_class_remove(struct gpu_class *class, const struct gpu *gpu, const struct gpu_kernel *kernel,
                      size_t i)
{
    take(class, gpu, &kernel->block, -class->cohorts[i].blocks);
    class->count--;
    memmove(&class->cohorts[i], &class->cohorts[i + 1], (class->count - i) * sizeof *class->cohorts);
}

static bool equal(const struct gpu_class *a, const struct gpu_class *b)
{
    if (a->count != b->count || a->blocks != b->blocks)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->cohorts[i].blocks != b->cohorts[i].blocks || compare(&a->cohorts[i], &b->cohorts[i]) != 0)
            return false;
    return true;
}

void gpu_sms_join(struct gpu_sms *sms)
{
    for (size_t i = 0; i < sms->count; i++)
        for (size_t j = i + 1; j < sms->count;)
            if (equal(&sms->classes[i], &sms->classes[j])) {
                sms->classes[i].sms += sms->classes[j].sms;
                sms->classes[j] = sms->classes[--sms->count];
            } else {
                j++;
            }
}
