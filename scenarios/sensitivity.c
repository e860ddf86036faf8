/*
 * The field table is walked once for the scenario and once for each item of its lists; a field takes part if
 * it is a number, has a value and is about what is simulated.
 */
#include "scenarios/sensitivity.h"

#include "models/training/strategy.h"
#include "scenarios/loader.h"
#include "scenarios/number.h"
#include "scenarios/range.h"
#include "scenarios/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 }; /* of a value, so that 0.9 of 0.1 is 0.09 */

struct varying {
    const struct loader *loader;
    double share;
    bool sites; /* the network has some */
    struct scenario_variations *variations;
};

/* The mapping that is walked. */
struct walked {
    const struct reading *reading;
    const char *prefix;   /* of its fields' paths */
    const char *strategy; /* whose mapping it is, or NULL */
    bool given;           /* the field that is looked at */
};

static bool begins_with(const char *path, const char *prefix)
{
    return strncmp(path, prefix, strlen(prefix)) == 0;
}

/* Whether a field of the scenario itself, or a list, is about what is simulated. */
static bool is_of_substance(const struct varying *varying, const char *path)
{
    static const char *const technical[] = {"seed", "replications", "duration", "warm_up"};
    for (size_t i = 0; i < sizeof technical / sizeof technical[0]; i++)
        if (strcmp(path, technical[i]) == 0)
            return false;
    if (begins_with(path, "network.between.") && !varying->sites)
        return false;
    return !begins_with(path, "until.") && !begins_with(path, "learning") && !begins_with(path, "expect");
}

static bool is_number(const struct field *field)
{
    enum parameter_type type = field->row.type;
    return field->form == FIELD_VALUE &&
           (type == PARAMETER_REAL || type == PARAMETER_INTEGER || type == PARAMETER_TIME);
}

static char *write_text(const struct varying *varying, const struct parameter *row, const union value *value)
{
    struct writer writer = {0};
    value_write(varying->loader->units, row, value, &writer);
    return writer_take(&writer);
}

/* How far the number moves. */
static double step_of(const struct varying *varying, const struct parameter *row, double base)
{
    double step = varying->share * fabs(base);
    return row->type == PARAMETER_INTEGER ? fmax(1, round(step)) : step;
}

/* Where REAL may be as far as the field's own bounds go. */
static double clamp(const struct parameter *row, double real)
{
    if (!(row->minimum < row->maximum))
        return real;
    return fmin(fmax(real, row->minimum), row->maximum);
}

static bool is_allowed(const struct parameter *row, double real)
{
    return !(row->minimum < row->maximum && row->above_minimum && real <= row->minimum);
}

static union value value_of(const struct parameter *row, double real)
{
    union value value = {.real = number_round(real, DIGITS)};
    if (row->type == PARAMETER_TIME)
        value.time = sim_time_from_seconds(real);
    else if (row->type == PARAMETER_INTEGER)
        value.integer = llround(real);
    return value;
}

static bool is_filled(const struct scenario_variation *variation, bool with_strategy)
{
    return variation->setting.path && variation->setting.value && variation->base &&
           (variation->strategy || !with_strategy);
}

/* Room for one more variation, which is empty; NULL when out of memory. */
static struct scenario_variation *grow(struct scenario_variations *variations)
{
    struct scenario_variation *items =
        reallocarray(variations->items, variations->count + 1, sizeof *variations->items);
    if (!items)
        return NULL;
    variations->items = items;
    items[variations->count] = (struct scenario_variation){.base = NULL};
    return &items[variations->count++];
}

/* One of the two values of a field, unless nothing is left of the change. False when out of memory. */
static bool add(const struct varying *varying, const struct walked *walked, const struct parameter *row,
                const union value *base, double change, bool *added)
{
    double real = range_as_real(row, base), wanted = real + change, kept = clamp(row, wanted);
    union value value = value_of(row, kept);
    if (!is_allowed(row, kept) || range_as_real(row, &value) == real)
        return true;
    struct scenario_variation *variation = grow(varying->variations);
    if (!variation)
        return false;
    *added = true;
    variation->given = walked->given;
    variation->clamped = kept != wanted;
    variation->setting.value = write_text(varying, row, &value);
    variation->base = write_text(varying, row, base);
    variation->strategy = walked->strategy ? strdup(walked->strategy) : NULL;
    if (asprintf(&variation->setting.path, "%s%s", walked->prefix, row->path) < 0)
        variation->setting.path = NULL;
    return is_filled(variation, walked->strategy != NULL);
}

static bool vary_field(const struct varying *varying, const struct walked *walked, const struct field *field)
{
    const void *target = loader_target(walked->reading, field);
    union value base;
    if (!is_number(field) || value_is_unset(&field->row, target))
        return true;
    memcpy(&base, target, field->row.type == PARAMETER_REAL ? sizeof base.real : sizeof base.integer);
    double real = range_as_real(&field->row, &base);
    varying->variations->zeros += real == 0;
    if (real == 0 || !isfinite(real))
        return true;
    double step = step_of(varying, &field->row, real);
    bool added = false;
    bool good = add(varying, walked, &field->row, &base, -step, &added) &&
                add(varying, walked, &field->row, &base, step, &added);
    varying->variations->fields += added;
    return good;
}

static bool vary_mapping(const struct varying *varying, struct walked *walked)
{
    const struct scope *scope = walked->reading->scope;
    for (size_t i = 0; i < scope->count; i++) {
        const struct field *field = &scope->fields[i];
        bool wanted = *walked->prefix || is_of_substance(varying, field->row.path);
        walked->given = walked->reading->states[i] == FIELD_GIVEN;
        if (wanted && !vary_field(varying, walked, field))
            return false;
    }
    return true;
}

static const char *item_name(const struct reading *item)
{
    const struct node *node = document_member(item->mapping, "name", 4);
    return node && node->kind == NODE_SCALAR && *node->text ? node->text : NULL;
}

/* An item goes by its name, or by its INDEX among those of its list. */
static bool vary_item(const struct varying *varying, const struct reading *item, size_t index)
{
    const char *list = item->list->row.path, *name = item_name(item);
    char *prefix = NULL;
    int length = name ? asprintf(&prefix, "%s.%s.", list, name) : asprintf(&prefix, "%s.%zu.", list, index);
    if (length < 0)
        return false;
    struct walked walked = {item, prefix, item->list->list == &strategy_list ? name : NULL, false};
    bool good = vary_mapping(varying, &walked);
    free(prefix);
    return good;
}

static bool has_sites(const struct reading *root)
{
    const struct scenario *scenario = (const struct scenario *)(const void *)root->base;
    return scenario->simulation.network.sites.count > 0;
}

bool sensitivity_collect(const struct loader *loader, const struct reading *root, double share,
                         struct scenario_variations *variations)
{
    const struct varying varying = {loader, share, has_sites(root), variations};
    const struct field *list = NULL;
    size_t index = 0;
    bool good = vary_mapping(&varying, &(struct walked){root, "", NULL, false});
    for (size_t i = 0; i < root->item_count && good; i++) {
        const struct reading *item = &root->items[i];
        if (!item->list || !item->scope)
            continue;
        index = item->list == list ? index + 1 : 0;
        list = item->list;
        if (is_of_substance(&varying, list->row.path))
            good = vary_item(&varying, item, index);
    }
    return good;
}

void scenario_variations_free(struct scenario_variations *variations)
{
    for (size_t i = 0; i < variations->count; i++) {
        free(variations->items[i].setting.path);
        free(variations->items[i].setting.value);
        free(variations->items[i].base);
        free(variations->items[i].strategy);
    }
    free(variations->items);
    *variations = (struct scenario_variations){0};
}
