/*
 * Files that a scenario names: what is loaded stands alone, and faults point into the file.
 */
#include "models/hardware/cluster.h"
#include "scenarios/scenario.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/trainstorm-files-XXXXXX";

static void make_folder(void)
{
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    static const char *const names[] = {"chips.csv", "times.json", "times.txt", "pipe"};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    fclose(file);
}

#define BEGINNING "name: t\nduration: 1 h\nworkload: {parameters: 1e9, tokens_per_step: 1e6}\n"
#define STRATEGIES "strategies: [{name: a, kind: all-reduce}]\n"

/* Loads MIDDLE between the parts that every scenario has, as a file in the folder. */
static struct scenario *load(const char *middle, struct error *error)
{
    char name[200], bytes[2000];
    snprintf(name, sizeof name, "%s/scenario.yaml", folder);
    snprintf(bytes, sizeof bytes, BEGINNING "%s" STRATEGIES, middle);
    struct scenario_text text = {name, bytes, strlen(bytes)};
    return scenario_create(&text, NULL, 0, error);
}

static struct scenario *load_well(const char *middle)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario *scenario = load(middle, &error);
    ck_assert_msg(scenario, "%s", error.message);
    return scenario;
}

/* Fails unless MIDDLE is refused with a message that ends its first line on WANTED. */
static void assert_refused(const char *middle, const char *wanted)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario *scenario = load(middle, &error);
    ck_assert_ptr_null(scenario);
    ck_assert_msg(strncmp(error.message, folder, strlen(folder)) == 0, "%s", error.message);
    const char *message = error.message + strlen(folder) + 1;
    ck_assert_msg(strncmp(message, wanted, strlen(wanted)) == 0, "%s", message);
}

#define OWN "cluster: {chips: 64, chip: quick, catalogue_file: chips.csv}\n"

START_TEST(chips_of_a_file_can_be_used)
{
    write_file("chips.csv", "# ours\n\nname, tflops_bf16,chips_per_host,price_per_hour\nquick,1000,16,3.5\n"
                            "h100,,,2 \n");
    struct scenario *scenario = load_well(OWN);
    struct cluster_group group = cluster_group(&scenario->simulation.cluster, 0);
    ck_assert_str_eq(group.chip.name, "quick");
    ck_assert_double_eq(group.chip.flops, 1e15);
    ck_assert_int_eq(group.chip.host_chips, 16);
    ck_assert_int_eq(group.chip.domain_chips, 16);
    ck_assert_double_eq(group.price_per_hour, 3.5);
    scenario->simulation.cluster.chip = 7;
    group = cluster_group(&scenario->simulation.cluster, 0);
    ck_assert_str_eq(group.chip.name, "h100");
    ck_assert_double_eq(group.chip.flops, 989e12);
    ck_assert_double_eq(group.price_per_hour, 2);
    scenario_destroy(scenario);
}
END_TEST

/* What is printed names no file, and loads again to the same text. */
START_TEST(what_is_printed_stands_alone)
{
    write_file("chips.csv", "name,tflops_bf16\nquick,1000\n");
    write_file("times.json", "{\"step_t_base\": {\"16\": 2.5, \"17\": 3, \"20\": 2}}");
    struct scenario *scenario =
        load_well(OWN "stragglers: {step: {law: empirical, median: 1, values: times.json}}\n");
    char *text = scenario_print(scenario);
    scenario_destroy(scenario);
    remove_folder();
    ck_assert_ptr_nonnull(strstr(text, "values: [2.5, 3, 2]"));
    ck_assert_ptr_nonnull(strstr(text, "chip: quick"));
    struct error error = {.kind = ERROR_NONE};
    struct scenario_text again = {(char[]){"printed"}, text, strlen(text)};
    scenario = scenario_create(&again, NULL, 0, &error);
    ck_assert_msg(scenario, "%s", error.message);
    char *second = scenario_print(scenario);
    ck_assert_str_eq(second, text);
    free(second);
    free(text);
    scenario_destroy(scenario);
}
END_TEST

START_TEST(measured_times_have_the_unit_that_their_field_needs)
{
    write_file("times.txt", "time\n# in seconds, but for one\n60 # short\n 2 min\r\n180\n");
    struct scenario *scenario = load_well("cluster: {chips: 64}\nfailures: {repair: {law: empirical, values: "
                                          "times.txt}}\n");
    const struct sim_values *values = &scenario->simulation.failures.repair.values;
    ck_assert_uint_eq(values->count, 3);
    ck_assert_double_eq(values->values[1], 120);
    scenario_destroy(scenario);
}
END_TEST

static const struct {
    const char *file, *text, *middle, *message;
} refused[] = {
    {"chips.csv", "name,tflop_bf16\nquick,1\n", OWN,
     "chips.csv:1:6: unknown column \"tflop_bf16\"; did you mean \"tflops_bf16\"?"},
    {"chips.csv", "name,tflops_bf16\nquick,fast\n", OWN, "chips.csv:2:7: cluster.catalogue.quick.flops: "},
    {"chips.csv", "name,tflops_bf16\nquick,-1\n", OWN,
     "chips.csv:2:7: cluster.catalogue.quick.flops: must be"},
    {"chips.csv", "name,tflops_bf16\n\nquick\n", OWN, "chips.csv:3:1: 1 value for 2 columns"},
    {"chips.csv", "name,name\nquick,1\n", OWN, "chips.csv:1:6: column \"name\" is there twice"},
    {"chips.csv", "name,hbm_gb\nquick,1\n", OWN, "chips.csv:2:1: cluster.catalogue.quick.flops is missing"},
    {"chips.csv", "name,tflops_bf16\nquick,1\nquick,2\n", OWN,
     "chips.csv:3:1: cluster.catalogue: a chip before"},
    {"chips.csv", "# nothing\n", OWN, "chips.csv:1:1: no chips"},
    {"chips.csv", "name,tflops_bf16\nquick,1\n",
     "cluster: {chips: 64, chip: quik, catalogue_file: chips.csv}\n",
     "scenario.yaml:4:28: cluster.chip: unknown \"quik\"; did you mean \"quick\"?"},
    {"times.txt", "1\n2\nthree\n",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: times.txt}}\n",
     "times.txt:3:1: stragglers.step.values: \"three\" is no number"},
    {"times.txt", "step,rank,time\n1,0,60\n2,0,61\n",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: times.txt}}\n",
     "times.txt:1:6: a second column"},
    {"times.txt", "1 60\n2 61\n",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: times.txt}}\n",
     "times.txt:1:3: a second column"},
    {"times.txt", "60\n61 GB\n",
     "cluster: {chips: 64}\nfailures: {repair: {law: empirical, values: times.txt}}\n", "times.txt:2:1: "},
    {"times.json", "{\"a\": 1}",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: times.json}}\n",
     "times.json:1:1: expected a list of numbers"},
    {"times.json", "[1, 2",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: times.json}}\n", "times.json:1:"},
    {"times.json", "[1, 2]",
     "cluster: {chips: 64}\nstragglers: {step: {law: empirical, values: time.json}}\n",
     "scenario.yaml:5:45: "},
};

START_TEST(faults_point_into_the_file)
{
    write_file(refused[_i].file, refused[_i].text);
    assert_refused(refused[_i].middle, refused[_i].message);
}
END_TEST

/* Reading it would wait for a writer. */
START_TEST(a_pipe_is_not_read)
{
    char path[200];
    snprintf(path, sizeof path, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    assert_refused("cluster: {chips: 64, catalogue_file: pipe}\n", "scenario.yaml:4:38: ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("files");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, chips_of_a_file_can_be_used);
    tcase_add_test(tests, what_is_printed_stands_alone);
    tcase_add_test(tests, measured_times_have_the_unit_that_their_field_needs);
    tcase_add_loop_test(tests, faults_point_into_the_file, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, a_pipe_is_not_read);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
