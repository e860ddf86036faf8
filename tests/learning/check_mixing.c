/*
 * Gossip: against rounds worked out by hand, and by what holds on any graph: the workers' mean, the complete
 * graph, and how fast workers come together when nothing else moves them.
 */
#include "models/learning/mixing.h"
#include "models/learning/outer.h"
#include "sim/stream.h"
#include "tests/learning/vectors.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 8, COUNT = 5, MOST_EDGES = WORKERS * (WORKERS - 1) / 2 };

struct edge {
    size_t one, other;
    double weight;
};

struct graph {
    struct edge edges[MOST_EDGES];
    size_t count;
};

struct worker {
    real parameters[COUNT], state[2 * COUNT], outgoing[2 * COUNT], mixture[2 * COUNT];
};

struct swarm {
    struct mixing_rule rule;
    struct worker workers[WORKERS];
};

static void connect(struct graph *graph, size_t one, size_t other, double weight)
{
    graph->edges[graph->count++] = (struct edge){one, other, weight};
}

static struct graph complete(double weight)
{
    struct graph graph = {.count = 0};
    for (size_t i = 0; i < WORKERS; i++)
        for (size_t j = i + 1; j < WORKERS; j++)
            connect(&graph, i, j, weight);
    return graph;
}

static struct graph ring(double weight)
{
    struct graph graph = {.count = 0};
    for (size_t i = 0; i < WORKERS; i++)
        connect(&graph, i, (i + 1) % WORKERS, weight);
    return graph;
}

/* Everyone meets someone, by PEERS independent matchings. */
static struct graph matchings(struct sim_stream *stream, int peers)
{
    struct graph graph = {.count = 0};
    for (int peer = 0; peer < peers; peer++) {
        size_t order[WORKERS];
        for (size_t i = 0; i < WORKERS; i++) {
            const size_t j = sim_stream_below(stream, i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (size_t i = 0; i < WORKERS; i += 2)
            connect(&graph, order[i], order[i + 1], 1);
    }
    return graph;
}

static struct swarm swarm_of(enum mixing_algorithm algorithm, double rate, double momentum, double mixing)
{
    struct swarm swarm = {.rule = {algorithm, rate, momentum, mixing}};
    for (size_t i = 0; i < WORKERS; i++) {
        struct worker *worker = &swarm.workers[i];
        vectors_normal(i, COUNT, worker->parameters);
        mixing_start(&swarm.rule, COUNT, worker->parameters, worker->state);
    }
    return swarm;
}

/* A round on GRAPH; the workers' parameters are where their local steps ended. */
static void mix(struct swarm *swarm, const struct graph *graph)
{
    const struct mixing_rule *rule = &swarm->rule;
    for (size_t i = 0; i < WORKERS; i++) {
        struct worker *worker = &swarm->workers[i];
        mixing_prepare(rule, COUNT, worker->parameters, worker->state, worker->outgoing, worker->mixture);
    }
    for (size_t e = 0; e < graph->count; e++) {
        const struct edge *edge = &graph->edges[e];
        struct worker *one = &swarm->workers[edge->one], *other = &swarm->workers[edge->other];
        mixing_exchange(rule, COUNT, edge->weight, one->outgoing, other->outgoing, one->mixture);
        mixing_exchange(rule, COUNT, edge->weight, other->outgoing, one->outgoing, other->mixture);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        struct worker *worker = &swarm->workers[i];
        mixing_finish(rule, COUNT, worker->outgoing, worker->mixture, worker->parameters, worker->state);
    }
}

/* A worker's local work: a step of 0.2 towards its own optimum, (worker number + coordinate)/10. */
static void local_step(size_t worker, real *parameters)
{
    for (size_t i = 0; i < COUNT; i++)
        parameters[i] -= (real)0.2 * (parameters[i] - (real)(worker + i) / 10);
}

static void local_steps(struct swarm *swarm)
{
    for (size_t i = 0; i < WORKERS; i++)
        local_step(i, swarm->workers[i].parameters);
}

static double mean_of(const struct swarm *swarm, size_t coordinate)
{
    double sum = 0;
    for (size_t i = 0; i < WORKERS; i++)
        sum += (double)swarm->workers[i].parameters[coordinate];
    return sum / WORKERS;
}

/* The largest distance of a worker from the mean, in any coordinate. */
static double spread_of(const struct swarm *swarm)
{
    double spread = 0;
    for (size_t i = 0; i < WORKERS; i++)
        for (size_t k = 0; k < COUNT; k++)
            spread = fmax(spread, fabs((double)swarm->workers[i].parameters[k] - mean_of(swarm, k)));
    return spread;
}

/* By hand: a pair of workers of one number, at 1 and 3, whose local steps end at 2 and 2.5. */

struct pair {
    struct mixing_rule rule;
    real state[2][2], at[2];
};

static struct pair pair_of(enum mixing_algorithm algorithm, double rate, double momentum, double mixing)
{
    struct pair pair = {.rule = {algorithm, rate, momentum, mixing}, .at = {1, 3}};
    for (int i = 0; i < 2; i++)
        mixing_start(&pair.rule, 1, &pair.at[i], pair.state[i]);
    return pair;
}

/* The local steps end at END; the two meet over an edge of weight 1 and must be at WANTED after. */
static void meet(struct pair *pair, const real end[2], const double wanted[2])
{
    real outgoing[2][2], mixture[2][2];
    for (int i = 0; i < 2; i++)
        mixing_prepare(&pair->rule, 1, &end[i], pair->state[i], outgoing[i], mixture[i]);
    for (int i = 0; i < 2; i++)
        mixing_exchange(&pair->rule, 1, 1, outgoing[i], outgoing[1 - i], mixture[i]);
    for (int i = 0; i < 2; i++) {
        mixing_finish(&pair->rule, 1, outgoing[i], mixture[i], &pair->at[i], pair->state[i]);
        ck_assert_double_eq_tol((double)pair->at[i], wanted[i], 5 * CLOSE);
    }
}

/*
 * η = 0.5, γ = 0.8, α = 0.5, so that a quarter of the difference is taken over.
 *   Round 1: g = 1, −0.5; y = 1.5, 2.75; y − y_prev = 0.5, −0.25; z = y + 0.8(…) = 1.9, 2.55
 *            z₂ − z₁ = 0.65; θ' = 1.9 + 0.1625, 2.55 − 0.1625 = 2.0625, 2.3875
 *   Round 2, ends 3.0625, 2.3875: g = 1, 0; y = 2.5625, 2.3875; y − y_prev = 1.0625, −0.3625
 *            z = 3.4125, 2.0975; θ' = 3.4125 − 0.32875, 2.0975 + 0.32875 = 3.08375, 2.42625
 */
START_TEST(gasloc_does_as_worked_out_by_hand)
{
    struct pair pair = pair_of(MIXING_GASLOC, 0.5, 0.8, 0.5);
    meet(&pair, (real[]){2, (real)2.5}, (double[]){2.0625, 2.3875});
    meet(&pair, (real[]){(real)3.0625, (real)2.3875}, (double[]){3.08375, 2.42625});
}
END_TEST

/*
 * The same, but of y alone a quarter of the difference is taken over.
 *   Round 1: y₂ − y₁ = 1.25; θ' = 1.9 + 0.3125, 2.55 − 0.3125 = 2.2125, 2.2375
 *   Round 2, ends 3.2125, 2.2375: y = 2.7125, 2.2375; y − y_prev = 1.2125, −0.5125; z = 3.6825, 1.8275
 *            y₂ − y₁ = −0.475; θ' = 3.6825 − 0.11875, 1.8275 + 0.11875 = 3.56375, 1.94625
 */
START_TEST(literal_gasloc_does_as_worked_out_by_hand)
{
    struct pair pair = pair_of(MIXING_GASLOC_LITERAL, 0.5, 0.8, 0.5);
    meet(&pair, (real[]){2, (real)2.5}, (double[]){2.2125, 2.2375});
    meet(&pair, (real[]){(real)3.2125, (real)2.2375}, (double[]){3.56375, 1.94625});
}
END_TEST

/*
 * η = 0.7, γ = 0.5, α = 0.7.
 *   Round 1: g = 1, −0.5, mean 0.25; mean θ = 2
 *            m = 0.175 + 0.7·1, 0.175 − 0.7·1 = 0.875, −0.525;  θ' = 1.875, 2.475
 *   Round 2, ends 2.875, 2.475: g = 1, 0, mean 0.5; mean θ = 2.175
 *            m = 0.4375 + 0.35 + 0.21, −0.2625 + 0.35 − 0.21 = 0.9975, −0.1225;  θ' = 2.8725, 2.3525
 */
START_TEST(noloco_does_as_worked_out_by_hand)
{
    struct pair pair = pair_of(MIXING_NOLOCO, 0.7, 0.5, 0.7);
    meet(&pair, (real[]){2, (real)2.5}, (double[]){1.875, 2.475});
    meet(&pair, (real[]){(real)2.875, (real)2.475}, (double[]){2.8725, 2.3525});
}
END_TEST

/*
 * D-PSGD, α = 1: both start from the mean 2 and add 1, −0.5: 3, 1.5; then, ends 2, 3: the mean is 2.25, and
 * −1, 1.5 are added: 1.25, 3.75. AD-PSGD: the ends' mean, 2.25; then 2.5. Rate and momentum are not read.
 */
START_TEST(psgd_does_as_worked_out_by_hand)
{
    struct pair pair = pair_of(MIXING_D_PSGD, NAN, NAN, 1);
    meet(&pair, (real[]){2, (real)2.5}, (double[]){3, 1.5});
    meet(&pair, (real[]){2, 3}, (double[]){1.25, 3.75});
    pair = pair_of(MIXING_AD_PSGD, NAN, NAN, 1);
    meet(&pair, (real[]){2, (real)2.5}, (double[]){2.25, 2.25});
    meet(&pair, (real[]){2, 3}, (double[]){2.5, 2.5});
}
END_TEST

/* DiLoCo's outer step on the mean of what the workers are about to bring in. */

struct diloco {
    double theta[COUNT], momentum[COUNT];
};

static struct diloco diloco_at_mean(const struct swarm *swarm)
{
    struct diloco diloco = {.theta = {0}};
    for (size_t k = 0; k < COUNT; k++)
        diloco.theta[k] = mean_of(swarm, k);
    return diloco;
}

/* BEFORE and AFTER are the workers at the round's start and at its local steps' end. */
static void diloco_step(struct diloco *diloco, const struct mixing_rule *rule, const struct swarm *before,
                        const struct swarm *after)
{
    for (size_t k = 0; k < COUNT; k++) {
        const double drift = mean_of(after, k) - mean_of(before, k);
        diloco->momentum[k] = rule->momentum * diloco->momentum[k] + drift;
        diloco->theta[k] += rule->rate * (drift + rule->momentum * diloco->momentum[k]);
    }
}

/* A graph of all kinds in turn: whoever meets whom with whatever weight. */
static struct graph any_graph(struct sim_stream *stream, int round)
{
    struct graph graph = {.count = 0};
    switch (round % 4) {
    case 0:
        return ring(0.6);
    case 1:
        return matchings(stream, 2);
    case 2:
        for (size_t i = 1; i < WORKERS; i++) /* a star of uneven edges */
            connect(&graph, 0, i, 0.3 * sim_stream_uniform(stream));
        return graph;
    default:
        connect(&graph, 2, 5, 1); /* nearly everyone is alone */
        return graph;
    }
}

static void mean_follows_diloco(enum mixing_algorithm algorithm)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 3, 0, 0, 0);
    struct swarm swarm = swarm_of(algorithm, 0.7, 0.6, 0.8);
    struct diloco diloco = diloco_at_mean(&swarm);
    for (int round = 0; round < 40; round++) {
        const struct swarm before = swarm;
        const struct graph graph = any_graph(&stream, round);
        local_steps(&swarm);
        diloco_step(&diloco, &swarm.rule, &before, &swarm);
        mix(&swarm, &graph);
        for (size_t k = 0; k < COUNT; k++)
            ck_assert_double_eq_tol(mean_of(&swarm, k), diloco.theta[k], 10 * CLOSE);
    }
    ck_assert_double_gt(spread_of(&swarm), 0.01); /* while the workers themselves don't agree */
}

START_TEST(the_mean_of_gasloc_is_diloco_on_any_graph)
{
    mean_follows_diloco(MIXING_GASLOC);
    mean_follows_diloco(MIXING_GASLOC_LITERAL);
}
END_TEST

/* One round of DiLoCo by the optimiser itself. */
static void real_diloco_round(const struct outer_rule *rule, real *theta, real *momentum)
{
    real drifts[WORKERS][COUNT], merged[COUNT], scratch[COUNT];
    const real *all[WORKERS];
    double weights[WORKERS];
    for (size_t i = 0; i < WORKERS; i++) {
        real end[COUNT];
        memcpy(end, theta, sizeof end);
        local_step(i, end);
        for (size_t k = 0; k < COUNT; k++)
            drifts[i][k] = theta[k] - end[k];
        all[i] = drifts[i];
        weights[i] = 1;
    }
    merge_drifts(MERGE_MEAN, TENSOR_MATRIX, WORKERS, all, weights, COUNT, merged, scratch);
    outer_step(rule, 1, COUNT, theta, merged, momentum);
}

/* On the complete graph of n workers Λ = ½λ(nI − 11ᵀ), so that I − αΛ is the mean where αλ = 2/n. */
START_TEST(gasloc_on_the_complete_graph_is_diloco)
{
    const double alpha = _i == 0 ? 1 : 2.0 / WORKERS;
    const struct graph graph = complete(_i == 0 ? 2.0 / WORKERS : 1);
    struct swarm swarm = swarm_of(MIXING_GASLOC, 0.7, 0.9, alpha);
    for (size_t i = 1; i < WORKERS; i++)
        swarm.workers[i] = swarm.workers[0];
    const struct outer_rule nesterov = {.optimiser = OUTER_NESTEROV, .rate = 0.7, .momentum = 0.9};
    real theta[COUNT], momentum[COUNT] = {0};
    memcpy(theta, swarm.workers[0].parameters, sizeof theta);
    for (int round = 0; round < 60; round++) {
        local_steps(&swarm);
        mix(&swarm, &graph);
        real_diloco_round(&nesterov, theta, momentum);
        for (size_t i = 0; i < WORKERS; i++)
            for (size_t k = 0; k < COUNT; k++)
                ck_assert_double_eq_tol((double)swarm.workers[i].parameters[k], (double)theta[k], 10 * CLOSE);
    }
}
END_TEST

/* The momentum is what the literal form leaves apart. */
START_TEST(literal_gasloc_does_not_agree_on_the_complete_graph)
{
    enum { ROUNDS = 60 };
    const struct graph graph = complete(2.0 / WORKERS);
    struct swarm all = swarm_of(MIXING_GASLOC, 0.7, 0.9, 1);
    struct swarm literal = swarm_of(MIXING_GASLOC_LITERAL, 0.7, 0.9, 1);
    double mean_spread = 0;
    for (int round = 0; round < ROUNDS; round++) {
        local_steps(&all);
        local_steps(&literal);
        mix(&all, &graph);
        mix(&literal, &graph);
        ck_assert_double_lt(spread_of(&all), 10 * CLOSE);
        mean_spread += spread_of(&literal) / ROUNDS;
    }
    ck_assert_double_gt(mean_spread, 0.01);
}
END_TEST

START_TEST(both_forms_are_one_without_momentum)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 4, 0, 0, 0);
    struct swarm all = swarm_of(MIXING_GASLOC, 0.7, 0, 0.9);
    struct swarm literal = swarm_of(MIXING_GASLOC_LITERAL, 0.7, 0, 0.9);
    for (int round = 0; round < 20; round++) {
        const struct graph graph = any_graph(&stream, round);
        local_steps(&all);
        local_steps(&literal);
        mix(&all, &graph);
        mix(&literal, &graph);
        for (size_t i = 0; i < WORKERS; i++)
            ck_assert_mem_eq(all.workers[i].parameters, literal.workers[i].parameters, COUNT * sizeof(real));
    }
}
END_TEST

/* λ = 2/(d+1) and α = 1 make the plain mean of a worker and its d neighbours. */
START_TEST(weights_by_degree_make_a_mean_of_the_neighbourhood)
{
    static const enum mixing_algorithm algorithms[] = {MIXING_GASLOC, MIXING_D_PSGD};
    const struct graph graph = ring(2.0 / 3);
    for (size_t a = 0; a < sizeof algorithms / sizeof algorithms[0]; a++) {
        struct swarm swarm = swarm_of(algorithms[a], 1, 0, 1);
        const struct swarm before = swarm;
        mix(&swarm, &graph);
        for (size_t i = 0; i < WORKERS; i++)
            for (size_t k = 0; k < COUNT; k++) {
                const double mean = ((double)before.workers[i].parameters[k] +
                                     (double)before.workers[(i + 1) % WORKERS].parameters[k] +
                                     (double)before.workers[(i + WORKERS - 1) % WORKERS].parameters[k]) /
                                    3;
                ck_assert_double_eq_tol((double)swarm.workers[i].parameters[k], mean, 2 * CLOSE);
            }
    }
}
END_TEST

/* Consensus: nothing but the exchange moves the workers. */

/* Takes the workers' mean out of VALUE of every worker's state; returns the sum of the squares. */
static double centre(struct swarm *swarm, size_t value)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < WORKERS; i++)
        mean += (double)swarm->workers[i].state[value] / WORKERS;
    for (size_t i = 0; i < WORKERS; i++) {
        real *number = &swarm->workers[i].state[value];
        *number -= (real)mean;
        squares += (double)*number * (double)*number;
    }
    return squares;
}

/* Scales the swarm's disagreement to 1, so that hundreds of rounds fit the numbers' range; returns what it
 * was. All is linear in the state, and the state begins with the parameters. */
static double renormalise(struct swarm *swarm)
{
    double squares = 0;
    for (size_t value = 0; value < 2 * COUNT; value++)
        squares += centre(swarm, value);
    const double size = sqrt(squares);
    for (size_t i = 0; i < WORKERS; i++) {
        struct worker *worker = &swarm->workers[i];
        for (size_t value = 0; value < 2 * COUNT; value++)
            worker->state[value] = (real)((double)worker->state[value] / size);
        memcpy(worker->parameters, worker->state, sizeof worker->parameters);
    }
    return size;
}

/* By what the disagreement is multiplied in a round of fresh matchings, in the geometric mean. */
static double consensus_factor(enum mixing_algorithm algorithm, int peers, double mixing, double momentum)
{
    enum { ROUNDS = 8000 };
    struct sim_stream stream;
    sim_stream_open(&stream, 5, 0, 0, 0);
    struct swarm swarm = swarm_of(algorithm, 0.7, momentum, mixing);
    double sum = 0;
    renormalise(&swarm);
    for (int round = 0; round < ROUNDS; round++) {
        const struct graph graph = matchings(&stream, peers);
        mix(&swarm, &graph);
        sum += log(renormalise(&swarm));
    }
    return exp(sum / ROUNDS);
}

/* Factors found apart from this code, for 8 workers, fresh random matchings and λ = 1. Where a bound is all
 * that is known the factor is NAN; INFINITY: the workers drift apart. */
static const struct {
    int peers;
    enum mixing_algorithm algorithm;
    double mixing, momentum, factor, bound;
} table[] = {
    {1, MIXING_GASLOC_LITERAL, 1, 0.7, 0.962, 1},     {1, MIXING_GASLOC_LITERAL, 1, 0.9, 1.06, INFINITY},
    {1, MIXING_GASLOC_LITERAL, 0.5, 0.7, NAN, 0.912}, {1, MIXING_GASLOC_LITERAL, 0.5, 0.9, 1.0, 1.01},
    {1, MIXING_GASLOC, 1, 0.7, NAN, 0.911},           {1, MIXING_GASLOC, 1, 0.9, 0.976, 1},
    {1, MIXING_GASLOC, 0.5, 0.7, NAN, 0.912},         {1, MIXING_GASLOC, 0.5, 0.9, NAN, 0.916},
    {2, MIXING_GASLOC_LITERAL, 1, 0.7, 0.998, 1},     {2, MIXING_GASLOC_LITERAL, 1, 0.9, NAN, INFINITY},
    {2, MIXING_GASLOC_LITERAL, 0.5, 0.7, NAN, 0.912}, {2, MIXING_GASLOC_LITERAL, 0.5, 0.9, 1.0007, 1.01},
    {2, MIXING_GASLOC, 1, 0.7, NAN, INFINITY},        {2, MIXING_GASLOC, 1, 0.9, NAN, INFINITY},
    {2, MIXING_GASLOC, 0.5, 0.7, NAN, 0.905},         {2, MIXING_GASLOC, 0.5, 0.9, NAN, 0.912},
};

START_TEST(workers_come_together_as_fast_as_the_table_says)
{
    const double factor =
        consensus_factor(table[_i].algorithm, table[_i].peers, table[_i].mixing, table[_i].momentum);
    if (!isnan(table[_i].factor))
        ck_assert_double_eq_tol(factor, table[_i].factor, 0.012);
    if (isinf(table[_i].bound))
        ck_assert_double_gt(factor, 1.02);
    else
        ck_assert_double_lt(factor, table[_i].bound);
}
END_TEST

/* All of them */

static const struct mixing_rule rules[] = {
    {MIXING_GASLOC, 0.7, 0.5, 1}, {MIXING_GASLOC_LITERAL, 0.7, 0.5, 0.5}, {MIXING_NOLOCO, 0.7, 0.5, 0.7},
    {MIXING_D_PSGD, NAN, NAN, 1}, {MIXING_AD_PSGD, NAN, NAN, 1},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static struct swarm by_rule(const struct mixing_rule *rule)
{
    return swarm_of((enum mixing_algorithm)rule->algorithm, rule->rate, rule->momentum, rule->mixing);
}

/* All workers want the same: they get there, and there they agree. */
START_TEST(each_finds_the_common_optimum)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 6, 0, 0, 0);
    struct swarm swarm = by_rule(&rules[_i]);
    for (int round = 0; round < 300; round++) {
        const struct graph graph = matchings(&stream, 1);
        for (size_t i = 0; i < WORKERS; i++)
            local_step(3, swarm.workers[i].parameters);
        mix(&swarm, &graph);
    }
    for (size_t i = 0; i < WORKERS; i++)
        for (size_t k = 0; k < COUNT; k++)
            ck_assert_double_eq_tol((double)swarm.workers[i].parameters[k], (3 + (double)k) / 10, 1e-5);
}
END_TEST

/* Workers want different things: their mean finds the mean optimum, 3.5/10 + k/10. */
START_TEST(the_mean_finds_the_mean_optimum)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 7, 0, 0, 0);
    struct swarm swarm = by_rule(&rules[_i]);
    for (int round = 0; round < 300; round++) {
        const struct graph graph = matchings(&stream, 1);
        local_steps(&swarm);
        mix(&swarm, &graph);
    }
    for (size_t k = 0; k < COUNT; k++)
        ck_assert_double_eq_tol(mean_of(&swarm, k), 0.35 + (double)k / 10, 1e-5);
    ck_assert_double_lt(spread_of(&swarm), 0.6);
}
END_TEST

/* Alone one follows one's own drift: by Nesterov, by momentum, or as it is. */
START_TEST(without_partners_a_worker_goes_on_alone)
{
    const struct graph nobody = {.count = 0};
    struct swarm swarm = by_rule(&rules[_i]);
    const struct swarm before = swarm;
    local_steps(&swarm);
    const struct swarm after = swarm;
    mix(&swarm, &nobody);
    for (size_t i = 0; i < WORKERS; i++)
        for (size_t k = 0; k < COUNT; k++) {
            const double start = (double)before.workers[i].parameters[k];
            const double drift = (double)after.workers[i].parameters[k] - start;
            const double factor = rules[_i].algorithm == MIXING_NOLOCO ? 0.7 : 0.7 * 1.5;
            const double wanted = start + (isnan(rules[_i].rate) ? 1 : factor) * drift;
            ck_assert_double_eq_tol((double)swarm.workers[i].parameters[k], wanted, 2 * CLOSE);
        }
}
END_TEST

static void some_rounds(struct swarm *swarm)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 8, 0, 0, 0);
    for (int round = 0; round < 6; round++) {
        const struct graph graph = any_graph(&stream, round);
        local_steps(swarm);
        mix(swarm, &graph);
    }
}

START_TEST(a_copy_goes_on_to_the_same_bits)
{
    struct swarm swarm = by_rule(&rules[_i]);
    some_rounds(&swarm);
    struct swarm copy = {.rule = swarm.rule};
    for (size_t i = 0; i < WORKERS; i++) {
        memcpy(copy.workers[i].parameters, swarm.workers[i].parameters, sizeof copy.workers[i].parameters);
        memcpy(copy.workers[i].state, swarm.workers[i].state, sizeof copy.workers[i].state);
    }
    some_rounds(&swarm);
    some_rounds(&copy);
    for (size_t i = 0; i < WORKERS; i++)
        ck_assert_mem_eq(swarm.workers[i].parameters, copy.workers[i].parameters, COUNT * sizeof(real));
}
END_TEST

START_TEST(sizes_are_as_documented)
{
    static const size_t states[RULES] = {2, 2, 2, 1, 0}, messages[RULES] = {1, 1, 2, 1, 1};
    ck_assert_uint_eq(mixing_state_size(&rules[_i], 7), 7 * states[_i]);
    ck_assert_uint_eq(mixing_message_size(&rules[_i], 7), 7 * messages[_i]);
    ck_assert_uint_eq(mixing_state_size(&rules[_i], 0), 0);
}
END_TEST

START_TEST(no_parameters_are_no_trouble)
{
    mixing_start(&rules[_i], 0, NULL, NULL);
    mixing_prepare(&rules[_i], 0, NULL, NULL, NULL, NULL);
    mixing_exchange(&rules[_i], 0, 1, NULL, NULL, NULL);
    mixing_finish(&rules[_i], 0, NULL, NULL, NULL, NULL);
}
END_TEST

static Suite *mixing_suite(void)
{
    Suite *suite = suite_create("mixing");
    TCase *values = tcase_create("by hand");
    tcase_add_test(values, gasloc_does_as_worked_out_by_hand);
    tcase_add_test(values, literal_gasloc_does_as_worked_out_by_hand);
    tcase_add_test(values, noloco_does_as_worked_out_by_hand);
    tcase_add_test(values, psgd_does_as_worked_out_by_hand);
    suite_add_tcase(suite, values);

    TCase *identities = tcase_create("identities");
    tcase_add_test(identities, the_mean_of_gasloc_is_diloco_on_any_graph);
    tcase_add_loop_test(identities, gasloc_on_the_complete_graph_is_diloco, 0, 2);
    tcase_add_test(identities, literal_gasloc_does_not_agree_on_the_complete_graph);
    tcase_add_test(identities, both_forms_are_one_without_momentum);
    tcase_add_test(identities, weights_by_degree_make_a_mean_of_the_neighbourhood);
    suite_add_tcase(suite, identities);

    TCase *consensus = tcase_create("consensus");
    tcase_add_loop_test(consensus, workers_come_together_as_fast_as_the_table_says, 0,
                        sizeof table / sizeof table[0]);
    suite_add_tcase(suite, consensus);

    TCase *all = tcase_create("all algorithms");
    tcase_add_loop_test(all, each_finds_the_common_optimum, 0, RULES);
    tcase_add_loop_test(all, the_mean_finds_the_mean_optimum, 0, RULES);
    tcase_add_loop_test(all, without_partners_a_worker_goes_on_alone, 0, RULES);
    tcase_add_loop_test(all, a_copy_goes_on_to_the_same_bits, 0, RULES);
    tcase_add_loop_test(all, sizes_are_as_documented, 0, RULES);
    tcase_add_loop_test(all, no_parameters_are_no_trouble, 0, RULES);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(mixing_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
