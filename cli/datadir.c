/*
 * A folder is a data folder when it holds the one scenario that every installation has; its name
 * alone is no proof, since a build out of the source tree makes folders of the same names.
 */
#include "cli/datadir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char witness[] = "scenarios/million-chips.yaml";

static bool holds_data(const char *folder)
{
    char file[PATH_MAX];
    int length = snprintf(file, sizeof file, "%s/%s", folder, witness);
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

bool datadir_find(char *path, size_t size, struct error *error)
{
    const char *wanted = getenv("TRAINSTORM_DATADIR");
    if (wanted && *wanted) {
        if (holds_data(wanted))
            return take(path, size, wanted, error);
        error_set(error, ERROR_INPUT, "TRAINSTORM_DATADIR=%s: no file %s there", wanted, witness);
        return false;
    }
    char beside[PATH_MAX] = "";
    if (program_folder(beside) && holds_data(beside))
        return take(path, size, beside, error);
    if (holds_data(PKGDATADIR))
        return take(path, size, PKGDATADIR, error);
    error_set(error, ERROR_SYSTEM,
              "no %s in %s or %s; set TRAINSTORM_DATADIR to the folder that holds scenarios/", witness,
              beside, PKGDATADIR);
    return false;
}
