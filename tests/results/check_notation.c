#include "models/learning/metrics.h"
#include "models/training/budget.h"
#include "models/training/result.h"
#include "results/notation.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    double number;
    const char *text;
};

START_TEST(counts)
{
    static const struct sample samples[] = {
        {0, "0"},           {7, "7"},
        {57.24, "57.2"},    {999.6, "1,000"},
        {3602, "3,602"},    {-1234567, "-1,234,567"},
        {1e6, "1,000,000"}, {9999999, "9,999,999"},
        {53.1e9, "53.1 G"},
    };
    char text[NOTATION_LENGTH];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        notation_count(text, samples[i].number);
        ck_assert_str_eq(text, samples[i].text);
    }
}
END_TEST

START_TEST(suffixes)
{
    static const struct sample samples[] = {
        {0, "0"},          {1, "1.00"},         {12, "12.0"},     {999.4, "999"},
        {999.6, "1.00 k"}, {53.12e9, "53.1 G"}, {49e9, "49.0 G"}, {9e12, "9.00 T"},
        {1e21, "1000 E"},  {-2.5e6, "-2.50 M"},
    };
    char text[NOTATION_LENGTH];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        notation_suffixed(text, samples[i].number);
        ck_assert_str_eq(text, samples[i].text);
    }
}
END_TEST

START_TEST(ticks)
{
    static const struct sample samples[] = {
        {150000, "150k"}, {1200000, "1.2M"}, {2400000, "2.4M"}, {1024, "1,024"}, {8192, "8,192"},
        {12, "12"},       {0.5, "0.5"},      {13.5, "13.5"},    {1e9, "1G"},     {1234567, "1,234,567"},
        {0, "0"},
    };
    char text[NOTATION_LENGTH];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        notation_short(text, samples[i].number);
        ck_assert_str_eq(text, samples[i].text);
    }
}
END_TEST

START_TEST(losses)
{
    char text[NOTATION_LENGTH];
    notation_loss(text, 2.34512, NAN);
    ck_assert_str_eq(text, "2.3451");
    notation_loss(text, 2.34512, 0.0023);
    ck_assert_str_eq(text, "2.3451 ± 0.0023");
    notation_loss(text, 2.34512, 0.3);
    ck_assert_str_eq(text, "2.35 ± 0.30");
    notation_loss(text, 2.34512, 4e-9);
    ck_assert_str_eq(text, "2.34512 ± 0.00000");
    notation_loss(text, 2.34512, 0);
    ck_assert_str_eq(text, "2.3451 ± 0.0000");
    notation_loss(text, 1.5e9, NAN);
    ck_assert_str_eq(text, "1.5e+09");
    ck_assert(notation_is_loss("final_loss") && !notation_is_loss("time_to_loss"));
}
END_TEST

START_TEST(intervals)
{
    char text[NOTATION_LENGTH];
    notation_interval(text, 15.0754e9, 61e6);
    ck_assert_str_eq(text, "15.075 ± 0.061 G");
    notation_interval(text, 15.0754e9, 0.61e9);
    ck_assert_str_eq(text, "15.08 ± 0.61 G");
    notation_interval(text, 500, 12);
    ck_assert_str_eq(text, "500 ± 12");
    notation_interval(text, 0, 0);
    ck_assert_str_eq(text, "0.00 ± 0.00");
    notation_interval(text, 49e9, NAN);
    ck_assert_str_eq(text, "49.0 G");
}
END_TEST

START_TEST(durations)
{
    static const struct sample samples[] = {
        {86400, "1 d"},  {5400, "1.5 h"},  {26.28, "26.3 s"},
        {600, "10 min"}, {0.03, "0.03 s"}, {3153600000, "3.65e+04 d"},
    };
    char text[NOTATION_LENGTH];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        notation_duration(text, samples[i].number);
        ck_assert_str_eq(text, samples[i].text);
    }
}
END_TEST

START_TEST(quantities)
{
    static const struct {
        const char *text, *base;
        double value;
    } samples[] = {
        {"1200000", "", 1200000},  {"5 d", "s", 432000},
        {"36 h", "s", 129600},     {"30 ms", "s", 0.03},
        {"2 us", "s", 2e-6},       {"2 µs", "s", 2e-6},
        {"1 year", "s", 31536000}, {"2 Gbit/s", "bit/s", 2e9},
        {"26 GB", "B", 26e9},      {"4 GiB", "B", 4294967296},
        {"10 min", "s", 600},      {"-3", "", -3},
        {"95 %", "", 0.95},        {"459 TFLOP/s", "FLOP/s", 459e12},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct notation_quantity quantity;
        ck_assert_msg(notation_parse(samples[i].text, &quantity), "%s", samples[i].text);
        ck_assert_str_eq(quantity.base, samples[i].base);
        ck_assert_double_eq_tol(quantity.number * quantity.scale, samples[i].value,
                                1e-12 * fabs(samples[i].value));
    }
    static const char *const others[] = {"tpu-v5p", "",    "true",  "5 parsecs",
                                         "3 kmin",  "nan", "1e999", "5d 3h"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct notation_quantity quantity;
        ck_assert_msg(!notation_parse(others[i], &quantity), "%s", others[i]);
    }
}
END_TEST

START_TEST(people_write_few_digits)
{
    static const char *const brief[] = {"5 min", "1.5 h", "2e3", "90000 s", "0.001 Tbit/s"};
    static const char *const searched[] = {"46260500 s", "5235.5 h", "100000 s", "0.3333 d"};
    struct notation_quantity quantity;
    for (size_t i = 0; i < sizeof brief / sizeof brief[0]; i++)
        ck_assert_msg(notation_parse(brief[i], &quantity) && notation_is_brief(&quantity), "%s", brief[i]);
    for (size_t i = 0; i < sizeof searched / sizeof searched[0]; i++)
        ck_assert_msg(notation_parse(searched[i], &quantity) && !notation_is_brief(&quantity), "%s",
                      searched[i]);
}
END_TEST

START_TEST(names)
{
    char text[NOTATION_LENGTH];
    notation_metric(text, "share:quorum_wait");
    ck_assert_str_eq(text, "quorum wait");
    notation_metric(text, "mtbf");
    ck_assert_str_eq(text, "MTBF");
    notation_field(text, "cluster.chips");
    ck_assert_str_eq(text, "chips");
    notation_field(text, "strategies.decoupled.quorum");
    ck_assert_str_eq(text, "quorum of decoupled");
    notation_field(text, "strategies.*.inner_steps");
    ck_assert_str_eq(text, "inner steps");
    notation_field(text, "network.sites.*.uplink");
    ck_assert_str_eq(text, "sites uplink");
    notation_field(text, "network.wan.bandwidth");
    ck_assert_str_eq(text, "WAN bandwidth");
    notation_field(text, "checkpoints.write_time");
    ck_assert_str_eq(text, "checkpoint write time");
    notation_field(text, "strategies.v1.5.inner_steps");
    ck_assert_str_eq(text, "inner steps of v1.5");
    notation_field(text, "failures.repair.median");
    ck_assert_str_eq(text, "repair median");
    notation_field(text, "warm_up");
    ck_assert_str_eq(text, "warm up");
    notation_field(text, "network.between.bandwidth");
    ck_assert_str_eq(text, "bandwidth between sites");
    notation_field(text, "duration");
    ck_assert_str_eq(text, "duration");
    notation_field(text, "cluster.a_word_that_is_far_too_long_for_the_room_that_there_is_and_goes_on.b");
    ck_assert_uint_eq(strlen(text), NOTATION_LENGTH - 1);
    ck_assert(notation_is_share("uptime") && notation_is_share("share:down") && !notation_is_share("steps"));
    ck_assert(notation_is_category(budget_metrics[BUDGET_DOWN]) && !notation_is_category("uptime"));
}
END_TEST

START_TEST(units)
{
    static const struct {
        const char *metric;
        double figure;
        const char *unit;
        double scale;
    } samples[] = {
        {"goodput", 0.5, "%", 0.01},
        {"mtbf", 59, "s", 1},
        {"mtbf", 1200, "min", 60},
        {"step_time", -7200, "h", 3600},
        {"mttr", NAN, "s", 1},
        {"wan_bytes", 0, "B", 1},
        {"wan_bytes", 2e10, "GB", 1e9},
        {"wan_bytes", 1e30, "EB", 1e18},
        {"link_peak", 4e5, "kbit/s", 1e3},
        {"energy", 500, "kWh", 1},
        {"energy:down", 0.5, "kWh", 1},
        {"energy", 5e5, "MWh", 1e3},
        {"energy_to_loss", 5e9, "TWh", 1e9},
        {"final_loss", 2, "nat", 1},
        {"steps", 5e9, "", 1},
        {"network.wan.bandwidth", 5, "", 1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct notation_unit unit = notation_unit_of(samples[i].metric, samples[i].figure);
        ck_assert_str_eq(unit.name, samples[i].unit);
        ck_assert_double_eq_tol(unit.scale, samples[i].scale, 1e-9 * samples[i].scale);
    }
}
END_TEST

/* What calls itself a share is shown as one, as its like are; all others are those that have no word for it.
 */
static void check_shares(const struct metric_description *metrics, size_t count, size_t *shares)
{
    for (size_t i = 0; i < count; i++) {
        bool share = notation_is_share(metrics[i].name);
        *shares += share;
        ck_assert_msg(share || !strstr(metrics[i].sentence, "share of"), "%s", metrics[i].name);
        ck_assert_msg(!share || strcmp(metrics[i].unit, "1") == 0, "%s", metrics[i].name);
    }
}

START_TEST(shares)
{
    static const char *const ratios[] = {"compute_utilization", "time_ratio",
                                         "time_bound",          "time_ratio_to_baseline",
                                         "loss_over_reference", "statistical_goodput"};
    size_t count = 0;
    check_shares(run_metrics, RUN_METRICS, &count);
    check_shares(learning_metrics, LEARNING_METRICS, &count);
    ck_assert_uint_eq(count, 15);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        ck_assert(notation_is_share(ratios[i]));
    ck_assert(notation_is_share("ettr") && notation_is_share("job_goodput"));
    ck_assert(notation_is_share("waste:host") && !notation_is_share("mtbf"));
}
END_TEST

static Suite *notation_suite(void)
{
    Suite *suite = suite_create("notation");
    TCase *tests = tcase_create("notation");
    tcase_add_test(tests, counts);
    tcase_add_test(tests, suffixes);
    tcase_add_test(tests, ticks);
    tcase_add_test(tests, intervals);
    tcase_add_test(tests, losses);
    tcase_add_test(tests, durations);
    tcase_add_test(tests, quantities);
    tcase_add_test(tests, people_write_few_digits);
    tcase_add_test(tests, names);
    tcase_add_test(tests, units);
    tcase_add_test(tests, shares);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(notation_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
