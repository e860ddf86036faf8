/*
 * A folder is a data folder when it holds a file that every installation has of the part that is wanted; the
 * part's name alone is no proof, since a build out of the source tree makes folders of the same names.
 */
#include "cli/datadir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Of an installation that was moved as a whole, as seen from its programs. */
#define SHARED "/../share/trainstorm"

static const struct {
    const char *folder, *witness, *what;
} parts[] = {
    [DATADIR_SCENARIOS] = {"scenarios", "million-chips.yaml", "shipped scenarios"},
    [DATADIR_PLOTS] = {"plots", "goodput.gnuplot", "the templates of figures"},
};

static bool holds(const char *folder, enum datadir_part part)
{
    char file[PATH_MAX];
    int length = snprintf(file, sizeof file, "%s/%s/%s", folder, parts[part].folder, parts[part].witness);
    return length > 0 && (size_t)length < sizeof file && access(file, R_OK) == 0;
}

/* The folder of the running program, or false where /proc doesn't tell. */
static bool program_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool take(char *path, size_t size, const char *folder, struct error *error)
{
    int length = snprintf(path, size, "%s", folder);
    if (length >= 0 && (size_t)length < size)
        return true;
    error_set(error, ERROR_SYSTEM, "%s: the data folder's path is too long", folder);
    return false;
}

bool datadir_find(enum datadir_part part, char *path, size_t size, struct error *error)
{
    const char *wanted = getenv("TRAINSTORM_DATADIR");
    if (wanted && *wanted) {
        if (holds(wanted, part))
            return take(path, size, wanted, error);
        error_set(error, ERROR_INPUT, "TRAINSTORM_DATADIR=%s: there is no %s/ with %s", wanted,
                  parts[part].folder, parts[part].what);
        return false;
    }
    char program[PATH_MAX] = "", moved[PATH_MAX + sizeof SHARED];
    bool known = program_folder(program);
    snprintf(moved, sizeof moved, "%s%s", program, SHARED);
    const char *const folders[] = {program, moved, PKGDATADIR};
    for (size_t i = known ? 0 : 2; i < sizeof folders / sizeof *folders; i++)
        if (holds(folders[i], part))
            return take(path, size, folders[i], error);
    error_set(error, ERROR_SYSTEM,
              "%s/, with %s, is neither in %s nor in %s; set TRAINSTORM_DATADIR to the folder that holds it",
              parts[part].folder, parts[part].what, program, PKGDATADIR);
    return false;
}
