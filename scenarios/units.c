/*
 * A text is split into number and unit here; UDUNITS-2 gets the unit alone. Factors below 1 are applied as
 * divisions by their reciprocals, which are whole numbers, so that 30 ms is the double nearest to 0.03, and
 * times are worked out in nanoseconds, so that they are exact.
 */
#include "scenarios/units.h"

#include "scenarios/number.h"
#include "scenarios/spelling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

enum { DIMENSIONS = PARAMETER_DIMENSIONS, UNIT_LONGEST = 40, CHOICES = 12 };

struct units {
    ut_system *system;
    ut_unit *base[DIMENSIONS]; /* SI unit of each dimension */
    ut_unit *flop;
    double factors[DIMENSIONS][CHOICES]; /* of the units that values are printed in */
};

struct definition {
    const char *names; /* separated by spaces */
    double factor;
};

static const struct definition time_units[] = {
    {"s sec second seconds", 1}, {"min minute minutes", 60}, {"h hr hour hours", 3600},
    {"d day days", 86400},       {"week weeks", 7 * 86400},  {"year years yr", 365 * 86400},
};
/* Kibit and Gibit would else be taken for kibi and gibi of a unit t, since prefixes' names are of either
 * case. */
static const struct definition data_units[] = {
    {"b bit bits", 1}, {"B byte bytes", 8}, {"Kibit Kibits", 0x1p10}, {"Gibit Gibits", 0x1p30}};
static const struct definition rate_units[] = {{"bps", 1}, {"Bps", 8}};
static const struct definition flop_units[] = {{"FLOP FLOPs", 1}};
static const struct definition flop_rate_units[] = {{"FLOPS", 1}};
static const struct definition power_units[] = {{"W watt watts", 1}};
static const struct definition energy_units[] = {{"J joule joules", 1}, {"Wh", 3600}};
static const struct definition pure_units[] = {{"% percent", 0.01}};

static const struct {
    const char *name, *symbol;
    double factor;
} prefixes[] = {
    {"nano", "n", 1e-9},    {"micro", "u", 1e-6},   {"micro", "µ", 1e-6},   {"milli", "m", 1e-3},
    {"kilo", "k", 1e3},     {"mega", "M", 1e6},     {"giga", "G", 1e9},     {"tera", "T", 1e12},
    {"peta", "P", 1e15},    {"exa", "E", 1e18},     {"kibi", "Ki", 0x1p10}, {"mebi", "Mi", 0x1p20},
    {"gibi", "Gi", 0x1p30}, {"tebi", "Ti", 0x1p40}, {"pebi", "Pi", 0x1p50},
};

static const char *const expectations[DIMENSIONS] = {
    [DIMENSION_NONE] = "a number",
    [DIMENSION_TIME] = "a time such as \"30 s\"",
    [DIMENSION_DATA] = "an amount of data such as \"26 GB\"",
    [DIMENSION_DATA_RATE] = "a data rate such as \"2 Gbit/s\"",
    [DIMENSION_FLOP_RATE] = "a computing rate such as \"459 TFLOP/s\"",
    [DIMENSION_POWER] = "a power such as \"700 W\"",
    [DIMENSION_ENERGY] = "an energy such as \"500 MWh\"",
};

static const char *const kinds[DIMENSIONS] = {
    [DIMENSION_NONE] = "a pure number",         [DIMENSION_TIME] = "a time",
    [DIMENSION_DATA] = "an amount of data",     [DIMENSION_DATA_RATE] = "a data rate",
    [DIMENSION_FLOP_RATE] = "a computing rate", [DIMENSION_POWER] = "a power",
    [DIMENSION_ENERGY] = "an energy",
};

/* What a value is printed in, the largest unit first. */
static const char *const choices[DIMENSIONS][CHOICES] = {
    [DIMENSION_NONE] = {""},
    [DIMENSION_TIME] = {"year", "d", "h", "min", "s", "ms", "us", "ns"},
    [DIMENSION_DATA] = {"PB", "Pbit", "TB", "Tbit", "GB", "Gbit", "MB", "Mbit", "kB", "kbit", "B", "bit"},
    [DIMENSION_DATA_RATE] = {"Pbit/s", "Tbit/s", "Gbit/s", "Mbit/s", "kbit/s", "bit/s"},
    [DIMENSION_FLOP_RATE] = {"EFLOP/s", "PFLOP/s", "TFLOP/s", "GFLOP/s", "MFLOP/s", "FLOP/s"},
    [DIMENSION_POWER] = {"GW", "MW", "kW", "W", "mW"},
    [DIMENSION_ENERGY] = {"TWh", "GWh", "MWh", "kWh", "Wh", "J"},
};
static const char *const base_units[DIMENSIONS] = {"", "s", "bit", "bit/s", "FLOP/s", "W", "J"};

const char *units_expectation(enum parameter_dimension dimension)
{
    return expectations[dimension];
}

/* Maps each of the names, in UDUNITS-2's terms as a symbol, since its names don't tell Mb from mB. */
static bool define(const struct definition *definition, const ut_unit *base)
{
    ut_unit *unit = ut_scale(definition->factor, base);
    bool good = unit != NULL;
    char names[64];
    snprintf(names, sizeof names, "%s", definition->names);
    char *state = NULL;
    for (char *name = strtok_r(names, " ", &state); name && good; name = strtok_r(NULL, " ", &state))
        good = ut_map_symbol_to_unit(name, UT_UTF8, unit) == UT_SUCCESS;
    ut_free(unit);
    return good;
}

static bool define_all(const struct definition *definitions, size_t count, const ut_unit *base)
{
    bool good = base != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = define(&definitions[i], base);
    return good;
}

static bool add_prefixes(ut_system *system)
{
    bool good = true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && good; i++)
        good = ut_add_symbol_prefix(system, prefixes[i].symbol, prefixes[i].factor) == UT_SUCCESS &&
               (i == 2 || ut_add_name_prefix(system, prefixes[i].name, prefixes[i].factor) == UT_SUCCESS);
    return good;
}

/* How many of TO one of FROM is; 0 if they are of different dimensions or not proportional. */
static double factor_between(ut_unit *from, ut_unit *to)
{
    if (!ut_are_convertible(from, to))
        return 0;
    cv_converter *converter = ut_get_converter(from, to);
    if (!converter)
        return 0;
    double zero = cv_convert_double(converter, 0), one = cv_convert_double(converter, 1),
           two = cv_convert_double(converter, 2);
    cv_free(converter);
    return zero == 0 && two == 2 * one ? one : 0;
}

/* Works out the factors of the units that values are printed in. */
static bool find_factors(struct units *units)
{
    bool good = true;
    for (size_t dimension = 0; dimension < DIMENSIONS; dimension++)
        for (size_t i = 0; i < CHOICES && choices[dimension][i]; i++) {
            const char *name = choices[dimension][i];
            ut_unit *unit = ut_parse(units->system, *name ? name : "1", UT_UTF8);
            units->factors[dimension][i] = unit ? factor_between(unit, units->base[dimension]) : 0;
            good = good && units->factors[dimension][i] > 0;
            ut_free(unit);
        }
    return good;
}

#define DEFINE_ALL(table, base) define_all(table, sizeof(table) / sizeof *(table), base)

static bool fill(struct units *units)
{
    units->system = ut_new_system();
    if (!units->system)
        return false;
    ut_unit **base = units->base;
    base[DIMENSION_NONE] = ut_get_dimensionless_unit_one(units->system);
    base[DIMENSION_TIME] = ut_new_base_unit(units->system);
    base[DIMENSION_DATA] = ut_new_base_unit(units->system);
    base[DIMENSION_POWER] = ut_new_base_unit(units->system);
    units->flop = ut_new_base_unit(units->system);
    if (!base[DIMENSION_NONE] || !base[DIMENSION_TIME] || !base[DIMENSION_DATA] || !base[DIMENSION_POWER] ||
        !units->flop)
        return false;
    base[DIMENSION_DATA_RATE] = ut_divide(base[DIMENSION_DATA], base[DIMENSION_TIME]);
    base[DIMENSION_FLOP_RATE] = ut_divide(units->flop, base[DIMENSION_TIME]);
    base[DIMENSION_ENERGY] = ut_multiply(base[DIMENSION_POWER], base[DIMENSION_TIME]);
    return add_prefixes(units->system) && DEFINE_ALL(pure_units, base[DIMENSION_NONE]) &&
           DEFINE_ALL(time_units, base[DIMENSION_TIME]) && DEFINE_ALL(data_units, base[DIMENSION_DATA]) &&
           DEFINE_ALL(rate_units, base[DIMENSION_DATA_RATE]) && DEFINE_ALL(flop_units, units->flop) &&
           DEFINE_ALL(flop_rate_units, base[DIMENSION_FLOP_RATE]) &&
           DEFINE_ALL(power_units, base[DIMENSION_POWER]) &&
           DEFINE_ALL(energy_units, base[DIMENSION_ENERGY]) && find_factors(units);
}

struct units *units_create(void)
{
    ut_set_error_message_handler(ut_ignore);
    struct units *units = calloc(1, sizeof *units);
    if (units && !fill(units)) {
        units_destroy(units);
        units = NULL;
    }
    return units;
}

void units_destroy(struct units *units)
{
    if (!units)
        return;
    for (size_t i = 0; i < DIMENSIONS; i++)
        ut_free(units->base[i]);
    ut_free(units->flop);
    ut_free_system(units->system);
    free(units);
}

/* UDUNITS-2's grammar has more than units: numbers, dates, offsets, logarithms. Only products, quotients
 * and powers of names pass. */
static bool is_unit_expression(const char *text)
{
    if (!*text || strlen(text) > UNIT_LONGEST || !strcmp(text, "per"))
        return false;
    char before = ' ';
    for (const char *p = text; *p; before = *p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '%' || (*p & 0x80);
        bool digit = *p >= '0' && *p <= '9';
        if (!letter && !digit && !strchr(" /.*^-", *p))
            return false;
        if (digit && strchr(" /.*", before))
            return false;
    }
    return true;
}

/* The reciprocal of a factor below 1: a whole number, which 1e-9 comes near but not to the bit. */
static double reciprocal(double factor)
{
    double inverse = 1 / factor, whole = nearbyint(inverse);
    return fabs(inverse - whole) <= 1e-12 * whole ? whole : inverse;
}

static double apply(double number, double factor)
{
    return factor >= 1 ? number * factor : number / reciprocal(factor);
}

/* The well-known unit that UNIT looks like, or NULL. */
static const char *similar_unit(const char *unit)
{
    static const char *const known[] = {
        "s",       "ms",     "us",      "ns",      "min",  "h",    "d",    "week",  "year",    "seconds",
        "minutes", "hours",  "days",    "years",   "bit",  "B",    "byte", "bytes", "kB",      "MB",
        "GB",      "TB",     "kbit",    "Mbit",    "Gbit", "Tbit", "bps",  "Gbps",  "Mbps",    "bit/s",
        "Gbit/s",  "Mbit/s", "B/s",     "GB/s",    "MB/s", "GiB",  "MiB",  "%",     "percent", "TB/s",
        "W",       "kW",     "TFLOP/s", "GFLOP/s", "kWh",  "MWh"};
    const char *best = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        spelling_consider(unit, known[i], &best, &distance);
    return best;
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct units_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_unknown(const char *unit, enum parameter_dimension dimension, struct units_fault *fault)
{
    const char *near = similar_unit(unit);
    if (near)
        return refuse(fault, "unknown unit \"%.40s\"; did you mean \"%s\"? expected %s", unit, near,
                      expectations[dimension]);
    return refuse(fault, "unknown unit \"%.40s\"; expected %s", unit, expectations[dimension]);
}

/* The power of ten that SUFFIX stands for after a pure number, or NULL. */
static const char *power_of_ten(const char *suffix)
{
    static const struct {
        const char *suffix, *power;
    } powers[] = {{"k", "e3"},        {"K", "e3"},       {"M", "e6"},       {"G", "e9"},
                  {"B", "e9"},        {"b", "e9"},       {"bn", "e9"},      {"T", "e12"},
                  {"thousand", "e3"}, {"million", "e6"}, {"billion", "e9"}, {"trillion", "e12"}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        if (strcmp(powers[i].suffix, suffix) == 0)
            return powers[i].power;
    return NULL;
}

static bool refuse_power(const char *text, const char *power, struct units_fault *fault)
{
    return refuse(fault, "\"%.40s\" is no plain number; write %.*s%s", text, (int)number_length(text), text,
                  power);
}

/* UNIT is known, but isn't DIMENSION's. */
static bool refuse_dimension(const struct units *units, ut_unit *unit, const char *text,
                             enum parameter_dimension dimension, struct units_fault *fault)
{
    const char *kind = "another quantity";
    for (size_t i = 0; i < DIMENSIONS; i++)
        if (ut_are_convertible(unit, units->base[i]))
            kind = kinds[i];
    if (ut_are_convertible(unit, units->flop))
        kind = "an amount of work";
    return refuse(fault, "\"%.60s\" is %s; expected %s", text, kind, expectations[dimension]);
}

/* The factor of a unit that values are printed in; 0 for others. */
static double known_factor(const struct units *units, const char *unit_text,
                           enum parameter_dimension dimension)
{
    for (size_t i = 0; i < CHOICES && choices[dimension][i]; i++)
        if (strcmp(choices[dimension][i], unit_text) == 0)
            return units->factors[dimension][i];
    return 0;
}

/* The factor of the unit that TEXT ends with, in base units of DIMENSION. */
static bool find_factor(const struct units *units, const char *text, const char *unit_text,
                        enum parameter_dimension dimension, double *factor, struct units_fault *fault)
{
    *factor = known_factor(units, unit_text, dimension);
    if (*factor > 0)
        return true;
    const char *power = dimension == DIMENSION_NONE ? power_of_ten(unit_text) : NULL;
    if (power)
        return refuse_power(text, power, fault);
    ut_unit *unit = is_unit_expression(unit_text) ? ut_parse(units->system, unit_text, UT_UTF8) : NULL;
    if (!unit)
        return refuse_unknown(unit_text, dimension, fault);
    *factor = factor_between(unit, units->base[dimension]);
    bool good = *factor > 0;
    if (!good)
        refuse_dimension(units, unit, text, dimension, fault);
    ut_free(unit);
    bool is_data = dimension == DIMENSION_DATA || dimension == DIMENSION_DATA_RATE;
    if (good && is_data && strchr("mun", *unit_text) && *factor < 0.99)
        return refuse(fault, "\"%.60s\" is less than a bit: m is milli, M is mega", text);
    return good;
}

/* What TEXT has between its blanks, cut off where it is too long for a unit anyway. */
static void copy_unit(const char *text, char unit[UNIT_LONGEST + 2])
{
    while (*text == ' ')
        text++;
    snprintf(unit, UNIT_LONGEST + 2, "%s", text);
    for (size_t length = strlen(unit); length && unit[length - 1] == ' ';)
        unit[--length] = '\0';
}

/* Splits TEXT into *NUMBER and the *FACTOR of its unit. */
static bool split(const struct units *units, const char *text, enum parameter_dimension dimension,
                  double *number, double *factor, struct units_fault *fault)
{
    while (*text == ' ')
        text++;
    size_t length = number_length(text);
    char digits[64];
    if (length >= sizeof digits)
        return refuse(fault, "a number of %zu digits; 17 are all that count", length);
    if (!length)
        return refuse(fault, "\"%.40s\" is no number; expected %s", text, expectations[dimension]);
    snprintf(digits, sizeof digits, "%.*s", (int)length, text);
    if (!number_parse(digits, number))
        return refuse(fault, "%s is too large", digits);
    char unit[UNIT_LONGEST + 2];
    copy_unit(text + length, unit);
    *factor = 1;
    if (*unit)
        return find_factor(units, text, unit, dimension, factor, fault);
    if (dimension == DIMENSION_NONE)
        return true;
    return refuse(fault, "%s has no unit; expected %s", digits, expectations[dimension]);
}

bool units_check_plain(const char *text, struct units_fault *fault)
{
    char unit[UNIT_LONGEST + 2];
    size_t length = number_length(text);
    copy_unit(text + length, unit);
    const char *power = length ? power_of_ten(unit) : NULL;
    return !power || refuse_power(text, power, fault);
}

bool units_parse(const struct units *units, const char *text, enum parameter_dimension dimension,
                 double *value, struct units_fault *fault)
{
    double number = 0, factor = 1;
    if (!split(units, text, dimension, &number, &factor, fault))
        return false;
    *value = apply(number, factor);
    return isfinite(*value) || refuse(fault, "\"%.60s\" is too large", text);
}

bool units_parse_time(const struct units *units, const char *text, sim_time *time, struct units_fault *fault)
{
    double number = 0, factor = 1;
    if (!split(units, text, DIMENSION_TIME, &number, &factor, fault))
        return false;
    double nanoseconds = nearbyint(apply(number, factor * (double)SIM_SECOND));
    if (!(fabs(nanoseconds) <= UNITS_LONGEST_SECONDS * (double)SIM_SECOND))
        return refuse(fault, "\"%.60s\" is longer than 290 years", text);
    *time = (sim_time)nanoseconds;
    return true;
}

/* Prints NUMBER with the unit, and tells how long the number is; below 1 it counts as longer. */
static size_t print_in(double number, const char *unit, char text[UNITS_BYTES])
{
    char digits[NUMBER_BYTES];
    number_print(digits, number);
    snprintf(text, UNITS_BYTES, "%s%s%s", digits, *unit ? " " : "", unit);
    return strlen(digits) + (fabs(number) < 1);
}

/* As print_in, if that is shorter than *LEAST. */
static bool print_shorter(double number, const char *unit, size_t least, char text[UNITS_BYTES])
{
    return number_is_short(number, least) && print_in(number, unit, text) < least;
}

char *units_print(const struct units *units, double value, enum parameter_dimension dimension,
                  char text[UNITS_BYTES])
{
    size_t least = print_in(value, base_units[dimension], text);
    if (value == 0)
        return text;
    least++; /* others win ties */
    for (size_t i = 0; i < CHOICES && choices[dimension][i]; i++) {
        char candidate[UNITS_BYTES];
        struct units_fault fault;
        double again = NAN, factor = units->factors[dimension][i];
        double number = factor >= 1 ? value / factor : value * reciprocal(factor);
        if (print_shorter(number, choices[dimension][i], least, candidate) &&
            units_parse(units, candidate, dimension, &again, &fault) && again == value) {
            least = print_in(number, choices[dimension][i], text);
        }
    }
    return text;
}

char *units_print_time(const struct units *units, sim_time time, char text[UNITS_BYTES])
{
    size_t least = UNITS_BYTES;
    snprintf(text, UNITS_BYTES, time ? "%" PRId64 " ns" : "%" PRId64 " s", time);
    for (size_t i = 0; time && i < CHOICES && choices[DIMENSION_TIME][i]; i++) {
        char candidate[UNITS_BYTES];
        struct units_fault fault;
        sim_time again;
        double nanoseconds = nearbyint(units->factors[DIMENSION_TIME][i] * (double)SIM_SECOND);
        double number = (double)time / nanoseconds;
        if (print_shorter(number, choices[DIMENSION_TIME][i], least, candidate) &&
            units_parse_time(units, candidate, &again, &fault) && again == time)
            least = print_in(number, choices[DIMENSION_TIME][i], text);
    }
    return text;
}
