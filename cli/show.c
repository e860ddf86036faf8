#include "config.h"

#include "cli/show.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* Skips ":DIGITS"; NULL where there is something else. */
static const char *skip_number(const char *text)
{
    size_t digits = text[0] == ':' ? strspn(text + 1, "0123456789") : 0;
    return digits ? text + 1 + digits : NULL;
}

/* Whether MESSAGE begins with FILE:LINE:COLUMN, as compilers' messages do. */
static bool has_place(const char *message)
{
    for (const char *text = message; *text && *text != '\n'; text++) {
        const char *column = skip_number(text);
        const char *end = column ? skip_number(column) : NULL;
        if (end && *end == ':')
            return true;
    }
    return false;
}

int show_error(const struct error *error)
{
    const char *message = *error->message ? error->message : "it failed without a reason";
    fprintf(stderr, "%s%s\n", has_place(message) ? "" : PACKAGE_NAME ": ", message);
    if (error->kind == ERROR_INTERRUPTED)
        return STATUS_INTERRUPTED;
    return error->kind == ERROR_INPUT ? STATUS_USAGE : STATUS_TROUBLE;
}

void show_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs(PACKAGE_NAME ": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void show_text(const char *text)
{
    fputs(text, stdout);
}

int show_made_text(char *text, const struct error *error)
{
    struct error failure = *error;
    if (!text) {
        error_out_of_memory(&failure, "the output");
        return show_error(&failure);
    }
    show_text(text);
    free(text);
    return STATUS_DONE;
}

int show_flush(int status)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0 && !ferror(stdout);
    if (flushed)
        return status;
    show_note("standard output: %s", errno ? strerror(errno) : "writing failed");
    return STATUS_TROUBLE;
}

void show_discard(void)
{
    __fpurge(stdout);
    clearerr(stdout);
}

void show_remark(void *context, const char *text)
{
    (void)context;
    show_note("%s", text);
}
