/*
 * What a field of a scenario is. Each model exports its fields as rows next to the plain struct that
 * they fill; scenarios/ joins all rows, reads files and fills the structs. A model never sees
 * a file, a unit or a path.
 *
 * Values land in SI units: times as sim_time (integer nanoseconds) or as double seconds, data in
 * bits, rates in bit/s.
 */
#ifndef MODELS_PARAMETER_H
#define MODELS_PARAMETER_H

#include "sim/distribution.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parameter_type {                      /* lands in a            left out (fallback "") it is */
                      PARAMETER_REAL,      /* double                NAN */
                      PARAMETER_INTEGER,   /* int64_t               PARAMETER_UNSET */
                      PARAMETER_TIME,      /* sim_time              PARAMETER_UNSET */
                      PARAMETER_BOOLEAN,   /* bool                  (it always has a default) */
                      PARAMETER_CHOICE,    /* int64_t: index into CHOICES, PARAMETER_UNSET */
                      PARAMETER_TEXT,      /* char *                NULL */
                      PARAMETER_REAL_LIST, /* struct sim_values     none */
                      PARAMETER_LAW,       /* struct sim_law_spec   (it always has a default) */
};

#define PARAMETER_UNSET INT64_MIN

enum parameter_dimension {
    DIMENSION_NONE,      /* a pure number; "12 %" and "12 percent" are 0.12 */
    DIMENSION_TIME,      /* seconds */
    DIMENSION_DATA,      /* bits */
    DIMENSION_DATA_RATE, /* bit/s */
    DIMENSION_FLOP_RATE, /* FLOP/s */
    DIMENSION_POWER,     /* watts */
    DIMENSION_ENERGY,    /* joules */
    PARAMETER_DIMENSIONS
};

/*
 * The defaults of a PARAMETER_LAW. Its row stands for the fields PATH.law, PATH.MEAN_NAME, PATH.median,
 * .low, .high, .deviation, .values (of the row's dimension) and .shape, .power, .sigma (pure numbers),
 * as sim/distribution.h describes them. When a scenario picks another law than the default one, the default
 * shapes don't apply, and the mean's only where that law takes a mean and no median, low or high is
 * given. scenarios/ checks a law by building it.
 */
struct parameter_law {
    const char *mean_name; /* what the mean is called: "mean", "mtbi" */
    const char *law;
    const char *mean; /* these as a scenario writes them; NULL for none */
    const char *shape, *power, *sigma, *deviation;
    bool optional; /* where none of its fields is given there is no law: its `law` is PARAMETER_UNSET */
};

struct parameter {
    const char *path; /* below the table's section, dots between levels: "chip.mtbi" */
    enum parameter_type type;
    enum parameter_dimension dimension;
    const char *fallback;    /* the default as a scenario writes it; "" may be left out; NULL is required */
    double minimum, maximum; /* in SI units (times: seconds), checked where minimum < maximum */
    bool above_minimum;      /* the minimum itself is out of range */
    const char *const *choices;      /* of a PARAMETER_CHOICE, NULL at the end */
    const struct parameter_law *law; /* of a PARAMETER_LAW (fallback is not used) */
    const char *sentence;            /* what it means, one sentence */
    const char *source; /* where the default comes from: a paper and section, or "ours"; NULL: no matter */
    /* Paths in the same table, blanks between, of fields, laws or sections that say the same in another way:
     * who gives this field gives none of them. Of an optional field (fallback ""). NULL: none. */
    const char *instead_of;
    size_t offset; /* in the struct that the table fills */
};

/* The fields of one struct. */
struct parameter_table {
    const char *section; /* the path before every row's, such as "failures"; "" for the root */
    const struct parameter *rows;
    size_t count;
};

/* One kind of a list's items, with the fields that only this kind has. They fill a struct of SIZE bytes
 * that scenarios/ allocates. */
struct parameter_variant {
    const char *name; /* the value of the item's "kind" */
    const char *sentence;
    const struct parameter *rows;
    size_t count;
    size_t size;
};

/* Where a list lands: an array of the list's items, owned by the scenario. */
struct parameter_items {
    void *items;
    size_t count;
};

/* A list of mappings, such as "strategies" or "cluster.groups". */
struct parameter_list {
    const char *section;
    const char *sentence;         /* what it lists, one sentence */
    const struct parameter *rows; /* fields of every item */
    size_t count;
    size_t item_size;
    size_t minimum_items;
    /* Where items come in kinds: the row "kind" (a PARAMETER_CHOICE among the variants' names, in their
     * order) picks one, and its struct's address lands at OPTIONS_OFFSET of the item (void *). */
    const struct parameter_variant *const *variants; /* NULL: one kind */
    size_t variant_count;
    size_t options_offset;
};

#define PARAMETER_COUNT(rows) (sizeof(rows) / sizeof *(rows))

#endif
