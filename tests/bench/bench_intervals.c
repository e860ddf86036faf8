/*
 * How many of so many 95 % intervals of calibrate hold the value that was planted: the chips' time between
 * failures, fitted with four replications to four figures of one job of six days and some 41 failures, and to
 * the means of four such jobs. The figures' standard deviations are those of 400 jobs; or of the four alone,
 * taken as known or for what they are. Every fit and every job have seeds of their own, always the same ones.
 *
 * bench_intervals [FITS]
 */
#include "results/store.h"
#include "studies/study.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURES = 4, REPLICATIONS = 4, FITS = 20, OBSERVED = 100000 };
#define PLANTED 9.0 /* days */

static const char job[] = "name: job\n"
                          "seed: %d\n"
                          "replications: %d\n"
                          "duration: 6 d\n"
                          "workload: {parameters: 1e9, tokens_per_step: 1e6, step_time: 400 s}\n"
                          "cluster: {chips: 64, chips_per_slice: 8}\n"
                          "failures: {chip: {mtbi: %g d}, repair: {mean: 10 min}, restart_time: 7 min}\n"
                          "checkpoints: {interval: 30 min, write_time: 20 s}\n"
                          "strategies: [{name: plain, kind: all-reduce}]\n";
static const struct {
    const char *metric;
    double deviation;
} of_a_job[FIGURES] = {
    {"interruptions_per_day", 1.035}, {"uptime", 0.00497}, {"goodput", 0.01972}, {"job_goodput", 0.01972}};

static void must(bool done, const struct error *error)
{
    if (done)
        return;
    fprintf(stderr, "bench_intervals: %s\n", error->message);
    exit(1);
}

static struct plan *plan_of(int seed, int replications)
{
    char yaml[1000];
    struct error error = {.kind = ERROR_NONE};
    snprintf(yaml, sizeof yaml, job, seed, replications, PLANTED);
    struct scenario_text text = {(char[]){"job.yaml"}, yaml, strlen(yaml)};
    struct plan *plan = plan_create(&(struct plan_request){.text = &text}, &error);
    must(plan != NULL, &error);
    return plan;
}

static struct study_request request_of(const struct plan *plan)
{
    return (struct study_request){
        .plan = plan, .version = "0", .command_line = "bench", .runner = {.workers = 1}};
}

enum deviations_are { KNOWN, TAKEN_AS_KNOWN, ESTIMATED, KINDS };

static struct scenario_figures *observe(struct store *store, int seed, int jobs, enum deviations_are kind)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = plan_of(seed, jobs);
    const struct study_request request = request_of(plan);
    struct study_outcome outcome;
    must(study_run(&request, store, &outcome, &error), &error);
    struct scenario_figures *figures = scenario_figures_create(FIGURES, &error);
    must(figures != NULL, &error);
    for (size_t i = 0; i < FIGURES; i++) {
        struct store_mean mean = {.mean = NAN, .deviation = NAN};
        store_mean(store, outcome.study, "plain", "{}", of_a_job[i].metric, &mean);
        figures->items[figures->count++] = (struct scenario_figure){
            .strategy = "plain",
            .metric = of_a_job[i].metric,
            .value = mean.mean,
            .deviation = (kind == KNOWN ? of_a_job[i].deviation : mean.deviation) / sqrt(jobs),
            .observations = kind == ESTIMATED ? jobs : 0,
            .origin = "observed"};
    }
    study_outcome_free(&outcome);
    plan_destroy(plan);
    return figures;
}

static bool holds(struct store *store, int fit, int jobs, enum deviations_are kind)
{
    static const char *const vary[] = {"failures.chip.mtbi=3..27 d"};
    struct error error = {.kind = ERROR_NONE};
    struct scenario_figures *figures = observe(store, OBSERVED + fit, jobs, kind);
    struct plan *plan = plan_of(fit + 1, REPLICATIONS);
    struct scenario_ranges *ranges = scenario_ranges_create(vary, 1, &error);
    must(ranges != NULL, &error);
    const struct study_request request = request_of(plan);
    struct calibrate_results results;
    int64_t study;
    must(study_calibrate(&request, store, ranges, figures, &study, &results, &error), &error);
    const struct calibrate_field *field = &results.fields[0];
    bool held = field->low <= PLANTED * 86400 && PLANTED * 86400 <= field->high;
    calibrate_free(&results);
    scenario_ranges_destroy(ranges);
    plan_destroy(plan);
    scenario_figures_destroy(figures);
    return held;
}

static void count(struct store *store, int fits, int jobs, enum deviations_are kind)
{
    static const char *const words[KINDS] = {"", ", their deviation taken as known",
                                             ", their deviation told with the number of jobs"};
    int held = 0;
    for (int i = 0; i < fits; i++)
        held += holds(store, i, jobs, kind);
    printf("figures of %d job%s%s: %d of %d intervals hold the planted value\n", jobs, jobs > 1 ? "s" : "",
           words[kind], held, fits);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/trainstorm.XXXXXX", path[60];
    struct error error = {.kind = ERROR_NONE};
    int fits = argc > 1 ? atoi(argv[1]) : FITS;
    gsl_set_error_handler_off();
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/fits.sqlite", folder);
    struct store *store = store_open(path, &error);
    must(store != NULL, &error);
    count(store, fits, 1, KNOWN);
    for (int kind = KNOWN; kind < KINDS; kind++)
        count(store, fits, 4, (enum deviations_are)kind);
    store_close(store);
    unlink(path);
    return rmdir(folder) != 0;
}
