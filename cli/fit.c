/*
 * Every interval of a trace is fitted by every law; the likeliest of each (least AIC) make the fragment.
 */
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/show.h"
#include "cli/trace_notes.h"
#include "imports/intervals.h"
#include "results/table.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fit_options {
    const char *trace;
    const char *output; /* NULL: behind the table */
    bool complete;
    size_t law; /* of sim_fit_laws, for the fragment; SIM_FIT_LAWS: the likeliest */
};

enum { KEY_COMPLETE = 0x200, KEY_LAW };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the scenario's fragment to FILE, not behind the table", 0},
    {"law", KEY_LAW, "NAME", 0, "Take this law into the fragment (default: for each the likeliest)", 0},
    {"complete", KEY_COMPLETE, NULL, 0,
     "Leave out the intervals that were still going on when watching ended, as many publications do; laws "
     "come "
     "out as too short-lived",
     0},
    {0},
};

static void set_law(struct fit_options *fit, const char *name, struct argp_state *state)
{
    for (fit->law = 0; fit->law < SIM_FIT_LAWS; fit->law++)
        if (strcmp(name, sim_law_names[sim_fit_laws[fit->law]]) == 0)
            return;
    argp_error(state, "\"%s\" is none of exponential, weibull and log-normal", name);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct fit_options *fit = state->input;
    switch (key) {
    case 'o':
        fit->output = argument;
        return 0;
    case KEY_LAW:
        set_law(fit, argument, state);
        return 0;
    case KEY_COMPLETE:
        fit->complete = true;
        return 0;
    default:
        return options_parse_argument(&fit->trace, key, argument, state);
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TRACE.csv",
    .doc =
        "Fit laws of times to a trace of failures (`trainstorm import lanl', `spot' or `csv' makes one), by "
        "maximum likelihood: exponential, Weibull and log-normal, to a unit's life from its repair to its "
        "next "
        "failure, to the time between failures of a unit and of all units as one, and to repairs."
        "\vShape is k of a Weibull law and sigma of a log-normal one; intervals in brackets hold the mean "
        "and the "
        "shape in 95 of 100 cases. AIC is least for the likeliest law; KS is the greatest "
        "distance between the trace's distribution and the law's. The fragment takes a unit of the trace for "
        "a "
        "chip.",
};

/* What is fitted to one kind of intervals. */
struct fitted {
    struct intervals intervals;
    struct sim_fit fits[SIM_FIT_LAWS];
    bool good[SIM_FIT_LAWS];
    size_t best;         /* the one to take; SIM_FIT_LAWS: none is good */
    double mean, median; /* of those that ended */
};

static const char *const kind_names[INTERVALS_KINDS] = {"life of a unit, from repair to failure",
                                                        "between failures of a unit",
                                                        "between failures of any unit", "repair"};

/* Lives that have not ended go, where they are not wanted. */
static void keep_ended(struct intervals *intervals)
{
    size_t kept = 0;
    for (size_t i = 0; i < intervals->count; i++)
        if (intervals->lives[i].ended)
            intervals->lives[kept++] = intervals->lives[i];
    intervals->count = kept;
}

/* Lives are sorted by their lengths after a fit. */
static void measure(struct fitted *fitted)
{
    const struct intervals *intervals = &fitted->intervals;
    double sum = 0;
    size_t ended = 0;
    for (size_t i = 0; i < intervals->count; i++) {
        if (!intervals->lives[i].ended)
            continue;
        sum += intervals->lives[i].length;
        if (2 * ended + 1 == intervals->ended || 2 * ended == intervals->ended)
            fitted->median = intervals->lives[i].length;
        ended++;
    }
    fitted->mean = ended ? sum / (double)ended : 0;
}

/* WANTED: a law to be taken, or SIM_FIT_LAWS. */
static void fit_laws(struct fitted *fitted, size_t wanted)
{
    fitted->best = SIM_FIT_LAWS;
    for (size_t i = 0; i < SIM_FIT_LAWS; i++) {
        struct sim_fit *fit = &fitted->fits[i];
        fitted->good[i] =
            sim_fit(sim_fit_laws[i], fitted->intervals.lives, fitted->intervals.count, fit, NULL);
        bool better = fitted->best == SIM_FIT_LAWS || fit->aic < fitted->fits[fitted->best].aic;
        if (fitted->good[i] && (wanted < SIM_FIT_LAWS ? wanted == i : better))
            fitted->best = i;
    }
    measure(fitted);
}

struct time_unit {
    double seconds;
    const char *name;
};

/* The largest unit of which SECONDS is at least one. */
static struct time_unit unit_for(double seconds)
{
    static const struct time_unit list[] = {{86400, "d"}, {3600, "h"}, {60, "min"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (seconds >= list[i].seconds)
            return list[i];
    return (struct time_unit){1, "s"};
}

enum { LAW, MEAN, MEAN_RANGE, MEDIAN, SHAPE, SHAPE_RANGE, LIKELIHOOD, AIC, KS, COLUMNS };

static void set_shape(struct table *table, size_t row, const struct sim_fit_value *shape)
{
    if (isnan(shape->value))
        return;
    table_set(table, row, SHAPE, "%.3f", shape->value);
    table_set(table, row, SHAPE_RANGE, "[%.3f, %.3f]", shape->low, shape->high);
}

static void add_law(struct table *table, const struct fitted *fitted, size_t i)
{
    const struct sim_fit *fit = &fitted->fits[i];
    size_t row = table_add_row(table);
    table_set(table, row, LAW, "%s %s", fitted->best == i ? "*" : " ", sim_law_names[sim_fit_laws[i]]);
    if (!fitted->good[i]) {
        table_set(table, row, MEAN, "none");
        return;
    }
    struct time_unit unit = unit_for(fit->mean.value), median = unit_for(fit->median);
    table_set(table, row, MEAN, "%.4g %s", fit->mean.value / unit.seconds, unit.name);
    table_set(table, row, MEAN_RANGE, "[%.4g, %.4g]", fit->mean.low / unit.seconds,
              fit->mean.high / unit.seconds);
    table_set(table, row, MEDIAN, "%.4g %s", fit->median / median.seconds, median.name);
    set_shape(table, row, &fit->shape);
    table_set(table, row, LIKELIHOOD, "%.1f", fit->log_likelihood);
    table_set(table, row, AIC, "%.1f", fit->aic);
    table_set(table, row, KS, "%.3f", fit->distance);
}

static void add_heading(struct table *table)
{
    static const char *const headings[COLUMNS] = {"law",  "mean",           "95 %", "median", "shape",
                                                  "95 %", "log-likelihood", "AIC",  "KS"};
    size_t row = table_add_row(table);
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(table, row, i, "%s", headings[i]);
}

/* At least two, all of them ended, and equally long: what planned repairs look like. */
static bool is_constant(const struct fitted *fitted)
{
    const struct intervals *intervals = &fitted->intervals;
    return intervals->ended > 1 && intervals->ended == intervals->count &&
           intervals->lives[0].length == intervals->lives[intervals->count - 1].length;
}

static bool any_good(const struct fitted *fitted)
{
    for (size_t i = 0; i < SIM_FIT_LAWS; i++)
        if (fitted->good[i])
            return true;
    return false;
}

static void add_kind(struct table *table, const struct fitted *fitted, const char *name)
{
    char line[240], zeros[60] = "", middle[80] = "; too few for a law";
    const struct intervals *intervals = &fitted->intervals;
    struct time_unit mean = unit_for(fitted->mean), median = unit_for(fitted->median);
    if (intervals->zeros)
        snprintf(zeros, sizeof zeros, ", %zu of 0 s left out", intervals->zeros);
    if (any_good(fitted))
        snprintf(middle, sizeof middle, "; mean %.4g %s, median %.4g %s", fitted->mean / mean.seconds,
                 mean.name, fitted->median / median.seconds, median.name);
    else if (is_constant(fitted))
        snprintf(middle, sizeof middle, "; each of %.4g %s", fitted->mean / mean.seconds, mean.name);
    snprintf(line, sizeof line, "%s: %zu ended, %zu cut off%s%s", name, intervals->ended,
             intervals->count - intervals->ended, zeros, middle);
    table_add_line(table, line);
    for (size_t i = 0; any_good(fitted) && i < SIM_FIT_LAWS; i++)
        add_law(table, fitted, i);
}

static bool write_table(const struct fitted *fitted, FILE *out)
{
    static const enum table_alignment alignments[COLUMNS] = {TABLE_LEFT,  TABLE_RIGHT, TABLE_LEFT,
                                                             TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT,
                                                             TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT};
    struct table *table = table_create(COLUMNS, alignments);
    if (!table)
        return false;
    add_heading(table);
    for (size_t kind = 0; kind < INTERVALS_KINDS; kind++)
        add_kind(table, &fitted[kind], kind_names[kind]);
    bool good = table_write(table, out);
    table_destroy(table);
    return good;
}

static void write_exposure(const struct trace *trace, FILE *out)
{
    struct exposure exposure = exposure_of(trace);
    fprintf(out, "%zu units, up for %.6g h in all, failed %zu times", trace->unit_count,
            exposure.seconds / 3600, exposure.failures);
    if (exposure.seconds > 0)
        fprintf(out, ": %.4g per unit and hour", (double)exposure.failures / (exposure.seconds / 3600));
    fprintf(out, "\n\n");
}

/* "{law: weibull, mtbi: 17.342 d, shape: 0.5921}" */
static void write_law(const struct fitted *fitted, const char *key, const char *mean_key, FILE *out)
{
    bool constant = is_constant(fitted);
    if (!constant && fitted->best == SIM_FIT_LAWS)
        return;
    const struct sim_fit *fit = constant ? NULL : &fitted->fits[fitted->best];
    double mean = constant ? fitted->mean : fit->mean.value;
    struct time_unit unit = unit_for(mean);
    fprintf(out, "  %s: {law: %s, %s: %.5g %s", key, sim_law_names[constant ? SIM_LAW_CONSTANT : fit->law],
            mean_key, mean / unit.seconds, unit.name);
    if (!constant && fit->law == SIM_LAW_WEIBULL)
        fprintf(out, ", shape: %.4g", fit->shape.value);
    if (!constant && fit->law == SIM_LAW_LOG_NORMAL)
        fprintf(out, ", sigma: %.4g", fit->shape.value);
    fprintf(out, "}\n");
}

static bool has_law(const struct fitted *fitted)
{
    return fitted->best < SIM_FIT_LAWS || is_constant(fitted);
}

static void write_fragment(const struct fitted *fitted, FILE *out)
{
    const struct fitted *life = &fitted[INTERVALS_LIFE], *repair = &fitted[INTERVALS_REPAIR];
    if (!has_law(life) && !has_law(repair)) {
        fprintf(out, "# Neither lives nor repairs are enough for a law.\n");
        return;
    }
    fprintf(out, "# Laws of a trace; a unit of it stands for a chip.\nfailures:\n");
    write_law(life, "chip", "mtbi", out);
    write_law(repair, "repair", "mean", out);
}

static bool write_file(const char *path, const struct fitted *fitted, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        write_fragment(fitted, out);
    bool good = out && fclose(out) == 0;
    if (!good)
        error_out_of_memory(error, "the laws");
    good = good && output_file_write(path, "laws", text, error);
    free(text);
    return good;
}

static bool fit_all(const struct trace *trace, const struct fit_options *wanted, struct fitted *fitted,
                    struct error *error)
{
    for (enum interval_kind kind = 0; kind < INTERVALS_KINDS; kind++) {
        if (!intervals_of(trace, kind, &fitted[kind].intervals, error))
            return false;
        if (wanted->complete)
            keep_ended(&fitted[kind].intervals);
        fit_laws(&fitted[kind], wanted->law);
    }
    return true;
}

/* The whole report. NULL with ERROR. */
static char *describe(const struct fit_options *wanted, const struct trace *trace, struct error *error)
{
    struct fitted fitted[INTERVALS_KINDS] = {0};
    char *text = NULL;
    size_t size = 0;
    if (!fit_all(trace, wanted, fitted, error))
        return NULL;
    if (wanted->output && !write_file(wanted->output, fitted, error))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;
    if (out) {
        write_exposure(trace, out);
        good = write_table(fitted, out);
        if (!wanted->output) {
            fprintf(out, "\n");
            write_fragment(fitted, out);
        }
        good = fclose(out) == 0 && good;
    }
    if (good)
        return text;
    error_out_of_memory(error, "the table");
    free(text);
    return NULL;
}

static int fit(const struct fit_options *wanted, struct scenario_memory *memory)
{
    struct error error = {.kind = ERROR_NONE};
    struct trace trace;
    if (!trace_read(&trace, wanted->trace, memory, &error))
        return show_error(&error);
    show_trace_notes(&trace);
    return show_made_text(describe(wanted, &trace, &error), &error);
}

int command_fit(int argc, char **argv)
{
    struct fit_options wanted = {.law = SIM_FIT_LAWS};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct scenario_memory *memory = memory_create();
    if (!memory) {
        struct error error = {.kind = ERROR_NONE};
        error_out_of_memory(&error, "a trace");
        return show_error(&error);
    }
    int status = fit(&wanted, memory);
    memory_destroy(memory);
    return status;
}
