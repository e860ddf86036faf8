/*
 * The hold model: take the earliest event, put it back a random delay later, with so many events pending.
 * The queue, a binary and a 4-ary heap of the same 24-byte events take turns, block by block, on the same
 * delays, which are drawn outside the time measured. All must take the same events out.
 *
 *     bench_hold [EVENTS…]
 */
#include "sim/queue.h"
#include "tests/bench/delays.h"
#include "tests/bench/heaps.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    DELAYS = 4096,       /* drawn for a block: few enough to take little of the caches */
    BLOCK = 10 * DELAYS, /* holds of a structure in turn: enough to warm them again after the others */
    BLOCKS_LEAST = 4,
    ROUNDS = 5,
    STRUCTURES = 3,
};

struct contest {
    struct sim_queue *queue;
    struct heap heap[2];
    uint64_t heap_order[2];
    uint64_t checksum[STRUCTURES];
    struct delay delay[DELAYS];
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t mix(uint64_t checksum, const struct sim_event *event)
{
    return (checksum ^ (uint64_t)event->time ^ event->actor) * UINT64_C(0x9E3779B97F4A7C15);
}

static void hold_queue(struct contest *contest)
{
    struct sim_event event;
    uint64_t checksum = contest->checksum[0];
    for (size_t i = 0; i < BLOCK; i++) {
        sim_queue_pop(contest->queue, &event);
        checksum = mix(checksum, &event);
        sim_queue_push(contest->queue, event.time + delay_for(&contest->delay[i % DELAYS], event.actor), 0,
                       event.actor, 0);
    }
    contest->checksum[0] = checksum;
}

static void hold_heap2(struct contest *contest)
{
    struct sim_event event;
    uint64_t checksum = contest->checksum[1];
    for (size_t i = 0; i < BLOCK; i++) {
        heap2_pop(&contest->heap[0], &event);
        checksum = mix(checksum, &event);
        event.time += delay_for(&contest->delay[i % DELAYS], event.actor);
        event.order = ++contest->heap_order[0];
        heap2_push(&contest->heap[0], &event);
    }
    contest->checksum[1] = checksum;
}

static void hold_heap4(struct contest *contest)
{
    struct sim_event event;
    uint64_t checksum = contest->checksum[2];
    for (size_t i = 0; i < BLOCK; i++) {
        heap4_pop(&contest->heap[1], &event);
        checksum = mix(checksum, &event);
        event.time += delay_for(&contest->delay[i % DELAYS], event.actor);
        event.order = ++contest->heap_order[1];
        heap4_push(&contest->heap[1], &event);
    }
    contest->checksum[2] = checksum;
}

static void (*const holds[STRUCTURES])(struct contest *) = {hold_queue, hold_heap2, hold_heap4};

static bool open_contest(struct contest *contest, uint32_t events, enum delay_law law,
                         struct sim_stream *stream)
{
    *contest = (struct contest){.queue = sim_queue_create()};
    if (!contest->queue || !heap_create(&contest->heap[0], events) || !heap_create(&contest->heap[1], events))
        return false;
    for (uint32_t i = 0; i < events; i++) {
        struct delay delay = delay_draw(law, stream);
        struct sim_event event = {delay_for(&delay, i), ++contest->heap_order[0], i, 0};
        contest->heap_order[1]++;
        sim_queue_push(contest->queue, event.time, 0, i, 0);
        heap2_push(&contest->heap[0], &event);
        heap4_push(&contest->heap[1], &event);
    }
    return !sim_queue_failed(contest->queue);
}

static void close_contest(struct contest *contest)
{
    sim_queue_destroy(contest->queue);
    heap_free(&contest->heap[0]);
    heap_free(&contest->heap[1]);
}

/* Adds to SPENT[i] what structure i needs for BLOCKS blocks. */
static void run_blocks(struct contest *contest, enum delay_law law, struct sim_stream *stream, long blocks,
                       double spent[STRUCTURES])
{
    for (long block = 0; block < blocks; block++) {
        for (size_t i = 0; i < DELAYS; i++)
            contest->delay[i] = delay_draw(law, stream);
        for (size_t i = 0; i < STRUCTURES; i++) {
            double start = seconds_now();
            holds[i](contest);
            spent[i] += seconds_now() - start;
        }
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double value[ROUNDS])
{
    qsort(value, ROUNDS, sizeof *value, compare);
    return value[ROUNDS / 2];
}

static bool measure(uint32_t events, enum delay_law law)
{
    struct sim_stream stream;
    struct contest contest;
    double warm_up[STRUCTURES] = {0}, cost[STRUCTURES][ROUNDS];
    sim_stream_open(&stream, 1, 0, 0, law);
    if (!open_contest(&contest, events, law, &stream))
        return false;
    long blocks = events / BLOCK / 2 > BLOCKS_LEAST ? events / BLOCK / 2 : BLOCKS_LEAST;
    run_blocks(&contest, law, &stream, 4 * blocks, warm_up);
    for (size_t round = 0; round < ROUNDS; round++) {
        double spent[STRUCTURES] = {0};
        run_blocks(&contest, law, &stream, blocks, spent);
        for (size_t i = 0; i < STRUCTURES; i++)
            cost[i][round] = spent[i] / (double)(blocks * BLOCK) * 1e9;
    }
    double ours = median(cost[0]), binary = median(cost[1]), quaternary = median(cost[2]);
    printf("%-12s %9" PRIu32 " %8.1f %8.1f %8.1f %9.2f %9.2f %9.1f\n", delay_names[law], events, ours, binary,
           quaternary, binary / ours, quaternary / ours,
           (double)sim_queue_memory(contest.queue) / (double)events);
    bool agree = contest.checksum[0] == contest.checksum[1] && contest.checksum[0] == contest.checksum[2];
    close_contest(&contest);
    return agree;
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = {1000, 10000, 100000, 1200000};
    size_t sizes = argc > 1 ? (size_t)(argc - 1) : sizeof usual / sizeof *usual;
    printf("%-12s %9s %8s %8s %8s %9s %9s %9s\n%-12s %9s %26s %9s %9s %9s\n", "delays", "pending", "queue",
           "binary", "4-ary", "binary", "4-ary", "bytes", "", "", "ns per hold          ", "/ queue",
           "/ queue", "an event");
    for (size_t i = 0; i < sizes; i++)
        for (enum delay_law law = 0; law < DELAY_LAWS; law++)
            if (!measure(argc > 1 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : usual[i], law)) {
                fprintf(stderr, "out of memory, or the structures disagree\n");
                return EXIT_FAILURE;
            }
    return EXIT_SUCCESS;
}
