/*
 * Files that a scenario names: their contents are put in the place of their names before anything else looks
 * at the document, so that what is printed and stored stands alone, and faults point into the file.
 *
 *   cluster.catalogue_file: CHIPS.csv    its rows become entries of cluster.catalogue
 *   values: FILE                         beside "law": the numbers of the file become the list
 *   network.file: SITES.yaml             its section "network" is merged in
 *   chaos_file: FAULTS.csv               its rows become entries of chaos_schedule
 *
 * And in entries of chaos, where times and units may be one alone, one is a list of it.
 *
 * A relative name starts at the scenario's folder; that of a chaos_file which the command line sets, at the
 * folder where the command is given. Only regular files of at most a MiB are read.
 */
#ifndef SCENARIOS_FILES_H
#define SCENARIOS_FILES_H

#include "scenarios/document.h"
#include "scenarios/loader.h"

/* The field whose value brings items that overrides may name: to be set before the others. */
#define FILES_NETWORK "network.file"

/* Expands what the tree at ROOT (NULL: none) of the file SCENARIO names; faults go to LOADER's. */
void files_expand(struct loader *loader, const struct source *scenario, struct node *root);

/* For the readers of one kind of file, the bytes of which are SOURCE's. */

/* A table of items in comma-separated values: what it lists, and what its columns are. A column without a KEY
 * is passed over; UNIT comes behind bare numbers. */
struct files_column {
    const char *heading, *key, *unit;
};
struct files_table {
    const char *what;
    const struct files_column *columns;
    size_t count;
};
void files_read_table(struct loader *loader, const struct source *source, const struct files_table *table,
                      struct node *sequence);

/* Appends a fault to the sequence SCHEDULE for each row of an exported schedule. */
void files_read_chaos(struct loader *loader, const struct source *source, struct node *schedule);

/* Appends an entry to the sequence CATALOGUE for each row of a CSV file whose heading says which column is
 * what. */
void files_read_chips(struct loader *loader, const struct source *source, struct node *catalogue);

/* Merges the section "network" of SOURCE, a YAML file that has no other, into the mapping NETWORK. What that
 * says itself goes first: key by key, and in lists whose items have names name by name; of other lists its
 * own stays. */
void files_read_network(struct loader *loader, const struct source *source, struct node *network);

/* Appends the numbers of SOURCE to the sequence VALUES, with UNIT behind each: from JSON a list, or
 * "step_t_base" of a job's analysed trace (OSDI '25); else a text with one number a line, which may have a
 * unit of its own. */
void files_read_values(struct loader *loader, const struct source *source, const char *unit,
                       struct node *values);

/* Appends a value to PARENT; KEY is NULL in a sequence. NULL when out of memory. */
struct node *files_add(struct loader *loader, struct node *parent, const char *key, enum node_kind kind,
                       const char *text, struct place place);

#endif
