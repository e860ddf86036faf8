#include "results/json.h"

#include <math.h>

static void json_character(FILE *out, unsigned char character)
{
    switch (character) {
    case '"':
    case '\\':
        fprintf(out, "\\%c", character);
        break;
    case '\n':
        fputs("\\n", out);
        break;
    default:
        if (character < 0x20)
            fprintf(out, "\\u%04x", character);
        else
            fputc(character, out);
    }
}

void json_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        json_character(out, (unsigned char)*text);
    fputc('"', out);
}

void json_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.17g", number);
    else
        fputs("null", out);
}

void json_name(FILE *out, const char *name)
{
    json_string(out, name);
    fputc(':', out);
}

void json_further_number(FILE *out, const char *name, double number)
{
    fputc(',', out);
    json_name(out, name);
    json_number(out, number);
}

void json_separate(FILE *out, size_t index)
{
    if (index > 0)
        fputc(',', out);
}
