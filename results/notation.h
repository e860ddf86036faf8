/*
 * How figures are written for people: with the suffixes and units in which the field speaks of them, at a
 * precision that can be read.
 */
#ifndef RESULTS_NOTATION_H
#define RESULTS_NOTATION_H

#include <stdbool.h>
#include <stddef.h>

enum { NOTATION_LENGTH = 64 }; /* room enough for any text below */

/* True of metrics that are shares of a whole and shown in percent: goodput, uptime, share:down, … */
bool notation_is_share(const char *metric);

/* True of share:down and the like, what a budget's categories have of the chip time. */
bool notation_is_category(const char *metric);

/* True of final_loss, excess_loss and the like, of which small differences matter. */
bool notation_is_loss(const char *metric);

/* "s", "bit/s", …; "1" of pure numbers, of shares and of what is no metric. */
const char *notation_metric_unit(const char *metric);

/* 3602 → "3,602"; below 100 with one decimal: "57.2"; from 10⁷ on as notation_suffixed. */
void notation_count(char text[NOTATION_LENGTH], double count);

/* Three significant digits and a suffix: "53.1 G", "9.00 T", "12.0"; zero is "0". */
void notation_suffixed(char text[NOTATION_LENGTH], double number);

/* A mean and the half-width of its interval with one suffix: "15.08 ± 0.06 G"; the mean alone if HALF is NAN.
 */
void notation_interval(char text[NOTATION_LENGTH], double mean, double half);

/* A loss as precisely as its interval allows, to four decimals without one: "2.3451 ± 0.0023", "2.3451". */
void notation_loss(char text[NOTATION_LENGTH], double mean, double half);

/* For the ticks of an axis: with a suffix where three digits say all, "150k", "1.2M", "12"; other whole
 * numbers in full, "1,024". */
void notation_short(char text[NOTATION_LENGTH], double number);

/* Four significant digits, whole numbers below ten million in full, and larger ones as notation_suffixed:
 * "0.875", "1320", "1.20 G". */
void notation_plain(char text[NOTATION_LENGTH], double number);

/* A unit of time to show SECONDS in: the largest of s, min, h, d of which it is at least one. */
struct notation_unit {
    const char *name;
    double scale; /* in base units */
};
const struct notation_unit *notation_time_unit(double seconds);

/* The unit in which people read such a FIGURE of METRIC: "%" of shares, "min" of 1200 s, "GB" of 2e10 B,
 * "nat" of losses; "" of pure numbers. */
struct notation_unit notation_unit_of(const char *metric, double figure);

/* "1 d", "1.5 h", "26.3 s" */
void notation_duration(char text[NOTATION_LENGTH], double seconds);

/* A quantity with its unit as sweep points hold it: "5 d", "2 Gbit/s", "1200000". Splits it into number and
 * unit; *SCALE is the unit's size in *BASE, so that "36 h" and "2 d" can be set side by side. False: TEXT is
 * no number, or its unit is unknown here. */
struct notation_quantity {
    double number;    /* in the unit as written */
    char unit[24];    /* as written; "" for none */
    double scale;     /* of that unit, in base units */
    const char *base; /* "s", "B", "bit", "FLOP", …, with or without "/s"; "" for none */
};
bool notation_parse(const char *text, struct notation_quantity *quantity);

/* Of three digits at most, as people write values; a search writes "46260500 s". */
bool notation_is_brief(const struct notation_quantity *quantity);

/* What a reader calls a metric ("goodput", "share:quorum_wait" → "quorum wait") or a field of the scenario
 * ("cluster.chips" → "chips", "checkpoints.interval" → "checkpoint interval", "strategies.a.quorum" → "quorum
 * of a"). */
void notation_metric(char text[NOTATION_LENGTH], const char *metric);
void notation_field(char text[NOTATION_LENGTH], const char *path);

#endif
