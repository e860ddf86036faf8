/*
 * Values of fields, published against simulated, as papers print them: by strategy and target. Both forms
 * have the same cells.
 */
#include "studies/validation_figures.h"

#include "results/notation.h"
#include "results/table.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The results of one table. */
struct page {
    const struct expectation_results *results;
    const struct expectation_result *first;
};

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool same_table(const struct expectation_result *a, const struct expectation_result *b)
{
    const struct scenario_target *left = &a->expectation->target, *right = &b->expectation->target;
    return same_text(a->expectation->solve, b->expectation->solve) &&
           same_text(left->metric, right->metric) && left->at_least == right->at_least;
}

static bool has_setting(const struct expectation_result *result, const struct scenario_setting *setting)
{
    const struct scenario_point *at = &result->expectation->at;
    for (size_t i = 0; i < at->count; i++)
        if (same_text(at->settings[i].path, setting->path) &&
            same_text(at->settings[i].value, setting->value))
            return true;
    return false;
}

static bool same_row(const struct expectation_result *a, const struct expectation_result *b)
{
    const struct scenario_point *at = &a->expectation->at;
    bool same = same_table(a, b) && same_text(a->expectation->strategy, b->expectation->strategy) &&
                at->count == b->expectation->at.count;
    for (size_t i = 0; i < at->count && same; i++)
        same = has_setting(b, &at->settings[i]);
    return same;
}

static bool same_column(const struct expectation_result *a, const struct expectation_result *b)
{
    return same_table(a, b) && a->expectation->target.value == b->expectation->target.value;
}

/* Whether the I-th result opens a row, or a column, of PAGE. */
static bool opens(const struct page *page, size_t i,
                  bool (*same)(const struct expectation_result *, const struct expectation_result *))
{
    return same_table(&page->results->items[i], page->first) && validation_is_first(page->results, i, same);
}

static bool is_in_all_rows(const struct page *page, const struct scenario_setting *setting)
{
    for (size_t i = 0; i < page->results->count; i++)
        if (same_table(&page->results->items[i], page->first) &&
            !has_setting(&page->results->items[i], setting))
            return false;
    return true;
}

/* How long to measure and how often is of no interest beside what is measured. */
static bool is_of_measuring(const char *path)
{
    return same_text(path, "duration") || same_text(path, "warm_up") || same_text(path, "replications") ||
           same_text(path, "seed");
}

/* Of the row's own strategy the name is not said again: "fragments", not "fragments of streaming". */
static void name_field(char field[NOTATION_LENGTH], const char *strategy, const char *path)
{
    size_t list = strlen("strategies."), length = strlen(strategy);
    bool own = strncmp(path, "strategies.", list) == 0 && strncmp(path + list, strategy, length) == 0 &&
               path[list + length] == '.';
    notation_field(field, own ? path + list + length + 1 : path);
}

/* Two settings of one field of two items, to the same value: "network.sites.c.share" and ".d.share". The item
 * of the first is the *LENGTH bytes from *START on. */
static bool is_same_of_another(const struct scenario_setting *a, const struct scenario_setting *b,
                               size_t *start, size_t *length)
{
    size_t before = 0, behind = 0, left = strlen(a->path), right = strlen(b->path),
           shorter = left < right ? left : right;
    while (before < shorter && a->path[before] == b->path[before])
        before++;
    while (behind < shorter - before && a->path[left - 1 - behind] == b->path[right - 1 - behind])
        behind++;
    while (before > 0 && a->path[before - 1] != '.')
        before--;
    while (behind > 0 && a->path[left - behind] != '.')
        behind--;
    *start = before;
    *length = left - before - behind;
    return before > 0 && behind > 0 && !memchr(a->path + before, '.', *length) &&
           same_text(a->value, b->value);
}

/* A text that grows within a cell. */
struct label {
    char *cell;
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) label_add(struct label *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (label->length < VALIDATION_CELL_SIZE)
        label->length += (size_t)vsnprintf(label->cell + label->length, VALIDATION_CELL_SIZE - label->length,
                                           format, arguments);
    va_end(arguments);
}

static bool is_shown(const struct page *page, const struct scenario_setting *setting)
{
    return !is_of_measuring(setting->path) && !is_in_all_rows(page, setting);
}

/* The setting at INDEX and those of other items like it, at the first of them: "step time 5 s", "sites share
 * 0 (c, d)". */
static void add_setting(struct label *label, const struct page *page, const struct expectation_result *result,
                        size_t index)
{
    const struct scenario_point *at = &result->expectation->at;
    const struct scenario_setting *setting = &at->settings[index];
    char field[NOTATION_LENGTH], general[VALIDATION_CELL_SIZE];
    size_t start, length, others = 0;
    for (size_t i = 0; i < index; i++)
        if (is_shown(page, &at->settings[i]) &&
            is_same_of_another(setting, &at->settings[i], &start, &length))
            return;
    label_add(label, "%s", label->length ? ", " : "");
    for (size_t i = index + 1; i < at->count; i++) {
        if (!is_shown(page, &at->settings[i]) ||
            !is_same_of_another(setting, &at->settings[i], &start, &length))
            continue;
        if (!others++) {
            validation_put(general, "%.*s*%s", (int)start, setting->path, setting->path + start + length);
            name_field(field, result->expectation->strategy, general);
            label_add(label, "%s %s (%.*s", field, setting->value, (int)length, setting->path + start);
        }
        is_same_of_another(&at->settings[i], setting, &start, &length);
        label_add(label, ", %.*s", (int)length, at->settings[i].path + start);
    }
    if (!others)
        name_field(field, result->expectation->strategy, setting->path);
    if (others)
        label_add(label, ")");
    else
        label_add(label, "%s %s", field, setting->value);
}

/* What is set beside, as far as it is not the same in all rows: "parameters 1e11, layers 108". */
static void put_point(char cell[VALIDATION_CELL_SIZE], const struct page *page,
                      const struct expectation_result *result)
{
    const struct scenario_point *at = &result->expectation->at;
    struct label label = {cell, 0};
    cell[0] = '\0';
    for (size_t i = 0; i < at->count; i++)
        if (is_shown(page, &at->settings[i]))
            add_setting(&label, page, result, i);
}

/* "≥ 95 %" */
static void put_target(char cell[VALIDATION_CELL_SIZE], const struct scenario_target *target)
{
    const char *sign = target->at_least ? "≥ " : "≤ ";
    const struct scenario_expectation figure = {.metric = target->metric};
    if (notation_is_share(target->metric))
        validation_put(cell, "%s%.6g %%", sign, 100 * target->value);
    else
        validation_put_figure(cell, &figure, sign, target->value);
}

static void put_got(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    char number[NOTATION_LENGTH];
    if (isnan(result->got)) {
        validation_put(cell, "%s", result->status == SEARCH_ALL_MEET ? "all meet" : "none meets");
        return;
    }
    notation_plain(number, result->got);
    validation_put(cell, "%s", number);
}

/* "86.8 / 86.85", "1.9 / 2.4 (missed)"; several results of one row and column one after another. */
static void put_pairs(char cell[VALIDATION_CELL_SIZE], const struct page *page,
                      const struct expectation_result *row, const struct expectation_result *column)
{
    size_t length = 0;
    cell[0] = '\0';
    for (size_t i = 0; i < page->results->count && length < VALIDATION_CELL_SIZE; i++) {
        const struct expectation_result *result = &page->results->items[i];
        char got[VALIDATION_CELL_SIZE];
        if (!same_row(result, row) || !same_column(result, column))
            continue;
        put_got(got, result);
        length += (size_t)snprintf(cell + length, VALIDATION_CELL_SIZE - length, "%s%s%.6g / %s%s",
                                   length ? "; " : "", validation_bound_sign(result->expectation),
                                   result->wanted, got, result->met ? "" : " (missed)");
    }
}

static bool has_points(const struct page *page)
{
    char cell[VALIDATION_CELL_SIZE];
    for (size_t i = 0; i < page->results->count; i++)
        if (opens(page, i, same_row)) {
            put_point(cell, page, &page->results->items[i]);
            if (*cell)
                return true;
        }
    return false;
}

/* Sets the cells of ROW, a result, or of the head where it is NULL. */
static void set_row(struct table *table, const struct page *page, bool points,
                    const struct expectation_result *row)
{
    char cell[VALIDATION_CELL_SIZE] = "at";
    size_t place = table_add_row(table), column = 0;
    table_set(table, place, column++, "%s", row ? row->expectation->strategy : "strategy");
    if (points && row)
        put_point(cell, page, row);
    if (points)
        table_set(table, place, column++, "%s", cell);
    for (size_t i = 0; i < page->results->count; i++) {
        if (!opens(page, i, same_column))
            continue;
        if (row)
            put_pairs(cell, page, row, &page->results->items[i]);
        else
            put_target(cell, &page->results->items[i].expectation->target);
        table_set(table, place, column++, "%s", cell);
    }
}

/* ALIGNMENTS has room for a column a result and two. */
static struct table *lay_out(const struct page *page, bool points, enum table_alignment *alignments)
{
    size_t columns = points ? 2 : 1;
    alignments[0] = alignments[1] = TABLE_LEFT;
    for (size_t i = 0; i < page->results->count; i++)
        if (opens(page, i, same_column))
            alignments[columns++] = TABLE_RIGHT;
    struct table *table = table_create(columns, alignments);
    if (!table)
        return NULL;
    set_row(table, page, points, NULL);
    for (size_t i = 0; i < page->results->count; i++)
        if (opens(page, i, same_row))
            set_row(table, page, points, &page->results->items[i]);
    return table;
}

static struct table *create_table(const struct page *page)
{
    enum table_alignment *alignments = calloc(page->results->count + 2, sizeof *alignments);
    struct table *table = alignments ? lay_out(page, has_points(page), alignments) : NULL;
    free(alignments);
    return table;
}

bool validation_write_solved(FILE *out, const struct expectation_results *results, bool markdown)
{
    const char *word = validation_wanted_word(results);
    for (size_t i = 0; i < results->count; i++) {
        if (!validation_is_first(results, i, same_table))
            continue;
        const struct page page = {results, &results->items[i]};
        const char *unit = page.first->unit;
        struct table *table = create_table(&page);
        if (!table)
            return false;
        fprintf(out, "%s%s%s for %s, %s / simulated:\n\n", page.first->expectation->solve,
                strcmp(unit, "1") == 0 ? "" : " in ", strcmp(unit, "1") == 0 ? "" : unit,
                page.first->expectation->target.metric, word);
        bool written = markdown ? table_write_markdown(table, out) : table_write(table, out);
        table_destroy(table);
        fputc('\n', out);
        if (!written)
            return false;
    }
    return true;
}
