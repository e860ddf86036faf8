#include "models/failures/process.h"

#include <math.h>

static const double day = 86400;

static const char *const order_names[] = {
    [PLANNED_ROLLING] = "rolling", [PLANNED_TOGETHER] = "together", NULL};

static const struct parameter_law life_law = {.mean_name = "mtbi", .law = "exponential", .mean = "365 d"};
static const struct parameter_law duration_law = {
    .mean_name = "mean", .law = "exponential", .optional = true};

static const struct parameter rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What results call the process; what it costs is charged to that.",
     .offset = offsetof(struct failure_process, name)},
    {.path = "unit",
     .type = PARAMETER_CHOICE,
     .choices = fault_domain_names,
     .sentence = "What fails: units of this domain, each by itself.",
     .offset = offsetof(struct failure_process, domain)},
    {.path = "kind",
     .type = PARAMETER_CHOICE,
     .choices = fault_kind_names,
     .fallback = "stop",
     .sentence = "How it fails: it stops, hangs, is slow, computes wrong numbers (corruption), is taken away "
                 "after notice "
                 "(preemption, maintenance), gets no data (stall); links lose packets (loss), bandwidth "
                 "(throttle) or "
                 "all (partition).",
     .source = "ours",
     .offset = offsetof(struct failure_process, kind)},
    {.path = "life",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &life_law,
     .sentence =
         "time to failure of one unit, from its installation or last repair; a rate below sets its mean",
     .source = "ours: as failures.chip",
     .offset = offsetof(struct failure_process, life)},
    {.path = "initial_age",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Age of every unit when the run starts; of consequence unless the law is exponential.",
     .source = "ours",
     .offset = offsetof(struct failure_process, initial_age)},
    {.path = "per_1000_node_days",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence =
         "Failures per 1000 hosts and day instead of life.mtbi; shared out evenly where units are not "
         "hosts.",
     .instead_of = "life.mtbi life.median life.low life.high overall",
     .offset = offsetof(struct failure_process, node_rate)},
    {.path = "overall.mtbf",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Mean time between failures of all units together, instead of life.mtbi.",
     .instead_of = "life.mtbi life.median life.low life.high",
     .offset = offsetof(struct failure_process, overall_mtbf)},
    {.path = "overall.at_chips",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e12,
     .sentence = "Chips of the cluster that this was measured on; those of this one where left out.",
     .offset = offsetof(struct failure_process, overall_at_chips)},
    {.path = "overall.exponent",
     .type = PARAMETER_REAL,
     .fallback = "1",
     .minimum = 0,
     .maximum = 10,
     .sentence =
         "Power of the cluster's size with which failures of all units grow: 1 is each by itself, more is "
         "worse than that.",
     .source = "ours; 98,304 GPUs that fail every 18 min where 1 says 50 (arXiv 2602.00277) need about 1.9",
     .offset = offsetof(struct failure_process, overall_exponent)},
    {.path = "every",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 60,
     .maximum = INFINITY,
     .sentence =
         "Period at which every unit's turn comes, which leaves nothing to chance, instead of a law or rate.",
     .instead_of = "life initial_age per_1000_node_days overall lemon",
     .offset = offsetof(struct failure_process, every)},
    {.path = "from",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "When the first period begins.",
     .source = "ours",
     .offset = offsetof(struct failure_process, from)},
    {.path = "order",
     .type = PARAMETER_CHOICE,
     .choices = order_names,
     .fallback = "rolling",
     .sentence = "Whether units take their turns one after the other, evenly over the period, or all at its "
                 "beginning.",
     .source = "ours",
     .offset = offsetof(struct failure_process, order)},
    {.path = "duration",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &duration_law,
     .sentence =
         "time until the unit is whole again, once it is down; of what goes down, failures.repair where "
         "left out",
     .offset = offsetof(struct failure_process, duration)},
    {.path = "detection",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &duration_law,
     .sentence = "time until the failure is found out; failures.detection where left out",
     .offset = offsetof(struct failure_process, detection)},
    {.path = "notice",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time between the announcement of a preemption or maintenance and the unit's going.",
     .source = "ours",
     .offset = offsetof(struct failure_process, notice)},
    {.path = "factor",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e6,
     .sentence =
         "Of slow units, the factor on their time, above 1; of links, the share of bandwidth that is left "
         "(throttle) or of packets lost (loss).",
     .offset = offsetof(struct failure_process, factor)},
    {.path = "lemon.share",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of units that fail more often than the others, each with this chance.",
     .source = "none; RSC (arXiv 2410.21680 §4.1) found 40 such nodes of more than 3000",
     .offset = offsetof(struct failure_process, lemon_share)},
    {.path = "lemon.factor",
     .type = PARAMETER_REAL,
     .fallback = "5",
     .minimum = 1,
     .maximum = 1e4,
     .sentence = "How many times as often.",
     .source = "ours",
     .offset = offsetof(struct failure_process, lemon_factor)},
    {.path = "lemon.cured",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence = "Whether a repair that succeeds (failures.repair) makes a lemon like the others.",
     .source = "ours",
     .offset = offsetof(struct failure_process, lemon_cured)},
    {.path = "burst.chance",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Chance that a failure takes others with it.",
     .source = "none",
     .offset = offsetof(struct failure_process, burst_chance)},
    {.path = "burst.units",
     .type = PARAMETER_INTEGER,
     .fallback = "2",
     .minimum = 2,
     .maximum = 1e6,
     .sentence = "Units that then fail in all.",
     .source = "ours",
     .offset = offsetof(struct failure_process, burst_units)},
    {.path = "burst.neighbourhood",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 2,
     .maximum = 1e9,
     .sentence =
         "Units among which the others are, as they are numbered in blocks; no more than fail where left "
         "out.",
     .offset = offsetof(struct failure_process, burst_neighbourhood)},
    {.path = "burst.within",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time over which the others follow, each at any moment of it.",
     .source = "ours",
     .offset = offsetof(struct failure_process, burst_within)},
};

const struct parameter_list failure_processes = {
    .section = "failures.processes",
    .sentence = "What fails beside failures.chip: other domains, other kinds of failure.",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .item_size = sizeof(struct failure_process)};

bool process_is_planned(const struct failure_process *process)
{
    return process->every > 0;
}

bool process_law_is_given(const struct sim_law_spec *spec)
{
    return spec->law != PARAMETER_UNSET && !(spec->law == SIM_LAW_CONSTANT && spec->mean == 0);
}

bool process_cures_lemons(const struct failure_process *process)
{
    return process->lemon_cured && process->lemon_share > 0;
}

static bool has_node_rate(const struct failure_process *process)
{
    return process->node_rate > 0;
}

static bool has_overall_rate(const struct failure_process *process)
{
    return process->overall_mtbf > 0;
}

/* Seconds between failures of one unit; NAN where the law says it. */
static double mean_life(const struct failure_process *process, const struct units *units)
{
    double count = (double)units_count(units, (enum fault_domain)process->domain);
    double hosts = (double)units_count(units, FAULT_OF_HOST), chips = (double)units->chips;
    if (has_node_rate(process))
        return 1000 * day / process->node_rate * count / hosts;
    if (!has_overall_rate(process))
        return NAN;
    double reference = process->overall_at_chips > 0 ? (double)process->overall_at_chips : chips;
    return sim_time_to_seconds(process->overall_mtbf) * count /
           pow(chips / reference, process->overall_exponent);
}

struct sim_law_spec process_life(const struct failure_process *process, const struct units *units)
{
    struct sim_law_spec life = process->life;
    double mean = mean_life(process, units);
    if (!isnan(mean))
        life.mean = mean;
    return life;
}

/* What can't be. */

static bool strikes_links(const struct failure_process *process)
{
    return process->kind == FAULT_LOSS || process->kind == FAULT_THROTTLE || process->kind == FAULT_PARTITION;
}

static const char *wrong_unit(const struct failure_process *process, const struct units *units,
                              const char **reason)
{
    bool link = process->domain == FAULT_OF_LINK, site = process->domain == FAULT_OF_SITE;
    if (strikes_links(process) != link && !(strikes_links(process) && site))
        *reason =
            "links lose packets or bandwidth, or are cut, and nothing else is; a site stands for its links";
    else if (process->domain == FAULT_OF_SYNCER && process->kind != FAULT_STOP)
        *reason = "the syncer stops, and does nothing else";
    else if (process->domain == FAULT_OF_RACK && units_count(units, FAULT_OF_RACK) == 0)
        *reason = "racks need cluster.rack_chips";
    else if (units_count(units, (enum fault_domain)process->domain) == 0)
        *reason = "the scenario has none of them";
    else
        return NULL;
    return "unit";
}

static const char *wrong_rate(const struct failure_process *process, const char **reason)
{
    const struct sim_law_spec *life = &process->life;
    bool by_mean = !isnan(life->mean) && isnan(life->median) && isnan(life->low) && isnan(life->high);
    if (process_is_planned(process))
        return NULL;
    if (has_node_rate(process) && has_overall_rate(process)) {
        *reason = "either this or overall.mtbf says how often units fail";
        return "per_1000_node_days";
    }
    if ((has_node_rate(process) || has_overall_rate(process)) && !by_mean) {
        *reason = "a rate sets the law's mean, so that the law takes no median, low or high";
        return "life.law";
    }
    return NULL;
}

static bool needs_duration(const struct failure_process *process)
{
    return !fault_is_failure((enum fault_kind)process->kind) || process->domain == FAULT_OF_SYNCER;
}

/* What is wrong with the factor; NULL: nothing. */
static const char *factor_fault(const struct failure_process *process, bool alone)
{
    double factor = process->factor;
    bool share = process->kind == FAULT_THROTTLE || process->kind == FAULT_LOSS;
    if (process->kind == FAULT_SLOW && !(factor > 1))
        return alone ? "slow units need one, above 1"
                     : "slow units need one, above 1, and a duration (duration.mean): no repair ends it";
    if (share && !(factor >= 0 && factor <= 1))
        return alone ? "needed of this kind, from 0 to 1"
                     : "needed of this kind, from 0 to 1, and a duration (duration.mean): no repair ends it";
    return NULL;
}

static const char *wrong_course(const struct failure_process *process, const char **reason)
{
    bool timeless = needs_duration(process) && !process_law_is_given(&process->duration);
    const char *fault = factor_fault(process, !timeless);
    if (!fault && !timeless)
        return NULL;
    *reason = fault ? fault : "needed of this kind: no repair ends it";
    return fault ? "factor" : "duration.mean";
}

/* Nothing is repaired of a unit that comes back after a time of its own. */
static const char *wrong_cure(const struct failure_process *process, const char **reason)
{
    bool repaired = process->kind == FAULT_STOP && !process_law_is_given(&process->duration) &&
                    process->domain != FAULT_OF_SYNCER;
    if (!process_cures_lemons(process) || repaired)
        return NULL;
    *reason = "failures.repair cures lemons: it is for units that stop, without a duration of their own";
    return "lemon.cured";
}

static const char *wrong_burst(const struct failure_process *process, const char **reason)
{
    if (process->burst_chance > 0 && process->burst_neighbourhood != PARAMETER_UNSET &&
        process->burst_neighbourhood < process->burst_units) {
        *reason = "fewer than burst.units";
        return "burst.neighbourhood";
    }
    return NULL;
}

const char *process_fault(const struct failure_process *process, const struct units *units,
                          const char **reason)
{
    const char *path = wrong_unit(process, units, reason);
    if (!path)
        path = wrong_rate(process, reason);
    if (!path)
        path = wrong_course(process, reason);
    if (!path)
        path = wrong_cure(process, reason);
    return path ? path : wrong_burst(process, reason);
}
