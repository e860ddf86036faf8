/*
 * A chip field's choices are an array of names, in the order in which models number chips (chip_name). The
 * names must be known before any field is read, so they are taken from the document.
 */
#include "scenarios/chips.h"

#include <stdlib.h>
#include <string.h>

bool chips_name_loaded(struct loader *loader, struct chip_table table)
{
    size_t count = chip_count(table);
    const char **names = memory_take(loader->scratch, count + 1, sizeof *names);
    if (!names)
        return false;
    for (size_t i = 0; i < count; i++)
        names[i] = chip_name(table, i);
    fields_name_chips(loader->root, names);
    return true;
}

static const struct node *find_catalogue(const struct node *root)
{
    const struct node *cluster = document_member(root, "cluster", 7);
    const struct node *catalogue =
        cluster && cluster->kind == NODE_MAPPING ? document_member(cluster, "catalogue", 9) : NULL;
    return catalogue && catalogue->kind == NODE_SEQUENCE ? catalogue : NULL;
}

static const struct node *name_of(const struct node *entry)
{
    const struct node *name = entry->kind == NODE_MAPPING ? document_member(entry, "name", 4) : NULL;
    return name && name->kind == NODE_SCALAR ? name : NULL;
}

/* Own chips by name alone, each once; enough for chip_name. */
static size_t list_names(struct loader *loader, const struct node *catalogue, struct chip *own)
{
    size_t count = 0;
    for (const struct node *entry = catalogue->first; entry; entry = entry->next) {
        const struct node *name = name_of(entry);
        size_t i = 0;
        if (!name)
            continue;
        while (i < count && strcmp(own[i].name, name->text) != 0)
            i++;
        if (i < count)
            faults_add(&loader->faults, name->place,
                       "cluster.catalogue: a chip before this one has the same name");
        else
            own[count++].name = name->text;
    }
    return count;
}

bool chips_name(struct loader *loader, const struct node *root)
{
    const struct node *catalogue = find_catalogue(root);
    if (!catalogue)
        return true;
    struct chip *own = memory_take(loader->scratch, catalogue->count + 1, sizeof *own);
    return own && chips_name_loaded(loader, (struct chip_table){own, list_names(loader, catalogue, own)});
}

void chips_check(struct loader *loader, const struct reading *root, struct chip_table table)
{
    const char *field;
    size_t index = chip_incomplete(table, &field);
    for (size_t i = 0, seen = 0; !loader->faults.count && index < table.count && i < root->item_count; i++) {
        const struct reading *reading = &root->items[i];
        if (!reading->list || reading->list->list != &chip_list || seen++ != index)
            continue;
        faults_add(&loader->faults, loader_place(reading, "name"),
                   "%s%s is missing: \"%s\" is not built in, so its rate must be given", reading->path, field,
                   table.own[index].name ? table.own[index].name : "");
    }
}
