/*
 * The pending-event set against a plain binary heap that marks what was cancelled: whatever is pushed,
 * cancelled and moved, both pop the same events in the same order.
 */
#include "sim/queue_internal.h"
#include "tests/bench/delays.h"
#include "tests/bench/heaps.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ck_assert for loops: it leaves a mark in a file each time, this one only when it fails. */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg("'%s' does not hold", #condition);                                                  \
    } while (0)

static struct sim_handle push_at(struct sim_queue *queue, sim_time time, uint8_t priority, uint32_t argument)
{
    return sim_queue_push(queue, time, priority, 0, argument);
}

static uint32_t pop_argument(struct sim_queue *queue)
{
    struct sim_event event = {.argument = UINT32_MAX};
    REQUIRE(sim_queue_pop(queue, &event));
    return event.argument;
}

/* A random walk of both structures side by side. */
struct past {
    struct sim_handle handle;
    enum { PENDING, POPPED, CANCELLED } fate;
};

struct pair {
    struct sim_queue *queue;
    struct heap heap;
    struct sim_stream stream;
    enum delay_law law;
    sim_time now;
    uint32_t pushed, pushed_most;
    size_t pending;
    struct past *past; /* by argument, the number of the push */
};

static struct pair *open_pair(sim_rank *rank, enum delay_law law, uint64_t seed, uint32_t pushed_most)
{
    struct pair *pair = calloc(1, sizeof *pair);
    REQUIRE(pair != NULL);
    pair->queue = sim_queue_create();
    REQUIRE(pair->queue != NULL);
    pair->queue->rank = rank;
    REQUIRE(heap_create(&pair->heap, pushed_most));
    pair->past = malloc(pushed_most * sizeof *pair->past);
    REQUIRE(pair->past != NULL);
    sim_stream_open(&pair->stream, seed, 0, 0, law);
    pair->law = law;
    pair->pushed_most = pushed_most;
    return pair;
}

static void close_pair(struct pair *pair)
{
    sim_queue_destroy(pair->queue);
    heap_free(&pair->heap);
    free(pair->past);
    free(pair);
}

static uint32_t below(struct pair *pair, uint32_t n)
{
    return (uint32_t)sim_stream_below(&pair->stream, n);
}

static void pair_push(struct pair *pair, sim_time time, uint8_t priority)
{
    uint32_t number = pair->pushed++;
    REQUIRE(number < pair->pushed_most);
    uint64_t order = (uint64_t)priority << 56 | (number + 1);
    heap2_push(&pair->heap, &(struct sim_event){time, order, number / 2, number});
    pair->past[number].handle = sim_queue_push(pair->queue, time, priority, number / 2, number);
    REQUIRE(pair->past[number].handle.time == time);
    REQUIRE(pair->past[number].handle.order == order);
    pair->past[number].fate = PENDING;
    pair->pending++;
}

/* One push in eight is at the present time, whose priority numbers may be below the last popped. */
static void pair_push_some(struct pair *pair)
{
    struct delay delay = delay_draw(pair->law, &pair->stream);
    uint8_t priority = below(pair, 4) == 0 ? (uint8_t)below(pair, 256) : 7;
    bool present = below(pair, 8) == 0;
    pair_push(pair, present ? pair->now : pair->now + delay_for(&delay, below(pair, 200)), priority);
}

static bool plain_pop(struct pair *pair, sim_time limit, struct sim_event *event)
{
    while (pair->heap.count > 0 && pair->past[pair->heap.event[0].argument].fate == CANCELLED)
        heap2_pop(&pair->heap, event);
    return pair->heap.count > 0 && pair->heap.event[0].time <= limit && heap2_pop(&pair->heap, event);
}

static void pair_pop(struct pair *pair, sim_time limit)
{
    struct sim_event ours = {0}, plain = {0};
    bool expected = plain_pop(pair, limit, &plain);
    REQUIRE(sim_queue_pop_until(pair->queue, limit, &ours) == expected);
    if (!expected)
        return;
    REQUIRE(memcmp(&ours, &plain, sizeof ours) == 0);
    pair->past[ours.argument].fate = POPPED;
    pair->pending--;
    pair->now = ours.time;
}

/* Handles of all ages are tried, those of popped and cancelled events too. */
static uint32_t some_push(struct pair *pair)
{
    uint32_t window = 1u << below(pair, 20);
    window = window < pair->pushed ? window : pair->pushed;
    return pair->pushed - 1 - below(pair, window);
}

static bool pair_cancel(struct pair *pair, uint32_t number)
{
    bool pending = pair->past[number].fate == PENDING;
    REQUIRE(sim_queue_is_pending(pair->queue, pair->past[number].handle) == pending);
    REQUIRE(sim_queue_cancel(pair->queue, pair->past[number].handle) == pending);
    REQUIRE(!sim_queue_is_pending(pair->queue, pair->past[number].handle));
    if (pending) {
        pair->past[number].fate = CANCELLED;
        pair->pending--;
    }
    return pending;
}

/* How often each thing is done, in percent; the rest are pops. */
struct habits {
    uint32_t push, cancel, reschedule, peek;
};

static void pair_step(struct pair *pair, const struct habits *habits)
{
    uint32_t choice = below(pair, 100);
    if (choice < habits->push || pair->pushed == 0) {
        pair_push_some(pair);
    } else if (choice < habits->push + habits->cancel) {
        pair_cancel(pair, some_push(pair));
    } else if (choice < habits->push + habits->cancel + habits->reschedule) {
        if (pair_cancel(pair, some_push(pair)))
            pair_push_some(pair);
    } else if (choice < habits->push + habits->cancel + habits->reschedule + habits->peek) {
        pair_pop(pair, pair->now + (sim_time)below(pair, 1000000));
    } else {
        pair_pop(pair, SIM_NEVER);
    }
    REQUIRE(sim_queue_count(pair->queue) == pair->pending);
}

static void pair_walk(struct pair *pair, const struct habits *habits, size_t steps)
{
    for (size_t i = 0; i < steps; i++)
        pair_step(pair, habits);
}

static void pair_drain(struct pair *pair)
{
    while (pair->pending > 0)
        pair_pop(pair, SIM_NEVER);
    pair_pop(pair, SIM_NEVER);
    REQUIRE(sim_queue_count(pair->queue) == 0);
}

/* Grows to about SIZE events, lives at that size, shrinks, and grows again from nothing. */
static void live(struct pair *pair, size_t size)
{
    const struct habits growing = {80, 2, 4, 2}, steady = {44, 2, 8, 2}, shrinking = {10, 3, 5, 2};
    const struct habits cancelling = {50, 40, 8, 1};
    pair_walk(pair, &growing, size * 3 / 2);
    pair_walk(pair, &steady, size + 1000);
    pair_walk(pair, &cancelling, size);
    pair_walk(pair, &shrinking, size / 2);
    pair_drain(pair);
    pair_walk(pair, &growing, 300);
    pair_drain(pair);
}

static const size_t sizes[] = {3, 40, 400, 5000, 60000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Loop test over rankings, laws and sizes. */
START_TEST(test_random_walks)
{
    const struct sim_ranking *ranking = &sim_rankings[_i / (DELAY_LAWS * SIZES)];
    enum delay_law law = (enum delay_law)(_i / SIZES % DELAY_LAWS);
    if (!ranking->supported())
        return;
    size_t size = sizes[_i % SIZES];
    struct pair *pair = open_pair(ranking->rank, law, (uint64_t)_i, (uint32_t)(4 * size + 2000));
    live(pair, size);
    close_pair(pair);
}
END_TEST

START_TEST(test_two_hundred_thousand)
{
    struct pair *pair = open_pair(sim_rank_choose(), (enum delay_law)_i, 99, 400000);
    for (size_t i = 0; i < 200000; i++)
        pair_push_some(pair);
    pair_walk(pair, &(struct habits){45, 1, 8, 1}, 200000);
    pair_drain(pair);
    close_pair(pair);
}
END_TEST

START_TEST(test_ties_pop_by_priority_then_in_order)
{
    struct sim_queue *queue = sim_queue_create();
    push_at(queue, 10, 1, 0);
    push_at(queue, 10, 0, 1);
    push_at(queue, 5, 9, 2);
    push_at(queue, 10, 0, 3);
    push_at(queue, 10, 255, 4);
    static const uint32_t order[] = {2, 1, 3, 0, 4};
    for (size_t i = 0; i < 5; i++)
        REQUIRE(pop_argument(queue) == order[i]);
    REQUIRE(!sim_queue_pop(queue, &(struct sim_event){0}));
    sim_queue_destroy(queue);
}
END_TEST

/* A handle names an event until it is popped or cancelled, and never again. */
START_TEST(test_handles)
{
    struct sim_queue *queue = sim_queue_create();
    struct sim_event event;
    struct sim_handle a = push_at(queue, 7, 0, 1), b = push_at(queue, 7, 0, 2);
    REQUIRE(!sim_queue_is_pending(queue, (struct sim_handle){0}));
    REQUIRE(!sim_queue_cancel(queue, (struct sim_handle){0}));
    REQUIRE(sim_queue_cancel(queue, a));
    REQUIRE(!sim_queue_cancel(queue, a));
    REQUIRE(sim_queue_is_pending(queue, b));
    REQUIRE(sim_queue_pop(queue, &event));
    REQUIRE(event.argument == 2);
    REQUIRE(!sim_queue_is_pending(queue, b));
    REQUIRE(!sim_queue_cancel(queue, b));
    sim_queue_destroy(queue);
}
END_TEST

START_TEST(test_pop_until_leaves_later_events)
{
    struct sim_queue *queue = sim_queue_create();
    struct sim_event event;
    push_at(queue, 100, 0, 1);
    REQUIRE(!sim_queue_pop_until(queue, 99, &event));
    push_at(queue, 50, 0, 2);
    REQUIRE(sim_queue_pop_until(queue, 99, &event));
    REQUIRE(event.argument == 2);
    REQUIRE(!sim_queue_pop_until(queue, 99, &event));
    REQUIRE(sim_queue_pop_until(queue, 100, &event));
    REQUIRE(event.argument == 1);
    sim_queue_destroy(queue);
}
END_TEST

/* A handler that wakes thousands at the present time, ahead of itself in priority, some of which are
 * cancelled: they come next, in order, and popped ones are told from pending ones. */
START_TEST(test_storm_at_the_present_time)
{
    struct pair *pair = open_pair(sim_rank_choose(), DELAY_EXPONENTIAL, 3, 10000);
    for (int i = 0; i < 3000; i++)
        pair_push(pair, 1000, 200);
    for (int i = 0; i < 100; i++)
        pair_pop(pair, SIM_NEVER);
    for (int i = 0; i < 5000; i++)
        pair_push(pair, 1000, (uint8_t)below(pair, 256));
    for (int i = 0; i < 3000; i++) {
        pair_cancel(pair, some_push(pair));
        pair_pop(pair, SIM_NEVER);
    }
    for (int i = 0; i < 2000; i++)
        pair_push(pair, 1000, (uint8_t)below(pair, 256));
    pair_drain(pair);
    close_pair(pair);
}
END_TEST

/* Times near both ends of the clock: nothing overflows. */
START_TEST(test_whole_range_of_time)
{
    struct pair *pair = open_pair(sim_rank_choose(), DELAY_EXPONENTIAL, 5, 31000);
    for (int i = 0; i < 20000; i++) {
        sim_time time = (sim_time)(sim_stream_bits(&pair->stream) >> (1 + below(pair, 63)));
        pair_push(pair, time, (uint8_t)below(pair, 2));
        if (i % 2)
            pair_push(pair, SIM_NEVER - (sim_time)below(pair, 300), 0);
    }
    for (int i = 0; i < 1000; i++)
        pair_push(pair, SIM_NEVER, (uint8_t)(255 * (i % 2)));
    pair_drain(pair);
    close_pair(pair);
}
END_TEST

/* Ever earlier events between now and the next: each round the window overflows below its bucket, and the
 * rungs nest without end. */
START_TEST(test_deep_nesting)
{
    struct pair *pair = open_pair(sim_rank_choose(), DELAY_EXPONENTIAL, 6, 79000);
    for (int i = 0; i < 5000; i++)
        pair_push(pair, SIM_NEVER / 2 + below(pair, 1000), 0);
    for (int round = 0; round < 200; round++) {
        sim_time high = SIM_NEVER / 2 - 1000000 * (sim_time)(round + 1);
        for (int i = 0; i < 300; i++)
            pair_push(pair, high + below(pair, 1000), 0);
        for (int i = 0; i < 70; i++)
            pair_push(pair, pair->now + 1, 0);
        for (int i = 0; i < 70; i++)
            pair_pop(pair, SIM_NEVER);
        REQUIRE(!sim_queue_pop_until(pair->queue, pair->now, &(struct sim_event){0}));
    }
    pair_drain(pair);
    close_pair(pair);
}
END_TEST

/* Ties are being taken in their order when earlier events come, more than the window holds. */
START_TEST(test_events_before_ties)
{
    struct pair *pair = open_pair(sim_rank_choose(), DELAY_EXPONENTIAL, 9, 3000);
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 1000; i++)
            pair_push(pair, round * 1000000, (uint8_t)below(pair, 3));
        pair_pop(pair, pair->now);
        for (int i = 0; i < 500; i++)
            pair_push(pair, pair->now + below(pair, 1000000), 1);
        pair_drain(pair);
    }
    close_pair(pair);
}
END_TEST

START_TEST(test_descending_times)
{
    struct pair *pair = open_pair(sim_rank_choose(), DELAY_EXPONENTIAL, 7, 100000);
    for (int i = 0; i < 100000; i++)
        pair_push(pair, 1000000 - 10 * i, 0);
    pair_drain(pair);
    close_pair(pair);
}
END_TEST

/* A far timeout set and called off at every step, for ever, takes no more memory than a few. */
START_TEST(test_cancelling_takes_no_memory)
{
    struct sim_queue *queue = sim_queue_create();
    struct sim_event event;
    enum { LIVE = 500, HISTORY = 64 };
    struct sim_handle old[HISTORY] = {0};
    for (uint32_t i = 0; i < LIVE; i++)
        push_at(queue, 1 + i, 0, i);
    for (uint32_t i = 0; i < 1000000; i++) {
        struct sim_handle timeout = push_at(queue, SIM_NEVER - 1 - i % 1000, 0, LIVE);
        REQUIRE(sim_queue_pop(queue, &event));
        REQUIRE(event.argument < LIVE);
        push_at(queue, event.time + LIVE, 0, event.argument);
        REQUIRE(sim_queue_cancel(queue, timeout));
        REQUIRE(!sim_queue_is_pending(queue, old[i % HISTORY]));
        old[i % HISTORY] = timeout;
    }
    REQUIRE(sim_queue_count(queue) == LIVE);
    REQUIRE(sim_queue_memory(queue) < 400000);
    sim_queue_destroy(queue);
}
END_TEST

/* Handles cancelled before a cleaning, and live ones from before it, are still known after it. */
START_TEST(test_handles_outlive_a_cleaning)
{
    struct sim_queue *queue = sim_queue_create();
    enum { ALL = 20000 };
    struct sim_handle *handle = malloc(ALL * sizeof *handle);
    for (uint32_t i = 0; i < ALL; i++)
        handle[i] = push_at(queue, 1000 + i % 777, (uint8_t)(i % 3), i);
    for (uint32_t i = 0; i < ALL; i++)
        REQUIRE(i % 10 == 0 || sim_queue_cancel(queue, handle[i]));
    REQUIRE(queue->cleaned > 0);
    for (uint32_t i = 0; i < ALL; i++)
        REQUIRE(sim_queue_is_pending(queue, handle[i]) == (i % 10 == 0));
    for (uint32_t i = 0; i < ALL; i += 10)
        REQUIRE(sim_queue_cancel(queue, handle[i]));
    REQUIRE(!sim_queue_pop(queue, &(struct sim_event){0}));
    free(handle);
    sim_queue_destroy(queue);
}
END_TEST

START_TEST(test_memory_of_a_pending_event)
{
    enum { EVENTS = 1200000 };
    struct sim_queue *queue = sim_queue_create();
    struct sim_stream stream;
    struct sim_event event;
    sim_stream_open(&stream, 1, 0, 0, 0);
    for (uint32_t i = 0; i < EVENTS; i++)
        push_at(queue, sim_time_from_seconds(sim_stream_exponential(&stream)), 0, i);
    for (uint32_t i = 0; i < EVENTS; i++) {
        REQUIRE(sim_queue_pop(queue, &event));
        push_at(queue, event.time + sim_time_from_seconds(sim_stream_exponential(&stream)), 0, i);
    }
    REQUIRE(sim_queue_memory(queue) <= 32u * EVENTS);
    sim_queue_destroy(queue);
}
END_TEST

/* When memory runs out, what is near may still be popped, the rest is lost, and nothing is taken any more. */
START_TEST(test_out_of_memory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* they need more address space than is left here */
#endif
    struct sim_queue *queue = sim_queue_create();
    struct sim_handle first = push_at(queue, 1, 0, 0), second = push_at(queue, 1000, 0, 0), last = second;
    struct rlimit before, limit;
    struct sim_event event;
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = 128 << 20;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    for (uint32_t i = 0; i < 100000000 && last.order != 0; i++)
        last = push_at(queue, 2 + i % 100000, 0, 0);
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    REQUIRE(last.order == 0 && sim_queue_failed(queue));
    REQUIRE(push_at(queue, 5, 0, 0).order == 0);
    REQUIRE(!sim_queue_is_pending(queue, second) && !sim_queue_cancel(queue, second));
    REQUIRE(sim_queue_is_pending(queue, first) && sim_queue_cancel(queue, first));
    REQUIRE(sim_queue_count(queue) < SIM_NEAR_LIMIT);
    while (sim_queue_count(queue) > 0)
        REQUIRE(sim_queue_pop(queue, &event));
    REQUIRE(!sim_queue_pop(queue, &event));
    REQUIRE(sim_queue_memory(queue) < 100000);
    sim_queue_destroy(queue);
}
END_TEST

static int by_key(const void *a, const void *b)
{
    sim_key x = sim_key_of(a), y = sim_key_of(b);
    return (x > y) - (x < y);
}

/* Every ranking, every length: few and many ties, times close together and as far apart as can be. */
START_TEST(test_run_sort)
{
    if (!sim_rankings[_i].supported())
        return;
    struct sim_event event[SIM_RUN_LIMIT], sorted[SIM_RUN_LIMIT];
    struct sim_stream stream;
    sim_stream_open(&stream, 8, 0, 0, 0);
    for (size_t trial = 0; trial < 20 * SIM_RUN_LIMIT; trial++) {
        size_t count = 1 + trial % SIM_RUN_LIMIT;
        for (size_t i = 0; i < count; i++) {
            sim_time time = (sim_time)(sim_stream_bits(&stream) >> (1 + trial % 63));
            uint64_t priority = trial % 5 == 0 ? sim_stream_below(&stream, 3) : 0;
            event[i] = (struct sim_event){time, priority << 56 | (i + 1), (uint32_t)i, 0};
        }
        sim_run_sort(sim_rankings[_i].rank, event, count, sorted);
        qsort(event, count, sizeof *event, by_key);
        REQUIRE(memcmp(event, sorted, count * sizeof *event) == 0);
    }
}
END_TEST

START_TEST(test_numbers)
{
    struct sim_numbers set = {0};
    REQUIRE(!sim_numbers_has(&set, 1));
    for (uint64_t i = 1; i < 10000; i++)
        REQUIRE(sim_numbers_add(&set, i * i));
    for (uint64_t i = 1, root = 1; i < 300000; i++) {
        REQUIRE(sim_numbers_has(&set, i) == (i == root * root));
        root += i == root * root;
    }
    REQUIRE(set.count == 9999);
    sim_numbers_release(&set);
    REQUIRE(sim_numbers_memory(&set) == 0);
}
END_TEST

static Suite *queue_suite(void)
{
    Suite *suite = suite_create("queue");
    TCase *plain = tcase_create("contract");
    tcase_add_test(plain, test_ties_pop_by_priority_then_in_order);
    tcase_add_test(plain, test_handles);
    tcase_add_test(plain, test_pop_until_leaves_later_events);
    tcase_add_test(plain, test_cancelling_takes_no_memory);
    tcase_add_test(plain, test_handles_outlive_a_cleaning);
    tcase_add_test(plain, test_memory_of_a_pending_event);
    tcase_add_test(plain, test_numbers);
    tcase_add_test(plain, test_out_of_memory);
    suite_add_tcase(suite, plain);
    TCase *walks = tcase_create("against a heap");
    int rankings = 0;
    while (sim_rankings[rankings].name)
        rankings++;
    tcase_add_loop_test(plain, test_run_sort, 0, rankings);
    tcase_add_loop_test(walks, test_random_walks, 0, rankings * DELAY_LAWS * SIZES);
    tcase_add_loop_test(walks, test_two_hundred_thousand, 0, DELAY_LAWS);
    tcase_add_test(walks, test_storm_at_the_present_time);
    tcase_add_test(walks, test_whole_range_of_time);
    tcase_add_test(walks, test_deep_nesting);
    tcase_add_test(walks, test_events_before_ties);
    tcase_add_test(walks, test_descending_times);
    suite_add_tcase(suite, walks);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(queue_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
