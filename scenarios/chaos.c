#include "scenarios/chaos.h"

#include "models/training/chaos_ground.h"

static const struct reading *find_item(const struct reading *root, const struct parameter_list *list,
                                       size_t item)
{
    for (size_t i = 0; i < root->item_count; i++)
        if (root->items[i].list && root->items[i].list->list == list && item-- == 0)
            return &root->items[i];
    return root;
}

static void refuse(struct loader *loader, const struct reading *root, const struct chaos_fault_report *report)
{
    if (!report->list) {
        const char *path = memory_format(loader->scratch, "chaos_limits.%s", report->field);
        if (path)
            faults_add(&loader->faults, loader_place(root, path), "%s: %s", path, report->message);
        return;
    }
    const struct reading *reading = find_item(root, report->list, report->item);
    faults_add(&loader->faults, loader_place(reading, report->field), "%s%s: %s", reading->path,
               report->field, report->message);
}

void chaos_complete(struct loader *loader, const struct reading *root, const struct scenario *scenario)
{
    const struct simulation_config *simulation = &scenario->simulation;
    struct chaos_fault_report report;
    struct chaos_ground_owner ground;
    struct error error = {.kind = ERROR_NONE};
    if (loader->faults.count || chaos_is_empty(&simulation->chaos))
        return;
    if (!chaos_ground_create(&ground, simulation, &error))
        faults_add(&loader->faults, loader_place(root, "chaos"), "chaos: %s", error.message);
    else if (!chaos_check(&simulation->chaos, &ground.ground, &report))
        refuse(loader, root, &report);
    chaos_ground_destroy(&ground);
}
