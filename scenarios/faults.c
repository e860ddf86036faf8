/*
 * Only the first faults are kept; of the others it matters how many they are. They are sorted by place when
 * they are shown, since they are found in the order of the table.
 */
#include "scenarios/faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 700 };

/* MESSAGE, of an override of every item without the item's path: once is enough. */
static const char *subject(struct place place, const char *message)
{
    bool of_all = place.source && !place.source->has_lines && strstr(place.source->bytes, ".*");
    const char *end = of_all ? strstr(message, ": ") : NULL;
    return end ? end : message;
}

static bool is_known(const struct faults *faults, struct place place, const char *message)
{
    for (size_t i = 0; i < faults->count && i < FAULTS_SHOWN; i++) {
        const struct found_fault *fault = &faults->shown[i];
        if (fault->place.source == place.source && fault->place.offset == place.offset &&
            strcmp(subject(place, fault->message), subject(place, message)) == 0)
            return true;
    }
    return false;
}

void faults_add(struct faults *faults, struct place place, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (is_known(faults, place, message))
        return;
    size_t index = faults->count++;
    if (index >= FAULTS_SHOWN)
        return;
    const char *copy = memory_copy(faults->memory, message, strlen(message));
    faults->shown[index] = (struct found_fault){place, copy ? copy : "out of memory"};
}

/* The file's faults before those of overrides, each by place. */
static bool comes_later(const struct found_fault *a, const struct found_fault *b)
{
    const struct source *first = a->place.source, *second = b->place.source;
    if (first == second)
        return a->place.offset > b->place.offset;
    return first && second && !first->has_lines && second->has_lines;
}

static void sort(struct found_fault *list, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && comes_later(&list[j - 1], &list[j]); j--) {
            struct found_fault fault = list[j];
            list[j] = list[j - 1];
            list[j - 1] = fault;
        }
}

/* Adds as many faults as an error has room for; the rest is counted in the last line. */
static void add_all(struct writer *writer, const struct faults *faults, size_t shown, size_t room)
{
    for (size_t i = 0; i < shown; i++) {
        struct writer one = {0};
        source_report(&one, faults->shown[i].place, faults->shown[i].message);
        bool fits = i == 0 || writer->length + one.length + 1 < room;
        if (fits && !one.failed)
            writer_add(writer, "%s%s", i ? "\n" : "", one.text);
        free(writer_take(&one));
        if (!fits) {
            shown = i;
            break;
        }
    }
    if (shown < faults->count)
        writer_add(writer, "\nand %zu more", faults->count - shown);
}

void faults_report(struct faults *faults, struct error *error)
{
    size_t shown = faults->count < FAULTS_SHOWN ? faults->count : FAULTS_SHOWN;
    sort(faults->shown, shown);
    struct writer writer = {0};
    add_all(&writer, faults, shown, sizeof error->message - 40);
    char *message = writer_take(&writer);
    if (message)
        error_set(error, ERROR_INPUT, "%s", message);
    else
        error_out_of_memory(error, "an error message");
    free(message);
}

const char *faults_quote(char buffer[FAULTS_QUOTED], const char *text)
{
    enum { SHOWN = FAULTS_QUOTED - 8 };
    size_t used = 0;
    buffer[used++] = '"';
    for (; *text && used < SHOWN; text++) {
        unsigned char byte = (unsigned char)*text;
        buffer[used++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    /* not in the middle of a character */
    if (*text)
        while (used > 1 && ((unsigned char)*text & 0xc0) == 0x80) {
            text--;
            used--;
        }
    snprintf(buffer + used, FAULTS_QUOTED - used, "%s\"", *text ? "..." : "");
    return buffer;
}
