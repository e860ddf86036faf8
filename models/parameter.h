/*
 * What a field of a scenario is. Each model exports its fields as rows next to the plain struct that
 * they fill; scenarios/ joins all rows, reads files and fills the structs. A model never sees
 * a file, a unit or a path.
 *
 * Values land in SI units: times as sim_time (integer nanoseconds) or as double seconds, data in bits, rates
 * in bit/s.
 */
#ifndef MODELS_PARAMETER_H
#define MODELS_PARAMETER_H

#include "sim/distribution.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parameter_type {                      /* lands in a        when left out (fallback "") */
                      PARAMETER_REAL,      /* double            NAN */
                      PARAMETER_INTEGER,   /* int64_t           PARAMETER_UNSET */
                      PARAMETER_TIME,      /* sim_time          PARAMETER_UNSET */
                      PARAMETER_BOOLEAN,   /* bool              (always has a default) */
                      PARAMETER_CHOICE,    /* int64_t, the index into CHOICES     PARAMETER_UNSET */
                      PARAMETER_TEXT,      /* char *            NULL */
                      PARAMETER_REAL_LIST, /* struct sim_values (owned by the scenario)    none */
};

#define PARAMETER_UNSET INT64_MIN

enum parameter_dimension {
    DIMENSION_NONE,      /* a pure number; "percent" and "%" are accepted as 0.01 */
    DIMENSION_TIME,      /* double: seconds */
    DIMENSION_DATA,      /* bits */
    DIMENSION_DATA_RATE, /* bit/s */
    DIMENSION_COMPUTE,   /* FLOP/s */
};

struct parameter {
    const char *path; /* below the table's section, dots between levels: "chip.mtbi" */
    enum parameter_type type;
    enum parameter_dimension dimension;
    const char *fallback; /* the default as a scenario would write it; "" may be left out; NULL is required */
    double minimum, maximum;    /* in SI units (times: seconds); ±INFINITY for no bound */
    bool above_minimum;         /* the minimum itself is out of range */
    const char *const *choices; /* of a PARAMETER_CHOICE, NULL at the end */
    const char *sentence;       /* what it means, one sentence */
    const char *source; /* where the default comes from: a paper and section, or "ours"; NULL: no matter */
    size_t offset;      /* in the struct that the table fills */
};

/* The fields of one struct. */
struct parameter_table {
    const char *section; /* the path before every row's, such as "failures"; "" for the root */
    const struct parameter *rows;
    size_t count;
};

#define PARAMETER_COUNT(rows) (sizeof(rows) / sizeof *(rows))

/*
 * The rows of a law (sim/distribution.h), for a struct OWNER with a `struct sim_law_spec FIELD` at
 * path PREFIX. MEAN_NAME is what the mean is called there ("mean", "mtbi"), LAW and MEAN their
 * defaults, DIMENSION that of the quantity. Shapes have the defaults given, "" for none; when a scenario
 * picks another law than LAW, the defaults of mean's companions (shape, power, sigma, deviation) don't apply:
 * scenarios/ leaves them unset. The loader checks the law by building it.
 */
#define PARAMETER_LAW(OWNER, FIELD, PREFIX, DIMENSION, LAW, MEAN_NAME, MEAN, SHAPE, POWER, SIGMA, DEVIATION, \
                      SENTENCE, SOURCE)                                                                      \
    {PREFIX ".law",                                                                                          \
     PARAMETER_CHOICE,                                                                                       \
     DIMENSION_NONE,                                                                                         \
     LAW,                                                                                                    \
     0,                                                                                                      \
     0,                                                                                                      \
     false,                                                                                                  \
     sim_law_names,                                                                                          \
     "Law of " SENTENCE ".",                                                                                 \
     SOURCE,                                                                                                 \
     offsetof(struct OWNER, FIELD.law)},                                                                     \
        {PREFIX "." MEAN_NAME,                                                                               \
         PARAMETER_REAL,                                                                                     \
         DIMENSION,                                                                                          \
         MEAN,                                                                                               \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Mean of " SENTENCE ".",                                                                            \
         SOURCE,                                                                                             \
         offsetof(struct OWNER, FIELD.mean)},                                                                \
        {PREFIX ".median",                                                                                   \
         PARAMETER_REAL,                                                                                     \
         DIMENSION,                                                                                          \
         "",                                                                                                 \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Median of " SENTENCE ", instead of the mean.",                                                     \
         NULL,                                                                                               \
         offsetof(struct OWNER, FIELD.median)},                                                              \
        {PREFIX ".low",                                                                                      \
         PARAMETER_REAL,                                                                                     \
         DIMENSION,                                                                                          \
         "",                                                                                                 \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         false,                                                                                              \
         NULL,                                                                                               \
         "Lower end of a uniform law.",                                                                      \
         NULL,                                                                                               \
         offsetof(struct OWNER, FIELD.low)},                                                                 \
        {PREFIX ".high",                                                                                     \
         PARAMETER_REAL,                                                                                     \
         DIMENSION,                                                                                          \
         "",                                                                                                 \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Upper end of a uniform law.",                                                                      \
         NULL,                                                                                               \
         offsetof(struct OWNER, FIELD.high)},                                                                \
        {PREFIX ".deviation",                                                                                \
         PARAMETER_REAL,                                                                                     \
         DIMENSION,                                                                                          \
         DEVIATION,                                                                                          \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         false,                                                                                              \
         NULL,                                                                                               \
         "Standard deviation of a normal law.",                                                              \
         SOURCE,                                                                                             \
         offsetof(struct OWNER, FIELD.deviation)},                                                           \
        {PREFIX ".shape",                                                                                    \
         PARAMETER_REAL,                                                                                     \
         DIMENSION_NONE,                                                                                     \
         SHAPE,                                                                                              \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Shape of a weibull, exponentiated-weibull or gamma law.",                                          \
         SOURCE,                                                                                             \
         offsetof(struct OWNER, FIELD.shape)},                                                               \
        {PREFIX ".power",                                                                                    \
         PARAMETER_REAL,                                                                                     \
         DIMENSION_NONE,                                                                                     \
         POWER,                                                                                              \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Outer exponent of an exponentiated-weibull law.",                                                  \
         SOURCE,                                                                                             \
         offsetof(struct OWNER, FIELD.power)},                                                               \
        {PREFIX ".sigma",                                                                                    \
         PARAMETER_REAL,                                                                                     \
         DIMENSION_NONE,                                                                                     \
         SIGMA,                                                                                              \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         true,                                                                                               \
         NULL,                                                                                               \
         "Standard deviation of the logarithm, of a log-normal law.",                                        \
         SOURCE,                                                                                             \
         offsetof(struct OWNER, FIELD.sigma)},                                                               \
    {                                                                                                        \
        PREFIX ".values", PARAMETER_REAL_LIST, DIMENSION, "", 0, INFINITY, false, NULL,                      \
            "Observed values, of an empirical law.", NULL, offsetof(struct OWNER, FIELD.values)              \
    }

#endif
