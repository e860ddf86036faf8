/*
 * A network kept apart. Trees are merged by moving nodes: a file's tree is nobody else's.
 */
#include "scenarios/files.h"

#include <string.h>

static struct node *member(const struct node *mapping, const char *key)
{
    return mapping && mapping->kind == NODE_MAPPING ? document_member(mapping, key, strlen(key)) : NULL;
}

static const char *name_of(const struct node *item)
{
    const struct node *name = member(item, "name");
    return name && name->kind == NODE_SCALAR ? name->text : NULL;
}

static void append(struct node *parent, struct node *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static void merge(struct node *own, struct node *other);

static void merge_mappings(struct node *own, struct node *other)
{
    for (struct node *node = other->first, *next; node; node = next) {
        struct node *present = member(own, node->key);
        next = node->next;
        if (present)
            merge(present, node);
        else
            append(own, node);
    }
}

static struct node *find_item(const struct node *sequence, const char *name)
{
    for (struct node *item = sequence->first; item; item = item->next)
        if (name_of(item) && strcmp(name_of(item), name) == 0)
            return item;
    return NULL;
}

static bool have_names(const struct node *sequence)
{
    for (const struct node *item = sequence->first; item; item = item->next)
        if (!name_of(item))
            return false;
    return true;
}

static void merge_sequences(struct node *own, struct node *other)
{
    if (!have_names(own) || !have_names(other))
        return;
    for (struct node *item = other->first, *next; item; item = next) {
        struct node *present = find_item(own, name_of(item));
        next = item->next;
        if (present)
            merge_mappings(present, item);
        else
            append(own, item);
    }
}

/* What two say of the same; OTHER's tree is used up. */
static void merge(struct node *own, struct node *other)
{
    if (own->kind == NODE_MAPPING && other->kind == NODE_MAPPING)
        merge_mappings(own, other);
    else if (own->kind == NODE_SEQUENCE && other->kind == NODE_SEQUENCE)
        merge_sequences(own, other);
}

static bool check_file(struct loader *loader, const struct source *source, const struct node *root)
{
    size_t before = loader->faults.count;
    const struct node *network = member(root, "network");
    if (!root || root->kind != NODE_MAPPING || !network || network->kind != NODE_MAPPING) {
        faults_add(&loader->faults, (struct place){source, 0},
                   "a file that a scenario takes in has a section \"network\"");
        return false;
    }
    for (const struct node *node = root->first; node; node = node->next)
        if (node != network)
            faults_add(&loader->faults, node->key_place,
                       "only \"network\" is taken in from a file; this belongs into the scenario");
    if (member(network, "file"))
        faults_add(&loader->faults, member(network, "file")->key_place,
                   "a file that is taken in takes in no other");
    return loader->faults.count == before;
}

void files_read_network(struct loader *loader, const struct source *source, struct node *network)
{
    size_t before = loader->faults.count;
    struct node *tree = document_parse(source, 0, loader->scratch, &loader->faults);
    if (loader->faults.count == before && check_file(loader, source, tree))
        merge_mappings(network, member(tree, "network"));
}
