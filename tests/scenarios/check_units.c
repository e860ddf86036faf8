/*
 * Quantities: what is read, what is refused and how that is said, and that what is printed reads back to
 * the same bits.
 */
#include "scenarios/number.h"
#include "scenarios/spelling.h"
#include "scenarios/units.h"
#include "sim/stream.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct units *units;

static void open_units(void)
{
    units = units_create();
    ck_assert_ptr_nonnull(units);
}

static void close_units(void)
{
    units_destroy(units);
}

static const struct {
    const char *text;
    enum parameter_dimension dimension;
    double value;
} quantities[] = {
    {"2 Gb/s", DIMENSION_DATA_RATE, 2e9},
    {"2 Gbit/s", DIMENSION_DATA_RATE, 2e9},
    {"250 MB/s", DIMENSION_DATA_RATE, 2e9},
    {"2 Gbps", DIMENSION_DATA_RATE, 2e9},
    {"2 GBps", DIMENSION_DATA_RATE, 16e9},
    {"250 MBps", DIMENSION_DATA_RATE, 2e9},
    {"2Gbps", DIMENSION_DATA_RATE, 2e9},
    {"2e9 bit/s", DIMENSION_DATA_RATE, 2e9},
    {"2 gigabit/second", DIMENSION_DATA_RATE, 2e9},
    {"120 Gbit / min", DIMENSION_DATA_RATE, 2e9},
    {"1 bit/ms", DIMENSION_DATA_RATE, 1000},
    {"459 TFLOP/s", DIMENSION_FLOP_RATE, 459e12},
    {"1.2 PFLOPS", DIMENSION_FLOP_RATE, 1.2e15},
    {"700 W", DIMENSION_POWER, 700},
    {"1.2 kW", DIMENSION_POWER, 1200},
    {"500 MWh", DIMENSION_ENERGY, 1.8e12},
    {"2 Wh", DIMENSION_ENERGY, 7200},
    {"3 kW h", DIMENSION_ENERGY, 1.08e7},
    {"3 kilojoules", DIMENSION_ENERGY, 3000},
    {"5 J", DIMENSION_ENERGY, 5},
    {"26 GB", DIMENSION_DATA, 208e9},
    {"26 gigabytes", DIMENSION_DATA, 208e9},
    {"1 KiB", DIMENSION_DATA, 8192},
    {"1 GiB", DIMENSION_DATA, 8589934592},
    {"1 Kibit", DIMENSION_DATA, 0x1p10},
    {"1 Mibit", DIMENSION_DATA, 0x1p20},
    {"2 Gibit/s", DIMENSION_DATA_RATE, 0x1p31},
    {"1 Tibit", DIMENSION_DATA, 0x1p40},
    {"1 Pibit", DIMENSION_DATA, 0x1p50},
    {"1 b", DIMENSION_DATA, 1},
    {"1 B", DIMENSION_DATA, 8},
    {"30 s", DIMENSION_TIME, 30},
    {"30 seconds", DIMENSION_TIME, 30},
    {"30 ms", DIMENSION_TIME, 0.03},
    {"0.1 s", DIMENSION_TIME, 0.1},
    {"7 us", DIMENSION_TIME, 7e-6},
    {"7 µs", DIMENSION_TIME, 7e-6},
    {"3 ns", DIMENSION_TIME, 3e-9},
    {"1.5 h", DIMENSION_TIME, 5400},
    {"2 days", DIMENSION_TIME, 172800},
    {"1 week", DIMENSION_TIME, 604800},
    {"1 year", DIMENSION_TIME, 31536000},
    {"  -1.5e1   min ", DIMENSION_TIME, -900},
    {"12 %", DIMENSION_NONE, 0.12},
    {"12%", DIMENSION_NONE, 0.12},
    {"12 percent", DIMENSION_NONE, 0.12},
    {"5e9", DIMENSION_NONE, 5e9},
    {".5", DIMENSION_NONE, 0.5},
    {"+3.", DIMENSION_NONE, 3},
};

START_TEST(a_quantity_is_read_in_its_si_unit)
{
    struct units_fault fault = {""};
    double value = 0;
    ck_assert_msg(units_parse(units, quantities[_i].text, quantities[_i].dimension, &value, &fault), "%s: %s",
                  quantities[_i].text, fault.message);
    ck_assert_msg(value == quantities[_i].value, "%s is %.17g", quantities[_i].text, value);
}
END_TEST

#define TIME_WANTED "; expected a time such as \"30 s\""
#define RATE_WANTED "; expected a data rate such as \"2 Gbit/s\""
#define NUMBER_WANTED "; expected a number"

static const struct {
    const char *text;
    enum parameter_dimension dimension;
    const char *message;
} refusals[] = {
    {"3600", DIMENSION_TIME, "3600 has no unit" TIME_WANTED},
    {"0", DIMENSION_TIME, "0 has no unit" TIME_WANTED},
    {"1 GB", DIMENSION_TIME, "\"1 GB\" is an amount of data" TIME_WANTED},
    {"1 GB/s", DIMENSION_TIME, "\"1 GB/s\" is a data rate" TIME_WANTED},
    {"3 %", DIMENSION_TIME, "\"3 %\" is a pure number" TIME_WANTED},
    {"3 PFLOP", DIMENSION_TIME, "\"3 PFLOP\" is an amount of work" TIME_WANTED},
    {"3 TFLOPS", DIMENSION_TIME, "\"3 TFLOPS\" is a computing rate" TIME_WANTED},
    {"3 TFLOP/s", DIMENSION_TIME, "\"3 TFLOP/s\" is a computing rate" TIME_WANTED},
    {"3 s^2", DIMENSION_TIME, "\"3 s^2\" is another quantity" TIME_WANTED},
    {"3 s", DIMENSION_NONE, "\"3 s\" is a time" NUMBER_WANTED},
    {"500", DIMENSION_ENERGY, "500 has no unit; expected an energy such as \"500 MWh\""},
    {"5 kW", DIMENSION_ENERGY, "\"5 kW\" is a power; expected an energy such as \"500 MWh\""},
    {"5 kWh", DIMENSION_POWER, "\"5 kWh\" is an energy; expected a power such as \"700 W\""},
    {"5 kwh", DIMENSION_ENERGY,
     "unknown unit \"kwh\"; did you mean \"kWh\"? expected an energy such as \"500 MWh\""},
    {"30 secodns", DIMENSION_TIME,
     "unknown unit \"secodns\"; did you mean \"seconds\"?"
     " expected a time such as \"30 s\""},
    {"2 GBit/s", DIMENSION_DATA_RATE,
     "unknown unit \"GBit/s\"; did you mean \"Gbit/s\"? expected a data rate such as \"2 Gbit/s\""},
    {"2 furlong", DIMENSION_TIME, "unknown unit \"furlong\"" TIME_WANTED},
    {"2 mb/s", DIMENSION_DATA_RATE, "\"2 mb/s\" is less than a bit: m is milli, M is mega"},
    {"soon", DIMENSION_TIME, "\"soon\" is no number" TIME_WANTED},
    {"", DIMENSION_TIME, "\"\" is no number" TIME_WANTED},
    {".inf", DIMENSION_NONE, "\".inf\" is no number" NUMBER_WANTED},
    {"nan", DIMENSION_NONE, "\"nan\" is no number" NUMBER_WANTED},
    {"0x10", DIMENSION_NONE, "unknown unit \"x10\"" NUMBER_WANTED},
    {"13B", DIMENSION_NONE, "\"13B\" is no plain number; write 13e9"},
    {"1.5 M", DIMENSION_NONE, "\"1.5 M\" is no plain number; write 1.5e6"},
    {"4 k", DIMENSION_NONE, "\"4 k\" is no plain number; write 4e3"},
    {"1e999", DIMENSION_NONE, "1e999 is too large"},
    {"1e308 PB", DIMENSION_DATA, "\"1e308 PB\" is too large"},
    /* what UDUNITS-2 takes for units, and is none here */
    {"3 s since 2000-01-01", DIMENSION_TIME, "unknown unit \"s since 2000-01-01\"" TIME_WANTED},
    {"3 s @ 5", DIMENSION_TIME, "unknown unit \"s @ 5\"" TIME_WANTED},
    {"3 lg(re 1 s)", DIMENSION_TIME, "unknown unit \"lg(re 1 s)\"" TIME_WANTED},
    {"3 60 s", DIMENSION_TIME, "unknown unit \"60 s\"" TIME_WANTED},
    {"3 s 60", DIMENSION_TIME, "unknown unit \"s 60\"" TIME_WANTED},
    {"3 m", DIMENSION_DATA_RATE,
     "unknown unit \"m\"; did you mean \"ms\"? expected a data rate such as \"2 Gbit/s\""},
};

START_TEST(a_wrong_quantity_is_refused_with_what_was_expected)
{
    struct units_fault fault = {""};
    double value;
    ck_assert_msg(!units_parse(units, refusals[_i].text, refusals[_i].dimension, &value, &fault),
                  "%s is accepted as %g", refusals[_i].text, value);
    ck_assert_str_eq(fault.message, refusals[_i].message);
}
END_TEST

START_TEST(a_long_unit_is_refused_in_few_words)
{
    char text[5000];
    memset(text, 's', sizeof text - 1);
    text[0] = '1';
    text[sizeof text - 1] = '\0';
    struct units_fault fault;
    double value;
    ck_assert(!units_parse(units, text, DIMENSION_TIME, &value, &fault));
    memset(text, '1', 3000);
    ck_assert(!units_parse(units, text, DIMENSION_TIME, &value, &fault));
    ck_assert_str_eq(fault.message, "a number of 3000 digits; 17 are all that count");
}
END_TEST

static const struct {
    const char *text;
    sim_time time;
} times[] = {
    {"365 d", INT64_C(31536000000000000)},
    {"290 year", INT64_C(9145440000000000000)},
    {"0.1 ns", 0},
    {"1.5 ns", 2},
    {"123456789.123456789 s", INT64_C(123456789123456789)},
    {"9007199254740993 ns", INT64_C(9007199254740992)}, /* the nearest double */
    {"0.1 s", 100000000},
    {"30 ms", 30000000},
    {"-1 s", -1000000000},
};

START_TEST(times_are_exact_in_nanoseconds)
{
    struct units_fault fault = {""};
    sim_time time = -1;
    ck_assert_msg(units_parse_time(units, times[_i].text, &time, &fault), "%s", fault.message);
    ck_assert_msg(llabs(time - times[_i].time) <= (time > INT64_C(1) << 53 ? 16 : 0), "%s is %lld",
                  times[_i].text, (long long)time);
}
END_TEST

START_TEST(times_beyond_the_clock_are_refused)
{
    static const char *const texts[] = {"291 year", "1e30 s", "-291 year", "1e308 year"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct units_fault fault = {""};
        sim_time time;
        ck_assert(!units_parse_time(units, texts[i], &time, &fault));
        ck_assert_ptr_nonnull(strstr(fault.message, "is longer than 290 years"));
    }
}
END_TEST

static const struct {
    double value;
    enum parameter_dimension dimension;
    const char *text;
} prints[] = {
    {2e9, DIMENSION_DATA_RATE, "2 Gbit/s"},
    {100e9, DIMENSION_DATA_RATE, "100 Gbit/s"},
    {1.9e9, DIMENSION_DATA_RATE, "1.9 Gbit/s"},
    {0.5, DIMENSION_DATA_RATE, "0.5 bit/s"},
    {0, DIMENSION_DATA_RATE, "0 bit/s"},
    {459e12, DIMENSION_FLOP_RATE, "459 TFLOP/s"},
    {120, DIMENSION_POWER, "120 W"},
    {1.8e12, DIMENSION_ENERGY, "500 MWh"},
    {3.6e6, DIMENSION_ENERGY, "1 kWh"},
    {0.5, DIMENSION_ENERGY, "0.5 J"},
    {208e9, DIMENSION_DATA, "26 GB"},
    {1e9, DIMENSION_DATA, "1 Gbit"},
    {8, DIMENSION_DATA, "1 B"},
    {300, DIMENSION_TIME, "5 min"},
    {86400, DIMENSION_TIME, "1 d"},
    {31536000, DIMENSION_TIME, "1 year"},
    {0.03, DIMENSION_TIME, "30 ms"},
    {6.5, DIMENSION_TIME, "6.5 s"},
    {90, DIMENSION_TIME, "90 s"},
    {0, DIMENSION_TIME, "0 s"},
    {-60, DIMENSION_TIME, "-1 min"},
    {5e9, DIMENSION_NONE, "5e9"},
    {4194304, DIMENSION_NONE, "4194304"},
    {0.1, DIMENSION_NONE, "0.1"},
    {1e-7, DIMENSION_NONE, "1e-7"},
    {1.0 / 3, DIMENSION_NONE, "0.3333333333333333"},
    {-2.5e-9, DIMENSION_NONE, "-2.5e-9"},
    {1e300, DIMENSION_NONE, "1e300"},
    {0.000125, DIMENSION_NONE, "1.25e-4"},
    {100, DIMENSION_NONE, "100"},
    {1200000, DIMENSION_NONE, "1.2e6"},
};

START_TEST(a_quantity_is_printed_short)
{
    char text[UNITS_BYTES];
    ck_assert_str_eq(units_print(units, prints[_i].value, prints[_i].dimension, text), prints[_i].text);
}
END_TEST

static const struct {
    sim_time time;
    const char *text;
} printed_times[] = {
    {0, "0 s"},
    {86400 * SIM_SECOND, "1 d"},
    {90 * SIM_SECOND, "90 s"},
    {30 * SIM_MILLISECOND, "30 ms"},
    {1, "1 ns"},
    {1500 * SIM_MICROSECOND, "1.5 ms"},
    {1000000001, "1000000001 ns"},
    {6 * 3600 * SIM_SECOND, "6 h"},
    {36 * 3600 * SIM_SECOND, "36 h"},
    {5 * 365 * INT64_C(86400) * SIM_SECOND, "5 year"},
};

START_TEST(a_time_is_printed_in_the_unit_that_people_use)
{
    char text[UNITS_BYTES];
    ck_assert_str_eq(units_print_time(units, printed_times[_i].time, text), printed_times[_i].text);
}
END_TEST

/* Bits of all sizes: a mantissa of 1 to 53 bits, exponents around those of real quantities. */
static double random_real(struct sim_stream *stream)
{
    int bits = 1 + (int)sim_stream_below(stream, 53);
    double mantissa = (double)(sim_stream_bits(stream) >> (64 - bits));
    return ldexp(mantissa, (int)sim_stream_below(stream, 120) - 60);
}

START_TEST(what_is_printed_reads_back_to_the_same_bits)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, (uint64_t)_i);
    for (int i = 0; i < 2000; i++) {
        char text[UNITS_BYTES];
        struct units_fault fault = {""};
        double value = random_real(&stream), again;
        if (i % 2)
            value = rint(value * 1000) / 1000;
        units_print(units, value, (enum parameter_dimension)_i, text);
        ck_assert_msg(units_parse(units, text, (enum parameter_dimension)_i, &again, &fault), "%s",
                      fault.message);
        ck_assert_msg(again == value, "%s is %.17g, not %.17g", text, again, value);
    }
}
END_TEST

START_TEST(printed_times_read_back_to_the_same_nanosecond)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 2, 0, 0, 0);
    for (int i = 0; i < 5000; i++) {
        char text[UNITS_BYTES];
        struct units_fault fault = {""};
        sim_time value = (sim_time)(sim_stream_bits(&stream) >> (11 + sim_stream_below(&stream, 53))), again;
        if (i % 2)
            value = value / SIM_SECOND * SIM_SECOND;
        units_print_time(units, value, text);
        ck_assert_msg(units_parse_time(units, text, &again, &fault), "%s", fault.message);
        ck_assert_msg(again == value, "%s is %lld, not %lld", text, (long long)again, (long long)value);
    }
}
END_TEST

START_TEST(whole_numbers_are_exact)
{
    int64_t value = 0;
    ck_assert(number_parse_integer("9223372036854775807", &value) && value == INT64_MAX);
    ck_assert(number_parse_integer("-9007199254740993", &value) && value == -INT64_C(9007199254740993));
    ck_assert(number_parse_integer("1.2e6", &value) && value == 1200000);
    ck_assert(!number_parse_integer("9223372036854775808", &value));
    ck_assert(!number_parse_integer("1e19", &value));
    ck_assert(!number_parse_integer("1.5", &value));
    ck_assert(!number_parse_integer("12a", &value));
    ck_assert(!number_parse_integer("", &value));
}
END_TEST

START_TEST(slips_of_the_pen_are_near)
{
    const char *best = NULL;
    size_t distance = 0;
    ck_assert_uint_eq(spelling_distance("replications", "repplications"), 1);
    ck_assert_uint_eq(spelling_distance("reduce", "redcue"), 1);
    ck_assert_uint_eq(spelling_distance("", "abc"), 3);
    ck_assert_uint_eq(spelling_distance("kitten", "sitting"), 3);
    spelling_consider("dilco", "gossip", &best, &distance);
    ck_assert_ptr_null(best);
    spelling_consider("dilco", "diloco", &best, &distance);
    spelling_consider("dilco", "decoupled-diloco", &best, &distance);
    ck_assert_str_eq(best, "diloco");
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

START_TEST(what_is_no_number_is_printed_as_such)
{
    char text[NUMBER_BYTES];
    ck_assert_str_eq(number_print(text, (double)INFINITY), "inf");
    ck_assert_str_eq(number_print(text, -(double)INFINITY), "-inf");
}
END_TEST

static Suite *units_suite(void)
{
    Suite *suite = suite_create("units");
    TCase *reading = tcase_create("reading");
    tcase_add_checked_fixture(reading, open_units, close_units);
    tcase_add_test(reading, what_is_no_number_is_printed_as_such);
    tcase_add_loop_test(reading, a_quantity_is_read_in_its_si_unit, 0, COUNT(quantities));
    tcase_add_loop_test(reading, a_wrong_quantity_is_refused_with_what_was_expected, 0, COUNT(refusals));
    tcase_add_test(reading, a_long_unit_is_refused_in_few_words);
    tcase_add_loop_test(reading, times_are_exact_in_nanoseconds, 0, COUNT(times));
    tcase_add_test(reading, times_beyond_the_clock_are_refused);
    suite_add_tcase(suite, reading);

    TCase *printing = tcase_create("printing");
    tcase_add_checked_fixture(printing, open_units, close_units);
    tcase_add_loop_test(printing, a_quantity_is_printed_short, 0, COUNT(prints));
    tcase_add_loop_test(printing, a_time_is_printed_in_the_unit_that_people_use, 0, COUNT(printed_times));
    tcase_add_loop_test(printing, what_is_printed_reads_back_to_the_same_bits, 0, PARAMETER_DIMENSIONS);
    tcase_add_test(printing, printed_times_read_back_to_the_same_nanosecond);
    suite_add_tcase(suite, printing);

    TCase *words = tcase_create("numbers and words");
    tcase_add_test(words, whole_numbers_are_exact);
    tcase_add_test(words, slips_of_the_pen_are_near);
    suite_add_tcase(suite, words);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(units_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
