/*
 * What the figures of learning have in common: a panel per point of the study that has replays, and the words
 * above them.
 */
#ifndef PLOTS_PANELS_H
#define PLOTS_PANELS_H

#include "plots/script.h"
#include "results/outline.h"

enum { MOST_LEARNING_PANELS = 9 };

struct panels {
    const struct outline *outline;
    size_t points[MOST_LEARNING_PANELS]; /* of the outline */
    size_t count, all;                   /* shown, and points with replays */
    size_t columns, rows;
    double across, down; /* of a panel, in pixels */
    double legend;       /* room at the right, in pixels */
};

/* Whether the study has STRATEGY, which a person named, or it is NULL; ERROR_INPUT, with those there are. */
bool panels_check_strategy(const struct outline *outline, const char *strategy, struct error *error);

/* Chooses the panels: of many points a selection spread evenly. False with ERROR_INPUT when nothing was
 * replayed. */
bool panels_choose(struct panels *panels, const struct outline *outline, struct error *error);

/* Lays them out in up to MOST_COLUMNS, ASIDE pixels apart, beside LEGEND pixels; ACROSS is the width of one
 * of many. Sets sizes here, the figure's, and gnuplot's variables columns, rows, across, down, left, top,
 * aside, gap and legend.
 */
void panels_lay_out(struct panels *panels, size_t most_columns, double across, double aside, double legend,
                    struct figure_script *script);

/* Sets title, from SUBJECT, note, panel[] and strategy[]. The note tells of replays that diverged and of
 * other learnings; ABOUT goes on after its words on intervals. */
void panels_write_words(const struct panels *panels, const char *subject, const char *about, FILE *out);

/* Sets NAME to WORDS and, in brackets, the unit that the study's final losses have: "Held-out loss (nat)". */
void panels_write_loss_label(const struct panels *panels, struct store *store, const char *name,
                             const char *words, FILE *out);

#endif
