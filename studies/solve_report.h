/*
 * What solving came to, for people and for programs: what was tried, and the answers.
 */
#ifndef STUDIES_SOLVE_REPORT_H
#define STUDIES_SOLVE_REPORT_H

#include "studies/solve.h"
#include "studies/validation_figures.h"

/* The questions differ in their strategies alone. A table of all tries, in the order of their values, and a
 * sentence or two for each answer: the value, what the metric comes to there and at the nearest value that
 * misses the target, and between which values the answer lies where means have intervals. UNTIL is
 * the target as it was written. The caller frees; NULL when out of memory. */
char *solve_report_text(const struct solve_question *questions, const struct solve_results *results,
                        const char *until);

/* The same facts as JSON, values in the unit that such figures are published in. */
char *solve_report_json(const struct solve_question *questions, const struct solve_results *results,
                        const char *until, int64_t study);

/* Cells of such tables. VALUE of a field in the unit that such figures are published in, times in the largest
 * one that suits the range; a metric's value; and its interval, "" if FROM is NAN. */
void solve_report_put_value(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search,
                            double value);
/* The same of four digits, for what is not that certain. */
void solve_report_put_brief(char cell[VALIDATION_CELL_SIZE], const struct scenario_search *search,
                            double value);
void solve_report_put_metric(char cell[VALIDATION_CELL_SIZE], const char *metric, double value);
/* What two values of a metric differ by, which of shares are points and not percent. */
void solve_report_put_difference(char cell[VALIDATION_CELL_SIZE], const char *metric, double value);
void solve_report_put_interval(char cell[VALIDATION_CELL_SIZE], const char *metric, double from, double to);

#endif
