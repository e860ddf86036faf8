#include "studies/solve_report.h"

#include "results/json.h"
#include "results/notation.h"
#include "results/table.h"
#include "scenarios/question.h"
#include "studies/validation_figures.h"
#include <math.h>
#include <stdlib.h>

enum column { STRATEGY, VALUE, METRIC, INTERVAL, VERDICT, COLUMNS };

/* Times in the largest unit of which the end of the range has some, and the beginning not much less than one:
 * from 2 to 120 minutes they are minutes. */
static const char *time_unit(const struct scenario_search *search, double *size)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {{"years", 365 * 86400.0}, {"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    size_t i = 0;
    while (units[i].size > 1 && search->high < 2 * units[i].size)
        i++;
    while (units[i].size > 1 && search->low > 0 && search->low < 0.05 * units[i].size &&
           search->high < 1000 * units[i + 1].size)
        i++;
    *size = units[i].size;
    return units[i].name;
}

static void put_digits(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search, double value,
                       int digits)
{
    double size;
    bool is_time = search->dimension == DIMENSION_TIME;
    const char *unit = is_time ? time_unit(search, &size) : scenario_published_unit(search->dimension, &size);
    bool named = unit[0] != '1';
    validation_put(cell, "%.*g%s%s", digits, value / size, named ? " " : "", named ? unit : "");
}

void solve_report_put_value(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search,
                            double value)
{
    put_digits(cell, search, value, 6);
}

void solve_report_put_brief(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search,
                            double value)
{
    put_digits(cell, search, value, 4);
}

static void put_position(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search,
                         const struct search_try *attempt)
{
    solve_report_put_value(cell, search, search_value(search, attempt->position));
}

/* More digits than elsewhere: neighbours of the answer differ little. */
void solve_report_put_metric(char cell[VALIDATION_CELL_SIZE], const char *metric, double value)
{
    const struct scenario_expectation figure = {.metric = (char *)metric};
    if (notation_is_share(metric) && !isnan(value))
        validation_put(cell, "%.6g %%", 100 * value);
    else
        validation_put_figure(cell, &figure, "", value);
}

void solve_report_put_difference(char cell[VALIDATION_CELL_SIZE], const char *metric, double value)
{
    if (notation_is_share(metric) && !isnan(value))
        validation_put(cell, "%.6g %s", 100 * value, fabs(100 * value) == 1 ? "point" : "points");
    else
        solve_report_put_metric(cell, metric, value);
}

void solve_report_put_interval(char cell[VALIDATION_CELL_SIZE], const char *metric, double from, double to)
{
    char low[VALIDATION_CELL_SIZE], high[VALIDATION_CELL_SIZE];
    cell[0] = '\0';
    if (isnan(from))
        return;
    solve_report_put_metric(low, metric, from);
    solve_report_put_metric(high, metric, to);
    validation_put(cell, "%.100s to %.100s", low, high);
}

static bool has_intervals(const struct solve_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        for (size_t j = 0; j < results->answers[i].tries.count; j++)
            if (!isnan(results->answers[i].tries.items[j].low))
                return true;
    return false;
}

static const char *verdict_of(const struct solve_answer *answer, const struct scenario_target *target,
                              const struct search_try *attempt)
{
    if (answer->state.status == SEARCH_FOUND && attempt == answer->state.meets)
        return "meets, the answer";
    return search_meets(target, attempt->metric) ? "meets" : "misses";
}

static void add_try(struct table *table, const struct solve_question *question,
                    const struct solve_answer *answer, const struct search_try *attempt)
{
    char cell[VALIDATION_CELL_SIZE];
    size_t row = table_add_row(table);
    table_set(table, row, STRATEGY, "%s", question->strategy);
    put_position(cell, question->search, attempt);
    table_set(table, row, VALUE, "%s", cell);
    solve_report_put_metric(cell, question->target->metric, attempt->metric);
    table_set(table, row, METRIC, "%s", cell);
    solve_report_put_interval(cell, question->target->metric, attempt->low, attempt->high);
    table_set(table, row, INTERVAL, "%s", cell);
    table_set(table, row, VERDICT, "%s", verdict_of(answer, question->target, attempt));
}

static bool write_tries(FILE *out, const struct solve_question *questions,
                        const struct solve_results *results)
{
    static const enum table_alignment alignments[COLUMNS] = {TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT,
                                                             TABLE_RIGHT, TABLE_LEFT};
    struct table *table = table_create(COLUMNS, alignments);
    if (!table)
        return false;
    size_t head = table_add_row(table);
    table_set(table, head, STRATEGY, "strategy");
    table_set(table, head, VALUE, "%s", questions->search->path);
    table_set(table, head, METRIC, "%s", questions->target->metric);
    table_set(table, head, INTERVAL, "%s", has_intervals(results) ? "at 95 %" : "");
    for (size_t i = 0; i < results->count; i++)
        for (size_t j = 0; j < results->answers[i].tries.count; j++)
            add_try(table, &questions[i], &results->answers[i], &results->answers[i].tries.items[j]);
    bool written = table_write(table, out);
    table_destroy(table);
    return written;
}

static void write_found(FILE *out, const struct solve_question *question, const struct search_state *state,
                        const char *until)
{
    char value[VALIDATION_CELL_SIZE], metric[VALIDATION_CELL_SIZE], other[VALIDATION_CELL_SIZE],
        missed[VALIDATION_CELL_SIZE];
    put_position(value, question->search, state->meets);
    put_position(other, question->search, state->misses);
    solve_report_put_metric(metric, question->target->metric, state->meets->metric);
    solve_report_put_metric(missed, question->target->metric, state->misses->metric);
    fprintf(out, "%s: %s is the %s %s with %s: it gives %s, and %s gives %s.\n", question->strategy, value,
            state->falling ? "greatest" : "least", question->search->path, until, metric, other, missed);
}

static void write_certainty(FILE *out, const struct solve_question *question,
                            const struct search_state *state)
{
    char low[VALIDATION_CELL_SIZE], high[VALIDATION_CELL_SIZE];
    if (isnan(state->meets->low))
        return;
    if (isnan(state->between[0])) {
        fputs("  The intervals at 95 % are so wide that the answer may lie outside the range; more "
              "replications would "
              "narrow them.\n",
              out);
        return;
    }
    solve_report_put_value(low, question->search, search_value(question->search, state->between[0]));
    solve_report_put_value(high, question->search, search_value(question->search, state->between[1]));
    fprintf(out, "  With the intervals of the means at 95 %%, it lies between %s and %s.\n", low, high);
}

/* Both ends meet the target, or neither does. */
static void write_ends(FILE *out, const struct solve_question *question, const struct search_state *state,
                       const char *until)
{
    char low[VALIDATION_CELL_SIZE], high[VALIDATION_CELL_SIZE], low_metric[VALIDATION_CELL_SIZE],
        high_metric[VALIDATION_CELL_SIZE];
    put_position(low, question->search, state->low);
    put_position(high, question->search, state->high);
    solve_report_put_metric(low_metric, question->target->metric, state->low->metric);
    solve_report_put_metric(high_metric, question->target->metric, state->high->metric);
    fprintf(out,
            "%s: %s end of the range has %s, and so there is nothing to find: %s gives %s, %s gives %s.\n",
            question->strategy, state->status == SEARCH_ALL_MEET ? "each" : "neither", until, low, low_metric,
            high, high_metric);
}

static void write_answer(FILE *out, const struct solve_question *question, const struct search_state *state,
                         const char *until)
{
    if (state->status == SEARCH_GOES_ON)
        return;
    if (state->status != SEARCH_FOUND) {
        write_ends(out, question, state, until);
        return;
    }
    write_found(out, question, state, until);
    write_certainty(out, question, state);
    if (!state->monotone)
        fputs(
            "  Not all values tried beyond it are on the same side of the target: the metric is not monotone "
            "here, or its noise is larger than its change.\n",
            out);
}

char *solve_report_text(const struct solve_question *questions, const struct solve_results *results,
                        const char *until)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool written = write_tries(out, questions, results);
    fputc('\n', out);
    for (size_t i = 0; i < results->count; i++)
        write_answer(out, &questions[i], &results->answers[i].state, until);
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}

/* JSON */

static double published_position(const struct scenario_search *search, double position)
{
    double size;
    scenario_published_unit(search->dimension, &size);
    return isnan(position) ? NAN : search_value(search, position) / size;
}

static double published(const struct scenario_search *search, const struct search_try *attempt)
{
    return published_position(search, attempt ? attempt->position : NAN);
}

static void write_try(FILE *out, const struct solve_question *question, const struct search_try *attempt)
{
    fputs("{\"value\":", out);
    json_number(out, published(question->search, attempt));
    json_further_number(out, "metric", attempt->metric);
    json_further_number(out, "low", attempt->low);
    json_further_number(out, "high", attempt->high);
    fprintf(out, ",\"meets\":%s}", search_meets(question->target, attempt->metric) ? "true" : "false");
}

static void write_json_answer(FILE *out, const struct solve_question *question,
                              const struct solve_answer *answer)
{
    static const char *const names[] = {[SEARCH_GOES_ON] = "interrupted",
                                        [SEARCH_FOUND] = "found",
                                        [SEARCH_ALL_MEET] = "all meet",
                                        [SEARCH_NONE_MEETS] = "none meets"};
    const struct search_state *state = &answer->state;
    fputs("{\"strategy\":", out);
    json_string(out, question->strategy);
    fprintf(out, ",\"status\":\"%s\",\"falling\":%s,\"monotone\":%s", names[state->status],
            state->falling ? "true" : "false", state->monotone ? "true" : "false");
    json_further_number(out, "value", published(question->search, state->meets));
    json_further_number(out, "metric", state->meets ? state->meets->metric : NAN);
    json_further_number(out, "misses", published(question->search, state->misses));
    json_further_number(out, "low", published_position(question->search, state->between[0]));
    json_further_number(out, "high", published_position(question->search, state->between[1]));
    fputs(",\"tries\":[", out);
    for (size_t i = 0; i < answer->tries.count; i++) {
        json_separate(out, i);
        write_try(out, question, &answer->tries.items[i]);
    }
    fputs("]}", out);
}

char *solve_report_json(const struct solve_question *questions, const struct solve_results *results,
                        const char *until, int64_t study)
{
    char *text = NULL;
    size_t size = 0;
    double scale;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "{\"study\":%lld,\"path\":", (long long)study);
    json_string(out, questions->search->path);
    fputs(",\"unit\":", out);
    json_string(out, scenario_published_unit(questions->search->dimension, &scale));
    fputs(",\"until\":", out);
    json_string(out, until);
    fputs(",\"answers\":[", out);
    for (size_t i = 0; i < results->count; i++) {
        json_separate(out, i);
        write_json_answer(out, &questions[i], &results->answers[i]);
    }
    fputs("]}\n", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}
