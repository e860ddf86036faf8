/*
 * The text ends with a zero whenever it is not NULL. A failed writer takes no more, so that what it hands
 * over is whole or nothing.
 */
#include "scenarios/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct writer *writer, size_t more)
{
    if (writer->failed)
        return false;
    if (writer->length + more < writer->capacity)
        return true;
    size_t capacity = 2 * (writer->length + more) + 64;
    char *text = realloc(writer->text, capacity);
    if (!text) {
        writer->failed = true;
        return false;
    }
    writer->text = text;
    writer->capacity = capacity;
    return true;
}

void writer_add_bytes(struct writer *writer, const char *bytes, size_t length)
{
    if (!reserve(writer, length))
        return;
    memcpy(writer->text + writer->length, bytes, length);
    writer->length += length;
    writer->text[writer->length] = '\0';
}

void writer_add(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(writer, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(writer->text + writer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
}

/* How one byte is escaped, or NULL where it stands for itself. */
static const char *escape_of(unsigned char byte, char hexadecimal[7])
{
    switch (byte) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    }
    if (byte >= 0x20 && byte != 0x7f)
        return NULL;
    snprintf(hexadecimal, 7, "\\u%04x", byte);
    return hexadecimal;
}

/* Line breaks beyond ASCII, which YAML and some readers of JSON take for the end of a line: NEL, and the line
 * and paragraph separators; and the byte order mark. 0 where TEXT starts with none of them. */
static size_t special_length(const char *text, const char **escape)
{
    static const struct {
        const char *bytes, *escape;
    } specials[] = {{"\xc2\x85", "\\u0085"},
                    {"\xe2\x80\xa8", "\\u2028"},
                    {"\xe2\x80\xa9", "\\u2029"},
                    {"\xef\xbb\xbf", "\\ufeff"}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        size_t length = strlen(specials[i].bytes);
        if (strncmp(text, specials[i].bytes, length) == 0) {
            *escape = specials[i].escape;
            return length;
        }
    }
    return 0;
}

void writer_add_quoted(struct writer *writer, const char *text)
{
    writer_add_bytes(writer, "\"", 1);
    while (*text) {
        char hexadecimal[7];
        const char *escape = NULL;
        size_t length = special_length(text, &escape);
        if (!length) {
            escape = escape_of((unsigned char)*text, hexadecimal);
            length = 1;
        }
        if (escape)
            writer_add_bytes(writer, escape, strlen(escape));
        else
            writer_add_bytes(writer, text, length);
        text += length;
    }
    writer_add_bytes(writer, "\"", 1);
}

bool writer_is_readable(const char *text)
{
    const char *escape;
    for (; *text; text++) {
        bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
        if ((control && *text != '\n') || special_length(text, &escape))
            return false;
    }
    return true;
}

char *writer_take(struct writer *writer)
{
    char *text = writer->text;
    if (writer->failed) {
        free(text);
        text = NULL;
    } else if (!text) {
        text = calloc(1, 1);
    }
    *writer = (struct writer){0};
    return text;
}
