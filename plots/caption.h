/*
 * The words on a figure, from a study's outline.
 */
#ifndef PLOTS_CAPTION_H
#define PLOTS_CAPTION_H

#include "results/outline.h"

enum { CAPTION_LENGTH = 256 };

/* "Goodput of million-chips: 1.2M chips, 1 d simulated", of the subject "Goodput"; what differs between
 * points is left out. */
void caption_title(char text[CAPTION_LENGTH], const char *subject, const struct outline *outline);

/* "study 3: means of 10 replications", and "with 95 % intervals" if the figure shows them. */
void caption_note(char text[CAPTION_LENGTH], const struct outline *outline, bool intervals);

/* "MTBI of a chip (d)" */
void caption_axis(char text[CAPTION_LENGTH], const struct outline_axis *axis);

/* Whether the value of an axis that has a unit is said in that unit, or as the point writes it. */
bool caption_suits_unit(const struct outline_axis *axis, const struct outline_setting *setting);

/* A value of an axis as a tick: "150k", "20", "tpu-v5p"; "5 min" where the axis's unit says it badly. */
void caption_value(char text[CAPTION_LENGTH], const struct outline_axis *axis,
                   const struct outline_setting *setting);

/* The values of a point on all axes but EXCEPT (axis_count or more: on all): "150k chips, MTBI of a chip 20
 * d". */
void caption_point(char text[CAPTION_LENGTH], const struct outline *outline,
                   const struct outline_point *point, size_t except);

/* Leaves out values at the end of a point's words, and says so by "…", until there are at most MOST
 * characters.
 */
void caption_shorten(char text[CAPTION_LENGTH], size_t most);

/* Of TEXT the first MOST characters or all, in bytes: the precision of "%.*s", which cuts no character. */
int caption_cut(const char *text, int most);

/* "Goodput", "WAN bytes", "Redone time" */
void caption_metric_name(char text[CAPTION_LENGTH], const char *metric);

/* "Goodput (% of chip time)", "MTBF (s)", in the unit that the metric has in the database. */
void caption_metric(char text[CAPTION_LENGTH], const char *metric);

#endif
