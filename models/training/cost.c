/*
 * Class 2g are the learners within group g of chips, class 2g + 1 the one that begins in it and ends in
 * another.
 */
#include "models/training/cost.h"

#include "models/network/sites.h"
#include <math.h>

#define SECONDS_PER_HOUR 3600.0
#define JOULES_PER_KILOWATT_HOUR 3.6e6
#define BILLION 1e9

static size_t group_of(const struct cluster_config *cluster, const struct layout *layout, int64_t slice)
{
    size_t group = 0;
    while (layout_group_end(layout, cluster, group) <= slice)
        group++;
    return group;
}

size_t cost_class_count(const struct cluster_config *cluster)
{
    return 2 * cluster_group_count(cluster);
}

size_t cost_class_of(const struct cluster_config *cluster, const struct layout *layout, int64_t learner)
{
    size_t first = group_of(cluster, layout, layout_first_slice(layout, learner));
    size_t last = group_of(cluster, layout, layout_first_slice(layout, learner + 1) - 1);
    return 2 * first + (first != last);
}

struct sim_ledger cost_sum(const struct sim_ledger *ledgers, size_t count)
{
    struct sim_ledger sum = {{0}};
    for (size_t i = 0; i < count; i++)
        for (int category = 0; category < BUDGET_CATEGORIES; category++)
            sum.amount[category] += ledgers[i].amount[category];
    return sum;
}

bool cost_has_priced_links(const struct network_config *network)
{
    const struct network_link *links = network->links.items;
    double price = network->between.price;
    for (size_t i = 0; i < network->sites.count; i++)
        price += sites_of(network)[i].price;
    for (size_t i = 0; i < network->links.count; i++)
        price += links[i].price;
    return price > 0;
}

static double price_of_chips(const struct cluster_config *cluster, const struct layout *layout,
                             const struct cost_usage *usage)
{
    double price = 0;
    for (size_t i = 0; i < cluster_group_count(cluster); i++) {
        double chips = (double)layout_group_chips(layout, cluster, i, 0, layout->slices);
        chips +=
            (double)(layout->spares * layout->chips_per_slice); /* there is one group where there are any */
        struct cluster_group group = cluster_group(cluster, i);
        sim_time here = availability_time(&group.available, usage->since, usage->until);
        if (chips > 0)
            price += chips * group.price_per_hour * (sim_time_to_seconds(here) / SECONDS_PER_HOUR);
    }
    return price;
}

/* Watts of one chip in useful time, in time lost with a step, while it waits for slower ones, and else. */
struct power {
    double useful, busy, straggler_wait, idle;
};

static struct power power_of_chip(const struct chip *chip)
{
    double idle = isnan(chip->idle_watts) ? chip->busy_watts : chip->idle_watts;
    return (struct power){chip->busy_watts, chip->busy_watts, idle, idle};
}

static double weighted(double sum, double weight, double otherwise)
{
    return weight > 0 ? sum / weight : otherwise;
}

/* Of LEARNER, with chips of several kinds: those that are slower are at work for longer, and the faster ones
 * wait for them meanwhile. */
static struct power power_of_mixture(const struct simulation_config *config, const struct layout *layout,
                                     int64_t learner)
{
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    double seconds = layout_nominal_step(config, layout, learner).seconds, all = 0, work = 0, wait = 0;
    struct power sum = {0};
    for (size_t i = 0; i < cluster_group_count(&config->cluster); i++) {
        double chips = (double)layout_group_chips(layout, &config->cluster, i, first, next);
        if (chips == 0)
            continue;
        struct chip chip = cluster_group(&config->cluster, i).chip;
        struct power power = power_of_chip(&chip);
        double works = chips * layout_seconds_at_work(config, layout, learner, i),
               waits = chips * seconds - works;
        sum.useful += works * power.busy;
        sum.busy += chips * power.busy;
        sum.straggler_wait += waits * power.idle;
        sum.idle += chips * power.idle;
        work += works;
        wait += waits;
        all += chips;
    }
    return (struct power){sum.useful / work, sum.busy / all,
                          weighted(sum.straggler_wait, wait, sum.idle / all), sum.idle / all};
}

static struct power power_of_class(const struct simulation_config *config, const struct layout *layout,
                                   size_t class)
{
    struct chip chip = cluster_group(&config->cluster, class / 2).chip;
    if (class % 2 == 0)
        return power_of_chip(&chip);
    int64_t end = layout_group_end(layout, &config->cluster, class / 2);
    return power_of_mixture(config, layout, layout_learner_of(layout, end - 1));
}

static double power_in(const struct power *power, int category)
{
    switch (category) {
    case BUDGET_AWAY:
        return 0;
    case BUDGET_USEFUL:
        return power->useful;
    case BUDGET_REDONE:
        return power->busy;
    case BUDGET_STRAGGLER_WAIT:
        return power->straggler_wait;
    default:
        return power->idle;
    }
}

static void measure_energy(const struct simulation_config *config, const struct layout *layout,
                           const struct cost_usage *usage, double metrics[RUN_METRICS])
{
    double joules[BUDGET_WARM_UP] = {0}, total = 0;
    for (size_t class = 0; class < cost_class_count(&config->cluster); class ++) {
        const struct sim_ledger *ledger = &usage->ledgers[class];
        if (sim_ledger_total(ledger) == 0)
            continue;
        struct power power = power_of_class(config, layout, class);
        for (int category = 0; category < BUDGET_WARM_UP; category++)
            joules[category] += sim_amount_to_seconds(ledger->amount[category]) * power_in(&power, category);
    }
    for (int category = 0; category < BUDGET_WARM_UP; category++) {
        metrics[METRIC_ENERGY_OF + category] = joules[category] / JOULES_PER_KILOWATT_HOUR;
        total += metrics[METRIC_ENERGY_OF + category];
    }
    metrics[METRIC_ENERGY] = total;
}

void cost_measure(const struct simulation_config *config, const struct layout *layout,
                  const struct cost_usage *usage, double metrics[RUN_METRICS])
{
    double chips = price_of_chips(&config->cluster, layout, usage);
    double cost = chips + (isnan(usage->network) ? 0 : usage->network);
    metrics[METRIC_NETWORK_COST] = usage->network;
    metrics[METRIC_COST] = cost;
    metrics[METRIC_COST_PER_BILLION_TOKENS] = usage->tokens > 0 ? cost / (usage->tokens / BILLION) : NAN;
    measure_energy(config, layout, usage, metrics);
}
