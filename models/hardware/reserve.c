#include "models/hardware/reserve.h"

static const char *const refill_names[] = {
    [RESERVE_AHEAD] = "ahead", [RESERVE_WHEN_EMPTY] = "when-empty", NULL};

#define SLICES(PATH, SENTENCE, MEMBER)                                                                       \
    {                                                                                                        \
        .path = PATH, .type = PARAMETER_INTEGER, .fallback = "0", .minimum = 0, .maximum = 1e9,              \
        .sentence = SENTENCE, .source = "ours", .offset = offsetof(struct reserve_config, MEMBER)            \
    }

#define SPAN(PATH, FALLBACK, SENTENCE, MEMBER)                                                               \
    {                                                                                                        \
        .path = PATH, .type = PARAMETER_TIME, .dimension = DIMENSION_TIME, .fallback = FALLBACK,             \
        .minimum = 0, .maximum = INFINITY, .sentence = SENTENCE, .source = "ours",                           \
        .offset = offsetof(struct reserve_config, MEMBER)                                                    \
    }

static const struct parameter rows[] = {
    SLICES("standbys",
           "Slices of the cluster that stand by, warm: one of them takes a failed slice's place after "
           "cluster.spares.swap_time.",
           standbys),
    SLICES("cold", "Slices of the cluster that are free, and can take part after cluster.spares.start_time.",
           cold),
    SLICES("pool",
           "Slices of the cluster that do other work until they are drawn, one after another, in "
           "cluster.spares.draw_time each; then they are as the cold ones.",
           pool),
    SPAN("swap_time", "0 s", "Time from a slice's failure until another one can take its place.", swap_time),
    SPAN("start_time", "3 min", "Time to start cold slices, any number at once.", start_time),
    SPAN("draw_time", "20 min", "Time to draw a slice from the pool, by preempting what it does.", draw_time),
    {.path = "refill",
     .type = PARAMETER_CHOICE,
     .choices = refill_names,
     .fallback = "ahead",
     .sentence =
         "When standbys are made complete from cold slices and the pool: whenever some are missing, or "
         "once a learner needs one and there is none; it then waits until all are there.",
     .source = "ours",
     .offset = offsetof(struct reserve_config, refill)},
};

const struct parameter_table reserve_parameters = {"cluster.spares", rows, PARAMETER_COUNT(rows)};

int64_t reserve_slices(const struct reserve_config *config)
{
    return config->standbys + config->cold + config->pool;
}
