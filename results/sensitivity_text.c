/* The ranking as a table: a block per strategy. */
#include "results/notation.h"
#include "results/sensitivity.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum column { PARAMETER, VALUE, LOWER_VALUE, LOWER_CHANGE, HIGHER_VALUE, HIGHER_CHANGE, ELASTICITY, COLUMNS };

static const enum table_alignment alignments[COLUMNS] = {TABLE_LEFT,  TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT,
                                                         TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT};

/* Without its unit, in which changes are told, too. */
static void put_base(char text[NOTATION_LENGTH], const struct sensitivity *sensitivity,
                     const struct notation_unit *unit)
{
    if (notation_is_share(sensitivity->metric))
        snprintf(text, NOTATION_LENGTH, "%.2f", 100 * sensitivity->base);
    else if (notation_is_loss(sensitivity->metric))
        notation_loss(text, sensitivity->base, NAN);
    else
        notation_plain(text, sensitivity->base / unit->scale);
}

/* "-1.08 ± 0.05", points of a percentage for shares. */
static void put_change(char text[NOTATION_LENGTH], const char *metric, const struct notation_unit *unit,
                       const struct sensitivity_side *side)
{
    double half = (side->high - side->low) / 2 / unit->scale, change = side->difference / unit->scale;
    if (!notation_is_share(metric) && !notation_is_loss(metric)) {
        notation_interval(text, change, half);
        return;
    }
    int decimals = notation_is_share(metric) ? 3 : 4;
    if (isnan(half))
        snprintf(text, NOTATION_LENGTH, "%+.*f", decimals, change);
    else
        snprintf(text, NOTATION_LENGTH, "%+.*f ± %.*f", decimals, change, decimals, half);
}

static void set_side(struct table *table, size_t row, enum column value, const char *metric,
                     const struct notation_unit *unit, const struct sensitivity_side *side)
{
    char change[NOTATION_LENGTH] = "-";
    if (*side->value)
        put_change(change, metric, unit, side);
    table_set(table, row, value, "%s", *side->value ? side->value : "-");
    table_set(table, row, value + 1, "%s", change);
}

static void set_row(struct table *table, const struct sensitivity *sensitivity,
                    const struct sensitivity_row *fact)
{
    const struct notation_unit unit = notation_unit_of(sensitivity->metric, sensitivity->base);
    size_t row = table_add_row(table);
    table_set(table, row, PARAMETER, "%s", fact->path);
    table_set(table, row, VALUE, "%s", *fact->base ? fact->base : "-");
    set_side(table, row, LOWER_VALUE, sensitivity->metric, &unit, &fact->sides[0]);
    set_side(table, row, HIGHER_VALUE, sensitivity->metric, &unit, &fact->sides[1]);
    if (isnan(fact->elasticity))
        table_set(table, row, ELASTICITY, "-");
    else
        table_set(table, row, ELASTICITY, "%+.3f", fact->elasticity);
}

/* "MTBF, min", and points of shares, which stand below the table. */
static void set_head(struct table *table, const char *metric, const struct notation_unit *unit)
{
    static const char *const heads[COLUMNS] = {"parameter", "value", "lower",     NULL,
                                               "higher",    NULL,    "elasticity"};
    char words[NOTATION_LENGTH];
    notation_metric(words, metric);
    bool named = *unit->name && !notation_is_share(metric);
    size_t row = table_add_row(table);
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(table, row, i, "%s%s%s", heads[i] ? heads[i] : words, heads[i] || !named ? "" : ", ",
                  heads[i] || !named ? "" : unit->name);
}

/* False when memory was short. */
static bool write_strategy(const struct sensitivity *sensitivity, FILE *out)
{
    const struct notation_unit unit = notation_unit_of(sensitivity->metric, sensitivity->base);
    char base[NOTATION_LENGTH], words[NOTATION_LENGTH];
    put_base(base, sensitivity, &unit);
    notation_metric(words, sensitivity->metric);
    fprintf(out, "%s: %s %s%s%s\n", sensitivity->strategy, words, base, *unit.name ? " " : "", unit.name);
    struct table *table = sensitivity->felt ? table_create(COLUMNS, alignments) : NULL;
    if (table)
        set_head(table, sensitivity->metric, &unit);
    for (size_t i = 0; i < sensitivity->felt && table; i++)
        set_row(table, sensitivity, &sensitivity->rows[i]);
    bool written = !sensitivity->felt || (table && table_write(table, out));
    table_destroy(table);
    fprintf(out, "%zu of %zu parameters change nothing beyond the noise.\n\n",
            sensitivity->count - sensitivity->felt, sensitivity->count);
    return written;
}

static void write_legend(const char *metric, int64_t pairs, FILE *out)
{
    const char *points = notation_is_share(metric) ? " in percentage points" : "";
    if (pairs > 1)
        fprintf(out,
                "Changes from the base point%s, means of %" PRId64
                " pairs, ± half-width of the 95 %% interval.\n"
                "Elasticity: per cent of the metric for one per cent of the parameter.\n",
                points, pairs);
    else
        fprintf(out,
                "Changes from the base point%s, of one pair, and so without interval.\n"
                "Elasticity: per cent of the metric for one per cent of the parameter.\n",
                points);
}

static bool write_table(struct store *store, const struct outline *outline, const char *metric, FILE *out,
                        struct error *error)
{
    int64_t pairs = 0;
    for (size_t i = 0; i < outline->strategy_count; i++) {
        struct sensitivity *sensitivity =
            sensitivity_create(store, outline, outline->strategies[i], metric, error);
        if (!sensitivity)
            return false;
        pairs = sensitivity->pairs > pairs ? sensitivity->pairs : pairs;
        bool written = !sensitivity->count || write_strategy(sensitivity, out);
        sensitivity_destroy(sensitivity);
        if (!written) {
            error_out_of_memory(error, "a sensitivity analysis");
            return false;
        }
    }
    if (pairs)
        write_legend(metric, pairs, out);
    else
        error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no two points with the metric \"%s\"",
                  outline->study, outline->name, metric);
    return pairs > 0;
}

static bool write_study(struct store *store, const struct outline *outline, const void *metric, FILE *out,
                        struct error *error)
{
    if (sensitivity_is_study(outline))
        return write_table(store, outline, metric, out, error);
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) is no sensitivity analysis", outline->study,
              outline->name);
    return false;
}

char *sensitivity_table(struct store *store, int64_t study, const char *metric, struct error *error)
{
    return outline_text(store, study, write_study, metric, "a sensitivity analysis", error);
}
