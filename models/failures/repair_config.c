#include "models/failures/repair_config.h"

static const struct parameter_law manual_law = {.mean_name = "mean", .law = "exponential", .mean = "2 d"};
static const struct parameter_law relapse_law = {.mean_name = "mean", .law = "exponential", .optional = true};

#define SHARE(PATH, SENTENCE, MEMBER)                                                                        \
    {                                                                                                        \
        .path = PATH, .type = PARAMETER_REAL, .fallback = "0", .minimum = 0, .maximum = 1,                   \
        .sentence = SENTENCE, .source = "ours", .offset = offsetof(struct repair_config, MEMBER)             \
    }

#define LIMIT(PATH, MOST, SENTENCE, MEMBER)                                                                  \
    {                                                                                                        \
        .path = PATH, .type = PARAMETER_INTEGER, .fallback = "", .minimum = 1, .maximum = MOST,              \
        .sentence = SENTENCE, .offset = offsetof(struct repair_config, MEMBER)                               \
    }

static const struct parameter rows[] = {
    LIMIT("crews", 1e9,
          "Slices that can be in (automatic) repair at once; any number where left out. Others wait.", crews),
    SHARE("broken",
          "Share of (automatic) repairs that say they have succeeded and haven't: the slice returns as "
          "broken as "
          "before.",
          broken),
    SHARE("escalation", "Share of automatic repairs that don't help, and that a manual repair follows.",
          escalation),
    {.path = "manual",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &manual_law,
     .sentence = "time of a manual repair",
     .source = "ours",
     .offset = offsetof(struct repair_config, manual)},
    LIMIT("manual.crews", 1e9,
          "Slices that can be in manual repair at once; any number where left out. Others wait.",
          manual_crews),
    SHARE("manual.broken", "Share of manual repairs after which the slice returns as broken as before.",
          manual_broken),
    SHARE("undiagnosed",
          "Share of failures after which nobody finds the slice that failed: it stays, as broken as before.",
          undiagnosed),
    SHARE(
        "misdiagnosis",
        "Share of failures after which a healthy slice of the learner is taken out in place of the one that "
        "failed, which stays, as broken as before.",
        misdiagnosis),
    {.path = "relapse",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &relapse_law,
     .sentence = "time, a second at least, until a slice fails again that is as broken as before; there are "
                 "no such failures where "
                 "left out",
     .offset = offsetof(struct repair_config, relapse)},
    LIMIT("retire_after", 1000,
          "Failures after which a slice is not repaired any more; none is retired where left out.",
          retire_after),
    {.path = "retire_within",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Time within which so many failures retire a slice; ever where left out.",
     .offset = offsetof(struct repair_config, retire_within)},
};

const struct parameter_table repair_parameters = {"failures.repair", rows, PARAMETER_COUNT(rows)};

bool repair_is_plain(const struct repair_config *config)
{
    return config->crews <= 0 && config->escalation <= 0 && config->retire_after <= 0 &&
           repair_broken_share(config) <= 0;
}

double repair_broken_share(const struct repair_config *config)
{
    double repaired =
        (1 - config->escalation) * (1 - config->broken) + config->escalation * (1 - config->manual_broken);
    return 1 - (1 - config->undiagnosed) * (1 - config->misdiagnosis) * repaired;
}

bool repair_relapses(const struct repair_config *config)
{
    return repair_broken_share(config) > 0 && config->relapse.law != PARAMETER_UNSET;
}
