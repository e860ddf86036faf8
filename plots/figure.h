/*
 * Figures drawn by gnuplot from the database, through templates under plots/ that a user can copy and
 * change.
 */
#ifndef PLOTS_FIGURE_H
#define PLOTS_FIGURE_H

#include "results/store.h"
#include <stdatomic.h>

struct figure_script;
struct outline;
struct figure_request;

struct figure {
    const char *name;     /* "goodput", "budget", "loss", … */
    const char *sentence; /* what it shows */
    /* Writes the variables and data that its template reads, see plots/script.h. */
    bool (*write)(struct store *store, const struct figure_request *request, struct figure_script *script,
                  struct error *error);
    const char *template; /* TEMPLATE.gnuplot; NULL: the one that has its name */
    /* Whether it belongs into a report of the study; NULL: wherever there is what it shows. */
    bool (*suits)(const struct outline *outline);
};

/* The figure called NAME; NULL with ERROR_INPUT, which names those there are. */
const struct figure *figure_find(const char *name, struct error *error);

/* Its template's name, without folder and suffix. */
const char *figure_template(const struct figure *figure);

extern const struct figure figures[];
extern const size_t figure_count;

struct figure_request {
    const char *figure;          /* a name of the table above */
    const char *output;          /* its suffix picks svg, png or pdf */
    const char *template_folder; /* where the figure's template lies */
    const char *template_file;   /* instead of that; NULL: none */
    int64_t study;               /* -1: the newest */
    /* Of the figures goodput, heatmap, sensitivity and bandwidth what they show, NULL: goodput and
     * compute_utilization; of the figure loss over what, "time", "tokens" or "steps", NULL: time. */
    const char *metric;
    const char *strategy; /* of the figures heatmap and sensitivity: the only one that is shown; NULL: all */
    const char *x, *y;    /* of the figure heatmap: the paths of its axes; NULL: the study's first ones */
    const atomic_bool *stop; /* once it is true drawing ends; NULL: it never is */
};

/* Draws it. ERROR_INPUT: the figure is unknown, the suffix is none of the three, a template of the user's is
 * missing or wrong, or the database lacks what the figure shows. ERROR_SYSTEM: gnuplot is missing or fails
 * (with its message), or the output can not be written. ERROR_INTERRUPTED: it was stopped. Whatever fails, a
 * file that was at OUTPUT stays as it is. */
bool figure_draw(struct store *store, const struct figure_request *request, struct error *error);

#endif
