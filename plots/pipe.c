/*
 * The pipe is opened and written to without blocking, and looked at again and again: a signal that comes just
 * before a call that blocks would not end it.
 */
#include "plots/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { TICK_MILLISECONDS = 50 };

struct pipe_end {
    int file;
    const atomic_bool *stop;
    int cause; /* errno of what failed: nothing is tried after that; 0: nothing did */
};

static bool is_pipe(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

/* The descriptor, or -1 with errno. Without a reader opening fails with ENXIO. */
static int open_end(const char *path, const atomic_bool *stop)
{
    for (int waited = 0;; waited = is_stopped(stop) ? waited + TICK_MILLISECONDS : 0) {
        int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 || errno != ENXIO)
            return file;
        if (waited >= PIPE_PATIENCE_MILLISECONDS) {
            errno = EINTR;
            return -1;
        }
        poll(NULL, 0, TICK_MILLISECONDS);
    }
}

/* Until the pipe takes something, or it is known that it never will. */
static bool wait_for_room(const struct pipe_end *end)
{
    struct pollfd wanted = {.fd = end->file, .events = POLLOUT};
    int ready = 0;
    while (ready == 0) {
        bool last = is_stopped(end->stop);
        ready = poll(&wanted, 1, last ? PIPE_PATIENCE_MILLISECONDS : TICK_MILLISECONDS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
        else if (ready == 0 && last)
            break;
    }
    if (ready == 0)
        errno = EINTR;
    return ready > 0;
}

/* Writes some of the bytes; how many. */
static size_t write_some(struct pipe_end *end, const char *bytes, size_t size)
{
    bool ready = wait_for_room(end);
    ssize_t count = ready ? write(end->file, bytes, size) : -1;
    if (!ready || (count < 0 && errno != EAGAIN && errno != EINTR))
        end->cause = errno;
    return count > 0 ? (size_t)count : 0;
}

/* As fopencookie wants it: 0 is a failure. */
static ssize_t write_end(void *cookie, const char *bytes, size_t size)
{
    struct pipe_end *end = cookie;
    for (size_t done = 0; done < size && !end->cause;)
        done += write_some(end, bytes + done, size - done);
    errno = end->cause;
    return end->cause ? 0 : (ssize_t)size;
}

static int close_end(void *cookie)
{
    struct pipe_end *end = cookie;
    int closed = close(end->file);
    free(end);
    return closed;
}

static FILE *stream_of(int file, const atomic_bool *stop)
{
    struct pipe_end *end = malloc(sizeof *end);
    if (!end)
        return NULL;
    *end = (struct pipe_end){file, stop, 0};
    FILE *stream = fopencookie(end, "w", (cookie_io_functions_t){.write = write_end, .close = close_end});
    if (!stream)
        free(end);
    return stream;
}

FILE *pipe_open(const char *path, const atomic_bool *stop)
{
    if (!is_pipe(path))
        return fopen(path, "w");
    int file = open_end(path, stop);
    FILE *stream = file < 0 ? NULL : stream_of(file, stop);
    if (file >= 0 && !stream) {
        close(file);
        errno = ENOMEM;
    }
    return stream;
}
