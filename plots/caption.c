#include "plots/caption.h"
#include "results/notation.h"
#include "results/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts more words at TEXT's end, as far as there is room. */
__attribute__((format(printf, 2, 3))) static void add(char text[CAPTION_LENGTH], const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, CAPTION_LENGTH - length, format, arguments);
    va_end(arguments);
}

static void capitalise(char *words)
{
    words[0] = (char)toupper((unsigned char)words[0]);
}

/* The least and greatest number of chips; 0 where the runs of some point differ in it. */
static void find_chips(const struct outline *outline, int64_t *least, int64_t *greatest)
{
    *least = *greatest = outline->point_count ? outline->points[0].chips : 0;
    for (size_t i = 1; i < outline->point_count; i++) {
        int64_t chips = outline->points[i].chips;
        *least = chips < *least ? chips : *least;
        *greatest = chips > *greatest ? chips : *greatest;
    }
}

/* What all points have in common, or NAN. */
static double find_seconds(const struct outline *outline)
{
    double seconds = outline->point_count ? outline->points[0].seconds : NAN;
    for (size_t i = 1; i < outline->point_count; i++)
        if (outline->points[i].seconds != seconds)
            return NAN;
    return seconds;
}

void caption_title(char text[CAPTION_LENGTH], const char *subject, const struct outline *outline)
{
    int64_t least, greatest;
    char words[NOTATION_LENGTH];
    const char *separator = ": ";
    double seconds = find_seconds(outline);
    find_chips(outline, &least, &greatest);
    snprintf(text, CAPTION_LENGTH, "%s of %s", subject, outline->name);
    if (least > 0) {
        notation_short(words, (double)least);
        add(text, "%s%s", separator, words);
        notation_short(words, (double)greatest);
        add(text, "%s%s chips", greatest > least ? "–" : "", greatest > least ? words : "");
        separator = ", ";
    }
    if (isfinite(seconds)) {
        notation_duration(words, seconds);
        add(text, "%s%s simulated", separator, words);
    }
}

void caption_note(char text[CAPTION_LENGTH], const struct outline *outline, bool intervals)
{
    if (outline->replications > 1)
        snprintf(text, CAPTION_LENGTH, "study %" PRId64 ": means of %" PRId64 " replications%s",
                 outline->study, outline->replications, intervals ? " with 95 % intervals" : "");
    else
        snprintf(text, CAPTION_LENGTH, "study %" PRId64 ": one replication", outline->study);
}

void caption_axis(char text[CAPTION_LENGTH], const struct outline_axis *axis)
{
    char words[NOTATION_LENGTH];
    notation_field(words, axis->path);
    capitalise(words);
    snprintf(text, CAPTION_LENGTH, axis->unit[0] ? "%s (%s)" : "%s", words, axis->unit);
}

/* A few digits say 0.5 h, but neither the 5 min that are 0.0833 h nor the 2 Gbit/s that are 0.002 Tbit/s. */
bool caption_suits_unit(const struct outline_axis *axis, const struct outline_setting *setting)
{
    char words[NOTATION_LENGTH];
    struct notation_quantity quantity;
    if (!axis->unit[0] || !setting->text || !(fabs(setting->number) < 1000))
        return true;
    notation_short(words, setting->number);
    bool said = fabs(strtod(words, NULL) - setting->number) <= 1e-9 * fabs(setting->number) &&
                (setting->number == 0 || fabs(setting->number) >= 0.1);
    return said || (notation_parse(setting->text, &quantity) && !notation_is_brief(&quantity));
}

void caption_value(char text[CAPTION_LENGTH], const struct outline_axis *axis,
                   const struct outline_setting *setting)
{
    char words[NOTATION_LENGTH];
    bool number = axis->numeric && caption_suits_unit(axis, setting);
    if (number)
        notation_short(words, setting->number);
    snprintf(text, CAPTION_LENGTH, "%s", number ? words : setting->text ? setting->text : "–");
}

/* "150k chips" where the field's name is a plural of what is counted, else "MTBI of a chip 20 d". */
static void add_setting(char text[CAPTION_LENGTH], const struct outline_axis *axis,
                        const struct outline_setting *setting)
{
    char name[NOTATION_LENGTH], value[CAPTION_LENGTH];
    notation_field(name, axis->path);
    caption_value(value, axis, setting);
    const char *separator = *text ? ", " : "";
    const char *unit = caption_suits_unit(axis, setting) ? axis->unit : "";
    if (strcmp(name, "chips") == 0)
        add(text, "%s%s chips", separator, value);
    else
        add(text, "%s%s %s%s%s", separator, name, value, unit[0] ? " " : "", unit);
}

void caption_point(char text[CAPTION_LENGTH], const struct outline *outline,
                   const struct outline_point *point, size_t except)
{
    text[0] = '\0';
    for (size_t i = 0; i < outline->axis_count; i++)
        if (i != except && point->settings[i].text && outline->axes[i].leader == i)
            add_setting(text, &outline->axes[i], &point->settings[i]);
}

void caption_shorten(char text[CAPTION_LENGTH], size_t most)
{
    bool shortened = false;
    while (table_text_width(text) + 3 * shortened > most) {
        char *last = strrchr(text, ',');
        if (!last)
            break;
        *last = '\0';
        shortened = true;
    }
    if (shortened)
        add(text, ", …");
}

/* Bytes that go on a character begin with the bits 10. */
int caption_cut(const char *text, int most)
{
    int bytes = 0;
    for (int characters = 0; text[bytes]; bytes++) {
        characters += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (characters > most)
            break;
    }
    return bytes;
}

void caption_metric_name(char text[CAPTION_LENGTH], const char *metric)
{
    char words[NOTATION_LENGTH];
    notation_metric(words, metric);
    capitalise(words);
    snprintf(text, CAPTION_LENGTH, "%s%s", words, notation_is_category(metric) ? " time" : "");
}

void caption_metric(char text[CAPTION_LENGTH], const char *metric)
{
    char words[NOTATION_LENGTH];
    const char *unit = notation_metric_unit(metric);
    notation_metric(words, metric);
    capitalise(words);
    bool chip_time = strcmp(metric, "goodput") == 0 || notation_is_category(metric);
    if (notation_is_share(metric))
        snprintf(text, CAPTION_LENGTH, "%s (%%%s)", words,
                 chip_time                       ? " of chip time"
                 : strcmp(metric, "uptime") == 0 ? " of the time"
                                                 : "");
    else if (strcmp(unit, "1") != 0)
        snprintf(text, CAPTION_LENGTH, "%s (%s)", words, unit);
    else
        snprintf(text, CAPTION_LENGTH, "%s", words);
}
