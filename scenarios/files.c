/*
 * The document is walked once: what names a file is unlinked or replaced where it stands.
 */
#include "scenarios/files.h"

#include "scenarios/number.h"
#include "scenarios/scenario.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct node *files_add(struct loader *loader, struct node *parent, const char *key, enum node_kind kind,
                       const char *text, struct place place)
{
    struct node *node = memory_take(loader->scratch, 1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct node){.kind = kind, .text = text, .place = place, .key = key, .key_place = place};
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
    return node;
}

static void unlink_member(struct node *mapping, const struct node *member)
{
    struct node *before = NULL;
    for (struct node *node = mapping->first; node != member; node = node->next)
        before = node;
    if (before)
        before->next = member->next;
    else
        mapping->first = member->next;
    if (mapping->last == member)
        mapping->last = before;
    mapping->count--;
}

static const char *resolve(struct loader *loader, const struct source *scenario, const char *path)
{
    const char *slash = strrchr(scenario->name, '/');
    if (*path == '/' || !slash)
        return path;
    return memory_format(loader->scratch, "%.*s/%s", (int)(slash - scenario->name), scenario->name, path);
}

/* A device or a pipe might never end. */
static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* Reads the file that NODE names into the scratch memory; NULL with a fault. */
static const struct source *read_file(struct loader *loader, const struct source *scenario,
                                      const struct node *node)
{
    const char *path = resolve(loader, scenario, node->text);
    struct scenario_text text;
    struct error error = {.kind = ERROR_NONE};
    if (!path)
        return NULL;
    if (!is_regular(path)) {
        faults_add(&loader->faults, node->place, "%s: not a regular file", path);
        return NULL;
    }
    if (!scenario_text_read(path, &text, &error)) {
        faults_add(&loader->faults, node->place, "%s", error.message);
        return NULL;
    }
    struct source *source = memory_take(loader->scratch, 1, sizeof *source);
    char *bytes = memory_copy(loader->scratch, text.bytes, text.length);
    if (source)
        *source = (struct source){path, bytes, text.length, true};
    scenario_text_free(&text);
    if (!source || !bytes)
        return NULL;
    const char *what;
    size_t bad = source_first_bad_byte(source, 0, &what);
    if (bad == source->length)
        return source;
    faults_add(&loader->faults, (struct place){source, bad}, "%s", what);
    return NULL;
}

static struct node *member(const struct node *mapping, const char *key)
{
    return mapping && mapping->kind == NODE_MAPPING ? document_member(mapping, key, strlen(key)) : NULL;
}

static void expand_catalogue(struct loader *loader, const struct source *scenario, struct node *root)
{
    struct node *cluster = member(root, "cluster"), *name = member(cluster, "catalogue_file");
    struct node *catalogue = member(cluster, "catalogue");
    if (!name || name->kind != NODE_SCALAR || document_is_null(name))
        return;
    unlink_member(cluster, name);
    if (catalogue && document_is_null(catalogue)) {
        unlink_member(cluster, catalogue);
        catalogue = NULL;
    }
    const struct source *source = read_file(loader, scenario, name);
    if (!catalogue)
        catalogue = files_add(loader, cluster, "catalogue", NODE_SEQUENCE, "", name->place);
    if (source && catalogue && catalogue->kind == NODE_SEQUENCE)
        files_read_chips(loader, source, catalogue);
}

/* One value is a list of it. */
static void expand_single(struct loader *loader, struct node *value)
{
    if (!value || value->kind != NODE_SCALAR || document_is_null(value))
        return;
    struct node list = *value;
    list.kind = NODE_SEQUENCE;
    list.text = "";
    list.first = list.last = NULL;
    list.count = 0;
    files_add(loader, &list, NULL, NODE_SCALAR, value->text, value->place);
    *value = list;
}

static void expand_strikes(struct loader *loader, struct node *root)
{
    struct node *chaos = member(root, "chaos");
    for (struct node *entry = chaos && chaos->kind == NODE_SEQUENCE ? chaos->first : NULL; entry;
         entry = entry->next) {
        expand_single(loader, member(entry, "at"));
        expand_single(loader, member(entry, "units"));
    }
}

/* The file's faults and no others. */
static void expand_chaos(struct loader *loader, const struct source *scenario, struct node *root)
{
    struct node *name = member(root, "chaos_file"), *schedule = member(root, "chaos_schedule");
    if (!name || name->kind != NODE_SCALAR || document_is_null(name))
        return;
    unlink_member(root, name);
    if (schedule)
        unlink_member(root, schedule);
    /* What the command line names is where the command is given. */
    static const struct source here = {.name = ""};
    const struct source *source = read_file(loader, name->place.source == scenario ? scenario : &here, name);
    schedule = files_add(loader, root, "chaos_schedule", NODE_SEQUENCE, "", name->place);
    if (source && schedule)
        files_read_chaos(loader, source, schedule);
}

static void expand_network(struct loader *loader, const struct source *scenario, struct node *root)
{
    struct node *network = member(root, "network"), *name = member(network, "file");
    if (!name || name->kind != NODE_SCALAR || document_is_null(name))
        return;
    unlink_member(network, name);
    const struct source *source = read_file(loader, scenario, name);
    if (source)
        files_read_network(loader, source, network);
}

/* The unit of the list at PATH: measured times are in seconds. */
static const char *unit_of(const struct loader *loader, const char *path)
{
    const struct field *field = fields_find(loader->root, path);
    return field && field->row.dimension == DIMENSION_TIME ? " s" : "";
}

static void expand_values(struct loader *loader, const struct source *scenario, struct node *values,
                          const char *path)
{
    double number;
    if (values->kind != NODE_SCALAR || document_is_null(values) || number_parse(values->text, &number))
        return;
    const struct source *source = read_file(loader, scenario, values);
    *values = (struct node){.kind = NODE_SEQUENCE,
                            .text = "",
                            .place = values->place,
                            .key = values->key,
                            .key_place = values->key_place,
                            .next = values->next};
    if (source)
        files_read_values(loader, source, unit_of(loader, path), values);
}

/* Looks through MAPPING, whose members' paths begin with PREFIX. */
static void expand_laws(struct loader *loader, const struct source *scenario, struct node *mapping,
                        const char *prefix)
{
    struct node *values = member(mapping, "values");
    const char *path = memory_format(loader->scratch, "%svalues", prefix);
    if (path && values && member(mapping, "law"))
        expand_values(loader, scenario, values, path);
    for (struct node *node = mapping->first; node; node = node->next) {
        const char *below = memory_format(loader->scratch, "%s%s.", prefix, node->key);
        if (below && node->kind == NODE_MAPPING)
            expand_laws(loader, scenario, node, below);
    }
}

void files_expand(struct loader *loader, const struct source *scenario, struct node *root)
{
    if (!root || root->kind != NODE_MAPPING)
        return;
    expand_network(loader, scenario, root);
    expand_catalogue(loader, scenario, root);
    expand_chaos(loader, scenario, root);
    expand_strikes(loader, root);
    expand_laws(loader, scenario, root, "");
}
