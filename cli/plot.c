#include "cli/datadir.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/show.h"
#include "cli/study.h"
#include "plots/figure.h"
#include "plots/place.h"
#include "results/outline.h"
#include "scenarios/question.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct plot_options {
    const char *arguments[2]; /* the database, and the figure */
    int argument_count;
    const char *output;
    const char *template_file;
    const char *metric;
    const char *strategy, *x, *y;
    int64_t study;
    bool print_template;
};

enum { KEY_TEMPLATE = 0x200, KEY_PRINT_TEMPLATE, KEY_METRIC, KEY_STUDY, KEY_X, KEY_Y, KEY_STRATEGY };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Draw into FILE.svg, FILE.png or FILE.pdf (default: FIGURE.svg)", 0},
    {"metric", KEY_METRIC, "NAME", 0,
     "What `goodput', `heatmap' and `sensitivity' (goodput unless set) and `bandwidth' (compute_utilization) "
     "show, as "
     "`trainstorm list metrics' names it; or over what `loss' is drawn: time (the default), tokens or steps",
     0},
    {"strategy", KEY_STRATEGY, "NAME", 0,
     "The only strategy that `heatmap' and `sensitivity' show (default: all)", 0},
    {"x", KEY_X, "PATH", 0, "The axis that `heatmap' has along x, by its path (default: the study's first)",
     0},
    {"y", KEY_Y, "PATH", 0, "The one that it has along y (default: the next)", 0},
    {"study", KEY_STUDY, "N", 0, STUDY_HELP, 0},
    {"template", KEY_TEMPLATE, "FILE", 0, "Draw by the gnuplot template FILE", 0},
    {"print-template", KEY_PRINT_TEMPLATE, NULL, 0, "Print the figure's template, to copy and change", 0},
    {0},
};

static void add_argument(struct plot_options *plot, const char *argument, struct argp_state *state)
{
    if (plot->argument_count == 2)
        argp_usage(state);
    plot->arguments[plot->argument_count++] = argument;
}

/* What is missing, or in the other's place. */
static void check_arguments(const struct plot_options *plot, const struct argp_state *state)
{
    const char *first = plot->arguments[0], *second = plot->arguments[1];
    if (!first)
        argp_usage(state);
    bool figure = figure_find(first, NULL) && access(first, F_OK) != 0;
    if (figure && second)
        argp_error(state, "the database comes first: plot %s %s", second, first);
    if (figure)
        argp_error(state, "of which database? plot DB %s", first);
    if (!second)
        argp_error(state, "which figure of %s? `trainstorm list figures' names them", first);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct plot_options *plot = state->input;
    switch (key) {
    case 'o':
        plot->output = argument;
        return 0;
    case KEY_METRIC:
        plot->metric = argument;
        return 0;
    case KEY_STRATEGY:
        plot->strategy = argument;
        return 0;
    case KEY_X:
        plot->x = argument;
        return 0;
    case KEY_Y:
        plot->y = argument;
        return 0;
    case KEY_STUDY:
        plot->study = options_study(argument, state);
        return 0;
    case KEY_TEMPLATE:
        plot->template_file = argument;
        return 0;
    case KEY_PRINT_TEMPLATE:
        plot->print_template = true;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(plot, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(plot, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB FIGURE",
    .doc = "Draw FIGURE from a study in the database DB; `trainstorm list figures' names the figures."
           "\vThe caption says which study of the database is drawn.",
};

static bool print_template(const char *folder, const char *figure, struct error *error)
{
    char path[2 * PATH_MAX];
    const struct figure *found = figure_find(figure, error);
    if (!found)
        return false;
    snprintf(path, sizeof path, "%s/%s.gnuplot", folder, figure_template(found));
    return place_copy(stdout, path, error);
}

static bool refuse_unread(const char *option, const char *figure, const char *readers, struct error *error)
{
    error_set(error, ERROR_INPUT, "--%s: the figure %s takes none; %s", option, figure, readers);
    return false;
}

static bool has(const char *const *names, const char *figure)
{
    while (*names && strcmp(*names, figure) != 0)
        names++;
    return *names != NULL;
}

/* What a figure would pass over is a mistake. */
static bool check_options(const struct plot_options *plot, struct error *error)
{
    static const char *const metric[] = {"goodput", "heatmap", "sensitivity", "bandwidth", "loss", NULL};
    static const char *const strategy[] = {"heatmap", "sensitivity", NULL};
    const char *figure = plot->arguments[1];
    if (!figure_find(figure, error))
        return false;
    if (plot->metric && !has(metric, figure))
        return refuse_unread("metric", figure, "goodput, heatmap, sensitivity, bandwidth and loss do", error);
    if (plot->strategy && !has(strategy, figure))
        return refuse_unread("strategy", figure, "heatmap and sensitivity do", error);
    if ((plot->x || plot->y) && strcmp(figure, "heatmap") != 0)
        return refuse_unread(plot->x ? "x" : "y", figure, "heatmap does", error);
    return !plot->metric || strcmp(figure, "loss") == 0 ||
           scenario_metric_check(plot->metric, "--metric", error);
}

static bool suits(struct store *store, int64_t study, const struct figure *figure)
{
    struct error error = {.kind = ERROR_NONE};
    struct outline *outline = outline_create(store, study, &error);
    bool good = outline && figure->suits(outline);
    outline_destroy(outline);
    return good;
}

/* Where the newest study lacks what the figure shows, an older one may have it. */
static void tell_other(struct store *store, const struct figure *figure, struct error *error)
{
    struct error none = {.kind = ERROR_NONE};
    int64_t newest = store_latest_study(store, &none), study = newest;
    if (!figure->suits || error->kind != ERROR_INPUT || newest < 1 || suits(store, newest, figure))
        return;
    while (study > 0 && !suits(store, study, figure))
        study--;
    const size_t length = strlen(error->message);
    if (study > 0)
        snprintf(error->message + length, sizeof error->message - length,
                 "; study %lld has what the figure shows: --study %lld", (long long)study, (long long)study);
}

static bool draw(const struct plot_options *plot, const char *folder, struct error *error)
{
    const char *figure = plot->arguments[1];
    char output[NAME_MAX];
    snprintf(output, sizeof output, "%s.svg", figure);
    struct figure_request request = {.figure = figure,
                                     .output = plot->output ? plot->output : output,
                                     .template_folder = folder,
                                     .template_file = plot->template_file,
                                     .study = plot->study,
                                     .metric = plot->metric,
                                     .strategy = plot->strategy,
                                     .x = plot->x,
                                     .y = plot->y,
                                     .stop = interrupt_catch()};
    struct store *store = store_open_read_only(plot->arguments[0], error);
    if (!store)
        return false;
    bool drawn = figure_draw(store, &request, error);
    if (!drawn && plot->study < 0)
        tell_other(store, figure_find(figure, error), error);
    if (drawn && plot->study < 0)
        study_tell_newest(store, plot->arguments[0]);
    store_close(store);
    return drawn;
}

int command_plot(int argc, char **argv)
{
    struct plot_options wanted = {.study = -1};
    struct error error = {.kind = ERROR_NONE};
    char data[PATH_MAX], folder[PATH_MAX + sizeof "/plots"];
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    if (!datadir_find(DATADIR_PLOTS, data, sizeof data, &error))
        return show_error(&error);
    snprintf(folder, sizeof folder, "%s/plots", data);
    bool done = wanted.print_template ? print_template(folder, wanted.arguments[1], &error)
                                      : check_options(&wanted, &error) && draw(&wanted, folder, &error);
    return done ? STATUS_DONE : show_error(&error);
}
