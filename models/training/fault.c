#include "models/training/fault.h"

#include <stdarg.h>
#include <stdio.h>

bool fault_set(struct simulation_fault *fault, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(fault->path, sizeof fault->path, "%s", path);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return false;
}
