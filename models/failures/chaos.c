#include "models/failures/chaos.h"

#include "models/network/sites.h"
#include <string.h>

const char *const chaos_action_names[CHAOS_ACTIONS + 1] = {
    [CHAOS_KILL] = "kill",           [CHAOS_RESTART] = "restart",           [CHAOS_HANG] = "hang",
    [CHAOS_SLOW] = "slow",           [CHAOS_CORRUPT] = "corrupt",           [CHAOS_PREEMPT] = "preempt",
    [CHAOS_STALL] = "stall",         [CHAOS_LOSE_PACKETS] = "lose-packets", [CHAOS_THROTTLE] = "throttle",
    [CHAOS_PARTITION] = "partition",
};

static const enum fault_kind kinds[CHAOS_ACTIONS] = {
    [CHAOS_KILL] = FAULT_STOP,          [CHAOS_RESTART] = FAULT_STOP,
    [CHAOS_HANG] = FAULT_HANG,          [CHAOS_SLOW] = FAULT_SLOW,
    [CHAOS_CORRUPT] = FAULT_CORRUPTION, [CHAOS_PREEMPT] = FAULT_PREEMPTION,
    [CHAOS_STALL] = FAULT_STALL,        [CHAOS_LOSE_PACKETS] = FAULT_LOSS,
    [CHAOS_THROTTLE] = FAULT_THROTTLE,  [CHAOS_PARTITION] = FAULT_PARTITION,
};

#define SECTION "chaos"
#define TIME_OR_NOTHING .type = PARAMETER_TIME, .dimension = DIMENSION_TIME, .fallback = "", .minimum = 0

static const struct parameter_law rate_law = {.mean_name = "mean", .law = "exponential", .optional = true};

static const struct parameter rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "What results call the entry's strikes, with their numbers; its fault and target where left "
                 "out.",
     .offset = offsetof(struct chaos_entry, name)},
    {.path = "at",
     .type = PARAMETER_REAL_LIST,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .sentence = "Times at which it strikes; instead of \"every\" or \"rate\".",
     .offset = offsetof(struct chaos_entry, at)},
    {.path = "every",
     TIME_OR_NOTHING,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Time from one strike to the next, the first so long after \"from\".",
     .offset = offsetof(struct chaos_entry, every)},
    {.path = "rate",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &rate_law,
     .sentence = "time from one strike to the next, the first that long after \"from\"",
     .offset = offsetof(struct chaos_entry, rate)},
    {.path = "from",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time before which it does not strike.",
     .source = "ours",
     .offset = offsetof(struct chaos_entry, from)},
    {.path = "until",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "Time from which on it does not strike any more.",
     .offset = offsetof(struct chaos_entry, until)},
    {.path = "fault",
     .type = PARAMETER_CHOICE,
     .choices = chaos_action_names,
     .sentence = "What is done; the last three are of links, a restart is a stop without repair.",
     .offset = offsetof(struct chaos_entry, action)},
    {.path = "target",
     .type = PARAMETER_CHOICE,
     .choices = fault_domain_names,
     .fallback = "",
     .sentence = "What it is done to: where left out a slice, or (of links) all links between sites or "
                 "learners.",
     .offset = offsetof(struct chaos_entry, target)},
    {.path = "all",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence = "Whether it strikes all such units; without this and the next five it is one at random.",
     .source = "ours",
     .offset = offsetof(struct chaos_entry, all)},
    {.path = "count",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = CHAOS_MOST,
     .sentence = "So many units at random.",
     .offset = offsetof(struct chaos_entry, count)},
    {.path = "share",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "That share of the units, rounded up, at random.",
     .offset = offsetof(struct chaos_entry, share)},
    {.path = "up_to",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "At least one unit and at most that share of them, how many is drawn for each strike.",
     .offset = offsetof(struct chaos_entry, up_to)},
    {.path = "units",
     .type = PARAMETER_REAL_LIST,
     .fallback = "",
     .sentence = "Units by their numbers, from 0.",
     .offset = offsetof(struct chaos_entry, units)},
    {.path = "named",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Sites, links (\"A to B\") or backbones by name, with commas between.",
     .offset = offsetof(struct chaos_entry, named)},
    {.path = "within",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of a site: only units there are struck.",
     .offset = offsetof(struct chaos_entry, within)},
    {.path = "for",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence =
         "How long it lasts; where left out, a killed or preempted unit is back after a time drawn by "
         "failures.repair.",
     .offset = offsetof(struct chaos_entry, lasting)},
    {.path = "factor",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e6,
     .sentence =
         "Of slow: by how much steps take longer; of throttle: the share of its bandwidth that a link "
         "keeps; of lose-packets: the share of packets lost.",
     .offset = offsetof(struct chaos_entry, factor)},
    {.path = "detection",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "Time until it is found out; what failures say of its kind where left out.",
     .offset = offsetof(struct chaos_entry, detection)},
    {.path = "notice",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "Of preempt: how long before the units go it is said that they will.",
     .offset = offsetof(struct chaos_entry, notice)},
};

const struct parameter_list chaos_list = {
    .section = SECTION,
    .sentence = "Faults on purpose; doc/chaos.md explains them.",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .item_size = sizeof(struct chaos_entry),
};

static const struct parameter recorded_rows[] = {
    {.path = "at",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "When it strikes.",
     .offset = offsetof(struct chaos_recorded, at)},
    {.path = "cause",
     .type = PARAMETER_TEXT,
     .sentence = "Name of the strike that it is part of.",
     .offset = offsetof(struct chaos_recorded, cause)},
    {.path = "kind",
     .type = PARAMETER_CHOICE,
     .choices = fault_kind_names,
     .sentence = "Kind of fault.",
     .offset = offsetof(struct chaos_recorded, kind)},
    {.path = "domain",
     .type = PARAMETER_CHOICE,
     .choices = fault_domain_names,
     .sentence = "Kind of unit that it happens to.",
     .offset = offsetof(struct chaos_recorded, domain)},
    {.path = "unit",
     .type = PARAMETER_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Which one of those, from 0.",
     .source = "ours",
     .offset = offsetof(struct chaos_recorded, unit)},
    {.path = "for",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "How long it lasts; where left out as in chaos.",
     .offset = offsetof(struct chaos_recorded, lasting)},
    {.path = "detection",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "Time until it is found out.",
     .offset = offsetof(struct chaos_recorded, detection)},
    {.path = "notice",
     TIME_OR_NOTHING,
     .maximum = INFINITY,
     .sentence = "How long before it was said.",
     .offset = offsetof(struct chaos_recorded, notice)},
    {.path = "factor",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e6,
     .sentence = "Of slow, throttle and loss, as in chaos.",
     .offset = offsetof(struct chaos_recorded, factor)},
    {.path = "spared",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence = "Whether the limits forbade it, so that it is not played.",
     .source = "ours",
     .offset = offsetof(struct chaos_recorded, spared)},
};

const struct parameter_list chaos_schedule_list = {
    .section = "chaos_schedule",
    .sentence = "Faults as a run recorded them (chaos_file), played again in place of those of chaos.",
    .rows = recorded_rows,
    .count = PARAMETER_COUNT(recorded_rows),
    .item_size = sizeof(struct chaos_recorded),
};

static const struct parameter limit_rows[] = {
    {.path = "slices_up",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of the slices that chaos leaves up at any time; faults beyond are spared.",
     .source = "ours",
     .offset = offsetof(struct chaos_config, slices_up)},
    {.path = "learners",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Equal runs of slices that the cluster is cut into for learners_up, as that many learners "
                 "would hold them, whatever the strategies' learners are.",
     .source = "ours",
     .offset = offsetof(struct chaos_config, learners)},
    {.path = "learners_up",
     .type = PARAMETER_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6,
     .sentence = "Of these runs of slices, how many keep a slice at any time.",
     .source = "ours",
     .offset = offsetof(struct chaos_config, learners_up)},
};

const struct parameter_table chaos_parameters = {"chaos_limits", limit_rows, PARAMETER_COUNT(limit_rows)};

enum fault_kind chaos_kind(int64_t action)
{
    return kinds[action];
}

bool chaos_strikes_links(enum fault_kind kind)
{
    return kind == FAULT_LOSS || kind == FAULT_THROTTLE || kind == FAULT_PARTITION;
}

enum fault_domain chaos_target(const struct chaos_entry *entry)
{
    if (entry->target != PARAMETER_UNSET)
        return (enum fault_domain)entry->target;
    return chaos_strikes_links(chaos_kind(entry->action)) ? FAULT_OF_CLUSTER : FAULT_OF_SLICE;
}

bool chaos_may_strike(const struct chaos_config *config, enum fault_domain domain)
{
    const struct chaos_entry *entries = config->entries.items;
    const struct chaos_recorded *schedule = config->schedule.items;
    bool any = false;
    for (size_t i = 0; i < config->schedule.count; i++)
        any |= schedule[i].domain == (int64_t)domain;
    for (size_t i = 0; config->schedule.count == 0 && i < config->entries.count; i++)
        any |= chaos_target(&entries[i]) == domain;
    return any;
}

bool chaos_may_strike_links(const struct chaos_config *config)
{
    const struct chaos_entry *entries = config->entries.items;
    const struct chaos_recorded *schedule = config->schedule.items;
    bool any = false;
    for (size_t i = 0; i < config->schedule.count; i++)
        any |= chaos_strikes_links((enum fault_kind)schedule[i].kind);
    for (size_t i = 0; config->schedule.count == 0 && i < config->entries.count; i++)
        any |= chaos_strikes_links(chaos_kind(entries[i].action));
    return any;
}

/* Links. */

static int64_t find_entry(const struct network_config *network, const char *from, size_t from_length,
                          const char *to)
{
    const struct network_link *links = network->links.items;
    for (size_t i = 0; i < network->links.count; i++)
        if (strlen(links[i].from) == from_length && strncmp(links[i].from, from, from_length) == 0 &&
            strcmp(links[i].to, to) == 0)
            return (int64_t)i;
    return -1;
}

static int64_t find_site(const struct network_config *network, const char *name, size_t length)
{
    for (size_t i = 0; i < network->sites.count; i++)
        if (strlen(sites_of(network)[i].name) == length &&
            strncmp(sites_of(network)[i].name, name, length) == 0)
            return (int64_t)i;
    return -1;
}

/* FROM to TO, or the other way round, where an entry has it so. */
static int64_t find_pair(const struct network_config *network, const char *from, size_t length,
                         const char *to)
{
    int64_t sites = (int64_t)network->sites.count, one = find_site(network, from, length);
    int64_t other = find_site(network, to, strlen(to));
    if (one < 0 || other < 0 || one == other)
        return -1;
    int64_t entry = find_entry(network, from, length, to);
    if (entry < 0) {
        const char *back = sites_of(network)[one].name;
        entry = find_entry(network, to, strlen(to), back);
    }
    if (entry >= 0)
        return entry;
    int64_t low = one < other ? one : other, high = one < other ? other : one;
    int64_t unit = (int64_t)(network->links.count + network->backbones.count) + low * sites + high;
    return chaos_has_link(network, unit) ? unit : -1;
}

int64_t chaos_find_link(const struct network_config *network, const char *name)
{
    const struct network_backbone *backbones = network->backbones.items;
    for (size_t i = 0; i < network->backbones.count; i++)
        if (strcmp(backbones[i].name, name) == 0)
            return (int64_t)(network->links.count + i);
    for (const char *to = strstr(name, " to "); to; to = strstr(to + 1, " to ")) {
        int64_t pair = find_pair(network, name, (size_t)(to - name), to + 4);
        if (pair >= 0)
            return pair;
    }
    return -1;
}

enum chaos_link chaos_link_of(const struct network_config *network, int64_t unit, int64_t *number)
{
    int64_t links = (int64_t)network->links.count, backbones = (int64_t)network->backbones.count;
    *number = unit;
    if (unit < links)
        return CHAOS_LINK_ENTRY;
    *number = unit - links;
    if (*number < backbones)
        return CHAOS_LINK_BACKBONE;
    *number -= backbones;
    return CHAOS_LINK_BETWEEN;
}

bool chaos_has_link(const struct network_config *network, int64_t unit)
{
    int64_t sites = (int64_t)network->sites.count, number;
    bool between = !isnan(network->between.bandwidth) || network->between.latency != PARAMETER_UNSET;
    if (chaos_link_of(network, unit, &number) != CHAOS_LINK_BETWEEN)
        return unit >= 0;
    return between && number < sites * sites && number / sites < number % sites;
}
