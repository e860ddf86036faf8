#include "config.h"

#include "cli/shipped.h"

#include "cli/datadir.h"
#include "scenarios/spelling.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".yaml"

/* A folder of the user's that happens to be called like a shipped scenario is not meant. */
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* The name of a shipped scenario can't leave its folder; whatever could is the user's path. */
static bool may_be_shipped(const char *name)
{
    return name[0] != '/' && name[0] != '.' && !strstr(name, "..") && !strstr(name, SUFFIX);
}

/* Keeps in NEAREST, of SIZE bytes, the name that was probably meant; leaves it alone when there is none. */
static void find_nearest(const char *name, char *nearest, size_t size)
{
    for (enum shipped_folder folder = SHIPPED_SCENARIOS; folder <= SHIPPED_VALIDATION; folder++) {
        struct shipped_list list;
        const char *best = NULL;
        size_t distance = 0;
        shipped_list(folder, &list, NULL);
        for (size_t i = 0; i < list.count; i++)
            spelling_consider(name, list.names[i], &best, &distance);
        if (best && !*nearest)
            snprintf(nearest, size, "%s", best);
        shipped_list_free(&list);
    }
}

static void refuse(const char *name, struct error *error)
{
    char nearest[NAME_MAX] = "";
    find_nearest(name, nearest, sizeof nearest);
    if (*nearest)
        error_set(error, ERROR_INPUT, "%s: neither a file nor a shipped scenario; did you mean \"%s\"?", name,
                  nearest);
    else
        error_set(error, ERROR_INPUT,
                  "%s: neither a file nor a shipped scenario; `" PACKAGE_NAME " list scenarios' names those",
                  name);
}

static bool read_shipped(const char *const *folders, const char *name, struct scenario_text *text,
                         struct error *error)
{
    char data[PATH_MAX], path[3 * PATH_MAX];
    if (!datadir_find(DATADIR_SCENARIOS, data, sizeof data, error))
        return false;
    for (; *folders; folders++) {
        int length = snprintf(path, sizeof path, "%s/%s/%s" SUFFIX, data, *folders, name);
        if (length < (int)sizeof path && is_file(path))
            return scenario_text_read(path, text, error);
    }
    refuse(name, error);
    return false;
}

static bool read_any(const char *const *folders, const char *name, struct scenario_text *text,
                     struct error *error)
{
    if (is_file(name) || !may_be_shipped(name))
        return scenario_text_read(name, text, error);
    return read_shipped(folders, name, text, error);
}

bool shipped_read(const char *name, struct scenario_text *text, struct error *error)
{
    static const char *const folders[] = {"scenarios", NULL};
    return read_any(folders, name, text, error);
}

bool shipped_read_validation(const char *name, struct scenario_text *text, struct error *error)
{
    static const char *const folders[] = {"scenarios/validation", "scenarios", NULL};
    return read_any(folders, name, text, error);
}

static int is_scenario(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

/* PREFIX before the file's name without its suffix: "validation/" and "table1.yaml" are "validation/table1".
 */
static char *name_of(const char *prefix, const char *file)
{
    char *name = NULL;
    int stem = (int)(strlen(file) - strlen(SUFFIX));
    return asprintf(&name, "%s%.*s", prefix, stem, file) < 0 ? NULL : name;
}

static bool take_names(struct dirent **entries, size_t count, const char *prefix, struct shipped_list *list)
{
    list->names = calloc(count + 1, sizeof *list->names);
    if (!list->names)
        return false;
    for (size_t i = 0; i < count; i++) {
        list->names[i] = name_of(prefix, entries[i]->d_name);
        if (!list->names[i])
            return false;
        list->count++;
    }
    return true;
}

/* A folder that isn't there holds nothing. */
static bool list_folder(const char *folder, const char *prefix, struct shipped_list *list,
                        struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_scenario, alphasort);
    if (count < 0 && errno != ENOENT) {
        error_set(error, ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
        return false;
    }
    bool taken = count <= 0 || take_names(entries, (size_t)count, prefix, list);
    if (!taken)
        error_out_of_memory(error, "the list of scenarios");
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return taken;
}

bool shipped_list(enum shipped_folder folder, struct shipped_list *list, struct error *error)
{
    static const char *const prefixes[] = {[SHIPPED_SCENARIOS] = "", [SHIPPED_VALIDATION] = "validation/"};
    char data[PATH_MAX], path[2 * PATH_MAX];
    *list = (struct shipped_list){0};
    if (!datadir_find(DATADIR_SCENARIOS, data, sizeof data, error))
        return false;
    snprintf(path, sizeof path, "%s/scenarios/%s", data, prefixes[folder]);
    return list_folder(path, prefixes[folder], list, error);
}

void shipped_list_free(struct shipped_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct shipped_list){0};
}
