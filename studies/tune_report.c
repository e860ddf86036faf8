#include "studies/tune_report.h"

#include "results/json.h"
#include "results/table.h"
#include "studies/solve_report.h"
#include <math.h>
#include <stdlib.h>

/* Columns: the strategy, each field, then these. */
enum column { METRIC, INTERVAL, VERDICT, COLUMNS };

static bool has_intervals(const struct tune_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        for (size_t j = 0; j < results->answers[i].count; j++)
            if (!isnan(results->answers[i].tries[j].low))
                return true;
    return false;
}

static void write_head(struct table *table, const struct scenario_goal *goal, bool intervals)
{
    size_t head = table_add_row(table), first = 1 + goal->ranges->count;
    table_set(table, head, 0, "strategy");
    for (size_t i = 0; i < goal->ranges->count; i++)
        table_set(table, head, 1 + i, "%s", goal->ranges->searches[i].path);
    table_set(table, head, first + METRIC, "%s", goal->metric);
    table_set(table, head, first + INTERVAL, "%s", intervals ? "at 95 %" : "");
}

static void add_try(struct table *table, const struct scenario_goal *goal, const struct tune_answer *answer,
                    size_t number)
{
    const struct tune_try *attempt = &answer->tries[number];
    char cell[VALIDATION_CELL_SIZE];
    size_t row = table_add_row(table), first = 1 + goal->ranges->count;
    table_set(table, row, 0, "%s", answer->strategy);
    for (size_t i = 0; i < goal->ranges->count && number > 0; i++) {
        solve_report_put_value(cell, &goal->ranges->searches[i], attempt->values[i]);
        table_set(table, row, 1 + i, "%s", cell);
    }
    solve_report_put_metric(cell, goal->metric, attempt->mean);
    table_set(table, row, first + METRIC, "%s", cell);
    solve_report_put_interval(cell, goal->metric, attempt->low, attempt->high);
    table_set(table, row, first + INTERVAL, "%s", cell);
    table_set(table, row, first + VERDICT, "%s",
              number == 0              ? "the scenario as it is"
              : number == answer->best ? "the best"
                                       : "");
}

static bool write_tries(FILE *out, const struct scenario_goal *goal, const struct tune_results *results)
{
    enum table_alignment alignments[1 + SCENARIO_RANGES_MOST + COLUMNS] = {TABLE_LEFT};
    for (size_t i = 1; i <= goal->ranges->count + INTERVAL + 1; i++)
        alignments[i] = TABLE_RIGHT;
    struct table *table = table_create(1 + goal->ranges->count + COLUMNS, alignments);
    if (!table)
        return false;
    write_head(table, goal, has_intervals(results));
    for (size_t i = 0; i < results->count; i++)
        for (size_t j = 0; j < results->answers[i].count; j++)
            add_try(table, goal, &results->answers[i], j);
    bool written = table_write(table, out);
    table_destroy(table);
    return written;
}

static void write_best(FILE *out, const struct scenario_goal *goal, const struct tune_answer *answer)
{
    const struct tune_try *best = &answer->tries[answer->best];
    char metric[VALIDATION_CELL_SIZE], start[VALIDATION_CELL_SIZE], value[VALIDATION_CELL_SIZE];
    solve_report_put_metric(metric, goal->metric, best->mean);
    solve_report_put_metric(start, goal->metric, answer->tries[0].mean);
    fprintf(out, "%s: %s is %s, %s, with ", answer->strategy, goal->metric,
            goal->largest ? "largest" : "smallest", metric);
    for (size_t i = 0; i < goal->ranges->count; i++) {
        solve_report_put_value(value, &goal->ranges->searches[i], best->values[i]);
        fprintf(out, "%s%s %s", i ? ", " : "", goal->ranges->searches[i].path, value);
    }
    fprintf(out, "; the scenario as it is gives %s.\n", start);
}

/* The interval of a difference that is told without its sign. */
static void put_between(char cell[VALIDATION_CELL_SIZE], const char *metric,
                        const struct paired_point *against)
{
    char low[VALIDATION_CELL_SIZE], high[VALIDATION_CELL_SIZE];
    bool falls = against->difference < 0;
    solve_report_put_difference(low, metric, falls ? -against->high : against->low);
    solve_report_put_difference(high, metric, falls ? -against->low : against->high);
    validation_put(cell, "%.100s to %.100s", low, high);
}

/* Chance leaves none of 100 %. */
static void put_confidence(char cell[VALIDATION_CELL_SIZE], double confidence)
{
    const double most = 0.9999;
    if (confidence > most)
        validation_put(cell, "more than %.4g %%", 100 * most);
    else if (confidence < 1 - most)
        validation_put(cell, "less than %.1g %%", 100 * (1 - most));
    else
        validation_put(cell, "%.4g %%", 100 * confidence);
}

/* How much better, and how sure that is. */
static void write_gain(FILE *out, const struct scenario_goal *goal, const struct tune_answer *answer)
{
    const struct paired_point *against = &answer->against;
    char gain[VALIDATION_CELL_SIZE], interval[VALIDATION_CELL_SIZE], confidence[VALIDATION_CELL_SIZE];
    bool better = goal->largest ? against->difference > 0 : against->difference < 0;
    if (isnan(against->difference)) {
        fputs("  How much better that is in other replications is not known.\n", out);
        return;
    }
    if (against->difference == 0 && !(against->deviation > 0)) {
        fputs("  That is the same, and so it makes no difference here.\n", out);
        return;
    }
    solve_report_put_difference(gain, goal->metric, fabs(against->difference));
    const char *verdict = better ? "better" : against->difference != 0 ? "worse" : "the same";
    if (isnan(answer->confidence)) {
        fprintf(out,
                "  That is %s by %s in the one replication there is; more would tell how sure that is.\n",
                verdict, gain);
        return;
    }
    put_between(interval, goal->metric, against);
    put_confidence(confidence, answer->confidence);
    fprintf(out,
            "  In as many other replications, of which the search knew nothing, it is %s by %s (%s at 95 %%, "
            "over "
            "%lld pairs of the same failures), and better with a confidence of %s.\n",
            verdict, gain, interval, (long long)against->pairs, confidence);
}

static void write_answer(FILE *out, const struct scenario_goal *goal, const struct tune_answer *answer,
                         bool interrupted)
{
    if (!answer->best) {
        fprintf(out,
                interrupted ? "%s: interrupted before every replication of a value had a %s.\n"
                            : "%s: no value tried gives every replication a %s.\n",
                answer->strategy, goal->metric);
        return;
    }
    write_best(out, goal, answer);
    write_gain(out, goal, answer);
}

char *tune_report_text(const struct scenario_goal *goal, const struct tune_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool written = write_tries(out, goal, results);
    fputc('\n', out);
    for (size_t i = 0; i < results->count; i++)
        write_answer(out, goal, &results->answers[i], results->interrupted);
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}

/* JSON */

static void write_try(FILE *out, const struct scenario_goal *goal, const struct tune_try *attempt,
                      bool is_start)
{
    fputs("{\"values\":[", out);
    for (size_t i = 0; i < goal->ranges->count && !is_start; i++) {
        double size;
        scenario_published_unit(goal->ranges->searches[i].dimension, &size);
        json_separate(out, i);
        json_number(out, attempt->values[i] / size);
    }
    fputc(']', out);
    json_further_number(out, "metric", attempt->mean);
    json_further_number(out, "low", attempt->low);
    json_further_number(out, "high", attempt->high);
    fputc('}', out);
}

static void write_json_answer(FILE *out, const struct scenario_goal *goal, const struct tune_answer *answer)
{
    const struct paired_point *against = &answer->against;
    fputs("{\"strategy\":", out);
    json_string(out, answer->strategy);
    fputs(",\"best\":", out);
    if (answer->best)
        write_try(out, goal, &answer->tries[answer->best], false);
    else
        fputs("null", out);
    json_further_number(out, "difference", answer->best ? against->difference : NAN);
    json_further_number(out, "low", answer->best ? against->low : NAN);
    json_further_number(out, "high", answer->best ? against->high : NAN);
    fprintf(out, ",\"pairs\":%lld", (long long)against->pairs);
    json_further_number(out, "confidence", answer->confidence);
    fputs(",\"tries\":[", out);
    for (size_t i = 0; i < answer->count; i++) {
        json_separate(out, i);
        write_try(out, goal, &answer->tries[i], i == 0);
    }
    fputs("]}", out);
}

static void write_fields(FILE *out, const struct scenario_goal *goal)
{
    for (size_t i = 0; i < goal->ranges->count; i++) {
        double size;
        json_separate(out, i);
        fputs("{\"path\":", out);
        json_string(out, goal->ranges->searches[i].path);
        fputs(",\"unit\":", out);
        json_string(out, scenario_published_unit(goal->ranges->searches[i].dimension, &size));
        fputc('}', out);
    }
}

char *tune_report_json(const struct scenario_goal *goal, const struct tune_results *results, int64_t study)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "{\"study\":%lld,\"metric\":", (long long)study);
    json_string(out, goal->metric);
    fprintf(out, ",\"goal\":\"%s\",\"fields\":[", goal->largest ? "largest" : "smallest");
    write_fields(out, goal);
    fputs("],\"answers\":[", out);
    for (size_t i = 0; i < results->count; i++) {
        json_separate(out, i);
        write_json_answer(out, goal, &results->answers[i]);
    }
    fputs("]}\n", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}
