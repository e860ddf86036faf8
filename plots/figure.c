/*
 * A figure is drawn beside its target and then put in its place (place.h), which so is a whole figure, the
 * old one or the new one.
 */
#include "plots/figure.h"
#include "plots/bandwidth.h"
#include "plots/budget.h"
#include "plots/gnuplot.h"
#include "plots/goodput.h"
#include "plots/heatmap.h"
#include "plots/links.h"
#include "plots/loss.h"
#include "plots/overlap.h"
#include "plots/place.h"
#include "plots/quality.h"
#include "plots/script.h"
#include "plots/sensitivity.h"
#include "plots/timeline.h"
#include "plots/waste.h"
#include "results/sensitivity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct figure figures[] = {
    {"goodput", "a metric over an axis, a curve per strategy; without an axis a bar per strategy",
     goodput_write, NULL, sensitivity_has_axes},
    {"budget", "shares of chip time, useful and lost, stacked by strategy", budget_write, NULL, NULL},
    {"loss", "the held-out loss over simulated time, tokens or steps, a curve per strategy", loss_write, NULL,
     NULL},
    {"bandwidth", "compute utilisation over a bandwidth, a curve per strategy, beside published figures",
     bandwidth_write, NULL, NULL},
    {"heatmap", "a metric over two axes, a map per strategy", heatmap_write, NULL, heatmap_suits},
    {"links", "traffic over time on the busiest links of a network with sites, a column per strategy",
     links_write, NULL, NULL},
    {"overlap", "time of a GPU's kernels over their blocks, a curve per mode and a column per GPU",
     overlap_write, NULL, NULL},
    {"sensitivity", "what a metric becomes when one number of the scenario changes, a tornado per strategy",
     sensitivity_write, NULL, sensitivity_is_study},
    {"timeline", "what learners and syncer do over time and what strikes them; of a GPU, its kernels by mode",
     timeline_write, NULL, NULL},
    {"waste", "shares of chip time that failures cost, by cause, stacked by strategy", waste_write, "budget",
     NULL},
    {"quality", "the final loss over goodput, a mark per strategy", quality_write, NULL, NULL},
};
const size_t figure_count = sizeof figures / sizeof figures[0];

const struct figure *figure_find(const char *name, struct error *error)
{
    char names[200] = "";
    size_t length = 0;
    for (size_t i = 0; i < figure_count; i++) {
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
        if (length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                       figures[i].name);
    }
    error_set(error, ERROR_INPUT, "there is no figure \"%s\"; the figures are %s", name, names);
    return NULL;
}

const char *figure_template(const struct figure *figure)
{
    return figure->template ? figure->template : figure->name;
}

/* The template's path; the caller frees. NULL if it can't be read. */
static char *find_template(const struct figure *figure, const struct figure_request *request,
                           struct error *error)
{
    char *path = NULL;
    int length = request->template_file
                     ? asprintf(&path, "%s", request->template_file)
                     : asprintf(&path, "%s/%s.gnuplot", request->template_folder, figure_template(figure));
    if (length < 0) {
        error_out_of_memory(error, "a template's path");
        return NULL;
    }
    struct stat status;
    bool there = access(path, R_OK) == 0 && stat(path, &status) == 0;
    if (there && !S_ISDIR(status.st_mode))
        return path;
    error_set(error, request->template_file ? ERROR_INPUT : ERROR_SYSTEM,
              "%s: the template can not be read: %s", path, strerror(there ? EISDIR : errno));
    free(path);
    return NULL;
}

/* Copies what a figure wrote after the lines that depend on its size. */
static void write_prelude(FILE *out, enum gnuplot_format format, const struct figure_script *script,
                          const char *output, const char *commands)
{
    fputs("set encoding utf8\n", out);
    gnuplot_write_terminal(out, format, script->width, script->height);
    fputs("set output ", out);
    script_path(out, output);
    fputc('\n', out);
    fprintf(out, "width = %.1f\nheight = %.1f\n", script->width, script->height);
    fputs(commands, out);
}

/* The figure's commands; the caller frees. NULL on failure. */
static char *write_commands(struct store *store, const struct figure *figure,
                            const struct figure_request *request, struct figure_script *script,
                            struct error *error)
{
    char *commands = NULL;
    size_t size = 0;
    script->out = open_memstream(&commands, &size);
    bool written = script->out && figure->write(store, request, script, error);
    if (script->out && fclose(script->out) == 0 && written)
        return commands;
    if (written || !script->out)
        error_out_of_memory(error, "a figure");
    free(commands);
    return NULL;
}

/* Draws into the file PATH. */
static bool draw(struct gnuplot_drawing *drawing, const struct figure_script *script, const char *commands,
                 const char *path, struct error *error)
{
    FILE *file = tmpfile();
    if (!file) {
        error_set(error, ERROR_SYSTEM, "no temporary file for gnuplot's script: %s", strerror(errno));
        return false;
    }
    write_prelude(file, drawing->format, script, path, commands);
    fputs("load ", file);
    script_path(file, drawing->template);
    fputc('\n', file);
    bool drawn = gnuplot_run(file, drawing, error) && gnuplot_check_whole(path, drawing, error);
    fclose(file);
    return drawn;
}

static bool draw_beside(struct gnuplot_drawing *drawing, const struct figure_script *script,
                        const char *commands, struct error *error)
{
    struct place_part part;
    if (!place_begin(&part, drawing->output, "figure", error))
        return false;
    part.stop = drawing->stop;
    return place_end(&part, draw(drawing, script, commands, part.path, error), error);
}

bool figure_draw(struct store *store, const struct figure_request *request, struct error *error)
{
    struct gnuplot_drawing drawing = {
        .output = request->output, .stop = request->stop, .foreign = request->template_file != NULL};
    const struct figure *figure = figure_find(request->figure, error);
    if (!figure || !gnuplot_find_format(request->output, &drawing.format, error))
        return false;
    struct figure_script script = {0};
    char *template = find_template(figure, request, error);
    char *commands = template ? write_commands(store, figure, request, &script, error) : NULL;
    drawing.template = template;
    bool drawn = commands && draw_beside(&drawing, &script, commands, error);
    free(commands);
    free(template);
    return drawn;
}
