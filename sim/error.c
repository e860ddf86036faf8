#include "sim/error.h"

#include <stdarg.h>
#include <stdio.h>

void error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (!error || error->kind != ERROR_NONE)
        return;
    error->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}

void error_out_of_memory(struct error *error, const char *wanted)
{
    error_set(error, ERROR_SYSTEM, "out of memory for %s", wanted);
}
