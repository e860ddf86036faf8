#include "models/hardware/chip.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Data sheets: dense bf16 FLOP/s, bytes and byte/s of HBM. */
static const struct {
    const char *name;
    double flops, memory_bytes, memory_rate;
} sheets[] = {
    {"tpu-v4", 275e12, 32e9, 1.2e12},    {"tpu-v5e", 197e12, 16e9, 0.82e12},
    {"tpu-v5p", 459e12, 95e9, 2.765e12}, {"tpu-v6e", 918e12, 32e9, 1.64e12},
    {"tpu-v7", 2307e12, 192e9, 7.37e12}, {"a40", 149.7e12, 48e9, 0.696e12},
    {"a100", 312e12, 80e9, 2.0e12},      {"h100", 989e12, 80e9, 3.35e12},
    {"h200", 989e12, 141e9, 4.8e12},     {"b200", 2250e12, 180e9, 7.7e12},
    {"gb200", 2500e12, 186e9, 8.0e12},   {"mi250x", 383e12, 128e9, 3.28e12},
    {"mi300x", 1307e12, 192e9, 5.3e12},
};

static const struct chip *chip_of(const char *name)
{
    for (size_t i = 0; i < chip_catalogue_count; i++)
        if (strcmp(chip_catalogue[i].name, name) == 0)
            return &chip_catalogue[i];
    ck_abort_msg("no chip %s", name);
}

START_TEST(test_data_sheets)
{
    const struct chip *chip = chip_of(sheets[_i].name);
    ck_assert_double_eq_tol(chip->flops, sheets[_i].flops, 1);
    ck_assert_double_eq_tol(chip->memory / 8, sheets[_i].memory_bytes, 1);
    ck_assert_double_eq_tol(chip->memory_rate / 8, sheets[_i].memory_rate, 1);
}
END_TEST

START_TEST(test_every_row_is_checked)
{
    ck_assert_uint_eq(chip_catalogue_count, sizeof sheets / sizeof *sheets);
}
END_TEST

/* One direction of NVLink is half of what is advertised: 600, 900 and 1,800 GB/s. */
START_TEST(test_scale_up)
{
    ck_assert_double_eq(chip_of("a100")->scale_up_rate / 8, 300e9);
    ck_assert_double_eq(chip_of("h100")->scale_up_rate / 8, 450e9);
    ck_assert_double_eq(chip_of("b200")->scale_up_rate / 8, 900e9);
    ck_assert_int_eq(chip_of("tpu-v4")->domain_chips, 4096);
    ck_assert_int_eq(chip_of("tpu-v5p")->domain_chips, 8960);
    ck_assert_int_eq(chip_of("gb200")->domain_chips, 72);
    ck_assert_int_eq(chip_of("h100")->host_chips, 8);
}
END_TEST

/* Names are the catalogue's in its order, each once, and rows are sound. */
START_TEST(test_names)
{
    for (size_t i = 0; i < chip_catalogue_count; i++) {
        const struct chip *chip = &chip_catalogue[i];
        ck_assert_str_eq(chip_names[i], chip->name);
        ck_assert_ptr_eq(chip_of(chip->name), chip);
        ck_assert(chip->scale_up_rate > 0 && chip->host_chips > 0 && chip->vendor[0] != '\0');
        ck_assert_int_ge(chip->domain_chips, chip->host_chips);
    }
    ck_assert_ptr_null(chip_names[chip_catalogue_count]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chip");
    TCase *tests = tcase_create("chip");
    tcase_add_loop_test(tests, test_data_sheets, 0, sizeof sheets / sizeof *sheets);
    tcase_add_test(tests, test_every_row_is_checked);
    tcase_add_test(tests, test_scale_up);
    tcase_add_test(tests, test_names);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
