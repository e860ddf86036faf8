/*
 * The database's figures for other programs.
 */
#ifndef RESULTS_EXPORT_H
#define RESULTS_EXPORT_H

#include "results/store.h"
#include <stdio.h>

enum export_format { EXPORT_CSV, EXPORT_JSON };

enum { EXPORT_ALL_STUDIES = 0 };

/* Writes every run of STUDY, or of all studies, to OUT: as CSV (RFC 4180) a row per run and metric, budget
 * category, figure of a link or point of a series, the budget in chip-seconds exact to the nanosecond; or one
 * JSON document, with summaries and expectations too. False when there is no such study (ERROR_INPUT), or the
 * database or OUT fails (ERROR_SYSTEM); OUT is flushed. */
bool export_write(struct store *store, int64_t study, enum export_format format, FILE *out,
                  struct error *error);

/* Writes the run's tape to OUT as JSON Lines (models/tape/tape.h). False when the run is not there or has no
 * tape, or the tape is of another version or damaged (ERROR_INPUT), or the database or OUT fails. */
bool export_tape(struct store *store, int64_t run, FILE *out, struct error *error);

/* Writes the chaos of the run to OUT as CSV that a scenario can play again (chaos_file). False when the run
 * is not there or had no chaos (ERROR_INPUT), or the database or OUT fails. */
bool export_chaos(struct store *store, int64_t run, FILE *out, struct error *error);

#endif
