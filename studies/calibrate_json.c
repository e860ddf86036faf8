/*
 * The report for programs. Values of fields are in the unit that such figures are published in.
 */
#include "studies/calibrate_report.h"

#include "results/json.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static double published(const struct scenario_search *range, double value)
{
    double size;
    scenario_published_unit(range->dimension, &size);
    return value / size;
}

/* What to observe as well; null where there is nothing, or no need. */
static void write_suggestion(FILE *out, const struct calibrate_results *results,
                             const struct suggestion *suggestion)
{
    const struct scenario_figure *figure = &results->deviations.figures->items[suggestion->figure];
    char *point = scenario_point_json(&figure->at);
    fputs(",\"observe\":", out);
    if (*suggestion->metric) {
        fputs("{\"strategy\":", out);
        json_string(out, figure->strategy);
        fprintf(out, ",\"point\":%s,\"metric\":", point ? point : "null");
        json_string(out, suggestion->metric);
        json_further_number(out, "from", suggestion->from);
        json_further_number(out, "to", suggestion->to);
        fputc('}', out);
    } else {
        fputs("null", out);
    }
    free(point);
}

static void write_field(FILE *out, const struct calibrate_results *results, size_t i)
{
    static const char *const borders[] = {"null", "\"low\"", "\"high\""};
    const struct calibrate_field *field = &results->fields[i];
    const struct scenario_search *range = calibrate_range(results, i);
    double size;
    fputs("{\"path\":", out);
    json_string(out, range->path);
    fputs(",\"unit\":", out);
    json_string(out, scenario_published_unit(range->dimension, &size));
    json_further_number(out, "start", published(range, field->start));
    json_further_number(out, "fitted", published(range, field->fitted));
    json_further_number(out, "error", published(range, field->error));
    json_further_number(out, "low", published(range, field->low));
    json_further_number(out, "high", published(range, field->high));
    json_further_number(out, "effect", results->determination.effects[i]);
    fprintf(out, ",\"determined\":%s,\"border\":%s", field->determined ? "true" : "false",
            borders[field->border]);
    write_suggestion(out, results, &results->for_fields[i]);
    fputc('}', out);
}

static void write_figure(FILE *out, const struct calibrate_results *results, size_t i)
{
    const struct scenario_figure *figure = &results->deviations.figures->items[i];
    char *point = scenario_point_json(&figure->at);
    fputs("{\"strategy\":", out);
    json_string(out, figure->strategy);
    fprintf(out, ",\"point\":%s,\"metric\":", point ? point : "null");
    json_string(out, figure->metric);
    json_further_number(out, "wanted", figure->value);
    json_further_number(out, "deviation", figure->deviation);
    json_further_number(out, "observations", figure->observations ? (double)figure->observations : NAN);
    fprintf(out, ",\"assumed\":%s", figure->assumed ? "true" : "false");
    json_further_number(out, "got", calibrate_best(results)->got[i]);
    json_further_number(out, "noise", calibrate_best(results)->noise[i]);
    json_further_number(out, "apart", calibrate_apart(results, i));
    fprintf(out, ",\"moves\":%s,\"from\":", calibrate_moves(results, i) ? "true" : "false");
    json_string(out, figure->origin);
    fputc('}', out);
    free(point);
}

static void write_combination(FILE *out, const struct calibrate_results *results, size_t number)
{
    const struct determination_combination *combination = &results->determination.combinations[number];
    fputs("{\"fields\":{", out);
    size_t count = 0;
    for (size_t i = 0; i < calibrate_field_count(results); i++) {
        if (combination->shares[i] == 0)
            continue;
        json_separate(out, count++);
        json_name(out, calibrate_range(results, i)->path);
        json_number(out, combination->shares[i]);
    }
    fputc('}', out);
    json_further_number(out, "independence", combination->independence);
    write_suggestion(out, results, &results->for_combinations[number]);
    fputc('}', out);
}

static void write_try(FILE *out, const struct calibrate_results *results, size_t number)
{
    static const char *const purposes[] = {"start", "step", "slope"};
    const struct deviations_try *attempt = &results->deviations.tries[number];
    fprintf(out, "{\"purpose\":\"%s\",\"values\":[", purposes[attempt->purpose]);
    for (size_t i = 0; i < calibrate_field_count(results); i++) {
        json_separate(out, i);
        json_number(out, published(calibrate_range(results, i), attempt->values[i]));
    }
    fputc(']', out);
    json_further_number(out, "misfit", attempt->misfit);
    fputs(",\"got\":[", out);
    for (size_t i = 0; i < results->deviations.figures->count; i++) {
        json_separate(out, i);
        json_number(out, attempt->got[i]);
    }
    fputs("]}", out);
}

/* A list called NAME of COUNT items. */
static void write_list(FILE *out, const char *name, size_t count, const struct calibrate_results *results,
                       void (*write)(FILE *, const struct calibrate_results *, size_t))
{
    fputc(',', out);
    json_name(out, name);
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        json_separate(out, i);
        write(out, results, i);
    }
    fputc(']', out);
}

static void write_singular_value(FILE *out, const struct calibrate_results *results, size_t i)
{
    json_number(out, results->determination.singular_values[i]);
}

char *calibrate_report_json(const struct calibrate_results *results, int64_t study)
{
    char *text = NULL;
    size_t size = 0, fields = results->interrupted ? 0 : calibrate_field_count(results);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "{\"study\":%" PRId64 ",\"status\":\"%s\"", study,
            results->interrupted ? "interrupted"
            : results->converged ? "converged"
                                 : "not converged");
    json_further_number(out, "misfit", results->deviations.count ? calibrate_best(results)->misfit : NAN);
    fprintf(out, ",\"freedom\":%" PRId64 ",\"missed\":%zu", results->freedom, results->missed);
    json_further_number(out, "widened", results->widened);
    write_list(out, "fields", fields, results, write_field);
    write_list(out, "figures", fields ? results->deviations.figures->count : 0, results, write_figure);
    write_list(out, "singular_values", results->determination.count, results, write_singular_value);
    write_list(out, "undetermined", results->determination.combination_count, results, write_combination);
    write_list(out, "tries", results->deviations.count, results, write_try);
    fputs("}\n", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}
