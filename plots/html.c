#include "plots/html.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void html_text(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f ? ' ' : *c, out);
        }
}

static FILE *open_file(const char *path, struct error *error)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    return in;
}

static bool close_file(FILE *in, const char *path, struct error *error)
{
    bool read = !ferror(in);
    if (!read)
        error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    fclose(in);
    return read;
}

/* Three bytes make four letters (RFC 4648). */
static void write_base64(FILE *out, const unsigned char bytes[3], size_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
    for (size_t i = 0; i < 4; i++)
        fputc(i <= count ? letters[word >> (18 - 6 * i) & 63] : '=', out);
}

bool html_data(FILE *out, const char *path, const char *type, struct error *error)
{
    unsigned char bytes[3] = {0};
    size_t count;
    FILE *in = open_file(path, error);
    if (!in)
        return false;
    fprintf(out, "data:%s;base64,", type);
    while ((count = fread(bytes, 1, 3, in)) > 0) {
        write_base64(out, bytes, count);
        memset(bytes, 0, sizeof bytes);
    }
    return close_file(in, path, error);
}

void html_table_begin(FILE *out, const char *caption, const char *const *headings, size_t count,
                      size_t first_number)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    html_text(out, caption);
    fputs("\"><table class=\"sortable\">\n<caption>", out);
    html_text(out, caption);
    fputs("</caption>\n<thead><tr>", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<th scope=\"col\"%s>", i >= first_number ? " class=\"number\"" : "");
        html_text(out, headings[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void html_words(FILE *out, const char *text)
{
    fputs("<td>", out);
    html_text(out, text);
    fputs("</td>", out);
}

void html_number(FILE *out, double value, const char *text)
{
    fputs("<td class=\"number\"", out);
    if (isfinite(value))
        fprintf(out, " data-value=\"%.17g\"", value);
    fputc('>', out);
    html_text(out, text);
    fputs("</td>", out);
}
