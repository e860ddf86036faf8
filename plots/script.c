#include "plots/script.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A byte within quotes: letters, digits, harmless marks and UTF-8 as they are, all else by its octal code,
 * which gnuplot reads after it has looked for commands and macros to expand. */
static void write_byte(FILE *out, unsigned char byte)
{
    if (isalnum(byte) || byte >= 0x80 || strchr(" -.,:/()+=", byte))
        fputc(byte, out);
    else
        fprintf(out, "\\%03o", byte);
}

void script_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        write_byte(out, (unsigned char)*text < ' ' ? ' ' : (unsigned char)*text);
    fputc('"', out);
}

void script_path(FILE *out, const char *path)
{
    fputs(path[0] == '/' ? "\"" : "\"./", out);
    for (; *path; path++)
        write_byte(out, (unsigned char)*path);
    fputc('"', out);
}

void script_set_string(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = ", name);
    script_string(out, text);
    fputc('\n', out);
}

void script_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.10g", number);
    else
        fputs("NaN", out);
}

void script_set_number(FILE *out, const char *name, double number)
{
    fprintf(out, "%s = ", name);
    script_number(out, number);
    fputc('\n', out);
}

void script_set_strings(FILE *out, const char *name, size_t count, const char *const *texts)
{
    fprintf(out, "array %s[%zu] = [", name, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        script_string(out, texts[i]);
    }
    fputs(count ? "]\n" : "\"\"]\n", out);
}
