/*
 * What an entry must and must not say follows from its action and target; what it names must be there. What
 * only some strategies have (a syncer, so many learners) is no fault of the scenario: there it is ignored.
 */
#include "models/failures/chaos_select.h"

#include "models/network/sites.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 40 };

struct check {
    const struct chaos_config *config;
    const struct chaos_ground *ground;
    struct chaos_fault_report *report;
    const struct parameter_list *list;
    size_t item;
};

__attribute__((format(printf, 3, 4))) static bool refuse(const struct check *check, const char *field,
                                                         const char *format, ...)
{
    va_list arguments;
    *check->report = (struct chaos_fault_report){.list = check->list, .item = check->item, .field = field};
    va_start(arguments, format);
    vsnprintf(check->report->message, sizeof check->report->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_given(sim_time time)
{
    return time != PARAMETER_UNSET;
}

static bool check_name(const struct check *check, const struct chaos_entry *entry)
{
    const struct chaos_entry *entries = check->config->entries.items;
    if (!entry->name)
        return true;
    if (!*entry->name || strlen(entry->name) > LONGEST_NAME)
        return refuse(check, "name", "expected 1 to %d characters", LONGEST_NAME);
    if (strpbrk(entry->name, ",\"\r\n#"))
        return refuse(check, "name",
                      "commas, quotes, # and line breaks have a meaning of their own in tables");
    for (size_t i = 0; i < check->item; i++)
        if (entries[i].name && strcmp(entries[i].name, entry->name) == 0)
            return refuse(check, "name", "there is a \"%.60s\" before this one", entry->name);
    return true;
}

static bool check_times(const struct check *check, const struct chaos_entry *entry)
{
    bool at = entry->at.count > 0, every = is_given(entry->every), rate = entry->rate.law != PARAMETER_UNSET;
    if (at + every + rate != 1)
        return refuse(check, at || every || rate ? "every" : "at",
                      "when does it strike? give one of \"at\", \"every\" and \"rate\"");
    for (size_t i = 0; i < entry->at.count; i++)
        if (!(entry->at.values[i] >= 0))
            return refuse(check, "at", "a run begins at 0 s");
    if (is_given(entry->until) && entry->until <= entry->from)
        return refuse(check, "until", "it ends before it begins (\"from\")");
    return true;
}

static bool check_target(const struct check *check, const struct chaos_entry *entry)
{
    enum fault_domain target = chaos_target(entry);
    bool of_links = chaos_strikes_links(chaos_kind(entry->action));
    bool stop = chaos_kind(entry->action) == FAULT_STOP;
    if (of_links && target != FAULT_OF_LINK && target != FAULT_OF_SITE && target != FAULT_OF_CLUSTER)
        return refuse(check, "target",
                      "that is done to a link, to the uplink of a site, or to the cluster: to all of these");
    if (!of_links && target == FAULT_OF_LINK)
        return refuse(check, "target", "links can be partitioned, throttled, or lose packets");
    if (target == FAULT_OF_SYNCER && !stop)
        return refuse(check, "target", "a syncer can be killed or restarted");
    return true;
}

/* What has a factor lasts for a time. */
static const char *also_missing(const struct chaos_entry *entry)
{
    return is_given(entry->lasting) ? "" : "; and how long does it last (\"for\")?";
}

static bool check_factor(const struct check *check, const struct chaos_entry *entry)
{
    double factor = entry->factor;
    const char *also = also_missing(entry);
    switch (chaos_kind(entry->action)) {
    case FAULT_SLOW:
        return factor >= 1 || refuse(check, "factor", "how many times as long are steps? at least 1%s", also);
    case FAULT_THROTTLE:
        return (factor >= 0 && factor <= 1) ||
               refuse(check, "factor", "what share of the bandwidth is left? 0 to 1%s", also);
    case FAULT_LOSS:
        return (factor >= 0 && factor < 1) ||
               refuse(check, "factor", "what share of packets is lost? at least 0 and below 1%s", also);
    default:
        return isnan(factor) || refuse(check, "factor", "only slow, throttle and lose-packets have one");
    }
}

static bool check_lasting(const struct check *check, const struct chaos_entry *entry)
{
    enum fault_kind kind = chaos_kind(entry->action);
    bool needed = kind == FAULT_SLOW || kind == FAULT_STALL || chaos_strikes_links(kind);
    bool meaningless = fault_is_hidden(kind) || entry->action == CHAOS_RESTART;
    if (needed && !is_given(entry->lasting))
        return refuse(check, "for", "how long does it last?");
    if (meaningless && is_given(entry->lasting))
        return refuse(check, "for", "how long that lasts follows from detection and restart");
    if (kind != FAULT_PREEMPTION && is_given(entry->notice))
        return refuse(check, "notice", "only preempt gives notice");
    return true;
}

/* Selectors. */

static bool check_count(const struct check *check, const struct chaos_entry *entry)
{
    int given = entry->all + (entry->count != PARAMETER_UNSET) + !isnan(entry->share) + !isnan(entry->up_to) +
                (entry->units.count > 0) + (entry->named != NULL);
    const char *field = entry->named             ? "named"
                        : entry->units.count > 0 ? "units"
                        : !isnan(entry->up_to)   ? "up_to"
                        : !isnan(entry->share)   ? "share"
                                                 : "count";
    if (given > 1)
        return refuse(check, field, "give one of all, count, share, up_to, units and named");
    return true;
}

static bool check_names(const struct check *check, const struct chaos_entry *entry)
{
    const struct network_config *network = check->ground->network;
    enum fault_domain target = chaos_target(entry);
    const char *rest = entry->named;
    char name[CHAOS_NAME];
    if (!rest)
        return true;
    if (target != FAULT_OF_SITE && target != FAULT_OF_LINK)
        return refuse(check, "named", "sites and links have names; give others by \"units\"");
    while (chaos_next_name(&rest, name))
        if (chaos_find(network, target, name) < 0)
            return refuse(check, "named", "there is no %s \"%.60s\"",
                          target == FAULT_OF_SITE ? "site" : "link or backbone", name);
    return true;
}

/* Whether UNIT of DOMAIN is there, or may be in some strategy. */
static bool exists(const struct chaos_ground *ground, enum fault_domain domain, int64_t unit)
{
    if (domain != FAULT_OF_LINK)
        return unit < ground->units[domain];
    return ground->network->sites.count == 0 ? unit < CHAOS_MOST : chaos_has_link(ground->network, unit);
}

static bool check_units(const struct check *check, const struct chaos_entry *entry)
{
    enum fault_domain target = chaos_target(entry);
    for (size_t i = 0; i < entry->units.count; i++) {
        double unit = entry->units.values[i];
        if (!(unit >= 0 && unit < 0x1p53 && unit == floor(unit)))
            return refuse(check, "units", "units are numbered 0, 1, …");
        if (!exists(check->ground, target, (int64_t)unit))
            return refuse(check, "units", "there is no %s %.0f; there are %lld, numbered from 0",
                          fault_domain_names[target], unit, (long long)check->ground->units[target]);
    }
    return true;
}

static bool check_within(const struct check *check, const struct chaos_entry *entry)
{
    if (!entry->within)
        return true;
    if (chaos_target(entry) > FAULT_OF_RACK)
        return refuse(check, "within",
                      "chips, hosts, slices and racks are at sites; name sites by \"named\"");
    if (entry->units.count > 0)
        return refuse(check, "within", "units are given by number already");
    if (sites_find(check->ground->network, entry->within) < 0)
        return refuse(check, "within", "there is no site \"%.60s\"", entry->within);
    return true;
}

/* Whether there is enough to choose from. */
static bool check_population(const struct check *check, const struct chaos_entry *entry)
{
    enum fault_domain target = chaos_target(entry);
    if (entry->units.count > 0 || entry->named)
        return true;
    struct chaos_run from = chaos_population(check->ground, entry);
    if (from.count == 0)
        return refuse(check, entry->within ? "within" : "target", "there is no %s%s",
                      fault_domain_names[target], entry->within ? " at that site" : " in the scenario");
    if (entry->count != PARAMETER_UNSET && entry->count > from.count)
        return refuse(check, "count", "there are only %lld", (long long)from.count);
    double share =
        entry->all ? 1 : fmax(isnan(entry->share) ? 0 : entry->share, isnan(entry->up_to) ? 0 : entry->up_to);
    if (share * (double)from.count > CHAOS_MOST)
        return refuse(check, entry->all ? "all" : "target", "these are more than %d; strike larger units",
                      CHAOS_MOST);
    return true;
}

/* Strikes in a run, in the mean. */
static double strikes_of(const struct check *check, const struct chaos_entry *entry)
{
    sim_time horizon = check->ground->horizon;
    sim_time end = is_given(entry->until) && entry->until < horizon ? entry->until : horizon;
    double length = sim_time_to_seconds(end > entry->from ? end - entry->from : 0);
    if (is_given(entry->every))
        return length / sim_time_to_seconds(entry->every);
    if (entry->rate.law == PARAMETER_UNSET)
        return (double)entry->at.count;
    struct sim_distribution *law = sim_distribution_create(&entry->rate, NULL);
    double mean = law ? sim_distribution_mean(law) : NAN;
    sim_distribution_destroy(law);
    return length / mean;
}

/* What would draw for hours, or be refused only when it is drawn. */
static bool check_strikes(const struct check *check, const struct chaos_entry *entry)
{
    struct chaos_run from = chaos_population(check->ground, entry);
    double share = entry->all ? 1 : isnan(entry->share) ? 0 : entry->share;
    double units = fmax(1, share * (double)from.count);
    if (entry->count != PARAMETER_UNSET)
        units = (double)entry->count;
    double faults = strikes_of(check, entry) * units;
    if (faults > CHAOS_MOST)
        return refuse(check, is_given(entry->every) ? "every" : "rate.mean",
                      "that makes about %.2g faults in a run; the limit is %d", faults, CHAOS_MOST);
    return true;
}

static bool check_entry(const struct check *check, const struct chaos_entry *entry)
{
    return check_name(check, entry) && check_times(check, entry) && check_target(check, entry) &&
           check_factor(check, entry) && check_lasting(check, entry) && check_count(check, entry) &&
           check_names(check, entry) && check_units(check, entry) && check_within(check, entry) &&
           check_population(check, entry) && check_strikes(check, entry);
}

/* Schedules. */

static bool check_recorded(const struct check *check, const struct chaos_recorded *recorded)
{
    enum fault_domain domain = (enum fault_domain)recorded->domain;
    enum fault_kind kind = (enum fault_kind)recorded->kind;
    bool fits = chaos_strikes_links(kind)
                    ? domain == FAULT_OF_LINK || domain == FAULT_OF_SITE || domain == FAULT_OF_CLUSTER
                    : domain != FAULT_OF_LINK;
    if (!fits || (domain == FAULT_OF_SYNCER && kind != FAULT_STOP))
        return refuse(check, "kind", "no %s can strike a %s", fault_kind_names[kind],
                      fault_domain_names[domain]);
    if (!*recorded->cause || strlen(recorded->cause) >= FAULT_NAME)
        return refuse(check, "cause", "expected 1 to %d bytes", FAULT_NAME - 1);
    if (!exists(check->ground, domain, recorded->unit))
        return refuse(check, "unit", "there is no %s %lld; there are %lld, numbered from 0",
                      fault_domain_names[domain], (long long)recorded->unit,
                      (long long)check->ground->units[domain]);
    bool factor = kind == FAULT_SLOW || kind == FAULT_THROTTLE || kind == FAULT_LOSS;
    double low = kind == FAULT_SLOW ? 1 : 0, high = kind == FAULT_SLOW ? INFINITY : 1;
    if (factor != !isnan(recorded->factor) || (factor && (recorded->factor < low || recorded->factor > high ||
                                                          (kind == FAULT_LOSS && recorded->factor >= 1))))
        return refuse(check, "factor", "%s", factor ? "that kind needs another one" : "that kind has none");
    if ((factor || kind == FAULT_STALL || kind == FAULT_PARTITION) && !is_given(recorded->lasting))
        return refuse(check, "for", "how long does it last?");
    return true;
}

static bool check_limits(struct check *check)
{
    const struct chaos_config *config = check->config;
    check->list = NULL;
    if (config->learners_up > config->learners)
        return refuse(check, "learners_up", "more than chaos_limits.learners, of which they are");
    if (config->learners > check->ground->slices)
        return refuse(check, "learners", "the cluster has %lld slices", (long long)check->ground->slices);
    return true;
}

bool chaos_check(const struct chaos_config *config, const struct chaos_ground *ground,
                 struct chaos_fault_report *report)
{
    struct check check = {config, ground, report, &chaos_list, 0};
    const struct chaos_entry *entries = config->entries.items;
    const struct chaos_recorded *schedule = config->schedule.items;
    for (; check.item < config->entries.count; check.item++)
        if (!check_entry(&check, &entries[check.item]))
            return false;
    check.list = &chaos_schedule_list;
    for (check.item = 0; check.item < config->schedule.count; check.item++)
        if (!check_recorded(&check, &schedule[check.item]))
            return false;
    return chaos_is_empty(config) || check_limits(&check);
}
