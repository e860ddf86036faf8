/*
 * The two forms of published against simulated, to the letter, for results made by hand.
 */
#include "studies/validation.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static const char expectations[] =
    "description: Two figures and a bound.\n"
    "expect:\n"
    "  - {strategy: plain, at: {cluster.chips: 1024}, metric: goodput, value: 0.72, tolerance: 0.04, "
    "source: Table 1}\n"
    "  - {strategy: plain, at: {cluster.chips: 2048}, metric: goodput, value: 0.57, tolerance: 0.04, "
    "source: Table 1}\n"
    "  - {strategy: elastic, at: {cluster.chips: 2048}, metric: goodput, min: 0.9, source: the text}\n"
    "  - {strategy: plain, at: {cluster.chips: 2048}, metric: mtbf, value: 50 s, relative: 0.1}\n"
    "sweep: {cluster.chips: [1024, 2048]}\n";

static struct expectation_result figures[] = {
    {.point = 0, .wanted = 0.72, .tolerance = 0.04, .got = 0.7075, .met = true},
    {.point = 1, .wanted = 0.57, .tolerance = 0.04, .got = 0.62, .met = false},
    {.point = 1, .wanted = 0.9, .tolerance = NAN, .got = 0.95, .met = true},
    {.point = 1, .wanted = 50, .tolerance = 5, .got = 52.5, .met = true},
};

static struct expectation_results results_of(const struct plan *plan)
{
    ck_assert_uint_eq(plan->base->expectation_count, 4);
    for (size_t i = 0; i < 4; i++)
        figures[i].expectation = &plan->base->expectations[i];
    return (struct expectation_results){.items = figures, .count = 4, .missed = 1};
}

static void expect_text(char *(*form)(const struct plan *, const struct expectation_results *),
                        const char *wanted)
{
    struct plan *plan = fixture_plan(expectations, true);
    struct expectation_results results = results_of(plan);
    char *text = form(plan, &results);
    ck_assert_str_eq(text, wanted);
    free(text);
    plan_destroy(plan);
}

START_TEST(plain_text_has_a_row_for_each)
{
    expect_text(
        validation_table,
        "fixture: Two figures and a bound.\n"
        "\n"
        "strategy  point               metric   published  tolerance  simulated   difference\n"
        "plain     cluster.chips=1024  goodput     72.0 %    ± 4.0 %     70.8 %  -1.2 points  met\n"
        "plain     cluster.chips=2048  goodput     57.0 %    ± 4.0 %     62.0 %  +5.0 points  missed\n"
        "elastic   cluster.chips=2048  goodput   ≥ 90.0 %                95.0 %               met\n"
        "plain     cluster.chips=2048  mtbf          50 s      ± 5 s     52.5 s       +5.0 %  met\n"
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

int main(void)
{
    Suite *suite = suite_create("validation");
    TCase *forms = tcase_create("forms");
    tcase_add_test(forms, plain_text_has_a_row_for_each);
    tcase_add_test(forms, markdown_has_a_table_for_each_metric);
    suite_add_tcase(suite, forms);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
