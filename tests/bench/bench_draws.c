/*
 * Nanoseconds a draw: our streams and laws beside GSL's generators and its exponential, all in one run,
 * so that their ratios hold on any machine. Each figure is the best of many short rounds.
 */
#include "sim/distribution.h"
#include "sim/stream.h"
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DRAWS = 100000 };
static const double patience = 3e8; /* nanoseconds for a figure */

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Makes DRAWS draws and returns their sum, so that none can be left out. */
typedef double bench_function(void *state);

static double time_of(bench_function *bench, void *state)
{
    double best = INFINITY, begin = nanoseconds(), start = begin, end;
    volatile double sink;
    do {
        sink = bench(state);
        end = nanoseconds();
        best = fmin(best, end - start);
        start = end;
    } while (end - begin < patience);
    (void)sink;
    return best / DRAWS;
}

#define BENCH(name, type, expression)                                                                        \
    static double name(void *state)                                                                          \
    {                                                                                                        \
        type *source = state;                                                                                \
        double sum = 0;                                                                                      \
        for (uint64_t i = 0; i < DRAWS; i++)                                                                 \
            sum += (double)(expression);                                                                     \
        return sum;                                                                                          \
    }

BENCH(bits, struct sim_stream, (int64_t)sim_stream_bits(source))
BENCH(uniform, struct sim_stream, sim_stream_uniform(source))
BENCH(exponential, struct sim_stream, sim_stream_exponential(source))
BENCH(normal, struct sim_stream, sim_stream_normal(source))
BENCH(below, struct sim_stream, sim_stream_below(source, 1000003))
BENCH(gsl_word, gsl_rng, gsl_rng_get(source))
BENCH(gsl_exponential, gsl_rng, gsl_ran_exponential(source, 1))
BENCH(gsl_normal, gsl_rng, gsl_ran_gaussian_ziggurat(source, 1))

static double fresh_keyed(void *state)
{
    uint64_t key = *(uint64_t *)state;
    double sum = 0;
    for (uint64_t entity = 0; entity < DRAWS; entity++) {
        struct sim_stream stream;
        sim_stream_open_keyed(&stream, key, entity);
        sum += sim_stream_exponential(&stream);
    }
    return sum;
}

static double fresh_named(void *state)
{
    uint64_t seed = *(uint64_t *)state;
    double sum = 0;
    for (uint64_t entity = 0; entity < DRAWS; entity++) {
        struct sim_stream stream;
        sim_stream_open(&stream, seed, 1, 2, entity);
        sum += sim_stream_exponential(&stream);
    }
    return sum;
}

struct law_bench {
    const struct sim_distribution *distribution;
    struct sim_stream stream;
};

BENCH(law_sample, struct law_bench, sim_distribution_sample(source->distribution, &source->stream))
BENCH(law_maximum, struct law_bench, sim_distribution_maximum(source->distribution, 1000000, &source->stream))
BENCH(law_residual, struct law_bench, sim_distribution_residual(source->distribution, 1, &source->stream))

static double reference; /* gsl_ran_exponential on mt19937 */

static void report(const char *what, double time)
{
    printf("%-44s %8.2f ns %8.1f x\n", what, time, reference / time);
}

static void bench_gsl(const char *name, const gsl_rng_type *type)
{
    char what[80];
    gsl_rng *generator = gsl_rng_alloc(type);
    snprintf(what, sizeof what, "gsl %s word", name);
    report(what, time_of(gsl_word, generator));
    snprintf(what, sizeof what, "gsl %s exponential", name);
    report(what, time_of(gsl_exponential, generator));
    snprintf(what, sizeof what, "gsl %s normal (ziggurat)", name);
    report(what, time_of(gsl_normal, generator));
    gsl_rng_free(generator);
}

static void bench_streams(void)
{
    struct sim_stream stream;
    uint64_t key = sim_stream_key(1, 2, 3);
    sim_stream_open(&stream, 1, 2, 3, 4);
    report("stream, 64 bits", time_of(bits, &stream));
    report("stream, uniform", time_of(uniform, &stream));
    report("stream, below 1000003", time_of(below, &stream));
    report("stream, exponential", time_of(exponential, &stream));
    report("stream, normal", time_of(normal, &stream));
    report("a stream opened for one exponential, keyed", time_of(fresh_keyed, &key));
    report("a stream opened for one exponential, by name", time_of(fresh_named, &key));
}

static void bench_law(const struct sim_law_spec *spec)
{
    char what[80];
    struct error error = {0};
    struct sim_distribution *distribution = sim_distribution_create(spec, &error);
    if (distribution == NULL) {
        fprintf(stderr, "%s\n", error.message);
        exit(EXIT_FAILURE);
    }
    struct law_bench bench = {.distribution = distribution};
    sim_stream_open(&bench.stream, 1, 2, 3, 4);
    snprintf(what, sizeof what, "%s, sample", sim_law_names[spec->law]);
    report(what, time_of(law_sample, &bench));
    snprintf(what, sizeof what, "%s, maximum of 10^6", sim_law_names[spec->law]);
    report(what, time_of(law_maximum, &bench));
    snprintf(what, sizeof what, "%s, residual life", sim_law_names[spec->law]);
    report(what, time_of(law_residual, &bench));
    sim_distribution_destroy(distribution);
}

static void bench_laws(void)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct sim_law_spec none = {.mean = NAN,
                                      .median = NAN,
                                      .low = NAN,
                                      .high = NAN,
                                      .deviation = NAN,
                                      .shape = NAN,
                                      .power = NAN,
                                      .sigma = NAN};
    for (int law = 0; law < SIM_LAW_COUNT; law++) {
        struct sim_law_spec spec = none;
        spec.law = law;
        if (law == SIM_LAW_UNIFORM)
            spec.low = 1, spec.high = 3;
        else if (law == SIM_LAW_EMPIRICAL)
            spec.values = (struct sim_values){values, sizeof values / sizeof values[0]};
        else
            spec.mean = 2;
        if (law == SIM_LAW_WEIBULL || law == SIM_LAW_EXPONENTIATED_WEIBULL || law == SIM_LAW_GAMMA)
            spec.shape = 0.8;
        if (law == SIM_LAW_EXPONENTIATED_WEIBULL)
            spec.power = 3;
        if (law == SIM_LAW_NORMAL)
            spec.deviation = 0.5;
        if (law == SIM_LAW_LOG_NORMAL)
            spec.sigma = 0.1;
        bench_law(&spec);
    }
}

int main(void)
{
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);
    reference = time_of(gsl_exponential, generator);
    gsl_rng_free(generator);
    printf("%-44s %11s %10s\n", "", "a draw", "gsl_ran_exponential on mt19937 is slower by");
    bench_gsl("mt19937", gsl_rng_mt19937);
    bench_gsl("taus2", gsl_rng_taus2);
    bench_streams();
    bench_laws();
    return EXIT_SUCCESS;
}
