/*
 * A stream of one's own stands before each of the two descriptors. It holds back the bytes of a character
 * that is not whole yet, for a buffer may end within one.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4, ROOM = 4096, ESCAPE_LENGTH = 6 };

struct guard {
    int descriptor;
    unsigned char held[LONGEST]; /* the beginning of a character */
    size_t held_count;
    char text[ROOM]; /* to be written */
    size_t length;
};

/* How many bytes a character has that begins with LEAD; 0: none does. */
static size_t expected_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static uint32_t decode(const unsigned char *bytes, size_t length)
{
    uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3Fu);
    return code;
}

static bool is_harmless(uint32_t code)
{
    bool control = (code < ' ' && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
    bool direction = (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return !control && !direction;
}

enum verdict { VERDICT_WAIT, VERDICT_PASS, VERDICT_ESCAPE };

/* What is to be done with the first *LENGTH of the held bytes. */
static enum verdict judge(const struct guard *guard, size_t *length, uint32_t *code)
{
    const unsigned char *held = guard->held;
    size_t expected = expected_length(held[0]);
    bool carriage_return = held[0] == '\r';
    *length = 1;
    *code = held[0];
    if (guard->held_count < (carriage_return ? 2 : expected))
        return VERDICT_WAIT;
    if (carriage_return) {
        *length = held[1] == '\n' ? 2 : 1;
        return held[1] == '\n' ? VERDICT_PASS : VERDICT_ESCAPE;
    }
    if (expected == 0)
        return VERDICT_ESCAPE;
    *length = expected;
    *code = decode(held, expected);
    return is_harmless(*code) ? VERDICT_PASS : VERDICT_ESCAPE;
}

static bool write_out(struct guard *guard)
{
    size_t done = 0;
    while (done < guard->length) {
        ssize_t count = write(guard->descriptor, guard->text + done, guard->length - done);
        if (count < 0 && errno != EINTR)
            break;
        done += count > 0 ? (size_t)count : 0;
    }
    bool written = done == guard->length;
    guard->length = 0;
    return written;
}

/* Whether the bytes after a lead go on with its character; what doesn't is judged byte by byte. */
static bool continues(const struct guard *guard, unsigned char byte)
{
    return guard->held_count == 0 || guard->held[0] < 0x80 || (byte & 0xC0) == 0x80;
}

static void put_escape(struct guard *guard, uint32_t code)
{
    guard->length +=
        (size_t)snprintf(guard->text + guard->length, ESCAPE_LENGTH + 1, "\\u%04x", (unsigned)code);
}

/* Writes what can be judged of the held bytes. */
static void settle(struct guard *guard)
{
    while (guard->held_count > 0) {
        size_t length;
        uint32_t code;
        enum verdict verdict = judge(guard, &length, &code);
        if (verdict == VERDICT_WAIT)
            return;
        if (verdict == VERDICT_ESCAPE)
            put_escape(guard, code);
        for (size_t i = 0; verdict == VERDICT_PASS && i < length; i++)
            guard->text[guard->length++] = (char)guard->held[i];
        guard->held_count -= length;
        memmove(guard->held, guard->held + length, guard->held_count);
    }
}

static void take(struct guard *guard, unsigned char byte)
{
    if (!continues(guard, byte)) {
        for (size_t i = 0; i < guard->held_count; i++)
            put_escape(guard, guard->held[i]);
        guard->held_count = 0;
    }
    guard->held[guard->held_count++] = byte;
    settle(guard);
}

/* As fopencookie wants it: 0 is a failure. */
static ssize_t write_guarded(void *cookie, const char *bytes, size_t size)
{
    struct guard *guard = cookie;
    for (size_t i = 0; i < size; i++) {
        take(guard, (unsigned char)bytes[i]);
        if (guard->length + (LONGEST + 1) * ESCAPE_LENGTH >= ROOM && !write_out(guard))
            return 0;
    }
    return write_out(guard) ? (ssize_t)size : 0;
}

static FILE *open_guarded(struct guard *guard, int buffering)
{
    FILE *stream = fopencookie(guard, "w", (cookie_io_functions_t){.write = write_guarded});
    if (stream)
        setvbuf(stream, NULL, buffering, BUFSIZ);
    return stream;
}

bool terminal_guard(void)
{
    /* Like the two descriptors they last as long as the program, which may end anywhere. */
    static struct guard of_output = {.descriptor = STDOUT_FILENO}, of_errors = {.descriptor = STDERR_FILENO};
    FILE *output = open_guarded(&of_output, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
    FILE *errors = open_guarded(&of_errors, _IONBF);
    if (output)
        stdout = output;
    if (errors)
        stderr = errors;
    return output && errors;
}

void terminal_draw(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vdprintf(STDERR_FILENO, format, arguments);
    va_end(arguments);
}
