/*
 * Scenarios: what is filled in, what is refused and how that reads, and that a printed scenario loads again
 * to the same text, for those that are shipped and for many made by chance.
 */
#include "scenarios/question.h"
#include "scenarios/scenario.h"
#include "sim/stream.h"
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least that a scenario needs; tests put lines before and after, or replace parts. */
#define WORKLOAD "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}\n"
#define CLUSTER "cluster: {chips: 4096, chips_per_slice: 64}\n"
#define STRATEGIES "strategies: [{name: a, kind: all-reduce}, {name: d, kind: diloco, learners: 4}]\n"
#define REST WORKLOAD CLUSTER STRATEGIES
#define BASE "name: t\nduration: 1 h\n" REST

static struct scenario *load(const char *yaml, const struct scenario_override *overrides, size_t count,
                             struct error *error)
{
    char *bytes = strdup(yaml);
    const struct scenario_text text = {(char[]){"s.yaml"}, bytes, strlen(bytes)};
    *error = (struct error){0};
    struct scenario *scenario = scenario_create(&text, overrides, count, error);
    free(bytes); /* nothing of the text is kept */
    return scenario;
}

static struct scenario *load_good(const char *yaml, const struct scenario_override *overrides, size_t count)
{
    struct error error;
    struct scenario *scenario = load(yaml, overrides, count, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    return scenario;
}

START_TEST(what_is_left_out_has_its_default)
{
    struct scenario *scenario = load_good(BASE, NULL, 0);
    const struct simulation_config *world = &scenario->simulation;
    ck_assert_str_eq(scenario->name, "t");
    ck_assert_ptr_null(scenario->description);
    ck_assert_uint_eq(scenario->seed, 1);
    ck_assert_int_eq(scenario->replications, 1);
    ck_assert_int_eq(world->duration, 3600 * SIM_SECOND);
    ck_assert_int_eq(world->warm_up, 0);
    ck_assert_double_eq(world->workload.parameters, 5e9);
    ck_assert_int_eq(world->workload.step_time, 5 * SIM_SECOND);
    ck_assert_int_eq(world->cluster.chips, 4096);
    ck_assert_uint_eq(world->cluster.groups.count, 0);
    ck_assert_int_eq(world->failures.chip.law, SIM_LAW_EXPONENTIAL);
    ck_assert_double_eq(world->failures.chip.mean, 365 * 86400.0);
    ck_assert_double_nan(world->failures.chip.shape);
    ck_assert_int_eq(world->failures.repair.law, SIM_LAW_EXPONENTIATED_WEIBULL);
    ck_assert_double_eq(world->network.wan_bandwidth, 100e9);
    ck_assert_uint_eq(scenario->strategy_count, 2);
    ck_assert_uint_eq(scenario->axis_count, 0);
    ck_assert_uint_eq(scenario->expectation_count, 0);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(strategies_have_the_options_of_their_kind)
{
    struct scenario *scenario = load_good(BASE, NULL, 0);
    const struct strategy_config *strategy = scenario_strategy(scenario, "d");
    ck_assert_ptr_nonnull(strategy);
    ck_assert_int_eq(strategy->kind, STRATEGY_DILOCO);
    const struct diloco_options *options = strategy->options;
    ck_assert_int_eq(options->learner.learners, 4);
    ck_assert(options->learner.elastic);
    ck_assert_double_eq(options->learner.rule.outer_rate, 0.7);
    ck_assert_int_eq(options->learner.rule.compression_bits, PARAMETER_UNSET);
    ck_assert_int_eq(scenario_strategy(scenario, "a")->kind, STRATEGY_ALL_REDUCE);
    ck_assert_ptr_null(scenario_strategy(scenario, "b"));
    scenario_destroy(scenario);
}
END_TEST

static void check_stable(const struct scenario *scenario, const char *what)
{
    struct error error;
    char *once = scenario_print(scenario);
    ck_assert_ptr_nonnull(once);
    struct scenario *again = load(once, NULL, 0, &error);
    ck_assert_msg(again != NULL, "%s does not load again: %s\n%s", what, error.message, once);
    char *twice = scenario_print(again);
    ck_assert_msg(twice && strcmp(once, twice) == 0, "%s is printed as\n%s\nand then as\n%s", what, once,
                  twice);
    scenario_destroy(again);
    free(once);
    free(twice);
}

START_TEST(everything_can_be_given)
{
    struct scenario *scenario = load_good(
        BASE
        "description: \"two\\nlines\"\nseed: 9223372036854775807\nreplications: 1e1\nwarm_up: 1 min\n"
        "failures:\n  chip: {law: weibull, shape: 0.8, mtbi: 30 d, initial_age: 5 d}\n"
        "  repair: {law: empirical, values: [1 min, 5 min, 1 h]}\n"
        "expect:\n"
        "- {strategy: a, metric: goodput, value: 50 %, relative: 0.1, source: here}\n"
        "- {strategy: d, metric: wan_bytes, max: 1 MB, at: {cluster.chips: 1e3, failures.chip.mtbi: 24 h}}\n"
        "- {strategy: d, metric: 'share:down', value: 0.01}\n"
        "- {strategy: d, against: a, metric: wan_bytes, value: 5 %, confidence: 0.9}\n"
        "- {strategy: d, metric: energy, value: 17.2 MWh, tolerance: 360 MJ}\n"
        "- {strategy: d, against: a, metric: 'energy:down', max: 5 %}\n"
        "- {strategy: d, against: a, metric: goodput, min: 1.5}\n"
        "- {strategy: d, against: , metric: mtbf, min: 5 s, confidence: 0.9}\n"
        "- {strategy: d, against: reference, metric: time_to_loss, max: 0}\n"
        "learning: {model: quadratic}\n"
        "sweep: {cluster.chips: [1e3, 2000], strategies.d.learners: [1, 2]}\n",
        NULL, 0);
    ck_assert_uint_eq(scenario->seed, INT64_MAX);
    ck_assert_int_eq(scenario->replications, 10);
    const struct sim_law_spec *repair = &scenario->simulation.failures.repair;
    ck_assert_int_eq(repair->law, SIM_LAW_EMPIRICAL);
    ck_assert_double_nan(repair->mean); /* the default law's mean does not hold for it */
    ck_assert_uint_eq(repair->values.count, 3);
    ck_assert_double_eq(repair->values.values[2], 3600);
    const struct scenario_expectation *expectations = scenario->expectations;
    ck_assert_uint_eq(scenario->expectation_count, 9);
    ck_assert_double_eq(expectations[0].value, 0.5);
    ck_assert_double_nan(expectations[0].tolerance);
    ck_assert_double_eq(expectations[1].maximum, 1e6); /* in the metric's unit, bytes */
    ck_assert_double_nan(expectations[1].value);
    ck_assert_uint_eq(expectations[1].at.count, 2);
    ck_assert_str_eq(expectations[1].at.settings[0].value, "1000");
    ck_assert_str_eq(expectations[1].at.settings[1].value, "1 d");
    ck_assert_double_eq(expectations[2].tolerance, 0);
    ck_assert_double_eq(expectations[3].value, 0.05); /* of a share, whatever the metric */
    ck_assert_double_nan(expectations[3].tolerance);
    ck_assert_double_eq(expectations[4].value, 17200); /* in the metric's unit, kilowatt-hours */
    ck_assert_double_eq(expectations[4].tolerance, 100);
    ck_assert_double_eq(expectations[5].maximum, 0.05);
    ck_assert_double_eq(expectations[6].minimum, 1.5); /* more than twice as much is no share of a whole */
    ck_assert_ptr_null(expectations[7].against);
    ck_assert_double_eq(expectations[7].minimum, 5);
    ck_assert_str_eq(expectations[8].against, SCENARIO_REFERENCE);
    check_stable(scenario, "it");
    ck_assert_uint_eq(scenario->axis_count, 2);
    ck_assert_str_eq(scenario->axes[0].path, "cluster.chips");
    ck_assert_str_eq(scenario->axes[0].values[0], "1000");
    scenario_destroy(scenario);
}
END_TEST

static const struct {
    const char *yaml, *printed;
} sweeps[] = {
    {BASE "sweep: {cluster.chips: '1e3..2e3, 3 points', where: strategies.d.learners < 9}\n",
     "sweep:\n  cluster.chips: [1000, 1500, 2000]\n  where: [\"strategies.d.learners < 9\"]\n"},
    {BASE
     "sweep:\n  - {cluster.chips: [1e3, 2000], seed: [1, 2]}\n  - duration:\n    - log 1..9 d, 3 points\n"
     "  - where: [seed > -1, \"seed < (2 + seed) * 3\"]\n",
     "sweep:\n  - cluster.chips: [1000, 2000]\n    seed: [1, 2]\n  - duration: [1 d, 3 d, 9 d]\n"
     "  - where: [\"seed > -1\", \"seed < (2 + seed) * 3\"]\n"},
    {BASE "sweep: {where: cluster.chips > 1}\n", "sweep:\n  where: [\"cluster.chips > 1\"]\n"},
    {BASE "sweep: {where: duration * 1 kW > 2 kWh}\n", "sweep:\n  where: [\"duration * 1 kW > 2 kWh\"]\n"},
};

START_TEST(a_sweep_is_printed_as_it_is_meant)
{
    struct scenario *scenario = load_good(sweeps[_i].yaml, NULL, 0);
    check_stable(scenario, "it");
    char *printed = scenario_print(scenario), *sweep = strstr(printed, "sweep:\n");
    ck_assert_ptr_nonnull(sweep);
    ck_assert_str_eq(sweep, sweeps[_i].printed);
    free(printed);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(overrides_come_in_their_order)
{
    const struct scenario_override overrides[] = {{"cluster.chips", "1000", "--set"},
                                                  {"cluster.chips", "2000", "--axis"},
                                                  {"strategies.d.inner_steps", "7", "--set"},
                                                  {"network.wan.latency", "1 s", "--set"},
                                                  {"cluster.groups", "[{chip: a40}, {chip: h100}]", "--set"}};
    struct scenario *scenario = load_good(BASE, overrides, 5);
    const struct diloco_options *options = scenario_strategy(scenario, "d")->options;
    ck_assert_int_eq(scenario->simulation.cluster.chips, 2000);
    ck_assert_int_eq(options->inner_steps, 7);
    ck_assert_int_eq(scenario->simulation.network.wan_latency, SIM_SECOND);
    ck_assert_uint_eq(scenario->simulation.cluster.groups.count, 2);
    const struct chip_group *groups = scenario->simulation.cluster.groups.items;
    ck_assert_double_nan(groups[1].mfu);
    ck_assert_double_eq(groups[1].share, 1);
    scenario_destroy(scenario);
}
END_TEST

static const struct {
    const char *yaml, *message;
} refusals[] = {
    {BASE "repplications: 3\n", "s.yaml:6:1: unknown key \"repplications\"; did you mean \"replications\"?\n"
                                "    repplications: 3\n"
                                "    ^"},
    {BASE "step_time: 3 s\n", "s.yaml:6:1: unknown key \"step_time\"; did you mean \"workload.step_time\"?\n"
                              "    step_time: 3 s\n"
                              "    ^"},
    {BASE "network: {wan: {speed: 1}}\n",
     "s.yaml:6:17: unknown key \"speed\"; expected one of bandwidth, latency, profile\n"
     "    network: {wan: {speed: 1}}\n"
     "                    ^"},
    {BASE "failures: {processes: [{name: p, unit: rack, life: {mtbi: 9 d}}]}\n",
     "s.yaml:6:40: failures.processes.p.unit: racks need cluster.rack_chips\n"
     "    failures: {processes: [{name: p, unit: rack, life: {mtbi: 9 d}}]}\n"
     "                                           ^"},
    {BASE "failures: {processes: [{name: of_64_bytes_that_is_one_too_many_for_a_cause_to_have_in_a_table_,\n"
          "  unit: host, life: {mtbi: 9 d}}]}\n",
     "s.yaml:6:12: failures.processes: \"of_64_bytes_that_is_one_too_many_for_a_cause_to_have_in_a_table_\": "
     "names are at most 63 bytes long\n"
     "    failures: {processes: [{name: of_64_bytes_that_is_one_too_many_for_a_cause_to_have_in_a_table_,\n"
     "               ^"},
    {BASE "failures: {processes: [{name: of_63_bytes_that_is_the_most_that_a_cause_may_ever_have_in_rows,\n"
          "  unit: rack, life: {mtbi: 9 d}}]}\n",
     "s.yaml:7:9: failures.processes.of_63_bytes_that_is_the_most_that_a_cause_may_ever_have_in_rows.unit: "
     "racks need "
     "cluster.rack_chips\n"
     "      unit: rack, life: {mtbi: 9 d}}]}\n"
     "            ^"},
    {BASE "failures: {processes: [{name: p, unit: host, kind: slow, duration: {mean: 1 h}}]}\n",
     "s.yaml:6:24: failures.processes.p.factor: slow units need one, above 1\n"
     "    failures: {processes: [{name: p, unit: host, kind: slow, duration: {mean: 1 h}}]}\n"
     "                           ^"},
    {BASE "failures: {processes: [{name: p, unit: host, kind: slow}]}\n",
     "s.yaml:6:24: failures.processes.p.factor: slow units need one, above 1, and a duration "
     "(duration.mean): "
     "no repair ends it\n"
     "    failures: {processes: [{name: p, unit: host, kind: slow}]}\n"
     "                           ^"},
    {BASE "failures: {processes: [{name: p, unit: host, life: {mtbi: 9 d}, per_1000_node_days: 5}]}\n",
     "s.yaml:6:85: failures.processes.p.per_1000_node_days: says in another way what "
     "failures.processes.p.life.mtbi says (s.yaml:6:59); leave one of them out\n"
     "    failures: {processes: [{name: p, unit: host, life: {mtbi: 9 d}, per_1000_node_days: 5}]}\n"
     "                                                                                        ^"},
    {BASE "failures: {processes: [{name: p, unit: host, life: {law: weibull, shape: 1,\n"
          "  median: 9 d}, overall: {mtbf: 1 h}}]}\n",
     "s.yaml:7:33: failures.processes.p.overall.mtbf: says in another way what "
     "failures.processes.p.life.median says (s.yaml:7:11); leave one of them out\n"
     "      median: 9 d}, overall: {mtbf: 1 h}}]}\n"
     "                                    ^"},
    {BASE "failures: {processes: [{name: p, unit: host, every: 1 d, per_1000_node_days: 5}]}\n",
     "s.yaml:6:53: failures.processes.p.every: says in another way what "
     "failures.processes.p.per_1000_node_days says (s.yaml:6:78); leave one of them out\n"
     "    failures: {processes: [{name: p, unit: host, every: 1 d, per_1000_node_days: 5}]}\n"
     "                                                        ^"},
    {BASE "until: {tokens: 1e9, steps: 4}\n",
     "s.yaml:6:29: until.steps: says in another way what until.tokens says (s.yaml:6:17); leave one of them "
     "out\n"
     "    until: {tokens: 1e9, steps: 4}\n"
     "                                ^"},
    {BASE "failures: {repair: {broken: 0.5}}\n",
     "s.yaml:6:12: failures.repair.relapse: nothing comes of failures that are not mended unless they strike "
     "again: say when\n"
     "    failures: {repair: {broken: 0.5}}\n"
     "               ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD STRATEGIES
     "cluster: {chips: 4096, chips_per_slice: 64, spares: {cold: 64}}\n",
     "s.yaml:5:45: cluster.spares: 64 spare slices of 64 chips leave none of the cluster's 4096 for "
     "training\n"
     "    cluster: {chips: 4096, chips_per_slice: 64, spares: {cold: 64}}\n"
     "                                                ^"},
    {"name: t\nduration: 3600\n" REST,
     "s.yaml:2:11: duration: 3600 has no unit; expected a time such as \"30 s\"\n"
     "    duration: 3600\n"
     "              ^"},
    {"name: t\nduration: 1 GB\n" REST,
     "s.yaml:2:11: duration: \"1 GB\" is an amount of data; expected a time such as \"30 s\"\n"
     "    duration: 1 GB\n"
     "              ^"},
    {"name: t\nduration: 300 years\n" REST, "s.yaml:2:11: duration: \"300 years\" is longer than 290 years\n"
                                            "    duration: 300 years\n"
                                            "              ^"},
    {"name: t\nduration: 0 s\n" REST,
     "s.yaml:2:11: duration: must be above 0 s and at most 290 year, not \"0 s\"\n"
     "    duration: 0 s\n"
     "              ^"},
    {"name: t\nduration:\n" REST, "s.yaml:2:1: duration: has no value; expected a time such as \"30 s\"\n"
                                  "    duration:\n"
                                  "    ^"},
    {"duration: 1 h\n" REST, "s.yaml:1:1: name is missing: What results call the study.\n"
                             "    duration: 1 h\n"
                             "    ^"},
    {BASE "checkpoints: 5 min\n",
     "s.yaml:6:14: checkpoints is a section; expected a mapping with rule, interval, measure, mode, "
     "write_time, "
     "blocking_time, load_time, bytes_per_parameter, write_bandwidth, read_bandwidth, bandwidth_of, kept, "
     "memory\n"
     "    checkpoints: 5 min\n"
     "                 ^"},
    {BASE "failures:\n  enabled: yes\n",
     "s.yaml:7:12: failures.enabled: expected true or false, not \"yes\"\n"
     "      enabled: yes\n"
     "               ^"},
    {BASE "failures: {failed_step: counst}\n", "s.yaml:6:25: failures.failed_step: unknown \"counst\"; did "
                                               "you mean \"counts\"? expected one of counts, lost\n"
                                               "    failures: {failed_step: counst}\n"
                                               "                            ^"},
    {BASE "failures: {chip: {law: weibull}}\n",
     "s.yaml:6:24: failures.chip.shape: missing; the law weibull takes mean or median, shape\n"
     "    failures: {chip: {law: weibull}}\n"
     "                           ^"},
    {BASE "failures: {chip: {mtbi: 0 s}}\n", "s.yaml:6:25: failures.chip.mtbi: 0 must be finite and above 0\n"
                                             "    failures: {chip: {mtbi: 0 s}}\n"
                                             "                            ^"},
    {BASE "failures: {repair: {law: empirical, values: [1 s, 2]}}\n",
     "s.yaml:6:51: failures.repair.values: 2 has no unit; expected a time such as \"30 s\"\n"
     "    failures: {repair: {law: empirical, values: [1 s, 2]}}\n"
     "                                                      ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER "strategies: []\n",
     "s.yaml:5:1: strategies: needs at least 1 item\n"
     "    strategies: []\n"
     "    ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER,
     "s.yaml:1:1: strategies is missing: The strategies compared; "
     "each meets the same failures.\n"
     "    name: t\n"
     "    ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER
     "strategies: [{name: a, kind: all-reduce}, {name: a, kind: diloco}]\n",
     "s.yaml:5:50: strategies: a strategy before this one has the same name\n"
     "    strategies: [{name: a, kind: all-reduce}, {name: a, kind: diloco}]\n"
     "                                                     ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER "strategies: [{name: a, kind: all-redcue}]\n",
     "s.yaml:5:30: strategies.a.kind: unknown \"all-redcue\"; did you mean \"all-reduce\"? expected one of "
     "all-reduce, diloco, streaming-diloco, decoupled-diloco, gossip, gpu-overlap\n"
     "    strategies: [{name: a, kind: all-redcue}]\n"
     "                                 ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER "strategies: [{name: a, kind: diloco, quorum: 1}]\n",
     "s.yaml:5:38: diloco has no \"quorum\"; it belongs to decoupled-diloco\n"
     "    strategies: [{name: a, kind: diloco, quorum: 1}]\n"
     "                                         ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD CLUSTER "strategies:\n- {name: a, kind: diloco, learners: 100}\n",
     "s.yaml:6:37: strategies.a.learners: 100 learners need at least one slice each, and the cluster has 64\n"
     "    - {name: a, kind: diloco, learners: 100}\n"
     "                                        ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD "cluster: {chips: 256}\nstrategies:\n- {name: a, kind: diloco}\n",
     "s.yaml:6:10: strategies.a.learners: 8 learners need at least one slice each, and the cluster has 4\n"
     "    - {name: a, kind: diloco}\n"
     "             ^"},
    {BASE "until: {loss: 2}\n", "s.yaml:6:15: until.loss: nothing learns in this scenario (learning.model)\n"
                                "    until: {loss: 2}\n"
                                "                  ^"},
    {BASE "warm_up: 1 h\n", "s.yaml:6:10: warm_up: the warm-up lasts as long as the run or longer\n"
                            "    warm_up: 1 h\n"
                            "             ^"},
    {"name: t\nduration: 1 h\n" WORKLOAD "cluster: {chips: 4096, chip: TPU-V4}\n"
     "strategies: [{name: a, kind: all-reduce}]\n",
     "s.yaml:4:30: cluster.chip: unknown \"TPU-V4\"; did you mean \"tpu-v4\"? expected one of tpu-v4, "
     "tpu-v5e, "
     "tpu-v5p, "
     "tpu-v6e, tpu-v7, a40, a100, h100, h200, b200, gb200, mi250x, mi300x\n"
     "    cluster: {chips: 4096, chip: TPU-V4}\n"
     "                                 ^"},
    {BASE "failures: {chip: {mean: 1 d}}\n", "s.yaml:6:19: unknown key \"mean\"; did you mean \"mtbi\"?\n"
                                             "    failures: {chip: {mean: 1 d}}\n"
                                             "                      ^"},
    {BASE "seed: 9223372036854775808\n",
     "s.yaml:6:7: seed: expected a whole number between -2^63 and 2^63 - 1, not \"9223372036854775808\"\n"
     "    seed: 9223372036854775808\n"
     "          ^"},
    /* Once, although no strategy can run. */
    {BASE "network: {sites: [{name: x}, {name: y}]}\n",
     "s.yaml:6:1: network.links: no route from \"x\" to \"y\"; give that pair a link, or network.between a "
     "latency or "
     "bandwidth for all pairs without one\n"
     "    network: {sites: [{name: x}, {name: y}]}\n"
     "    ^"},
    {BASE "sweep: {cluster.chip: [a40, a41]}\n",
     "s.yaml:6:29: sweep: cluster.chip: unknown \"a41\"; did you mean \"a40\"? expected one of tpu-v4, "
     "tpu-v5e, "
     "tpu-v5p, "
     "tpu-v6e, tpu-v7, a40, a100, h100, h200, b200, gb200, mi250x, mi300x\n"
     "    sweep: {cluster.chip: [a40, a41]}\n"
     "                                ^"},
    {BASE "sweep: {clster.chips: [1]}\n",
     "s.yaml:6:9: no field is called \"clster.chips\"; did you mean \"cluster.chips\"?\n"
     "    sweep: {clster.chips: [1]}\n"
     "            ^"},
    {BASE "sweep: {failures.chip: [1]}\n", "s.yaml:6:9: \"failures.chip\" is a section; name a field in it\n"
                                           "    sweep: {failures.chip: [1]}\n"
                                           "            ^"},
    {BASE "sweep: {strategies.x.learners: [1]}\n", "s.yaml:6:9: the scenario has no \"strategies.x\"\n"
                                                   "    sweep: {strategies.x.learners: [1]}\n"
                                                   "            ^"},
    {BASE "sweep: {strategies.*.learners: [1]}\n", "s.yaml:6:9: all-reduce has no learners\n"
                                                   "    sweep: {strategies.*.learners: [1]}\n"
                                                   "            ^"},
    {BASE "sweep: {network.sites.*.uplink: [1 Gbit/s]}\n",
     "s.yaml:6:9: the scenario has no \"network.sites.*\"\n"
     "    sweep: {network.sites.*.uplink: [1 Gbit/s]}\n"
     "            ^"},
    {BASE "sweep: {strategies.a.learners: [1]}\n", "s.yaml:6:9: all-reduce has no learners\n"
                                                   "    sweep: {strategies.a.learners: [1]}\n"
                                                   "            ^"},
    {BASE "sweep: {cluster.chips: 1000}\n",
     "s.yaml:6:24: sweep: expected a list of values, or a range such as \"1..16 step 5\", for "
     "\"cluster.chips\"\n"
     "    sweep: {cluster.chips: 1000}\n"
     "                           ^"},
    {BASE "sweep: {cluster.chips: [1, 5..3 step 1]}\n",
     "s.yaml:6:28: sweep: cluster.chips: the lower end is not below the upper one\n"
     "    sweep: {cluster.chips: [1, 5..3 step 1]}\n"
     "                               ^"},
    {BASE "sweep: [{cluster.chips: [1, 1], seed: 1..3 step 1}]\n",
     "s.yaml:6:33: sweep: seed has 3 values, but cluster.chips, which it moves with, has 2\n"
     "    sweep: [{cluster.chips: [1, 1], seed: 1..3 step 1}]\n"
     "                                    ^"},
    {BASE "sweep: [{cluster.chips: [1]}, {cluster.chips: [2]}]\n",
     "s.yaml:6:32: sweep: cluster.chips is given twice; put all its values into one list\n"
     "    sweep: [{cluster.chips: [1]}, {cluster.chips: [2]}]\n"
     "                                   ^"},
    {BASE "sweep: [{seed: [1, 1]}]\n", "s.yaml:6:20: sweep: seed is given the value 1 twice\n"
                                       "    sweep: [{seed: [1, 1]}]\n"
                                       "                       ^"},
    {BASE "sweep: [cluster.chips]\n",
     "s.yaml:6:9: sweep: expected a mapping of paths, which move together, to lists of values\n"
     "    sweep: [cluster.chips]\n"
     "            ^"},
    {BASE "sweep: {seed: [1, 2], where: seed > duration}\n",
     "s.yaml:6:35: sweep: where: the two sides are not of one kind, as a time and a pure number are not\n"
     "    sweep: {seed: [1, 2], where: seed > duration}\n"
     "                                      ^"},
    {BASE "sweep: {seed: [1, 2], where: [\"seed > 1\", \"cluster.chis > 2\"]}\n",
     "s.yaml:6:44: no field is called \"cluster.chis\"; did you mean \"cluster.chips\"?\n"
     "    sweep: {seed: [1, 2], where: [\"seed > 1\", \"cluster.chis > 2\"]}\n"
     "                                               ^"},
    {BASE "sweep: {seed: [1, 2], where: {}}\n",
     "s.yaml:6:30: sweep: where: expected a condition such as \"cluster.chips >= 64\", or a list of them\n"
     "    sweep: {seed: [1, 2], where: {}}\n"
     "                                 ^"},
    {BASE "sweep: {cluster.chips: [1000, 1e3]}\n",
     "s.yaml:6:31: sweep: cluster.chips is given the value 1000 twice\n"
     "    sweep: {cluster.chips: [1000, 1e3]}\n"
     "                                  ^"},
    {BASE "expect: [{strategy: b, metric: goodput, min: 0}]\n",
     "s.yaml:6:21: expect.0.strategy: no strategy is called \"b\"; there are a, d\n"
     "    expect: [{strategy: b, metric: goodput, min: 0}]\n"
     "                        ^"},
    {BASE "expect: [{strategy: a, metric: godput, min: 0}]\n",
     "s.yaml:6:32: expect.0.metric: unknown \"godput\"; did you mean \"goodput\"?\n"
     "    expect: [{strategy: a, metric: godput, min: 0}]\n"
     "                                   ^"},
    {BASE "expect: [{strategy: a, metric: link_peak, min: 5}]\n",
     "s.yaml:6:48: expect.0.min: 5 has no unit; expected a data rate such as \"2 Gbit/s\"\n"
     "    expect: [{strategy: a, metric: link_peak, min: 5}]\n"
     "                                                   ^"},
    {BASE "expect: [{strategy: a, metric: 'energy:down', max: 5}]\n",
     "s.yaml:6:52: expect.0.max: 5 has no unit; expected an energy such as \"500 MWh\"\n"
     "    expect: [{strategy: a, metric: 'energy:down', max: 5}]\n"
     "                                                       ^"},
    {BASE "expect: [{strategy: a, metric: goodput, value: 80, tolerance: 4, min: -1}]\n",
     "s.yaml:6:48: expect.0.value: must be at least 0 and at most 1, not \"80\"; did you mean \"80 %\"?\n"
     "    expect: [{strategy: a, metric: goodput, value: 80, tolerance: 4, min: -1}]\n"
     "                                                   ^\n"
     "s.yaml:6:63: expect.0.tolerance: must be at least 0 and at most 1, not \"4\"; did you mean \"4 %\"?\n"
     "    expect: [{strategy: a, metric: goodput, value: 80, tolerance: 4, min: -1}]\n"
     "                                                                  ^\n"
     "s.yaml:6:71: expect.0.min: must be at least 0 and at most 1, not \"-1\"\n"
     "    expect: [{strategy: a, metric: goodput, value: 80, tolerance: 4, min: -1}]\n"
     "                                                                          ^"},
    {BASE "expect: [{strategy: a, metric: 'waste:chip', max: 5}]\n",
     "s.yaml:6:51: expect.0.max: must be at least 0 and at most 1, not \"5\"; did you mean \"5 %\"?\n"
     "    expect: [{strategy: a, metric: 'waste:chip', max: 5}]\n"
     "                                                      ^"},
    {BASE "expect: [{strategy: a, solve: cluster.mfu, until: 'goodput>=80', value: 40, range: 1 %..1}]\n",
     "s.yaml:6:73: expect.0.value: must be at least 0 and at most 1, not \"40\"; did you mean \"40 %\"?\n"
     "    expect: [{strategy: a, solve: cluster.mfu, until: 'goodput>=80', value: 40, range: 1 %..1}]\n"
     "                                                                            ^"},
    {BASE "expect: [{strategy: a, solve: duration, until: 'goodput>=80', min: 1 s}]\n",
     "s.yaml:6:49: expect.0.until: must be at least 0 and at most 1, not \"80\"; did you mean \"80 %\"?\n"
     "    expect: [{strategy: a, solve: duration, until: 'goodput>=80', min: 1 s}]\n"
     "                                                    ^"},
    {BASE "expect: [{strategy: a, metric: goodput, min: 0, confidence: 95}]\n",
     "s.yaml:6:61: expect.0.confidence: must be above 0 and at most 0.9999, not \"95\"; did you mean \"95 "
     "%\"?\n"
     "    expect: [{strategy: a, metric: goodput, min: 0, confidence: 95}]\n"
     "                                                                ^"},
    {BASE "expect: [{strategy: a, metric: velocity, min: 0}]\n",
     "s.yaml:6:32: expect.0.metric: unknown \"velocity\"; `trainstorm list metrics' lists them\n"
     "    expect: [{strategy: a, metric: velocity, min: 0}]\n"
     "                                   ^"},
    {BASE "expect: [{strategy: a, metric: goodput}]\n",
     "s.yaml:6:10: expect.0.value: nothing is expected; give a value, or min or max\n"
     "    expect: [{strategy: a, metric: goodput}]\n"
     "             ^"},
    {BASE "expect: [{strategy: a, metric: goodput, value: 1, min: 0}]\n",
     "s.yaml:6:56: expect.0.min: a value and bounds exclude each other\n"
     "    expect: [{strategy: a, metric: goodput, value: 1, min: 0}]\n"
     "                                                           ^"},
    {BASE "expect: [{strategy: a, metric: goodput, value: 1, tolerance: 0.1, relative: 0.1}]\n",
     "s.yaml:6:77: expect.0.relative: tolerance and relative exclude each other\n"
     "    expect: [{strategy: a, metric: goodput, value: 1, tolerance: 0.1, relative: 0.1}]\n"
     "                                                                                ^"},
    {BASE "replications: 2\nexpect: [{strategy: a, against: A, metric: goodput, min: 0}]\n",
     "s.yaml:7:33: expect.0.against: no strategy is called \"A\"; did you mean \"a\"?\n"
     "    expect: [{strategy: a, against: A, metric: goodput, min: 0}]\n"
     "                                    ^"},
    {BASE "expect: [{strategy: a, against: a, metric: goodput, min: 0}]\nreplications: 2\n",
     "s.yaml:6:33: expect.0.against: is the strategy itself\n"
     "    expect: [{strategy: a, against: a, metric: goodput, min: 0}]\n"
     "                                    ^"},
    {BASE
     "replications: 2\nexpect: [{strategy: a, metric: goodput, value: 0, confidence: 0.9, tolerance: 1}]\n",
     "s.yaml:7:63: expect.0.confidence: the interval is the tolerance; leave the other out\n"
     "    expect: [{strategy: a, metric: goodput, value: 0, confidence: 0.9, tolerance: 1}]\n"
     "                                                                  ^"},
    {BASE "replications: 2\nexpect: [{strategy: a, metric: goodput, value: 0, confidence: 1}]\n",
     "s.yaml:7:63: expect.0.confidence: must be above 0 and at most 0.9999, not \"1\"\n"
     "    expect: [{strategy: a, metric: goodput, value: 0, confidence: 1}]\n"
     "                                                                  ^"},
    {BASE "replications: 2\nexpect: [{strategy: a, against: reference, metric: goodput, max: 0}]\n",
     "s.yaml:7:33: expect.0.against: nothing is learned here, and so there is no reference\n"
     "    expect: [{strategy: a, against: reference, metric: goodput, max: 0}]\n"
     "                                    ^"},
    {BASE "replications: 2\nlearning: {model: quadratic}\n"
          "expect: [{strategy: a, against: refrence, metric: final_loss, max: 0}]\n",
     "s.yaml:8:33: expect.0.against: no strategy is called \"refrence\"; did you mean \"reference\"?\n"
     "    expect: [{strategy: a, against: refrence, metric: final_loss, max: 0}]\n"
     "                                    ^"},
    {BASE "expect: [{strategy: a, metric: final_loss, max: 3}]\n",
     "s.yaml:6:32: expect.0.metric: nothing is learned here; give learning.model\n"
     "    expect: [{strategy: a, metric: final_loss, max: 3}]\n"
     "                                   ^"},
    {BASE "expect: [{strategy: a, metric: mtbf, min: 5}]\n",
     "s.yaml:6:43: expect.0.min: 5 has no unit; expected a time such as \"30 s\"\n"
     "    expect: [{strategy: a, metric: mtbf, min: 5}]\n"
     "                                              ^"},
    {BASE "expect: [{strategy: a, metric: goodput, min: 1, at: {nowhere: 1}}]\n",
     "s.yaml:6:54: no field is called \"nowhere\"\n"
     "    expect: [{strategy: a, metric: goodput, min: 1, at: {nowhere: 1}}]\n"
     "                                                         ^"},
    {BASE "expect: [{strategy: d, solve: network.wan.bandwith, until: 'steps>=5', min: 0}]\n",
     "s.yaml:6:31: no field is called \"network.wan.bandwith\"; did you mean \"network.wan.bandwidth\"?\n"
     "    expect: [{strategy: d, solve: network.wan.bandwith, until: 'steps>=5', min: 0}]\n"
     "                                  ^"},
    {BASE "expect: [{strategy: d, solve: cluster.chip, until: 'steps>=5', min: 0}]\n",
     "s.yaml:6:31: cluster.chip is no number\n"
     "    expect: [{strategy: d, solve: cluster.chip, until: 'steps>=5', min: 0}]\n"
     "                                  ^"},
    {BASE "expect: [{strategy: d, solve: strategies.b.learners, until: 'steps>=5', min: 0, range: 1..2}]\n",
     "s.yaml:6:31: the scenario has no \"strategies.b\"\n"
     "    expect: [{strategy: d, solve: strategies.b.learners, until: 'steps>=5', min: 0, range: 1..2}]\n"
     "                                  ^"},
    {BASE "expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0}]\n",
     "s.yaml:6:10: expect.0.range: say where to look: give a range, LO..HI, or a grid\n"
     "    expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0}]\n"
     "             ^"},
    {BASE "expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0, range: 8..8}]\n",
     "s.yaml:6:80: expect.0.range: the lower end is not below the upper one\n"
     "    expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0, range: 8..8}]\n"
     "                                                                                   ^"},
    {BASE "expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0, range: 0..8}]\n",
     "s.yaml:6:80: expect.0.range: must be at least 1 and at most 1e12, not \"0\"\n"
     "    expect: [{strategy: d, solve: cluster.chips, until: 'steps>=5', min: 0, range: 0..8}]\n"
     "                                                                                   ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, grid: 1..9 d}]\n",
     "s.yaml:6:76: expect.0.grid: expected \"1..16 step 5\", \"0..1, 11 points\" or \"log 0.1..1000 Gbit/s, "
     "50 points\", with the field's unit\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, grid: 1..9 d}]\n"
     "                                                                               ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, grid: '1..9 d, 1 points'}]\n",
     "s.yaml:6:77: expect.0.grid: a grid has from 2 to 10000 points\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, grid: '1..9 d, 1 points'}]\n"
     "                                                                                ^"},
    {BASE
     "expect: [{strategy: d, solve: warm_up, until: 'steps>=5', min: 1 s, grid: 'log 0..9 s, 5 points'}]\n",
     "s.yaml:6:76: expect.0.grid: a logarithmic grid begins above 0\n"
     "    expect: [{strategy: d, solve: warm_up, until: 'steps>=5', min: 1 s, grid: 'log 0..9 s, 5 "
     "points'}]\n"
     "                                                                               ^"},
    {BASE
     "expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, range: 1..2 d, grid: none}]\n",
     "s.yaml:6:77: expect.0.range: a grid and a range exclude each other\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, range: 1..2 d, grid: none}]\n"
     "                                                                                ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: goodput, min: 1 s}]\n",
     "s.yaml:6:48: expect.0.until: expected METRIC>=VALUE or METRIC<=VALUE, such as \"goodput>=0.9\"\n"
     "    expect: [{strategy: d, solve: duration, until: goodput, min: 1 s}]\n"
     "                                                   ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'mtbf>=5', min: 1 s}]\n",
     "s.yaml:6:49: expect.0.until: 5 has no unit; expected a time such as \"30 s\"\n"
     "    expect: [{strategy: d, solve: duration, until: 'mtbf>=5', min: 1 s}]\n"
     "                                                    ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'godput>=5', min: 1 s}]\n",
     "s.yaml:6:49: expect.0.until: no metric is called \"godput\"; did you mean \"goodput\"?\n"
     "    expect: [{strategy: d, solve: duration, until: 'godput>=5', min: 1 s}]\n"
     "                                                    ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'final_loss<=3', min: 1 s}]\n",
     "s.yaml:6:49: expect.0.until: nothing is learned here; give learning.model\n"
     "    expect: [{strategy: d, solve: duration, until: 'final_loss<=3', min: 1 s}]\n"
     "                                                    ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'steps>=5'}]\n",
     "s.yaml:6:10: expect.0.value: nothing is expected; give a value, or min or max\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5'}]\n"
     "             ^"},
    {BASE "expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, at: {duration: 1 d}}]\n",
     "s.yaml:6:70: expect.0.at: sets what is to be solved for\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, at: {duration: 1 d}}]\n"
     "                                                                         ^"},
    {BASE
     "expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, at: {strategies.b.bits: 2}}]\n",
     "s.yaml:6:70: the scenario has no \"strategies.b\"\n"
     "    expect: [{strategy: d, solve: duration, until: 'steps>=5', min: 1 s, at: {strategies.b.bits: 2}}]\n"
     "                                                                         ^"},
    {"", "s.yaml:1:1: the file is empty; a scenario has at least a name, a duration and strategies"},
    {"- 1\n", "s.yaml:1:1: a scenario is a mapping of keys to values\n    - 1\n    ^"},
    {"name: t\nseed: -1\nduration: 5\n" REST, "s.yaml:2:7: seed: must be at least 0, not \"-1\"\n"
                                              "    seed: -1\n"
                                              "          ^\n"
                                              "s.yaml:3:11: duration: 5 has no unit; expected a time such as "
                                              "\"30 s\"\n"
                                              "    duration: 5\n"
                                              "              ^"},
};

START_TEST(a_fault_is_told_with_its_place)
{
    struct error error;
    struct scenario *scenario = load(refusals[_i].yaml, NULL, 0, &error);
    ck_assert_ptr_null(scenario);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, refusals[_i].message);
}
END_TEST

static const struct {
    struct scenario_override override;
    const char *message;
} broken_overrides[] = {
    {{"no.such.path", "3", "--set"},
     "--set no.such.path=3: unknown key \"no\"; expected one of name, description, notes, seed, "
     "replications, "
     "duration, "
     "warm_up, chaos_file, until, workload, cluster, stragglers, network, failures, checkpoints, chaos, "
     "chaos_limits, chaos_schedule, learning, strategies, expect, sweep\n"
     "    no.such.path=3\n"
     "    ^"},
    {{"duration", "5", "--set"},
     "--set duration=5: 5 has no unit; expected a time such as \"30 s\"\n"
     "    duration=5\n"
     "             ^"},
    {{"cluster.chips", "-4", "--axis"},
     "--axis cluster.chips=-4: must be at least 1 and at most 1e12, not \"-4\"\n"
     "    cluster.chips=-4\n"
     "                  ^"},
    {{"strategies.d.quorum", "2", "--set"},
     "--set strategies.d.quorum=2: diloco has no \"quorum\"; it belongs to decoupled-diloco\n"
     "    strategies.d.quorum=2\n"
     "                 ^"},
    {{"strategies.x.learners", "2", "sweep"},
     "sweep strategies.x.learners=2: no item of the list is called \"x\"; there are \"a\", \"d\"\n"
     "    strategies.x.learners=2\n"
     "               ^"},
    {{"strategies.d.learners", "1000", "sweep"},
     "sweep strategies.d.learners=1000: 1000 learners need at least one slice each, "
     "and "
     "the cluster has 64\n"
     "    strategies.d.learners=1000\n"
     "                          ^"},
    {{"seed", "x", "--seed"},
     "--seed x: expected a whole number, not \"x\"\n"
     "    seed=x\n"
     "         ^"},
    {{"learning.inner.optimizer", "adam", "--optimizer"},
     "--optimizer adam: unknown \"adam\"; did you mean \"adamw\"? expected one of adamw, sgd, muon\n"
     "    learning.inner.optimizer=adam\n"
     "                             ^"},
    {{"strategies.1.learners", "1000", "--set"},
     "--set strategies.1.learners=1000: strategies.d.learners: 1000 learners need at least one slice each, "
     "and "
     "the cluster has 64\n"
     "    strategies.1.learners=1000\n"
     "                          ^"},
    {{"description", "\"a\nb", "--set"},
     "--set description=...: not valid YAML: double-quoted scalar without closing quote\n"
     "    description=\"a\n"
     "                 ^"},
};

START_TEST(a_fault_of_an_override_names_it)
{
    struct error error;
    struct scenario *scenario = load(BASE, &broken_overrides[_i].override, 1, &error);
    ck_assert_ptr_null(scenario);
    ck_assert_str_eq(error.message, broken_overrides[_i].message);
}
END_TEST

START_TEST(a_printed_scenario_reads_well)
{
    static const char printed[] = "name: t\n"
                                  "seed: 1\n"
                                  "replications: 1\n"
                                  "duration: 1 d\n"
                                  "warm_up: 0 s\n"
                                  "workload:\n"
                                  "  parameters: 5e9\n"
                                  "  tokens_per_step: 4194304\n"
                                  "  step_time: 5 s\n";
    static const char ending[] = "expect:\n"
                                 "  - strategy: a\n"
                                 "    metric: wan_bytes\n"
                                 "    max: 3 GB\n"
                                 "    at: {cluster.chips: 1000}\n"
                                 "sweep:\n"
                                 "  cluster.chips: [1000, 4096]\n"
                                 "  failures.chip.mtbi: [1 d, 1 year]\n";
    struct scenario *scenario =
        load_good("sweep: {cluster.chips: [1e3, 4096], failures.chip.mtbi: [24 h, 365 d]}\n"
                  "expect: [{max: 24 Gbit, at: {cluster.chips: 1e3}, strategy: a, metric: wan_bytes}]\n"
                  "duration: 86400 s\nname: t\n" REST,
                  NULL, 0);
    char *text = scenario_print(scenario);
    ck_assert_int_eq(strncmp(text, printed, strlen(printed)), 0);
    ck_assert_str_eq(text + strlen(text) - strlen(ending), ending);
    check_stable(scenario, "the scenario");
    free(text);
    scenario_destroy(scenario);
}
END_TEST

/* What is asked of a field; the order is the table's, and texts come back as they were. */
/* The default of what another field says would be a second statement. */
START_TEST(what_another_field_says_is_not_printed)
{
    struct scenario *scenario =
        load_good(BASE "failures: {processes: [{name: p, unit: host, per_1000_node_days: 5},\n"
                       "  {name: q, unit: host, every: 1 d}]}\n",
                  NULL, 0);
    char *text = scenario_print(scenario);
    const char *first = strstr(text, "- name: p"), *second = first ? strstr(first, "- name: q") : NULL;
    const char *law = first ? strstr(first, "life:\n        law: exponential\n      initial_age") : NULL;
    ck_assert_ptr_nonnull(second);
    ck_assert(law && law < second);
    ck_assert_ptr_null(strstr(second, "life:"));
    ck_assert_ptr_null(strstr(second, "lemon:"));
    free(text);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(solved_expectations_are_read_and_come_back)
{
    static const char ending[] = "expect:\n"
                                 "  - strategy: d\n"
                                 "    solve: network.wan.bandwidth\n"
                                 "    until: \"wan_bytes<=1 GB\"\n"
                                 "    value: 290 Mbit/s\n"
                                 "    relative: 0.1\n"
                                 "    at: {strategies.d.learners: 4}\n"
                                 "  - strategy: a\n"
                                 "    solve: duration\n"
                                 "    until: \"goodput>=90 %\"\n"
                                 "    grid: \"log 1..100 h, 3 points\"\n"
                                 "    min: 1 h\n";
    struct scenario *scenario = load_good("expect: [{strategy: d, value: 0.29 Gbit/s, until: wan_bytes<=1 "
                                          "GB, solve: network.wan.bandwidth, relative: 10 %, "
                                          "at: {strategies.d.learners: 4}}, {solve: duration, strategy: a, "
                                          "min: 60 min, until: 'goodput>=90 %', "
                                          "grid: 'log 1..100 h, 3 points'}]\n" BASE,
                                          NULL, 0);
    const struct scenario_expectation *first = scenario->expectations, *second = first + 1;
    ck_assert_str_eq(first->metric, "network.wan.bandwidth");
    ck_assert_str_eq(first->target.metric, "wan_bytes");
    ck_assert(!first->target.at_least);
    ck_assert_double_eq(first->target.value, 1e9); /* bytes, as results have them */
    ck_assert_double_eq(first->value, 2.9e8);
    ck_assert_double_nan(first->confidence);
    double present = scenario->simulation.network.wan_bandwidth; /* the range is around it */
    ck_assert_double_eq(first->search.low, present / 1e4);
    ck_assert_double_eq(first->search.high, present * 1e4);
    ck_assert_int_eq(first->search.points, 0);
    ck_assert(second->target.at_least);
    ck_assert_double_eq(second->target.value, 0.9);
    ck_assert_int_eq(second->search.points, 3);
    ck_assert(second->search.logarithmic);
    ck_assert_double_eq_tol(scenario_search_point(&second->search, 1), 36000, 1e-9);
    char *text = scenario_print(scenario);
    ck_assert_str_eq(text + strlen(text) - strlen(ending), ending);
    check_stable(scenario, "the scenario");
    free(text);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(lines_are_printed_as_lines)
{
    struct scenario *scenario = load_good("description: \"one\\n\\n  two\\n\"\n" BASE, NULL, 0);
    char *text = scenario_print(scenario);
    ck_assert_ptr_nonnull(strstr(text, "\ndescription: |\n  one\n\n    two\nseed: 1\n"));
    free(text);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(texts_of_all_kinds_come_back)
{
    static const char *const texts[] = {"plain words",
                                        "3",
                                        "true",
                                        "null",
                                        "~",
                                        "a: b",
                                        "a #b",
                                        "- x",
                                        "[x]",
                                        "'x'",
                                        "\"",
                                        "back\\slash",
                                        " blanks ",
                                        "a\nb\n",
                                        "\ttab",
                                        "é ☃",
                                        "\x7f",
                                        "yes",
                                        "x: {y}",
                                        "&a",
                                        "*a",
                                        "!t",
                                        "\xe2\x80\xa8",
                                        "%TAG",
                                        "@at",
                                        "`",
                                        "1e5",
                                        ".5",
                                        "0x10",
                                        "2020-01-01",
                                        "two\nlines",
                                        "two\nlines\n",
                                        "a\n\nb: é\n  c\n",
                                        "x\n\n",
                                        " x\ny",
                                        "\nx",
                                        "x \ny",
                                        "x\ny ",
                                        "\n",
                                        "a\n\tb",
                                        "# x\n- y\n",
                                        "a\r\nb",
                                        "\n\n",
                                        "---\n...\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scenario *scenario = load_good(BASE, NULL, 0);
        scenario->description = (char *)texts[i];
        char *printed = scenario_print(scenario);
        scenario_destroy(scenario);
        scenario = load_good(printed, NULL, 0);
        ck_assert_str_eq(scenario->description, texts[i]);
        scenario_destroy(scenario);
        free(printed);
    }
}
END_TEST

static void check_folder(const char *pattern)
{
    const char *root = getenv("top_srcdir");
    char path[4096];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", pattern);
    if (glob(path, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct scenario_text text;
        struct error error = {0};
        ck_assert_msg(scenario_text_read(found.gl_pathv[i], &text, &error), "%s", error.message);
        struct scenario *scenario = scenario_create(&text, NULL, 0, &error);
        ck_assert_msg(scenario != NULL, "%s", error.message);
        check_stable(scenario, found.gl_pathv[i]);
        scenario_destroy(scenario);
        scenario_text_free(&text);
    }
    globfree(&found);
}

START_TEST(shipped_scenarios_load_and_print_stably)
{
    check_folder("scenarios/*.yaml");
    check_folder("scenarios/validation/*.yaml");
}
END_TEST

/* One of some texts, which may hold a number. */
static void pick(struct sim_stream *stream, struct scenario_override *override, char value[64],
                 const char *path, const char *const *texts, size_t count)
{
    double number =
        (double)sim_stream_below(stream, 100000) / (double)(1 + sim_stream_below(stream, 1000)) + 0.001;
    snprintf(value, 64, texts[sim_stream_below(stream, count)], number);
    *override = (struct scenario_override){path, value, "--set"};
}

#define PICK(path, ...)                                                                                      \
    do {                                                                                                     \
        const char *const texts[] = {__VA_ARGS__};                                                           \
        if (sim_stream_below(&stream, 2)) {                                                                  \
            pick(&stream, &overrides[count], values[count], path, texts, sizeof texts / sizeof *texts);      \
            count++;                                                                                         \
        }                                                                                                    \
    } while (0)

#define ANY_TIME "%.0f s", "%g ms", "%.3g h", "%g min", "%.17g s", "%.1f d"

START_TEST(scenarios_made_by_chance_print_stably)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 3, 0, 0, (uint64_t)_i);
    int loaded = 0;
    for (int i = 0; i < 20; i++) {
        struct scenario_override overrides[16];
        char values[16][64];
        size_t count = 0;
        PICK("checkpoints.interval", ANY_TIME);
        PICK("checkpoints.write_time", ANY_TIME);
        PICK("failures.restart_time", ANY_TIME);
        PICK("failures.repair.mean", ANY_TIME, "%g year");
        PICK("failures.chip", "{law: weibull, shape: 0.7, mtbi: %g d}",
             "{law: uniform, low: 1 d, high: 9 %% year}", "{law: log-normal, median: %g d, sigma: 0.5}",
             "{law: gamma, shape: 2}", "{law: empirical, values: [1 d, %g h]}", "{mtbi: %g d}");
        PICK("stragglers.step", "{law: normal, mean: %g, deviation: 0.1}", "{mean: %.17g}",
             "{law: exponential}");
        PICK("network.wan.bandwidth", "%g Gbit/s", "%g MB/s", "%.17g kbit/s", "%.17g GiB/h", "%.0f Gbps");
        PICK("network.wan.latency", "%g ms", "%g us", "%.0f ns");
        PICK("workload.parameters", "%.0fe9", "%.17g", "2e%%");
        PICK("workload.step_time", "%g s", "%.17g min");
        PICK("cluster.mfu", "12 %%", "0.%.0f", "1");
        PICK("cluster.groups", "[{chip: a40, share: %g}, {chip: h100, mfu: 0.3}]", "[]", "[{chip: a100}]");
        PICK("strategies.d.outer_rate", "%g", "%.17g", "7 %%");
        PICK("seed", "%.0f");
        struct error error;
        struct scenario *scenario = load(BASE, overrides, count, &error);
        if (scenario)
            check_stable(scenario, "a random scenario");
        else
            ck_assert_int_eq(error.kind, ERROR_INPUT);
        loaded += scenario != NULL;
        scenario_destroy(scenario);
    }
    ck_assert_int_ge(loaded, 5); /* most are right */
}
END_TEST

START_TEST(a_file_is_read_or_refused_by_name)
{
    struct scenario_text text;
    struct error error = {0};
    ck_assert(!scenario_text_read("no/such/nowhere.yaml", &text, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, "no/such/nowhere.yaml: No such file or directory");
    error = (struct error){0};
    ck_assert(!scenario_text_read("/", &text, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, "/: Is a directory");
    error = (struct error){0};
    ck_assert(!scenario_text_read("/dev/zero", &text, &error));
    ck_assert_str_eq(error.message, "/dev/zero: larger than 1 MiB; this is no scenario");
    error = (struct error){0};
    ck_assert(scenario_text_read("/dev/null", &text, &error));
    ck_assert_uint_eq(text.length, 0);
    scenario_text_free(&text);
}
END_TEST

/* FIPS 180-2, Appendix B. */
START_TEST(the_digest_is_sha_256)
{
    char digest[65];
    scenario_digest("abc", digest);
    ck_assert_str_eq(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

static Suite *scenario_suite(void)
{
    Suite *suite = suite_create("scenario");
    TCase *loading = tcase_create("loading");
    tcase_add_test(loading, what_is_left_out_has_its_default);
    tcase_add_test(loading, strategies_have_the_options_of_their_kind);
    tcase_add_test(loading, everything_can_be_given);
    tcase_add_loop_test(loading, a_sweep_is_printed_as_it_is_meant, 0, (int)(sizeof sweeps / sizeof *sweeps));
    tcase_add_test(loading, overrides_come_in_their_order);
    tcase_add_test(loading, a_file_is_read_or_refused_by_name);
    tcase_add_test(loading, the_digest_is_sha_256);
    suite_add_tcase(suite, loading);

    TCase *refusing = tcase_create("refusing");
    tcase_add_loop_test(refusing, a_fault_is_told_with_its_place, 0, COUNT(refusals));
    tcase_add_loop_test(refusing, a_fault_of_an_override_names_it, 0, COUNT(broken_overrides));
    suite_add_tcase(suite, refusing);

    TCase *printing = tcase_create("printing");
    tcase_add_test(printing, a_printed_scenario_reads_well);
    tcase_add_test(printing, lines_are_printed_as_lines);
    tcase_add_test(printing, what_another_field_says_is_not_printed);
    tcase_add_test(printing, solved_expectations_are_read_and_come_back);
    tcase_add_test(printing, texts_of_all_kinds_come_back);
    tcase_add_test(printing, shipped_scenarios_load_and_print_stably);
    tcase_add_loop_test(printing, scenarios_made_by_chance_print_stably, 0, 20);
    suite_add_tcase(suite, printing);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(scenario_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
