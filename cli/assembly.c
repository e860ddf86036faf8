#include "cli/assembly.h"

#include "cli/command.h"
#include "cli/show.h"
#include "studies/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The stream that stands for standard error meanwhile lasts as long as the program, which may exit anywhere.
 */
static struct {
    FILE *errors; /* where it goes in the end; NULL: nothing is held back */
    char *text;
    size_t length;
} held;

/* ALOUD, or never. */
static void release(bool aloud)
{
    if (!held.errors)
        return;
    fclose(stderr);
    stderr = held.errors;
    if (aloud)
        fwrite(held.text, 1, held.length, stderr);
    free(held.text);
    held.errors = NULL;
}

struct channel *assembly_meet(int *status)
{
    struct error error = {.kind = ERROR_NONE};
    bool speaks = true;
    struct channel *channel = channel_open(&error);
    if (channel && !channel_agree(channel, status, &speaks, &error)) {
        channel_close(channel, false);
        channel = NULL;
    }
    release(speaks);
    if (!channel)
        *status = show_error(&error);
    return channel;
}

int assembly_part(int status)
{
    if (!held.errors)
        return status;
    struct channel *channel = assembly_meet(&status);
    if (channel)
        channel_close(channel, true);
    return status;
}

/* A process that ends well and has nothing to tell, after --version for one, needs nobody. */
static void part_at_exit(int status, void *context)
{
    (void)context;
    if (held.errors)
        fflush(stderr);
    if (!held.errors || (status == STATUS_DONE && held.length == 0))
        return;
    int agreed = assembly_part(status);
    if (agreed != status)
        _exit(show_flush(agreed));
}

bool assembly_begin(void)
{
    if (!channel_is_launched() || !channel_is_built_in())
        return true;
    FILE *stream = open_memstream(&held.text, &held.length);
    if (!stream || on_exit(part_at_exit, NULL) != 0)
        return false;
    held.errors = stderr;
    stderr = stream;
    return true;
}
