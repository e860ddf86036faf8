/*
 * A step is turned into a number of points, so that a range is always two ends and how many values there are.
 */
#include "scenarios/range.h"

#include "scenarios/number.h"
#include "scenarios/value.h"

#include <math.h>
#include <string.h>

/* How far beyond the upper end the last step may come for rounding's sake, in steps. */
#define SLACK 1e-9

bool range_refuse(const struct range_text *range, const char *message)
{
    faults_add(&range->loader->faults, range->place, "%s%s", range->label, message);
    return false;
}

const char *range_trim(const struct range_text *range, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    const char *copy = memory_copy(range->loader->memory, text, length);
    return copy ? copy : "";
}

double range_as_real(const struct parameter *row, const union value *value)
{
    if (row->type == PARAMETER_TIME)
        return sim_time_to_seconds(value->time);
    return row->type == PARAMETER_INTEGER ? (double)value->integer : value->real;
}

bool range_is_meant(const struct field *field, const char *text)
{
    enum parameter_type type = field->row.type;
    return (type == PARAMETER_REAL || type == PARAMETER_INTEGER || type == PARAMETER_TIME) &&
           strstr(text, "..") != NULL;
}

static bool read_value(const struct range_text *range, const struct parameter *row, const char *text,
                       double *real)
{
    union value value;
    struct value_fault fault;
    if (!value_read_text(range->loader->units, range->loader->scratch, row, text, &value, &fault))
        return range_refuse(range, fault.message);
    *real = range_as_real(row, &value);
    return true;
}

/* NUMBER with what stands behind the number of MODEL, if it has no unit of its own; NULL when out of memory.
 */
static const char *with_unit_of(const struct range_text *range, const char *number, const char *model)
{
    size_t digits = number_length(model);
    if (number_length(number) == strlen(number) && digits && model[digits])
        return memory_format(range->loader->scratch, "%s%s", number, model + digits);
    return number;
}

bool range_read_ends(const struct range_text *range, const struct field *field, const char *text,
                     struct scenario_search *search)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return range_refuse(range, "expected LO..HI, such as \"1..100\", with the field's unit");
    const char *low = range_trim(range, text, (size_t)(dots - text)),
               *high = range_trim(range, dots + 2, strlen(dots + 2));
    low = with_unit_of(range, low, high);
    if (!low || !read_value(range, &field->row, low, &search->low) ||
        !read_value(range, &field->row, high, &search->high))
        return false;
    return search->low < search->high || range_refuse(range, "the lower end is not below the upper one");
}

static bool check_points(const struct range_text *range, double points)
{
    if (points < 2)
        return range_refuse(range, "the step is longer than the range");
    return points <= RANGE_MOST || range_refuse(range, "a range has at most 10000 values");
}

/* "LO..HI step S", STEP pointing at the word. */
static bool read_steps(const struct range_text *range, const struct field *field, const char *text,
                       const char *step, struct scenario_search *search)
{
    const char *ends = range_trim(range, text, (size_t)(step - text)), *high = strstr(ends, "..");
    double width;
    if (!range_read_ends(range, field, ends, search))
        return false;
    struct parameter unbounded = field->row;
    unbounded.minimum = unbounded.maximum = 0;
    high = range_trim(range, high + 2, strlen(high + 2));
    step += strlen(" step ");
    step = with_unit_of(range, range_trim(range, step, strlen(step)), high);
    if (!step || !read_value(range, &unbounded, step, &width))
        return false;
    if (!(width > 0))
        return range_refuse(range, "the step is not above 0");
    double steps = floor((search->high - search->low) / width + SLACK);
    if (!check_points(range, steps + 1))
        return false;
    search->high = number_round(search->low + steps * width, RANGE_DIGITS);
    search->points = (int64_t)steps + 1;
    return true;
}

/* "[log] LO..HI, N points" */
static bool read_points(const struct range_text *range, const struct field *field, const char *text,
                        struct scenario_search *search)
{
    const char *comma = strrchr(text, ',');
    const char *count = comma ? range_trim(range, comma + 1, strlen(comma + 1)) : "";
    const char *word = strchr(count, ' ');
    const char *number = word ? range_trim(range, count, (size_t)(word - count)) : "";
    if (!number_parse_integer(number, &search->points) || strcmp(word, " points") != 0)
        return range_refuse(range,
                            "expected \"1..16 step 5\", \"0..1, 11 points\" or \"log 0.1..1000 Gbit/s, "
                            "50 points\", with the field's unit");
    if (search->points < 2 || search->points > RANGE_MOST)
        return range_refuse(range, "a grid has from 2 to 10000 points");
    const char *ends = range_trim(range, text, (size_t)(comma - text));
    search->logarithmic = strncmp(ends, "log ", 4) == 0;
    if (!range_read_ends(range, field, ends + (search->logarithmic ? 4 : 0), search))
        return false;
    return !search->logarithmic || search->low > 0 ||
           range_refuse(range, "a logarithmic grid begins above 0");
}

bool range_read(const struct range_text *range, const struct field *field, const char *text,
                struct scenario_search *search)
{
    const char *step = strstr(text, " step ");
    if (step && strstr(text, "..") && strncmp(text, "log ", 4) == 0)
        return range_refuse(range, "a logarithmic grid has points, not steps");
    return step && strstr(text, "..") ? read_steps(range, field, text, step, search)
                                      : read_points(range, field, text, search);
}
