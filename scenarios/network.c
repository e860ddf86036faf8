/*
 * The model says which item of which list is at fault; where that stands is known from the reading.
 */
#include "scenarios/network.h"

enum { ROOM = 50 }; /* for faults; who mends these will see the others */

static bool is_given(const struct reading *root, const char *path)
{
    const struct field *field = fields_find(root->scope, path);
    return root->states[field - root->scope->fields] == FIELD_GIVEN;
}

static const struct reading *find_item(const struct reading *root, const struct network_fault *fault)
{
    size_t item = 0;
    for (size_t i = 0; i < root->item_count; i++)
        if (root->items[i].list && root->items[i].list->list == fault->list && item++ == fault->item)
            return &root->items[i];
    return root;
}

static void refuse(struct loader *loader, const struct reading *root, const struct network_fault *fault)
{
    const struct reading *reading = fault->list ? find_item(root, fault) : root;
    faults_add(&loader->faults, loader_place(reading, fault->field), "%s%s: %s", reading->path, fault->field,
               fault->message);
}

void network_complete(struct loader *loader, const struct reading *root, struct scenario *scenario)
{
    struct network_config *network = &scenario->simulation.network;
    struct network_fault faults[ROOM];
    network_settle(network, is_given(root, "network.wan.bandwidth"), is_given(root, "network.wan.latency"));
    if (loader->faults.count)
        return;
    size_t count = network_check(network, faults, ROOM);
    for (size_t i = 0; i < count && i < ROOM; i++)
        refuse(loader, root, &faults[i]);
}
