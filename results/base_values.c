/*
 * The scenario is YAML that trainstorm has printed: read as a document, and walked along paths.
 */
#include "results/base_values.h"
#include "results/database.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

struct base_values {
    char *text;
    struct fy_diag *diagnostics; /* collects what libfyaml would print */
    struct fy_document *document;
};

static char *read_scenario(struct store *store, int64_t study)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(database, "select scenario from study where id = ?1", 1, &key, NULL);
    char *text = NULL;
    if (query && database_next(database, query, NULL) == DATABASE_ROW)
        text = database_copy_text(query, 0);
    sqlite3_finalize(query);
    return text;
}

static struct fy_diag *create_diagnostics(void)
{
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    struct fy_diag *diagnostics = fy_diag_create(&quiet);
    if (diagnostics)
        fy_diag_set_collect_errors(diagnostics, true);
    return diagnostics;
}

struct base_values *base_values_create(struct store *store, int64_t study)
{
    struct base_values *values = calloc(1, sizeof *values);
    if (!values)
        return NULL;
    values->text = read_scenario(store, study);
    values->diagnostics = create_diagnostics();
    const struct fy_parse_cfg settings = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG,
                                          .diag = values->diagnostics};
    if (values->text && values->diagnostics)
        values->document = fy_document_build_from_string(&settings, values->text, FY_NT);
    if (values->document)
        return values;
    base_values_destroy(values);
    return NULL;
}

void base_values_destroy(struct base_values *values)
{
    if (!values)
        return;
    fy_document_destroy(values->document);
    fy_diag_destroy(values->diagnostics);
    free(values->text);
    free(values);
}

/* The item whose name PATH begins with, the longest one, or else that of its index; *LENGTH of what it is
 * called. */
static struct fy_node *find_item(struct fy_node *sequence, const char *path, size_t *length)
{
    struct fy_node *found = NULL, *item;
    *length = 0;
    for (void *at = NULL; (item = fy_node_sequence_iterate(sequence, &at));) {
        size_t size = 0;
        struct fy_node *name =
            fy_node_is_mapping(item) ? fy_node_mapping_lookup_by_string(item, "name", 4) : NULL;
        const char *text = name ? fy_node_get_scalar(name, &size) : NULL;
        if (!text || size <= *length || strncmp(path, text, size) != 0 || path[size] != '.')
            continue;
        found = item;
        *length = size;
    }
    if (found)
        return found;
    char *end;
    long index = strtol(path, &end, 10);
    *length = (size_t)(end - path);
    return *length && *end == '.' ? fy_node_sequence_get_by_index(sequence, (int)index) : NULL;
}

bool base_values_find(const struct base_values *values, const char *path, char *text, size_t size)
{
    struct fy_node *node = values ? fy_document_root(values->document) : NULL;
    while (node && *path) {
        size_t length = strcspn(path, ".");
        if (fy_node_is_sequence(node))
            node = find_item(node, path, &length);
        else if (fy_node_is_mapping(node))
            node = fy_node_mapping_lookup_by_string(node, path, length);
        else
            node = NULL;
        path += length + (path[length] == '.');
    }
    size_t length = 0;
    const char *value = node && fy_node_is_scalar(node) ? fy_node_get_scalar(node, &length) : NULL;
    if (!value || length >= size)
        return false;
    memcpy(text, value, length);
    text[length] = '\0';
    return true;
}
