/*
 * What failures cost, by cause: over random runs with failure processes of every domain and kind, causes sum
 * to what the ledger has, to the nanosecond.
 */
#include "models/failures/process.h"
#include "models/tape/tape.h"
#include "sim/stream.h"
#include "tests/models/random_run.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 300, PURPOSE_PROCESS_OF_TEST = 2000, MOST_PROCESSES = 6 };

static _Thread_local struct failure_process processes[MOST_PROCESSES];
static char names[MOST_PROCESSES][2] = {"a", "b", "c", "d", "e", "f"};

static int64_t below(struct sim_stream *stream, int64_t n)
{
    return (int64_t)sim_stream_below(stream, (uint64_t)n);
}

static double log_uniform(struct sim_stream *stream, double low, double high)
{
    return low * exp(sim_stream_uniform(stream) * log(high / low));
}

static sim_time some_share(struct sim_stream *stream, sim_time time)
{
    return (sim_time)(log_uniform(stream, 1e-4, 1) * (double)time);
}

static struct sim_law_spec law_of_share(struct sim_stream *stream, sim_time time)
{
    double mean = sim_time_to_seconds(some_share(stream, time)) + 1e-9;
    return fixture_law(below(stream, 2) ? SIM_LAW_EXPONENTIAL : SIM_LAW_CONSTANT, mean);
}

/* A unit that kinds of slices, of links or of the syncer may strike. */
static int64_t some_domain(struct sim_stream *stream, const struct simulation_config *config)
{
    int64_t domain = below(stream, FAULT_OF_CLUSTER + 1);
    bool none = (domain == FAULT_OF_SITE && config->network.sites.count == 0) ||
                (domain == FAULT_OF_RACK && config->cluster.rack_chips < 1);
    return none ? FAULT_OF_SLICE : domain;
}

static struct failure_process some_process(struct sim_stream *stream, const struct simulation_config *config,
                                           size_t number)
{
    struct failure_process process = {.name = names[number],
                                      .domain = some_domain(stream, config),
                                      .kind = below(stream, FAULT_LOSS),
                                      .life = fixture_law(SIM_LAW_EXPONENTIAL, 1),
                                      .node_rate = NAN,
                                      .overall_mtbf = some_share(stream, config->duration) + 1,
                                      .overall_at_chips = PARAMETER_UNSET,
                                      .overall_exponent = 1,
                                      .every = PARAMETER_UNSET,
                                      .duration = law_of_share(stream, config->duration),
                                      .detection = law_of_share(stream, config->duration),
                                      .notice = below(stream, 2) ? some_share(stream, config->duration) : 0,
                                      .factor = log_uniform(stream, 1.001, 5),
                                      .lemon_factor = 5,
                                      .burst_units = 2 + below(stream, 6),
                                      .burst_neighbourhood = PARAMETER_UNSET};
    process.overall_mtbf =
        process.overall_mtbf < config->duration / 100 ? config->duration / 100 + 1 : process.overall_mtbf;
    if (below(stream, 3) == 0)
        process.life = fixture_shaped(SIM_LAW_WEIBULL, 1, log_uniform(stream, 0.5, 3));
    if (below(stream, 4) == 0)
        process.lemon_share = sim_stream_uniform(stream);
    if (below(stream, 4) == 0)
        process.burst_chance = sim_stream_uniform(stream);
    if (below(stream, 5) == 0)
        process.every = config->duration / (1 + below(stream, 3)) + 1;
    process.order = below(stream, 2);
    process.burst_within = some_share(stream, config->duration);
    return process;
}

static struct fixture run_with_processes(uint64_t number)
{
    struct fixture fixture = random_run(number);
    struct simulation_config *config = &fixture.config;
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_PROCESS_OF_TEST, 0);
    random_run_keep_all(&fixture);
    config->failures.enabled = true;
    config->cluster.rack_chips = 1 + below(&stream, config->cluster.chips);
    config->failures.detection.stop = law_of_share(&stream, config->workload.step_time);
    size_t count = (size_t)below(&stream, MOST_PROCESSES + 1);
    for (size_t i = 0; i < count; i++)
        processes[i] = some_process(&stream, config, i);
    config->failures.processes = (struct parameter_items){processes, count};
    return fixture;
}

/* Everything in these categories is due to a failure. */
static bool is_of_failures(int category)
{
    return category == BUDGET_DOWN || category == BUDGET_DETECTION || category == BUDGET_RESTART ||
           category == BUDGET_RECONFIGURATION || category == BUDGET_REPAIR_WAIT ||
           category == BUDGET_RESTORE || category == BUDGET_REDONE || category == BUDGET_DATA_WAIT;
}

static sim_amount sum_of(const struct observation *observation, int category)
{
    sim_amount sum = 0;
    for (size_t i = 0; i < observation->cause_count; i++) {
        ck_assert(observation->causes[i].waste[category] >= 0);
        sum += observation->causes[i].waste[category];
    }
    return sum;
}

static void assert_exact(const struct fixture *fixture, uint64_t number, const struct run_result *result,
                         const struct observation *observation)
{
    sim_amount total = (sim_amount)fixture->config.cluster.chips * result->simulated;
    ck_assert(sim_ledger_total(&result->ledger) == total);
    for (int i = 0; i < BUDGET_CATEGORIES; i++) {
        sim_amount sum = sum_of(observation, i), booked = result->ledger.amount[i];
        ck_assert_msg(is_of_failures(i) ? sum == booked : sum <= booked,
                      "run %llu, %s: %.17g of %.17g chip-seconds have a cause", (unsigned long long)number,
                      budget_names[i], sim_amount_to_seconds(sum), sim_amount_to_seconds(booked));
    }
}

START_TEST(test_causes_sum_to_the_ledger)
{
    for (uint64_t i = (uint64_t)_i * RUNS; i < (uint64_t)(_i + 1) * RUNS; i++) {
        struct fixture fixture = run_with_processes(i);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        struct simulation_fault fault = {.path = ""};
        struct error error = {.kind = ERROR_NONE};
        struct run_result result;
        struct tape *tape;
        struct observation *observation;
        if (!simulation_check(&fixture.config, &strategy, &fault)) {
            ck_assert_msg(strncmp(fault.path, "failures", 8) != 0, "run %llu, %s: %s", (unsigned long long)i,
                          fault.path, fault.message);
            continue; /* what is made up at random is not always sound */
        }
        const struct simulation_request request = {.config = &fixture.config,
                                                   .strategy = &strategy,
                                                   .seed = 1,
                                                   .observation = &observation,
                                                   .tape = &tape};
        ck_assert(simulation_run_observed(&request, &result, &error));
        assert_exact(&fixture, i, &result, observation);
        ck_assert_msg(tape_check(tape, &error), "run %llu: %s", (unsigned long long)i, error.message);
        observation_destroy(observation);
        tape_destroy(tape);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("waste");
    TCase *tests = tcase_create("waste");
    tcase_add_loop_test(tests, test_causes_sum_to_the_ledger, 0, 4);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
