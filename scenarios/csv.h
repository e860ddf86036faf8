/*
 * Tables in files of comma-separated values whose first line names the columns. Cells hold no commas, quotes
 * or line breaks; blanks around them don't count, nor do empty lines and those that begin with #. Lines end
 * with LF, CR LF or CR. Errors name file, line and column, and show the line.
 */
#ifndef SCENARIOS_CSV_H
#define SCENARIOS_CSV_H

#include "scenarios/memory.h"
#include "scenarios/source.h"
#include "sim/error.h"

enum { CSV_COLUMNS_MOST = 16 }; /* wanted ones; a file may have more of them */
#define CSV_NO_COLUMN SIZE_MAX

struct csv {
    struct source source;
    struct scenario_memory *memory;    /* holds the file and the cells */
    size_t offset;                     /* of the next line */
    const char *const *wanted;         /* NULL at the end */
    size_t position[CSV_COLUMNS_MOST]; /* CSV_NO_COLUMN: the file has none of this name */
    size_t wanted_count, needed_count, column_count;
};

struct csv_cell {
    const char *text;
    struct place place;
};

/* Reads the file PATH into MEMORY and finds the columns WANTED (names, NULL at the end, which outlive CSV) in
 * its first line. False with ERROR. */
bool csv_open(struct csv *csv, const char *path, const char *const *wanted, struct scenario_memory *memory,
              struct error *error);

/* The same where those of WANTED behind the first NEEDED may be missing: their cells are empty. */
bool csv_open_some(struct csv *csv, const char *path, const char *const *wanted, size_t needed,
                   struct scenario_memory *memory, struct error *error);

/* The same with all columns, whatever they are called: HEADINGS gets their names, none twice, in the order of
 * the cells to come; they are csv->wanted_count. */
bool csv_open_headed(struct csv *csv, const char *path, struct csv_cell headings[CSV_COLUMNS_MOST],
                     struct scenario_memory *memory, struct error *error);

/* The same for a file whose lines are all rows, of COLUMNS cells. */
bool csv_open_bare(struct csv *csv, const char *path, size_t columns, struct scenario_memory *memory,
                   struct error *error);

/* The next row: its cells in the order of WANTED. False at the end, and with ERROR (check its kind). */
bool csv_next(struct csv *csv, struct csv_cell *cells, struct error *error);

/* A cell as a number of at least MINIMUM. False with ERROR. */
bool csv_number(const struct csv_cell *cell, double minimum, double *value, struct error *error);

/* Says with ERROR what is wrong at PLACE (printf format, no final newline). Returns false. */
bool csv_refuse(struct place place, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
