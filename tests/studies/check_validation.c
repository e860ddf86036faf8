/*
 * The two forms of published against simulated, to the letter, for results made by hand.
 */
#include "studies/validation.h"
#include "studies/validation_figures.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char expectations[] =
    "description: Two figures and a bound.\n"
    "expect:\n"
    "  - {strategy: plain, at: {cluster.chips: 1024}, metric: goodput, value: 0.72, tolerance: 0.04, "
    "source: Table 1}\n"
    "  - {strategy: plain, at: {cluster.chips: 2048}, metric: goodput, value: 0.57, tolerance: 0.04, "
    "source: Table 1}\n"
    "  - {strategy: elastic, at: {cluster.chips: 2048}, metric: goodput, min: 0.9, source: the text}\n"
    "  - {strategy: plain, at: {cluster.chips: 2048}, metric: mtbf, value: 50 s, relative: 0.1, "
    "source: 'ours: by hand'}\n"
    "sweep: {cluster.chips: [1024, 2048]}\n";

static struct expectation_result figures[] = {
    {.point = 0, .wanted = 0.72, .tolerance = 0.04, .got = 0.7075, .met = true},
    {.point = 1, .wanted = 0.57, .tolerance = 0.04, .got = 0.62, .met = false},
    {.point = 1, .wanted = 0.9, .tolerance = NAN, .got = 0.95, .met = true},
    {.point = 1, .wanted = 50, .tolerance = 5, .got = 52.5, .met = true},
};

typedef char *validation_form(const struct plan *, const struct expectation_results *);

/* The text of ITEMS for the expectations of the fixture with MORE lines after it, one item each. */
static void expect_text_of(const char *more, struct expectation_result *items, size_t count,
                           validation_form *form, const char *wanted)
{
    struct plan *plan = fixture_plan(more, true);
    struct expectation_results results = {.items = items, .count = count};
    ck_assert_uint_eq(plan->base->expectation_count, count);
    for (size_t i = 0; i < count; i++) {
        items[i].expectation = &plan->base->expectations[i];
        results.missed += !items[i].met;
    }
    char *text = form(plan, &results);
    ck_assert_str_eq(text, wanted);
    free(text);
    plan_destroy(plan);
}

static void expect_text(validation_form *form, const char *wanted)
{
    expect_text_of(expectations, figures, 4, form, wanted);
}

START_TEST(plain_text_has_a_row_for_each)
{
    expect_text(
        validation_table,
        "fixture: Two figures and a bound.\n"
        "\n"
        "strategy  point               metric   published     tolerance  simulated   difference\n"
        "plain     cluster.chips=1024  goodput     72.0 %  ± 4.0 points     70.8 %  -1.2 points  met\n"
        "plain     cluster.chips=2048  goodput     57.0 %  ± 4.0 points     62.0 %  +5.0 points  missed\n"
        "elastic   cluster.chips=2048  goodput   ≥ 90.0 %                   95.0 %               met\n"
        "plain     cluster.chips=2048  mtbf          50 s         ± 5 s     52.5 s       +5.0 %  met\n"
        "\n"
        "3 of 4 expectations met.\n"
        "goodput: 2 figures, largest difference 5.0 points, mean 3.1.\n"
        "mtbf: 1 figure, largest difference 5.0 %, mean 5.0.\n");
}
END_TEST

START_TEST(markdown_has_a_table_for_each_metric)
{
    expect_text(validation_markdown, "## fixture\n"
                                     "\n"
                                     "Two figures and a bound.\n"
                                     "\n"
                                     "Published in Table 1; the text.\n"
                                     "\n"
                                     "goodput, published / simulated:\n"
                                     "\n"
                                     "| strategy | cluster.chips=1024 | cluster.chips=2048 |\n"
                                     "|---|---:|---:|\n"
                                     "| plain | 72.0 % / 70.8 % | 57.0 % / 62.0 % (missed) |\n"
                                     "| elastic | | ≥ 90.0 % / 95.0 % |\n"
                                     "\n"
                                     "mtbf, published / simulated:\n"
                                     "\n"
                                     "| strategy | cluster.chips=2048 |\n"
                                     "|---|---:|\n"
                                     "| plain | 50 s / 52.5 s |\n"
                                     "\n"
                                     "- 3 of 4 expectations met.\n"
                                     "- goodput: 2 figures, largest difference 5.0 points, mean 3.1.\n"
                                     "- mtbf: 1 figure, largest difference 5.0 %, mean 5.0.\n");
}
END_TEST

static const char many_points[] =
    "expect:\n"
    "  - {strategy: plain, metric: time_to_finish, value: 2 d, confidence: 0.99}\n"
    "until: {steps: 100}\n"
    "sweep: {cluster.chips: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n";

/* Nine columns would be too wide. */
START_TEST(markdown_lists_the_figures_of_many_points)
{
    struct plan *plan = fixture_plan(many_points, true);
    struct expectation_result items[9];
    for (size_t i = 0; i < 9; i++)
        items[i] = (struct expectation_result){.expectation = plan->base->expectations,
                                               .point = i,
                                               .wanted = 172800,
                                               .got = 172800 + 864 * (double)i,
                                               .low = i ? 172800 : NAN,
                                               .high = i ? 172800 + 1728 * (double)i : NAN,
                                               .met = i < 8};
    struct expectation_results results = {.items = items, .count = 9, .missed = 1};
    char *text = validation_markdown(plan, &results);
    const char *list = strstr(text, "time_to_finish:\n");
    ck_assert_ptr_nonnull(list);
    static const char head[] = "time_to_finish:\n\n"
                               "| strategy | cluster.chips | expected | simulated | difference | interval |\n"
                               "|---|---|---:|---:|---:|---:|\n"
                               "| plain | 1 | 2 d | 2 d | +0.000 % | |\n"
                               "| plain | 2 | 2 d | 2.01 d | +0.500 % | ± 0.50 % |\n";
    ck_assert_int_eq(strncmp(list, head, strlen(head)), 0);
    ck_assert_ptr_nonnull(strstr(list, "\n| plain | 9 | 2 d | 2.08 d (missed) | +4.000 % | ± 4.00 % |\n\n"));
    free(text);
    plan_destroy(plan);
}
END_TEST

/* Of what is learned, at the base point alone, nothing of it published. */
static const char learned[] =
    "learning: {model: quadratic}\n"
    "expect:\n"
    "  - {strategy: plain, metric: final_loss, value: 2.5, tolerance: 0.1, source: ours}\n"
    "  - {strategy: elastic, against: reference, metric: final_loss, max: 0, source: ours}\n"
    "  - {strategy: elastic, metric: loss_over_reference, max: 0.01}\n"
    "  - {strategy: elastic, against: plain, metric: time_to_loss, value: -0.1, confidence: 0.99}\n"
    "  - {strategy: plain, metric: loss_over_reference, value: 0.01, confidence: 0.9}\n"
    "  - {strategy: plain, metric: time_to_loss, max: 1 h}\n"
    "  - {strategy: plain, metric: final_loss, min: 2}\n";

static struct expectation_result learned_figures[] = {
    {.wanted = 2.5, .tolerance = 0.1, .got = 2.52345, .low = 2.5, .high = 2.55, .met = true},
    {.wanted = 0, .tolerance = NAN, .got = -0.003, .low = -0.0051, .high = -0.0009, .met = true},
    {.wanted = 0.01, .tolerance = NAN, .got = 0.004, .low = 0.003, .high = 0.005, .met = true},
    {.wanted = -0.1, .tolerance = 0.03, .got = NAN, .low = NAN, .high = NAN, .met = false},
    {.wanted = 0.01, .tolerance = 0.005, .got = 0.02, .low = 0.015, .high = 0.025, .met = false},
    {.wanted = 3600, .tolerance = NAN, .got = 1800, .low = NAN, .high = NAN, .met = true},
    {.wanted = 2, .tolerance = NAN, .got = 2.52345, .low = 2.5, .high = 2.55, .met = true},
};

START_TEST(plain_text_has_a_table_of_differences)
{
    expect_text_of(
        learned, learned_figures, 7, validation_table,
        "fixture\n"
        "\n"
        "strategy  metric                   expected     tolerance   simulated   difference            "
        "interval\n"
        "plain     final_loss             2.5000 nat  ± 0.1000 nat  2.5234 nat       +0.9 %                  "
        "    met\n"
        "elastic   loss_over_reference       ≤ 1.0 %                     0.4 %                               "
        "    met\n"
        "plain     loss_over_reference         1.0 %  ± 0.5 points       2.0 %  +1.0 points  [1.5, 2.5] at "
        "90 %  missed\n"
        "plain     time_to_loss             ≤ 3600 s                    1800 s                               "
        "    met\n"
        "plain     final_loss           ≥ 2.0000 nat                2.5234 nat                               "
        "    met\n"
        "\n"
        "strategy  against    metric        expected  tolerance  difference              interval\n"
        "elastic   reference  final_loss       ≤ 0 %                 -0.3 %  [-0.5, -0.1] at 95 %  met\n"
        "elastic   plain      time_to_loss     -10 %      ± 3 %        none                        missed\n"
        "\n"
        "5 of 7 expectations met.\n"
        "final_loss: 1 figure, largest difference 0.9 %, mean 0.9.\n"
        "loss_over_reference: 1 figure, largest difference 1.0 points, mean 1.0.\n");
}
END_TEST

START_TEST(markdown_has_a_table_of_differences)
{
    expect_text_of(learned, learned_figures, 7, validation_markdown,
                   "## fixture\n"
                   "\n"
                   "Expected / simulated:\n"
                   "\n"
                   "| strategy | final_loss | loss_over_reference | time_to_loss |\n"
                   "|---|---:|---:|---:|\n"
                   "| plain | 2.5000 nat / 2.5234 nat; ≥ 2.0000 nat / 2.5234 nat | 1.0 % / 2.0 % [1.5, 2.5] "
                   "(missed) | ≤ 3600 s / 1800 s |\n"
                   "| elastic | | ≤ 1.0 % / 0.4 % | |\n"
                   "\n"
                   "Differences between strategies over the same replications, with the interval:\n"
                   "\n"
                   "| strategies | metric | expected | difference | confidence |\n"
                   "|---|---|---:|---:|---:|\n"
                   "| elastic against reference | final_loss | ≤ 0 % | -0.3 % [-0.5, -0.1] | 95 % |\n"
                   "| elastic against plain | time_to_loss | -10 % | none (missed) | 99 % |\n"
                   "\n"
                   "- 5 of 7 expectations met.\n"
                   "- final_loss: 1 figure, largest difference 0.9 %, mean 0.9.\n"
                   "- loss_over_reference: 1 figure, largest difference 1.0 points, mean 1.0.\n");
}
END_TEST

START_TEST(what_expects_nothing_says_so)
{
    expect_text_of("", learned_figures, 0, validation_table,
                   "fixture\n\nNothing is expected of this scenario.\n");
}
END_TEST

/* Of what fields have to be: two rows that differ in one of the fields set beside, three targets. */
static const char solved[] =
    "expect:\n"
    "  - {strategy: plain, metric: goodput, min: 0.7, source: Table 4}\n"
    "  - {strategy: plain, solve: network.wan.bandwidth, until: 'uptime>=0.5', value: 1.9 Gbit/s, relative: "
    "0.08,"
    " at: {workload.parameters: 1e9, failures.chip.mtbi: 5 d}, source: Table 4}\n"
    "  - {strategy: plain, solve: network.wan.bandwidth, until: 'uptime>=95 %', value: 80 Gbit/s, relative: "
    "0.08,"
    " at: {workload.parameters: 1e9, failures.chip.mtbi: 5 d}}\n"
    "  - {strategy: plain, solve: network.wan.bandwidth, until: 'uptime>=0.5', max: 20 Gbit/s,"
    " at: {failures.chip.mtbi: 5 d, workload.parameters: 1e11}}\n"
    "  - {strategy: elastic, solve: network.wan.bandwidth, until: 'uptime>=50 %', value: 500 Mbit/s,"
    " at: {failures.chip.mtbi: 5 d}}\n"
    "  - {strategy: plain, solve: cluster.chips, range: 64..4096, until: 'mtbf<=1 h', value: 512}\n"
    "  - {strategy: elastic, solve: cluster.chips, range: 64..4096, until: 'mtbf<=1 h', value: 256, at:"
    " {strategies.elastic.elastic: true, duration: 2 d, network.sites.b.share: 0, network.sites.c.share: 0,"
    " network.sites.a.uplink: 1 Gbit/s, network.sites.d.share: 0}}\n"
    "network: {wan: {bandwidth: 10 Gbit/s}, between: {latency: 1 ms}, sites: [{name: a}, {name: b}, {name: "
    "c}, {name: d}]}\n";

static struct expectation_result solved_figures[] = {
    {.wanted = 0.7, .tolerance = NAN, .got = 0.75, .met = true},
    {.wanted = 1.9, .tolerance = 0.152, .got = 1.91234, .met = true, .unit = "Gbit/s"},
    {.wanted = 80, .tolerance = 6.4, .got = 95.5, .met = false, .unit = "Gbit/s"},
    {.wanted = 20, .tolerance = NAN, .got = NAN, .unit = "Gbit/s", .status = SEARCH_NONE_MEETS},
    {.wanted = 0.5, .tolerance = 0, .got = NAN, .unit = "Gbit/s", .status = SEARCH_ALL_MEET},
    {.wanted = 512, .tolerance = 0, .got = 512, .met = true, .unit = "1"},
    {.wanted = 256, .tolerance = 0, .got = 256, .met = true, .unit = "1"},
};

START_TEST(values_of_fields_stand_by_strategy_and_target)
{
    expect_text_of(solved, solved_figures, 7, validation_table,
                   "fixture\n"
                   "\n"
                   "strategy  metric   published  tolerance  simulated  difference\n"
                   "plain     goodput   ≥ 70.0 %                75.0 %              met\n"
                   "\n"
                   "network.wan.bandwidth in Gbit/s for uptime, published / simulated:\n"
                   "\n"
                   "strategy  at                                   ≥ 50 %              ≥ 95 %\n"
                   "plain     parameters 1e9                  1.9 / 1.912  80 / 95.5 (missed)\n"
                   "plain     parameters 1e11  ≤ 20 / none meets (missed)\n"
                   "elastic                       0.5 / all meet (missed)\n"
                   "\n"
                   "cluster.chips for mtbf, published / simulated:\n"
                   "\n"
                   "strategy  at                                                               ≤ 3600 s\n"
                   "plain                                                                     512 / 512\n"
                   "elastic   elastic true, sites share 0 (b, c, d), sites a uplink 1 Gbit/s  256 / 256\n"
                   "\n"
                   "4 of 7 expectations met.\n"
                   "network.wan.bandwidth: 2 figures, largest difference 19.4 %, mean 10.0.\n"
                   "cluster.chips: 2 figures, largest difference 0.0 %, mean 0.0.\n");
}
END_TEST

START_TEST(markdown_has_the_same_cells)
{
    expect_text_of(
        solved, solved_figures, 7, validation_markdown,
        "## fixture\n"
        "\n"
        "Published in Table 4.\n"
        "\n"
        "Published / simulated:\n"
        "\n"
        "| strategy | goodput |\n"
        "|---|---:|\n"
        "| plain | ≥ 70.0 % / 75.0 % |\n"
        "\n"
        "network.wan.bandwidth in Gbit/s for uptime, published / simulated:\n"
        "\n"
        "| strategy | at | ≥ 50 % | ≥ 95 % |\n"
        "|---|---|---:|---:|\n"
        "| plain | parameters 1e9 | 1.9 / 1.912 | 80 / 95.5 (missed) |\n"
        "| plain | parameters 1e11 | ≤ 20 / none meets (missed) | |\n"
        "| elastic | | 0.5 / all meet (missed) | |\n"
        "\n"
        "cluster.chips for mtbf, published / simulated:\n"
        "\n"
        "| strategy | at | ≤ 3600 s |\n"
        "|---|---|---:|\n"
        "| plain | | 512 / 512 |\n"
        "| elastic | elastic true, sites share 0 (b, c, d), sites a uplink 1 Gbit/s | 256 / 256 |\n"
        "\n"
        "- 4 of 7 expectations met.\n"
        "- network.wan.bandwidth: 2 figures, largest difference 19.4 %, mean 10.0.\n"
        "- cluster.chips: 2 figures, largest difference 0.0 %, mean 0.0.\n");
}
END_TEST

START_TEST(figures_have_units_that_suit_them)
{
    static const struct {
        const char *metric;
        double value;
        const char *text;
    } samples[] = {
        {"wan_bytes", 9.58e12, "≥ 9.58 TB"}, {"link_peak", 2.5e9, "≥ 2.5 Gbit/s"},
        {"mtbf", 5000, "≥ 5000 s"},          {"steps", 12345, "≥ 12345"},
        {"goodput", 0.957, "≥ 95.7 %"},      {"energy", 1200, "≥ 1.2 MWh"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct scenario_expectation expectation = {.metric = (char *)samples[i].metric};
        char cell[VALIDATION_CELL_SIZE];
        validation_put_figure(cell, &expectation, "≥ ", samples[i].value);
        ck_assert_str_eq(cell, samples[i].text);
    }
    const struct scenario_expectation sent = {.metric = (char *)samples[0].metric};
    const struct expectation_result got = {.expectation = &sent, .got = 5e12, .low = 4.8e12, .high = 5.2e12};
    char cell[VALIDATION_CELL_SIZE];
    validation_put_interval(cell, &got);
    ck_assert_str_eq(cell, "[4.8, 5.2]");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("validation");
    TCase *forms = tcase_create("forms");
    tcase_add_test(forms, plain_text_has_a_row_for_each);
    tcase_add_test(forms, markdown_has_a_table_for_each_metric);
    tcase_add_test(forms, markdown_lists_the_figures_of_many_points);
    tcase_add_test(forms, plain_text_has_a_table_of_differences);
    tcase_add_test(forms, markdown_has_a_table_of_differences);
    tcase_add_test(forms, figures_have_units_that_suit_them);
    tcase_add_test(forms, what_expects_nothing_says_so);
    tcase_add_test(forms, values_of_fields_stand_by_strategy_and_target);
    tcase_add_test(forms, markdown_has_the_same_cells);
    suite_add_tcase(suite, forms);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
