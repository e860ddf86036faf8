/*
 * The C library's balanced tree of texts with their counts.
 */
#include "results/junit_names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct counted {
    char *text;
    size_t count;
};

static int compare(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    return strcmp(a->text, b->text);
}

static void free_counted(void *node)
{
    struct counted *counted = node;
    free(counted->text);
    free(counted);
}

static struct counted *make(const char *text)
{
    struct counted *counted = calloc(1, sizeof *counted);
    if (counted && (counted->text = strdup(text)))
        return counted;
    free(counted);
    return NULL;
}

static struct counted *find(const struct junit_names *names, const char *text)
{
    const struct counted key = {.text = (char *)text};
    struct counted *const *found = tfind(&key, &names->tree, compare);
    return found ? *found : NULL;
}

size_t junit_names_count(const struct junit_names *names, const char *text)
{
    const struct counted *counted = find(names, text);
    return counted ? counted->count : 0;
}

size_t junit_names_add(struct junit_names *names, const char *text)
{
    struct counted *counted = find(names, text);
    if (counted)
        return ++counted->count;
    counted = make(text);
    if (counted && tsearch(counted, &names->tree, compare))
        return ++counted->count;
    if (counted)
        free_counted(counted);
    return 0;
}

void junit_names_free(struct junit_names *names)
{
    tdestroy(names->tree, free_counted);
    names->tree = NULL;
}
