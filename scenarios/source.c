#include "scenarios/source.h"

#include <stdint.h>
#include <string.h>

enum { SHOWN_COLUMNS = 100 }; /* of a line in a report */

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static bool has_byte_order_mark(const struct source *source)
{
    return source->length >= 3 && memcmp(source->bytes, "\xef\xbb\xbf", 3) == 0;
}

/* A line ends with LF, CR LF, or CR alone. */
static bool ends_line(const struct source *source, size_t offset)
{
    char byte = source->bytes[offset];
    return byte == '\n' || (byte == '\r' && source->bytes[offset + 1] != '\n');
}

static size_t line_start(const struct source *source, size_t offset)
{
    while (offset > 0 && !ends_line(source, offset - 1))
        offset--;
    return offset == 0 && has_byte_order_mark(source) ? 3 : offset;
}

static size_t line_end(const struct source *source, size_t offset)
{
    while (offset < source->length && source->bytes[offset] != '\n' && source->bytes[offset] != '\r')
        offset++;
    return offset;
}

static size_t count_characters(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += !continues_character(bytes[i]);
    return count;
}

void source_locate(struct place place, size_t *line, size_t *column)
{
    const struct source *source = place.source;
    size_t offset = place.offset < source->length ? place.offset : source->length;
    *line = 1;
    for (size_t i = 0; i < offset; i++)
        *line += ends_line(source, i);
    size_t start = line_start(source, offset);
    *column = 1 + (offset > start ? count_characters(source->bytes + start, offset - start) : 0);
}

char *source_name_place(struct scenario_memory *memory, struct place place)
{
    size_t line, column;
    if (!place.source->has_lines)
        return memory_format(memory, "%s", place.source->name);
    source_locate(place, &line, &column);
    return memory_format(memory, "%s:%zu:%zu", place.source->name, line, column);
}

/* Moves OFFSET back by at most CHARACTERS, not below START. */
static size_t step_back(const char *bytes, size_t offset, size_t start, size_t characters)
{
    while (offset > start && characters > 0) {
        offset--;
        characters -= !continues_character(bytes[offset]);
    }
    return offset;
}

static size_t step_forward(const char *bytes, size_t offset, size_t end, size_t characters)
{
    while (offset < end && characters > 0) {
        offset++;
        while (offset < end && continues_character(bytes[offset]))
            offset++;
        characters--;
    }
    return offset;
}

/* The part of a line that is shown, with dots where it is cut. A byte that no terminal shows becomes a
 * question mark. */
static void add_line(struct writer *writer, const char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        writer_add(writer, "%c", (byte < 0x20 && byte != '\t') || byte == 0x7f ? '?' : byte);
    }
}

/* A caret below the place: tabs stay tabs, so that both lines are equally wide. */
static void add_caret(struct writer *writer, const char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!continues_character(bytes[i]))
            writer_add(writer, "%c", bytes[i] == '\t' ? '\t' : ' ');
    writer_add(writer, "^");
}

static void add_excerpt(struct writer *writer, struct place place)
{
    const struct source *source = place.source;
    const char *bytes = source->bytes;
    size_t offset = place.offset < source->length ? place.offset : source->length;
    size_t start = line_start(source, offset), end = line_end(source, offset);
    if (offset < start)
        offset = start;
    if (start == end)
        return;
    size_t from = start, to = end;
    if (count_characters(bytes + start, end - start) > SHOWN_COLUMNS) {
        from = step_back(bytes, offset, start, SHOWN_COLUMNS / 2);
        to = step_forward(bytes, from, end, SHOWN_COLUMNS);
    }
    const char *before = from > start ? "..." : "";
    writer_add(writer, "\n    %s", before);
    add_line(writer, bytes, from, to);
    writer_add(writer, "%s\n    %*s", to < end ? "..." : "", (int)strlen(before), "");
    add_caret(writer, bytes, from, offset);
}

/* Whether the name of a source, "--set cluster.chips=x" or "--seed x", says which field PATH is, of LENGTH
 * bytes. */
static bool says_field(const char *name, const char *path, size_t length)
{
    const char *end = strchr(name, ' '), *field = path + length;
    if (!end)
        return false;
    while (field > path && field[-1] != '.')
        field--;
    size_t own = (size_t)(path + length - field), option = (size_t)(end - name);
    bool for_it_alone =
        strncmp(name, "--", 2) == 0 && option == own + 2 && strncmp(name + 2, field, own) == 0;
    return for_it_alone || (strncmp(end + 1, path, length) == 0 && end[1 + length] == '=');
}

/* MESSAGE without the field before it where the source's name has said that. */
static const char *without_field(const struct source *source, const char *message)
{
    size_t length = strcspn(message, ": ");
    bool doubled = !source->has_lines && length && strncmp(message + length, ": ", 2) == 0 &&
                   says_field(source->name, message, length);
    return doubled ? message + length + 2 : message;
}

void source_report(struct writer *writer, struct place place, const char *message)
{
    if (!place.source) {
        writer_add(writer, "%s", message);
        return;
    }
    writer_add(writer, "%s:", place.source->name);
    if (place.source->has_lines) {
        size_t line, column;
        source_locate(place, &line, &column);
        writer_add(writer, "%zu:%zu:", line, column);
    }
    writer_add(writer, " %s", without_field(place.source, message));
    add_excerpt(writer, place);
}

/* Bytes of the character at BYTES, 0 if they are not UTF-8: too long a form, a surrogate or beyond Unicode
 * included. The zero at the end of a source stops a cut character. */
static size_t character_length(const unsigned char *bytes)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < 4; n++) {
        if ((bytes[0] & forms[n].mask) != forms[n].lead)
            continue;
        uint32_t code = bytes[0] & (unsigned char)~forms[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if (!continues_character((char)bytes[i]))
                return 0;
            code = code << 6 | (bytes[i] & 0x3f);
        }
        bool valid = code >= forms[n].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        return valid ? n + 1 : 0;
    }
    return 0;
}

size_t source_first_bad_byte(const struct source *source, size_t start, const char **what)
{
    for (size_t i = start; i < source->length;) {
        unsigned char byte = (unsigned char)source->bytes[i];
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) {
            *what = "a control character";
            return i;
        }
        size_t length = character_length((const unsigned char *)source->bytes + i);
        if (!length) {
            *what = "a byte that is not UTF-8";
            return i;
        }
        i += length;
    }
    return source->length;
}
