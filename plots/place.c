#include "plots/place.h"

#include "plots/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool place_fail(const struct place_part *part, struct error *error)
{
    if (errno == EINTR)
        error_set(error, ERROR_INTERRUPTED, "interrupted; %s was not written to the end", part->output);
    else
        error_set(error, ERROR_SYSTEM, "%s: the %s can not be written: %s", part->output, part->what,
                  strerror(errno));
    return false;
}

/* What /dev/stdout leads to is open already: another file in its place would not be seen by who opened it. */
static bool is_no_file(const char *output)
{
    struct stat status;
    return strncmp(output, "/dev/", 5) == 0 || strncmp(output, "/proc/", 6) == 0 ||
           (stat(output, &status) == 0 && !S_ISREG(status.st_mode));
}

static bool name_part(struct place_part *part)
{
    const char *folder = getenv("TMPDIR");
    part->target = realpath(part->output, NULL);
    if (!part->target)
        part->target = strdup(part->output);
    int length =
        part->through
            ? asprintf(&part->path, "%s/trainstorm.%ld.part", folder ? folder : P_tmpdir, (long)getpid())
            : asprintf(&part->path, "%s.%ld.part", part->target ? part->target : "", (long)getpid());
    if (length < 0)
        part->path = NULL;
    return part->target && part->path;
}

static void release(struct place_part *part)
{
    free(part->path);
    free(part->target);
}

bool place_begin(struct place_part *part, const char *output, const char *what, struct error *error)
{
    *part = (struct place_part){.output = output, .what = what, .through = is_no_file(output)};
    if (!name_part(part)) {
        release(part);
        error_out_of_memory(error, "a file's path");
        return false;
    }
    int file = open(part->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && close(file) == 0)
        return true;
    place_fail(part, error);
    release(part);
    return false;
}

bool place_copy(FILE *out, const char *path, struct error *error)
{
    char bytes[4096];
    size_t count;
    FILE *in = fopen(path, "rb");
    if (!in) {
        error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
        return false;
    }
    while (!ferror(out) && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, count, out);
    bool read = !ferror(in);
    if (!read)
        error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    fclose(in);
    return read;
}

static bool pass_on(const struct place_part *part, struct error *error)
{
    FILE *out = pipe_open(part->output, part->stop);
    if (!out)
        return place_fail(part, error);
    bool read = place_copy(out, part->path, error), kept = !ferror(out);
    kept &= fclose(out) == 0;
    return read && (kept || place_fail(part, error));
}

bool place_end(struct place_part *part, bool written, struct error *error)
{
    bool placed = false;
    if (written)
        placed = part->through ? pass_on(part, error)
                               : rename(part->path, part->target) == 0 || place_fail(part, error);
    if (!placed || part->through)
        unlink(part->path);
    release(part);
    return placed;
}
