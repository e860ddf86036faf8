/*
 * Everything is a row in one of four tables: suffixes, units, and the names of metrics and fields that read
 * better than their identifiers.
 */
#include "results/notation.h"

#include "models/learning/metrics.h"
#include "models/training/result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

struct name {
    const char *identifier, *words;
};

/* The words for IDENTIFIER among COUNT names, or NULL. */
static const char *find_words(const struct name *names, size_t count, const char *identifier)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].identifier, identifier) == 0)
            return names[i].words;
    return NULL;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool notation_is_share(const char *metric)
{
    static const char *const shares[] = {"goodput",      "job_goodput",         "ettr",
                                         "uptime",       "compute_utilization", "statistical_goodput",
                                         "merged_share", "link_utilization",    "loss_over_reference",
                                         "time_ratio",   "time_bound",          "time_ratio_to_baseline",
                                         "time_saved",   "overlap_rate",        "occupancy"};
    for (size_t i = 0; i < COUNT_OF(shares); i++)
        if (strcmp(metric, shares[i]) == 0)
            return true;
    return notation_is_category(metric) || has_prefix(metric, "waste:");
}

bool notation_is_category(const char *metric)
{
    return has_prefix(metric, "share:");
}

bool notation_is_loss(const char *metric)
{
    static const char *const losses[] = {"final_loss", "excess_loss", "floor_loss"};
    for (size_t i = 0; i < COUNT_OF(losses); i++)
        if (strcmp(metric, losses[i]) == 0)
            return true;
    return false;
}

const char *notation_metric_unit(const char *metric)
{
    for (size_t i = 0; i < RUN_METRICS; i++)
        if (strcmp(run_metrics[i].name, metric) == 0)
            return run_metrics[i].unit;
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        if (strcmp(learning_metrics[i].name, metric) == 0)
            return learning_metrics[i].unit;
    return "1";
}

/* Puts a comma before every third digit from the right. */
static void group_digits(char text[NOTATION_LENGTH], double whole)
{
    char digits[NOTATION_LENGTH];
    snprintf(digits, sizeof digits, "%.0f", whole);
    size_t length = strlen(digits), start = digits[0] == '-', written = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > start && (length - i) % 3 == 0)
            text[written++] = ',';
        text[written++] = digits[i];
    }
    text[written] = '\0';
}

void notation_count(char text[NOTATION_LENGTH], double count)
{
    if (fabs(count) >= 1e7)
        notation_suffixed(text, count);
    else if (fabs(count) < 99.95 && count != floor(count))
        snprintf(text, NOTATION_LENGTH, "%.1f", count);
    else
        group_digits(text, count);
}

enum { SUFFIXES = 7 };

/* The number of thousands that leave NUMBER three digits or fewer before the point, and *NUMBER without them.
 */
static size_t take_thousands(double *number)
{
    size_t i = 0;
    for (; fabs(*number) >= 999.5 && i + 1 < SUFFIXES; i++)
        *number /= 1000;
    return i;
}

static const char *find_suffix(double *number)
{
    static const char *const suffixes[SUFFIXES] = {"", "k", "M", "G", "T", "P", "E"};
    return suffixes[take_thousands(number)];
}

void notation_suffixed(char text[NOTATION_LENGTH], double number)
{
    const char *suffix = find_suffix(&number);
    int decimals = fabs(number) >= 99.95 || number == 0 ? 0 : fabs(number) >= 9.995 ? 1 : 2;
    snprintf(text, NOTATION_LENGTH, "%.*f%s%s", decimals, number, *suffix ? " " : "", suffix);
}

/* As many decimals as show two digits of HALF, at most three. */
void notation_interval(char text[NOTATION_LENGTH], double mean, double half)
{
    if (!isfinite(half)) {
        notation_suffixed(text, mean);
        return;
    }
    double shortened = mean;
    const char *suffix = find_suffix(&shortened);
    double scaled = mean == 0 ? half : half * (shortened / mean);
    int decimals = scaled >= 9.95 ? 0 : scaled >= 0.995 ? 1 : scaled >= 0.0995 || scaled == 0 ? 2 : 3;
    snprintf(text, NOTATION_LENGTH, "%.*f ± %.*f%s%s", decimals, shortened, decimals, scaled,
             *suffix ? " " : "", suffix);
}

/* Two digits of HALF, within two to five decimals. */
void notation_loss(char text[NOTATION_LENGTH], double mean, double half)
{
    bool known = isfinite(half);
    int decimals = known && half > 0 ? (int)fmin(5, fmax(2, 1 - floor(log10(half)))) : 4;
    if (fabs(mean) >= 1000 && known)
        snprintf(text, NOTATION_LENGTH, "%.4g ± %.2g", mean, half);
    else if (fabs(mean) >= 1000)
        snprintf(text, NOTATION_LENGTH, "%.4g", mean);
    else if (known)
        snprintf(text, NOTATION_LENGTH, "%.*f ± %.*f", decimals, mean, decimals, half);
    else
        snprintf(text, NOTATION_LENGTH, "%.*f", decimals, mean);
}

void notation_short(char text[NOTATION_LENGTH], double number)
{
    double shortened = number;
    const char *suffix = find_suffix(&shortened);
    char digits[24];
    snprintf(digits, sizeof digits, "%.3g", shortened);
    if (fabs(strtod(digits, NULL) - shortened) <= 1e-9 * fabs(shortened) || number != floor(number) ||
        fabs(number) >= 1e12)
        snprintf(text, NOTATION_LENGTH, "%s%s", digits, suffix);
    else
        group_digits(text, number);
}

void notation_plain(char text[NOTATION_LENGTH], double number)
{
    if (isfinite(number) && fabs(number) >= 1e7)
        notation_suffixed(text, number);
    else if (fabs(number) >= 1000)
        snprintf(text, NOTATION_LENGTH, "%.0f", number);
    else
        snprintf(text, NOTATION_LENGTH, "%.4g", number);
}

const struct notation_unit *notation_time_unit(double seconds)
{
    static const struct notation_unit units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    size_t i = 0;
    while (i + 1 < COUNT_OF(units) && seconds >= units[i + 1].scale)
        i++;
    return &units[i];
}

struct notation_unit notation_unit_of(const char *metric, double figure)
{
    static const char *const bytes[SUFFIXES] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    static const char *const rates[SUFFIXES] = {"bit/s",  "kbit/s", "Mbit/s", "Gbit/s",
                                                "Tbit/s", "Pbit/s", "Ebit/s"};
    static const char *const energies[SUFFIXES] = {"kWh", "MWh", "GWh", "TWh", "PWh", "EWh", "ZWh"};
    const char *unit = notation_metric_unit(metric);
    if (notation_is_share(metric))
        return (struct notation_unit){"%", 0.01};
    if (strcmp(unit, "s") == 0)
        return *notation_time_unit(fabs(figure));
    const char *const *larger = strcmp(unit, "B") == 0       ? bytes
                                : strcmp(unit, "bit/s") == 0 ? rates
                                : strcmp(unit, "kWh") == 0   ? energies
                                                             : NULL;
    if (!larger)
        return (struct notation_unit){strcmp(unit, "1") == 0 ? "" : unit, 1};
    size_t thousands = take_thousands(&figure);
    return (struct notation_unit){larger[thousands], pow(1000, (double)thousands)};
}

void notation_duration(char text[NOTATION_LENGTH], double seconds)
{
    const struct notation_unit *unit = notation_time_unit(seconds);
    snprintf(text, NOTATION_LENGTH, "%.3g %s", seconds / unit->scale, unit->name);
}

/* The size of PREFIX of LENGTH bytes; 0 if it is none. */
static double prefix_size(const char *prefix, size_t length)
{
    static const struct {
        const char *symbol;
        double size;
    } prefixes[] = {{"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                    {"T", 1e12},    {"P", 1e15},    {"E", 1e18},    {"m", 1e-3},
                    {"u", 1e-6},    {"µ", 1e-6},    {"n", 1e-9},    {"Ki", 0x1p10},
                    {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strlen(prefixes[i].symbol) == length && memcmp(prefixes[i].symbol, prefix, length) == 0)
            return prefixes[i].size;
    return 0;
}

struct unit {
    const char *symbol, *base;
    double scale;
    bool prefixes;
};

/* UNIT as a row's symbol, after a prefix where the row takes one: its size, or 0. */
static double unit_size(const struct unit *row, const char *unit)
{
    size_t length = strlen(unit), symbol = strlen(row->symbol);
    if (length < symbol || strcmp(unit + length - symbol, row->symbol) != 0)
        return 0;
    if (length > symbol && !row->prefixes)
        return 0;
    return row->scale * prefix_size(unit, length - symbol);
}

/* Fills scale and base from the unit. */
static bool find_unit(struct notation_quantity *quantity)
{
    static const struct unit units[] = {
        {"", "", 1, false},           {"%", "", 0.01, false},         {"s", "s", 1, true},
        {"min", "s", 60, false},      {"h", "s", 3600, false},        {"d", "s", 86400, false},
        {"week", "s", 604800, false}, {"year", "s", 31536000, false}, {"B", "B", 1, true},
        {"bit", "bit", 1, true},      {"FLOP", "FLOP", 1, true},      {"B/s", "B/s", 1, true},
        {"bit/s", "bit/s", 1, true},  {"FLOP/s", "FLOP/s", 1, true},  {"W", "W", 1, true},
        {"Hz", "Hz", 1, true},
    };
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        quantity->scale = unit_size(&units[i], quantity->unit);
        quantity->base = units[i].base;
        if (quantity->scale > 0)
            return true;
    }
    return false;
}

bool notation_parse(const char *text, struct notation_quantity *quantity)
{
    char *end;
    quantity->number = strtod(text, &end);
    if (end == text || !isfinite(quantity->number))
        return false;
    while (*end == ' ')
        end++;
    int length = snprintf(quantity->unit, sizeof quantity->unit, "%s", end);
    return length >= 0 && (size_t)length < sizeof quantity->unit && find_unit(quantity);
}

bool notation_is_brief(const struct notation_quantity *quantity)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%.3g", quantity->number);
    return fabs(quantity->number) < 1e5 && strtod(digits, NULL) == quantity->number;
}

void notation_metric(char text[NOTATION_LENGTH], const char *metric)
{
    static const struct name names[] = {
        {"mtbf", "MTBF"},
        {"mttr", "MTTR"},
        {"ettr", "ETTR"},
        {"wan_bytes", "WAN bytes"},
        {"learners_up", "learners up"},
        {"steps", "useful steps"},
        {"steps_lost", "lost steps"},
        {"compute_utilization", "compute utilisation"},
        {"link_utilization", "link utilisation"},
    };
    if (has_prefix(metric, "waste:")) {
        snprintf(text, NOTATION_LENGTH, "waste by %s", metric + strlen("waste:"));
        return;
    }
    const char *share = notation_is_category(metric) ? strchr(metric, ':') + 1 : metric;
    const char *words = find_words(names, COUNT_OF(names), metric);
    snprintf(text, NOTATION_LENGTH, "%s", words ? words : share);
    for (char *c = text; *c; c++)
        if (*c == '_')
            *c = ' ';
}

/* Puts the words of a path at TEXT's end, capitals where the field writes them so. */
static void add_words(char text[NOTATION_LENGTH], const char *path)
{
    static const struct name acronyms[] = {{"mtbi", "MTBI"}, {"mfu", "MFU"}, {"wan", "WAN"}};
    while (*path) {
        char word[NOTATION_LENGTH];
        size_t length = strcspn(path, "._"), end = strlen(text);
        snprintf(word, sizeof word, "%.*s", (int)length, path);
        const char *acronym = find_words(acronyms, COUNT_OF(acronyms), word);
        if (strcmp(word, "*") != 0) /* every item of a list */
            snprintf(text + end, NOTATION_LENGTH - end, "%s%s", end ? " " : "", acronym ? acronym : word);
        path += length + (path[length] != '\0');
    }
}

/* "strategies.a.inner_steps" → "inner steps of a"; of "*" → "inner steps" */
static void name_strategy_field(char text[NOTATION_LENGTH], const char *path)
{
    const char *field = strrchr(path, '.');
    text[0] = '\0';
    add_words(text, field + 1);
    size_t end = strlen(text);
    if (strncmp(path, "*.", 2) != 0)
        snprintf(text + end, NOTATION_LENGTH - end, " of %.*s", (int)(field - path), path);
}

/* Sections whose fields speak for themselves are left out, of the others one is meant: "checkpoint interval".
 */
static void name_section_field(char text[NOTATION_LENGTH], const char *path)
{
    static const char *const silent[] = {"workload", "cluster", "network", "failures", "learning"};
    size_t length = strcspn(path, ".");
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(silent); i++)
        if (path[length] && strlen(silent[i]) == length && strncmp(path, silent[i], length) == 0) {
            add_words(text, path + length + 1);
            return;
        }
    bool plural = path[length] && length > 1 && path[length - 1] == 's';
    if (plural)
        snprintf(text, NOTATION_LENGTH, "%.*s", (int)(length - 1), path);
    add_words(text, plural ? path + length + 1 : path);
}

void notation_field(char text[NOTATION_LENGTH], const char *path)
{
    static const struct name names[] = {
        {"cluster.chip", "chip type"},
        {"failures.chip.mtbi", "MTBI of a chip"},
        {"learning.inner.rate", "inner learning rate"},
        {"network.between.bandwidth", "bandwidth between sites"},
    };
    const char *words = find_words(names, COUNT_OF(names), path);
    size_t list = strlen("strategies.");
    if (words)
        snprintf(text, NOTATION_LENGTH, "%s", words);
    else if (strncmp(path, "strategies.", list) == 0 && strchr(path + list, '.'))
        name_strategy_field(text, path + list);
    else
        name_section_field(text, path);
}
