/*
 * Networks in scenarios: how little has to be written, what is refused and where, what a data rate is, and
 * files that are taken in.
 */
#include "models/network/sites.h"
#include "scenarios/scenario.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASE                                                                                                 \
    "name: t\nduration: 1 h\n"                                                                               \
    "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}\n"                                \
    "cluster: {chips: 4096, chips_per_slice: 64}\n"                                                          \
    "strategies: [{name: a, kind: all-reduce}, {name: d, kind: diloco, learners: 4}]\n"
#define NETWORK BASE "network:\n"

static struct scenario *load_as(const char *name, const char *yaml, const struct scenario_override *overrides,
                                size_t count, struct error *error)
{
    char *bytes = strdup(yaml), *path = strdup(name);
    const struct scenario_text text = {path, bytes, strlen(bytes)};
    *error = (struct error){0};
    struct scenario *scenario = scenario_create(&text, overrides, count, error);
    free(bytes);
    free(path);
    return scenario;
}

static struct scenario *load_good(const char *yaml)
{
    struct error error;
    struct scenario *scenario = load_as("s.yaml", yaml, NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    return scenario;
}

START_TEST(two_sites_are_four_lines)
{
    struct scenario *scenario =
        load_good(NETWORK "  sites: [{name: a, learners: 1}, {name: b, learners: 3}]\n"
                          "  between: {bandwidth: 2 Gbit/s, latency: 30 ms}\n");
    const struct network_config *network = &scenario->simulation.network;
    ck_assert_uint_eq(network->sites.count, 2);
    ck_assert_str_eq(sites_of(network)[1].name, "b");
    ck_assert_int_eq(sites_of(network)[1].learners, 3);
    ck_assert_double_nan(sites_of(network)[1].uplink);
    ck_assert_double_eq(network->between.bandwidth, 2e9);
    ck_assert_double_nan(network->wan_bandwidth); /* with sites, only where it is set */
    ck_assert_int_eq(network->wan_latency, PARAMETER_UNSET);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(with_sites_an_access_link_is_there_where_set)
{
    struct scenario *scenario =
        load_good(NETWORK "  wan: {bandwidth: 5 Gbit/s}\n  sites: [{name: a}, {name: b}]\n"
                          "  between: {latency: 1 ms}\n");
    ck_assert_double_eq(scenario->simulation.network.wan_bandwidth, 5e9);
    ck_assert_int_eq(scenario->simulation.network.wan_latency, PARAMETER_UNSET);
    scenario_destroy(scenario);
    scenario = load_good(BASE);
    ck_assert_double_eq(scenario->simulation.network.wan_bandwidth, 100e9);
    ck_assert_int_eq(scenario->simulation.network.wan_latency, 30 * SIM_MILLISECOND);
    scenario_destroy(scenario);
}
END_TEST

static const char *const rates[] = {"2 Gb/s",  "2 Gbit/s",  "250 MB/s",  "2 Gbps",
                                    "2Gbit/s", "0.25 GB/s", "2000 Mbps", "2e9 bit/s"};

START_TEST(a_data_rate_is_what_it_says)
{
    char yaml[2000];
    snprintf(yaml, sizeof yaml,
             NETWORK "  wan: {bandwidth: %s}\n  sites: [{name: a, uplink: %s}, {name: b, downlink: %s}]\n"
                     "  links: [{from: a, to: b, bandwidth: %s}]\n  between: {bandwidth: %s}\n",
             rates[_i], rates[_i], rates[_i], rates[_i], rates[_i]);
    struct scenario *scenario = load_good(yaml);
    const struct network_config *network = &scenario->simulation.network;
    ck_assert_double_eq(network->wan_bandwidth, 2e9);
    ck_assert_double_eq(sites_of(network)[0].uplink, 2e9);
    ck_assert_double_eq(sites_of(network)[1].downlink, 2e9);
    ck_assert_double_eq(((const struct network_link *)network->links.items)->bandwidth, 2e9);
    ck_assert_double_eq(network->between.bandwidth, 2e9);
    scenario_destroy(scenario);
}
END_TEST

#define SITES "  sites: [{name: a}, {name: b}, {name: c}]\n"
#define BETWEEN "  between: {latency: 1 ms}\n"

/* 60 bytes, of which a name may have 63. */
#define LONG "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdef"

static const struct {
    const char *yaml, *message; /* the beginning of the message */
} refusals[] = {
    {"  sites: [{name: " LONG "1234}]\n",
     "s.yaml:7:18: network.sites.0.name: names are at most 63 bytes long"},
    {"  sites: [{name: " LONG "123}, {name: a, backbone: " LONG "5678}]\n" BETWEEN
     "  backbones: [{name: " LONG "5678, bandwidth: 1 Gbit/s}]\n",
     "s.yaml:9:22: network.backbones.0.name: names are at most 63 bytes long"},
    {"  wan: {bandwidth: 2 GB}\n",
     "s.yaml:7:20: network.wan.bandwidth: \"2 GB\" is an amount of data; expected a data rate"},
    {"  sites: [{name: a, uplink: 2 Gb}]\n",
     "s.yaml:7:29: network.sites.a.uplink: \"2 Gb\" is an amount of data; expected a data rate"},
    {"  sites: [{name: a, uplink: -1 Gbit/s}]\n", "s.yaml:7:29: network.sites.a.uplink: "},
    {"  sites: [{name: a, uplink: 2}]\n", "s.yaml:7:29: network.sites.a.uplink: 2 has no unit"},
    {"  sites: [{name: a}, {name: a}]\n" BETWEEN,
     "s.yaml:7:29: network.sites.a.name: there is a \"a\" before this one"},
    {"  sites: [{name: ''}]\n", "s.yaml:7:19: network.sites.0.name: is empty"},
    {"  sites: [{learners: 1}]\n", "s.yaml:7:11: network.sites.0.name is missing"},
    {"  sites: [{name: a, learners: 1}, {name: b, share: 1}]\n" BETWEEN,
     "s.yaml:7:52: network.sites.b.share: sites give their learners or their shares, not both"},
    {"  sites: [{name: a, learners: 0}, {name: b}]\n" BETWEEN,
     "s.yaml:7:3: network.sites: no site has learners"},
    {"  sites: [{name: a, uplink: 2 Gbit/s, downlink: 1 Gbit/s, duplex: half}]\n",
     "s.yaml:7:49: network.sites.a.downlink: with half duplex"},
    {"  sites: [{name: a, downlink: 1 Gbit/s, duplex: half}]\n",
     "s.yaml:7:31: network.sites.a.downlink: with half duplex"},
    {"  sites: [{name: a, loss: 1}]\n",
     "s.yaml:7:27: network.sites.a.loss: a loss of 1 lets nothing through"},
    {"  sites: [{name: a, loss: 2 %}, {name: b, loss: 120 %}]\n" BETWEEN,
     "s.yaml:7:49: network.sites.b.loss: "},
    {"  sites: [{name: a, backbone: x}]\n",
     "s.yaml:7:31: network.sites.a.backbone: there is no backbone \"x\" in network.backbones"},
    {"  sites: [{name: a, profile: x, uplink: 1 Gbit/s}]\n",
     "s.yaml:7:30: network.sites.a.profile: there is no profile \"x\" in network.profiles"},
    {"  sites: [{name: a, profile: x}]\n  profiles: [{name: x}]\n",
     "s.yaml:7:30: network.sites.a.profile: there is no uplink whose bandwidth could change"},
    {SITES BETWEEN "  links: [{from: a, to: d}]\n",
     "s.yaml:9:25: network.links.0.to: there is no site \"d\" in network.sites"},
    {SITES BETWEEN "  links: [{from: a, to: a}]\n",
     "s.yaml:9:25: network.links.0.to: a link joins two sites"},
    {SITES BETWEEN "  links: [{from: a, to: b}, {from: b, to: c}, {from: b, to: a}]\n",
     "s.yaml:9:61: network.links.2.to: there is a link from \"b\" to \"a\" already"},
    {SITES BETWEEN "  links: [{from: a, to: b, one_way: true}, {from: a, to: b, one_way: true}]\n",
     "s.yaml:9:58: network.links.1.to: there is a link from \"a\" to \"b\" already"},
    {SITES BETWEEN "  links: [{from: a, to: b, one_way: true, duplex: half}]\n",
     "s.yaml:9:51: network.links.0.duplex: a link of one way"},
    {SITES BETWEEN "  links: [{from: a, to: b, loss: 1}]\n",
     "s.yaml:9:34: network.links.0.loss: a loss of 1"},
    {SITES BETWEEN "  links: [{from: a}]\n", "s.yaml:9:11: network.links.0.to is missing"},
    {SITES BETWEEN "  backbones: [{name: x}]\n", "s.yaml:9:15: network.backbones.x.bandwidth is missing"},
    {SITES "  links: [{from: a, to: b}]\n",
     "s.yaml:8:3: network.links: no route from \"a\" to \"c\"; give that pair a link"},
    {SITES, "s.yaml:6:1: network.links: no route"}, /* once, at the section, whatever strategies there are */
    {"  links: [{from: a, to: b}]\n", "s.yaml:7:3: network.links: there are no sites to link"},
    {"  backbones: [{name: x, bandwidth: 1 Gbit/s}]\n", "s.yaml:7:3: network.backbones: there are no sites"},
    {"  between: {bandwidth: 1 Gbit/s}\n", "s.yaml:7:3: network.between: there are no sites"},
    {SITES "  wan: {profile: x}\n  profiles: [{name: x}]\n" BETWEEN,
     "s.yaml:8:18: network.wan.profile: there is no bandwidth that could change"},
    {SITES "  between: {latency: 1 ms, profile: x}\n  profiles: [{name: x}]\n",
     "s.yaml:8:37: network.between.profile: there is no bandwidth that could change"},
    {"  profiles: [{name: x, schedule: {at: [0 s, 1 h], factor: [1]}}]\n",
     "s.yaml:7:35: network.profiles.x.schedule.at: 2 times and 1 factors"},
    {"  profiles: [{name: x, schedule: {at: [2 h, 1 h], factor: [1, 0]}}]\n",
     "s.yaml:7:35: network.profiles.x.schedule.at: times begin at 0 s at least and increase"},
    {"  profiles: [{name: x, schedule: {at: [1 h], factor: [-1]}}]\n",
     "s.yaml:7:46: network.profiles.x.schedule.factor: -1 is below 0"},
    {"  profiles: [{name: x, schedule: {at: [1 h], factor: [1], every: 1 h}}]\n",
     "s.yaml:7:66: network.profiles.x.schedule.every: is over before the last time"},
    {"  profiles: [{name: x, schedule: {every: 1 h}}]\n",
     "s.yaml:7:42: network.profiles.x.schedule.every: there is no schedule to repeat"},
    {"  profiles: [{name: x, random: {factor: {low: 0, high: 1}}}]\n",
     "s.yaml:7:33: network.profiles.x.random.factor: needs random.lasting beside it"},
    {"  profiles: [{name: x, outages: {lasting: {mean: 1 h}}}]\n",
     "s.yaml:7:34: network.profiles.x.outages.lasting: needs outages.after beside it"},
    {"  profiles: [{name: x, random: {factor: {low: 1}, lasting: {mean: 1 h}}}]\n",
     "s.yaml:7:33: network.profiles.x.random.factor.high: missing"},
    {"  profiles: [{name: x, outages: {after: {mean: 1 us}, lasting: {mean: 1 us}}}]\n"
     "  wan: {profile: x}\n",
     NULL}, /* a floor of a millisecond keeps it possible */
};

START_TEST(a_fault_is_told_with_its_place)
{
    char yaml[3000];
    struct error error;
    snprintf(yaml, sizeof yaml, NETWORK "%s", refusals[_i].yaml);
    struct scenario *scenario = load_as("s.yaml", yaml, NULL, 0, &error);
    if (!refusals[_i].message) {
        ck_assert_msg(scenario != NULL, "%s", error.message);
        scenario_destroy(scenario);
        return;
    }
    ck_assert_ptr_null(scenario);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strncmp(error.message, refusals[_i].message, strlen(refusals[_i].message)) == 0,
                  "%s\nfor\n%s", error.message, refusals[_i].message);
}
END_TEST

/* A partition, and outages that never heal, are no faults. */
START_TEST(no_bandwidth_is_allowed)
{
    scenario_destroy(load_good(NETWORK SITES "  links: [{from: a, to: b, bandwidth: 0 bit/s}]\n"
                                             "  between: {bandwidth: 0 bit/s, profile: x}\n"
                                             "  profiles: [{name: x, outages: {after: {mean: 1 h}, lasting: "
                                             "{law: constant, mean: 100 year}}}]\n"));
}
END_TEST

#define EVERYTHING                                                                                           \
    NETWORK "  wan: {bandwidth: 1 Gbit/s, profile: p}\n"                                                     \
            "  connections: 3\n"                                                                             \
            "  sites:\n"                                                                                     \
            "  - {name: a b, share: 0.5, uplink: 1 Gbit/s, downlink: 2 Gbit/s, latency: 1 ms, loss: 1 %,\n"  \
            "     jitter: 1 us, inner: {bandwidth: 1 Tbit/s, latency: 10 us}, price: 0.09, backbone: x}\n"   \
            "  - {name: 'y', uplink: 0 bit/s, duplex: half, profile: p, share: 1}\n"                         \
            "  links: [{from: 'y', to: a b, bandwidth: 1 Gbit/s, loss: 0.001, jitter: 3 ms, price: 0.02,\n"  \
            "     backbone: x, profile: p, one_way: true}]\n"                                                \
            "  between: {bandwidth: 3 Gbit/s, latency: 1 s, duplex: half, loss: 1e-5, jitter: 1 ms,\n"       \
            "     price: 0.1, backbone: x, profile: p}\n"                                                    \
            "  backbones: [{name: x, bandwidth: 9 Gbit/s, duplex: half, profile: p}]\n"                      \
            "  profiles: [{name: p, schedule: {at: [0 s, 8 h], factor: [1, 0.5], every: 1 d},\n"             \
            "     daily: {lowest: 30 %, at: 3 h}, random: {factor: {low: 0.1, high: 1},\n"                   \
            "     lasting: {mean: 1 min}}, outages: {after: {mean: 1 d}, lasting: {law: weibull,\n"          \
            "     mean: 1 min, shape: 0.5}}}]\n"

START_TEST(a_network_is_printed_and_read_again)
{
    struct scenario *scenario = load_good(EVERYTHING);
    char *once = scenario_print(scenario);
    scenario_destroy(scenario);
    scenario = load_good(once);
    char *twice = scenario_print(scenario);
    ck_assert_str_eq(once, twice);
    const struct network_config *network = &scenario->simulation.network;
    ck_assert_double_eq(sites_of(network)[0].loss, 0.01);
    ck_assert_int_eq(network->between.duplex, DUPLEX_HALF);
    scenario_destroy(scenario);
    free(once);
    free(twice);
}
END_TEST

/* A folder with the files of a test. */
static char folder[] = "/tmp/check_network_XXXXXX";

static const char *in_folder(const char *name, char path[200])
{
    snprintf(path, 200, "%s/%s", folder, name);
    return path;
}

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char path[200];
    unlink(in_folder("sites.yaml", path));
    unlink(in_folder("pipe", path));
    rmdir(folder);
}

static void write_sites(const char *text)
{
    char path[200];
    FILE *file = fopen(in_folder("sites.yaml", path), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static struct scenario *load_here(const char *yaml, const struct scenario_override *overrides, size_t count,
                                  struct error *error)
{
    char path[200];
    return load_as(in_folder("s.yaml", path), yaml, overrides, count, error);
}

#define FILE_SITES                                                                                           \
    "network:\n  sites: [{name: a, uplink: 1 Gbit/s}, {name: b, uplink: 2 Gbit/s}, {name: c}]\n"             \
    "  links: [{from: a, to: b, bandwidth: 3 Gbit/s}]\n  between: {latency: 7 ms}\n"

START_TEST(a_file_is_taken_in)
{
    struct error error;
    write_sites(FILE_SITES);
    struct scenario *scenario =
        load_here(NETWORK "  file: sites.yaml\n  sites: [{name: b, learners: 3}, {name: d, learners: 1}]\n"
                          "  between: {bandwidth: 5 Gbit/s}\n",
                  NULL, 0, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    const struct network_config *network = &scenario->simulation.network;
    static const char *const wanted[] = {"b", "d", "a", "c"};
    ck_assert_uint_eq(network->sites.count, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_str_eq(sites_of(network)[i].name, wanted[i]);
    ck_assert_double_eq(sites_of(network)[0].uplink, 2e9);
    ck_assert_int_eq(sites_of(network)[0].learners, 3);
    ck_assert_uint_eq(network->links.count, 1);
    ck_assert_double_eq(network->between.bandwidth, 5e9);
    ck_assert_int_eq(network->between.latency, 7 * SIM_MILLISECOND);
    char *printed = scenario_print(scenario);
    ck_assert_ptr_null(strstr(printed, "sites.yaml")); /* self-contained */
    scenario_destroy(scenario);
    scenario = load_good(printed);
    scenario_destroy(scenario);
    free(printed);
}
END_TEST

START_TEST(overrides_speak_of_a_file_and_its_sites)
{
    struct error error;
    write_sites(FILE_SITES);
    const struct scenario_override overrides[] = {{"network.sites.a.uplink", "9 Gbit/s", "--set"},
                                                  {"network.file", "sites.yaml", "--set"}};
    struct scenario *scenario = load_here(BASE, overrides, 2, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    ck_assert_double_eq(sites_of(&scenario->simulation.network)[0].uplink, 9e9);
    scenario_destroy(scenario);
    scenario = load_here(NETWORK "  file: elsewhere.yaml\n", overrides, 2, &error);
    ck_assert_msg(scenario != NULL, "%s", error.message);
    scenario_destroy(scenario);
}
END_TEST

static void expect_refused(const char *file, const char *wanted)
{
    struct error error;
    write_sites(file);
    ck_assert_ptr_null(load_here(NETWORK "  file: sites.yaml\n", NULL, 0, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, wanted) != NULL, "%s\nfor\n%s", error.message, wanted);
}

START_TEST(what_is_wrong_in_a_file_is_told_there)
{
    expect_refused("network:\n  sites: [{name: a, uplink: 2 GB}]\n",
                   "/sites.yaml:2:29: network.sites.a.uplink: \"2 GB\" is an amount of data");
    expect_refused("network: {sites: [{name: a}]\n", "/sites.yaml:");
    expect_refused("network: {sites: []}\nname: x\n", "/sites.yaml:2:1: only \"network\" is taken in");
    expect_refused("network: {file: sites.yaml}\n",
                   "/sites.yaml:1:11: a file that is taken in takes in no other");
    expect_refused("sites: []\n",
                   "/sites.yaml:1:1: a file that a scenario takes in has a section \"network\"");
    expect_refused("", "/sites.yaml:1:1: a file that a scenario takes in has a section \"network\"");
    expect_refused("network: 3\n",
                   "/sites.yaml:1:1: a file that a scenario takes in has a section \"network\"");
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named)
{
    struct error error;
    char path[200];
    ck_assert_ptr_null(load_here(NETWORK "  file: nowhere.yaml\n", NULL, 0, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "/s.yaml:7:9: "));
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere.yaml: No such file or directory"));
    ck_assert_int_eq(mkfifo(in_folder("pipe", path), 0600), 0);
    ck_assert_ptr_null(load_here(NETWORK "  file: pipe\n", NULL, 0, &error)); /* without waiting */
    ck_assert_ptr_nonnull(strstr(error.message, "/pipe: not a regular file"));
    ck_assert_ptr_null(load_here(NETWORK "  file: [a, b]\n", NULL, 0, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "/s.yaml:7:9: "));
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("network");
    TCase *tests = tcase_create("network");
    tcase_add_test(tests, two_sites_are_four_lines);
    tcase_add_test(tests, with_sites_an_access_link_is_there_where_set);
    tcase_add_loop_test(tests, a_data_rate_is_what_it_says, 0, COUNT(rates));
    tcase_add_loop_test(tests, a_fault_is_told_with_its_place, 0, COUNT(refusals));
    tcase_add_test(tests, no_bandwidth_is_allowed);
    tcase_add_test(tests, a_network_is_printed_and_read_again);
    suite_add_tcase(suite, tests);
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_test(files, a_file_is_taken_in);
    tcase_add_test(files, overrides_speak_of_a_file_and_its_sites);
    tcase_add_test(files, what_is_wrong_in_a_file_is_told_there);
    tcase_add_test(files, a_file_that_cannot_be_read_is_named);
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
