#include "plots/axis.h"
#include "plots/script.h"
#include "results/notation.h"

#include <math.h>
#include <string.h>

struct axis axis_empty(void)
{
    return (struct axis){.low = INFINITY, .high = -INFINITY};
}

void axis_include(struct axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

void axis_choose_scale(struct axis *axis, double times)
{
    axis->logarithmic = axis->low > 0 && axis->high >= times * axis->low;
}

void axis_pad(struct axis *axis, double share)
{
    if (!(axis->low <= axis->high))
        *axis = (struct axis){.low = 0, .high = 1};
    if (axis->logarithmic) {
        double factor = pow(axis->high / axis->low, share / (1 - 2 * share));
        axis->low /= factor;
        axis->high *= factor;
        return;
    }
    double span = axis->high - axis->low;
    if (span <= 0)
        span = axis->low != 0 ? 0.1 * fabs(axis->low) : 1;
    axis->low -= span * share / (1 - 2 * share);
    axis->high += span * share / (1 - 2 * share);
}

double axis_place(const struct axis *axis, double value)
{
    if (axis->logarithmic)
        return log(value / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

double axis_value(const struct axis *axis, double place)
{
    if (axis->logarithmic)
        return axis->low * pow(axis->high / axis->low, place);
    return axis->low + place * (axis->high - axis->low);
}

double axis_step(double span, size_t most, bool dozen)
{
    static const double clock[] = {1, 2, 3, 6, 12, 24}, decimal[] = {1, 2, 5, 10};
    double least = span / (double)most;
    for (size_t i = 0; dozen && least > 0.5 && i < sizeof clock / sizeof clock[0]; i++)
        if (clock[i] >= least)
            return clock[i];
    double power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof decimal / sizeof decimal[0]; i++)
        if (decimal[i] * power >= least * (1 - 1e-9))
            return decimal[i] * power;
    return 10 * power;
}

static int decimals_of(double step)
{
    return (int)fmax(0, -floor(log10(step) + 1e-9));
}

/* With as many decimals as the step has. */
static void tick_label(char text[NOTATION_LENGTH], double value, double step)
{
    if (step >= 1000)
        notation_short(text, value);
    else
        snprintf(text, NOTATION_LENGTH, "%.*f", decimals_of(step), value);
}

/* The tick that is *I steps above zero, which grows; false: there are no more. */
static bool next_tick(const struct axis *axis, double step, double *i, double *value)
{
    *value = *i == 0 ? 0 : *i * step;
    return (*i)++ * step <= axis->high + 1e-9 * step;
}

void axis_write(const struct axis *axis, char name, size_t most, bool dozen, FILE *out)
{
    fprintf(out, "set %crange [%.10g:%.10g]\n", name, axis->low, axis->high);
    if (axis->logarithmic) {
        fprintf(out, "set logscale %c\nset format %c '%%g'\n", name, name);
        return;
    }
    double step = axis_step(axis->high - axis->low, most, dozen), value;
    fprintf(out, "set %ctics (", name);
    const char *separator = "";
    for (double i = ceil(axis->low / step - 1e-9); next_tick(axis, step, &i, &value);) {
        char label[NOTATION_LENGTH];
        tick_label(label, value, step);
        fputs(separator, out);
        script_string(out, label);
        fprintf(out, " %.10g", value);
        separator = ", ";
    }
    fputs(")\n", out);
}

/* Without an exponent: gnuplot takes a word with one for no number. */
struct axis_ticks axis_list(const struct axis *axis, size_t most, bool dozen)
{
    struct axis_ticks ticks = {0};
    double step = axis_step(axis->high - axis->low, most, dozen), value;
    for (double i = ceil(axis->low / step - 1e-9); next_tick(axis, step, &i, &value);) {
        char label[NOTATION_LENGTH];
        size_t values = strlen(ticks.values), labels = strlen(ticks.labels);
        tick_label(label, value, step);
        snprintf(ticks.values + values, sizeof ticks.values - values, " %.*f", decimals_of(step), value);
        snprintf(ticks.labels + labels, sizeof ticks.labels - labels, " %s", label);
    }
    return ticks;
}
