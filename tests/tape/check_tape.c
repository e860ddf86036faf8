/*
 * Tapes written, as bytes and as JSON Lines, and back: to the bit where they are sound, refused where they
 * are not. Every allocation is watched, so that bytes from elsewhere can't ask for more than they are worth.
 */
#include "results/learning.h"
#include "tests/learning/replayed.h"
#include "tests/models/random_run.h"
#include "tests/tape/tapes.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { RANDOM_TAPES = 300, SIMULATED_TAPES = 400, PREFIX = 12 /* magic and version */ };

/* Allocations. */

static size_t largest_allocation;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static void watch(size_t size)
{
    if (size > largest_allocation)
        largest_allocation = size;
}

void *__wrap_malloc(size_t size)
{
    watch(size);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    watch(count * size);
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    watch(size);
    return __real_realloc(block, size);
}

/* There and back. */

struct encoded {
    uint8_t *bytes;
    size_t length;
};

static struct encoded encode(const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    struct encoded encoded;
    void *bytes;
    ck_assert_msg(tape_encode(tape, &bytes, &encoded.length, &error), "%s", error.message);
    encoded.bytes = bytes;
    return encoded;
}

static struct tape *decode(struct encoded encoded)
{
    struct error error = {.kind = ERROR_NONE};
    struct tape *tape = tape_decode(encoded.bytes, encoded.length, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    return tape;
}

static struct tape *through_bytes(const struct tape *tape)
{
    struct encoded encoded = encode(tape);
    struct tape *decoded = decode(encoded);
    struct encoded again = encode(decoded);
    ck_assert_uint_eq(encoded.length, again.length);
    ck_assert_mem_eq(encoded.bytes, again.bytes, again.length);
    free(encoded.bytes);
    free(again.bytes);
    return decoded;
}

static char *to_json(const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    char *text = tape_to_json(tape, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    return text;
}

static struct tape *through_json(const struct tape *tape)
{
    struct error error = {.kind = ERROR_NONE};
    char *text = to_json(tape);
    struct tape *read = tape_from_json(text, &error);
    ck_assert_msg(read != NULL, "%s", error.message);
    free(text);
    return read;
}

static void assert_same(const struct tape *tape, struct tape *other)
{
    ck_assert(tape_is_equal(tape, other));
    tape_destroy(other);
}

static struct tape *simulated(const struct fixture *fixture, uint64_t seed)
{
    struct strategy_config strategy = {.kind = fixture->kind, .options = (void *)&fixture->options};
    struct run_result result;
    struct error error = {.kind = ERROR_NONE};
    struct tape *tape = NULL;
    ck_assert(simulation_run(&fixture->config, &strategy, seed, 0, NULL, &result, &tape, &error));
    ck_assert_msg(tape_check(tape, &error), "seed %" PRIu64 ": %s", seed, error.message);
    return tape;
}

/* Writing. */

START_TEST(records_are_sorted_by_time_and_keep_their_order)
{
    static const sim_time times[] = {5, 3, 5, 4, 3, 5, 1, 9, 5};
    static const int64_t wanted[] = {6, 1, 4, 3, 0, 2, 5, 8, 7}; /* numbers of writing */
    struct pen pen = pen_create(1, 0);
    for (int64_t i = 0; i < 9; i++) {
        pen.time = times[i];
        pen_write(&pen, TAPE_RESET, 0, i);
    }
    struct tape *tape = pen_finish(&pen);
    ck_assert_uint_eq(tape->count, 9);
    for (size_t i = 0; i < 9; i++) {
        ck_assert_int_eq(tape->records[i].clock, wanted[i]);
        ck_assert_int_eq(tape->records[i].time, times[wanted[i]]);
    }
    tape_destroy(tape);
}
END_TEST

/* Participants stay with their merge, wherever it goes. */
START_TEST(participants_stay_with_their_merge)
{
    struct pen pen = pen_create(9, 1);
    for (int32_t i = 8; i >= 0; i--) {
        pen.time = i;
        pen_merge(&pen, 0, i, i, (uint32_t)(9 - i), 100 + i);
    }
    struct tape *tape = pen_finish(&pen);
    for (int32_t i = 0; i < 9; i++) {
        const struct tape_record *merge = &tape->records[i];
        ck_assert_int_eq(merge->clock, i);
        ck_assert_uint_eq(merge->parts, (uint32_t)(9 - i));
        for (uint32_t k = 0; k < merge->parts; k++) {
            ck_assert_int_eq(tape->parts[merge->first_part + k].learner, i + (int32_t)k);
            ck_assert_int_eq(tape->parts[merge->first_part + k].clock, 100 + i);
        }
    }
    tape_destroy(tape);
}
END_TEST

START_TEST(many_records_are_kept)
{
    struct pen pen = pen_create(2, 0);
    for (int64_t k = 0; k < 10000; k++) {
        pen.time = k;
        pen_step(&pen, (int32_t)(k % 2), k / 2);
    }
    struct tape *tape = pen_finish(&pen);
    struct error error = {.kind = ERROR_NONE};
    ck_assert_uint_eq(tape->count, 20000);
    ck_assert_msg(tape_check(tape, &error), "%s", error.message);
    assert_same(tape, through_bytes(tape));
    tape_destroy(tape);
}
END_TEST

START_TEST(a_writer_that_failed_says_so)
{
    struct error error = {.kind = ERROR_NONE};
    struct pen pen = pen_create(2, 0);
    pen_step(&pen, 0, 0);
    tape_writer_fail(pen.writer);
    pen_step(&pen, 0, 1);
    ck_assert_ptr_null(tape_finish(pen.writer, &error));
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    tape_write(NULL, pen_record(&pen, TAPE_RESET, 0, 0)); /* nobody keeps it */
    tape_writer_abandon(NULL);
    pen = pen_create(2, 0);
    pen_step(&pen, 0, 0);
    tape_writer_abandon(pen.writer);
}
END_TEST

/* To the bit. */

START_TEST(any_tape_comes_back_to_the_bit)
{
    for (uint32_t i = 0; i < RANDOM_TAPES; i++) {
        struct sim_stream stream;
        sim_stream_open(&stream, 1, i, 1, 0);
        struct tape *wild = tape_at_random(&stream, true), *finite = tape_at_random(&stream, false);
        assert_same(wild, through_bytes(wild));
        assert_same(finite, through_bytes(finite));
        assert_same(finite, through_json(finite));
        tape_destroy(wild);
        tape_destroy(finite);
    }
}
END_TEST

/* What is not finite has no JSON. */
START_TEST(no_number_is_dropped_from_json)
{
    for (int which = 0; which < 4; which++) {
        struct error error = {.kind = ERROR_NONE};
        struct pen pen = pen_create(2, 0);
        pen.tokens = which == 0 ? NAN : 1;
        pen_step(&pen, 0, 0);
        pen_mix(&pen, 0, 1, which == 1 ? INFINITY : 1);
        pen_merge(&pen, 0, 1, 0, 2, 1);
        struct tape *tape = pen_finish(&pen);
        if (which == 2)
            tape->parts[1].weight = NAN;
        if (which == 3)
            tape->shares[1] = NAN;
        ck_assert_ptr_null(tape_to_json(tape, &error));
        tape_destroy(tape);
    }
}
END_TEST

START_TEST(simulated_tapes_come_back_to_the_bit)
{
    size_t of_kind[TAPE_KINDS] = {0}, of_strategy[STRATEGY_TRAINING_KINDS] = {0};
    for (uint64_t i = 0; i < SIMULATED_TAPES; i++) {
        struct fixture fixture = random_run(i);
        struct tape *tape = simulated(&fixture, i);
        assert_same(tape, through_bytes(tape));
        if (tape->count < 3000)
            assert_same(tape, through_json(tape));
        for (size_t k = 0; k < tape->count; k++)
            of_kind[tape->records[k].kind]++;
        of_strategy[fixture.kind]++;
        tape_destroy(tape);
    }
    for (int kind = 0; kind < STRATEGY_TRAINING_KINDS; kind++)
        ck_assert_uint_gt(of_strategy[kind], SIMULATED_TAPES / STRATEGY_TRAINING_KINDS / 2);
    for (int kind = 0; kind < TAPE_KINDS; kind++)
        if (kind != TAPE_RESET) /* which no strategy has a use for yet */
            ck_assert_msg(of_kind[kind] > 10, "%zu records %s", of_kind[kind], tape_kind_names[kind]);
}
END_TEST

/* What simulations write. */

struct place {
    int64_t position, furthest;
};

/* Of the snapshot that the rollback at record NUMBER goes to; 0: the start's. */
static int64_t saved_position(const struct tape *tape, const int64_t *positions, size_t number)
{
    const struct tape_record *rollback = &tape->records[number];
    for (size_t i = number; i-- > 0;) {
        const struct tape_record *record = &tape->records[i];
        if (record->kind == TAPE_SNAPSHOT && record->actor == rollback->actor &&
            record->clock == rollback->clock)
            return positions[i];
    }
    return 0;
}

/* A learner's steps go through its data one by one, and from the snapshot's place on after a rollback. */
static void assert_places(const struct tape *tape)
{
    struct place *places = calloc((size_t)tape->learners, sizeof *places);
    int64_t *positions = calloc(tape->count + 1, sizeof *positions);
    for (size_t i = 0; i < tape->count; i++) {
        const struct tape_record *record = &tape->records[i];
        struct place *place = record->actor < 0 ? NULL : &places[record->actor];
        if (record->kind == TAPE_STEP_BEGIN) {
            ck_assert_int_eq(record->position, place->position);
            ck_assert_int_eq(record->replayed, place->position < place->furthest);
        }
        if (record->kind == TAPE_STEP_END && ++place->position > place->furthest)
            place->furthest = place->position;
        if (record->kind == TAPE_SNAPSHOT)
            positions[i] = place->position;
        if (record->kind == TAPE_ROLLBACK)
            place->position = saved_position(tape, positions, i);
    }
    free(places);
    free(positions);
}

START_TEST(steps_go_through_the_data)
{
    for (uint64_t i = 0; i < SIMULATED_TAPES; i++) {
        struct fixture fixture = random_run(i);
        struct tape *tape = simulated(&fixture, i);
        assert_places(tape);
        tape_destroy(tape);
    }
}
END_TEST

/* Even where all were lost while they synchronised; then it is nobody's. */
START_TEST(every_round_of_diloco_ends_in_a_merge)
{
    size_t nobodys = 0;
    struct fixture fixture = replayed_troubled(STRATEGY_DILOCO);
    fixture.options.learner.learners = 2;
    fixture.options.diloco.inner_steps = 1;
    fixture.config.cluster.chips_per_slice = 128;
    fixture.config.failures.chip.mean /= 4;
    fixture.config.network.wan_bandwidth /= 20;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct tape *tape = simulated(&fixture, seed);
        int64_t merged = 0;
        for (size_t i = 0; i < tape->count; i++) {
            const struct tape_record *record = &tape->records[i];
            if (record->kind == TAPE_SEND)
                ck_assert_int_eq(record->clock, merged + 1);
            if (record->kind != TAPE_MERGE)
                continue;
            ck_assert_int_eq(record->clock, ++merged);
            nobodys += record->parts == 0;
        }
        tape_destroy(tape);
    }
    ck_assert_uint_gt(nobodys, 10);
}
END_TEST

START_TEST(an_empty_tape_comes_back)
{
    struct pen pen = pen_create(3, 7);
    struct tape *tape = pen_finish(&pen);
    assert_same(tape, through_bytes(tape));
    assert_same(tape, through_json(tape));
    tape_destroy(tape);
}
END_TEST

/* Bytes that are no tape. */

static struct encoded small_tape(void)
{
    struct fixture fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.duration = 60 * SIM_SECOND;
    struct tape *tape = simulated(&fixture, 1);
    struct encoded encoded = encode(tape);
    tape_destroy(tape);
    return encoded;
}

static void assert_refused(struct encoded encoded, const char *what)
{
    struct error error = {.kind = ERROR_NONE};
    largest_allocation = 0;
    struct tape *tape = tape_decode(encoded.bytes, encoded.length, &error);
    ck_assert_ptr_null(tape);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, what), "%s", error.message);
    ck_assert_uint_lt(largest_allocation, 20 * 1000 * 1000);
}

START_TEST(truncated_bytes_are_refused)
{
    struct encoded whole = small_tape();
    for (size_t length = 0; length < whole.length; length++) {
        uint8_t *bytes = malloc(length + 1); /* of its own, so that reading beyond its end is noticed */
        memcpy(bytes, whole.bytes, length);
        assert_refused((struct encoded){bytes, length}, length < PREFIX ? "are no event tape" : "is damaged");
        free(bytes);
    }
    free(whole.bytes);
}
END_TEST

START_TEST(bytes_behind_the_end_are_refused)
{
    struct encoded whole = small_tape();
    whole.bytes = realloc(whole.bytes, whole.length + 1);
    whole.bytes[whole.length++] = 0;
    assert_refused(whole, "is damaged");
    free(whole.bytes);
}
END_TEST

/* Any bit turned over: refused, or one that means nothing (zstd's header has some). */
START_TEST(damaged_bytes_are_refused)
{
    struct encoded whole = small_tape();
    struct tape *tape = decode(whole);
    size_t meaningless = 0;
    for (size_t bit = 0; bit < 8 * whole.length; bit++) {
        whole.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct tape *read = tape_decode(whole.bytes, whole.length, NULL);
        if (read) {
            assert_same(tape, read);
            meaningless++;
        }
        whole.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ck_assert_uint_le(meaningless, 8);
    tape_destroy(tape);
    free(whole.bytes);
}
END_TEST

START_TEST(other_versions_are_refused)
{
    struct encoded whole = small_tape();
    whole.bytes[8]++;
    assert_refused(whole, "of version 2; this program reads version 1");
    whole.bytes[11] = 255;
    assert_refused(whole, "of version 4278190082;");
    whole.bytes[0]++;
    assert_refused(whole, "are no event tape");
    free(whole.bytes);
}
END_TEST

/* Forged. */

static struct encoded forge(const uint8_t *plain, size_t length)
{
    size_t bound = ZSTD_compressBound(length);
    uint8_t *bytes = malloc(PREFIX + bound);
    memcpy(bytes, "trnstape\1\0\0\0", PREFIX);
    size_t written = ZSTD_compress(bytes + PREFIX, bound, plain, length, 1);
    ck_assert(!ZSTD_isError(written));
    return (struct encoded){bytes, PREFIX + written};
}

static size_t put_number(uint8_t *to, uint64_t value)
{
    size_t length = 0;
    for (; value >= 0x80; value >>= 7)
        to[length++] = (uint8_t)(value | 0x80);
    to[length++] = (uint8_t)value;
    return length;
}

/* A header that promises much more than there is. */
START_TEST(promises_are_not_believed)
{
    static const uint64_t counts[] = {0, 1, 100, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    enum { COUNTS = sizeof counts / sizeof *counts };
    for (size_t i = 0; i < COUNTS * COUNTS * COUNTS * COUNTS; i++) {
        uint8_t plain[400] = {0};
        size_t length = 0;
        for (size_t k = 0, rest = i; k < 4; k++, rest /= COUNTS)
            length += put_number(plain + length, counts[rest % COUNTS]);
        struct encoded forged = forge(plain, sizeof plain);
        largest_allocation = 0;
        struct tape *tape = tape_decode(forged.bytes, forged.length, NULL);
        ck_assert(largest_allocation < 2 * 1000 * 1000);
        tape_destroy(tape);
        free(forged.bytes);
    }
}
END_TEST

/* The frame's header promises 2⁶² bytes. */
START_TEST(a_frame_that_promises_much_is_not_believed)
{
    uint8_t frame[] = {'t',  'r',  'n', 's', 't', 'a', 'p', 'e', 1, 0, 0,  0, 0x28, 0xb5,
                       0x2f, 0xfd, 224, 0,   0,   0,   0,   0,   0, 0, 64, 1, 0,    0};
    assert_refused((struct encoded){frame, sizeof frame}, "is damaged");
    frame[16] = 192; /* with a window of 2⁴¹ bytes */
    frame[17] = 31 << 3;
    assert_refused((struct encoded){frame, sizeof frame}, "is damaged");
}
END_TEST

static uint8_t *plain_of(struct encoded encoded, size_t *length)
{
    *length = (size_t)ZSTD_getFrameContentSize(encoded.bytes + PREFIX, encoded.length - PREFIX);
    uint8_t *plain = malloc(*length);
    ck_assert_uint_eq(ZSTD_decompress(plain, *length, encoded.bytes + PREFIX, encoded.length - PREFIX),
                      *length);
    return plain;
}

/* Right in itself, but for a byte more or less than the header says. */
START_TEST(the_content_is_as_long_as_it_says)
{
    size_t length;
    struct encoded whole = small_tape();
    uint8_t *plain = plain_of(whole, &length), *longer = calloc(length + 1, 1);
    memcpy(longer, plain, length);
    for (int more = -1; more <= 1; more++) {
        struct encoded forged = forge(longer, length + (size_t)more);
        if (more == 0)
            tape_destroy(decode(forged));
        else
            assert_refused(forged, "is damaged");
        free(forged.bytes);
    }
    free(longer);
    free(plain);
    free(whole.bytes);
}
END_TEST

/* Checksums that are right, around bytes that are not: whatever comes out of them, looking at it is safe. */
START_TEST(forged_bytes_do_no_harm)
{
    struct sim_stream stream;
    size_t length, decoded = 0, sound = 0;
    struct encoded whole = small_tape();
    uint8_t *plain = plain_of(whole, &length);
    sim_stream_open(&stream, 2, 0, 1, 0);
    for (int i = 0; i < 20000; i++) {
        size_t at = sim_stream_below(&stream, length);
        uint8_t was = plain[at];
        plain[at] = (uint8_t)sim_stream_below(&stream, 256);
        struct encoded forged = forge(plain, length - (i % 50 == 0 ? at : 0));
        largest_allocation = 0;
        struct tape *tape = tape_decode(forged.bytes, forged.length, NULL);
        decoded += tape != NULL;
        sound += tape && tape_check(tape, NULL);
        ck_assert(largest_allocation < 20 * 1000 * 1000);
        tape_destroy(tape);
        free(forged.bytes);
        plain[at] = was;
    }
    ck_assert_uint_gt(decoded, 5000);
    ck_assert_uint_gt(sound, 100);
    free(plain);
    free(whole.bytes);
}
END_TEST

/* JSON by hand. */

#define HEADER "{\"tape\":1,\"learners\":2,\"fragments\":1,\"full_tokens\":10,\"shares\":[0.5,0.5]}\n"
#define BEGIN                                                                                                \
    "{\"kind\":\"step_begin\",\"time_ns\":1,\"actor\":0,\"clock\":0,\"position\":0,\"replayed\":false,"      \
    "\"tokens\":5}\n"
#define END "{\"kind\":\"step_end\",\"time_ns\":2,\"actor\":0,\"clock\":1,\"tokens\":5}\n"
#define SENT "{\"kind\":\"send\",\"time_ns\":2,\"actor\":0,\"clock\":1,\"fragment\":0}\n"
#define MERGE                                                                                                \
    "{\"kind\":\"merge\",\"time_ns\":2,\"actor\":-1,\"clock\":1,\"fragment\":0,\"parts\":[{\"learner\":0,"   \
    "\"weight\":2.5,\"clock\":1}]}\n"

START_TEST(a_tape_is_written_by_hand_in_json)
{
    struct error error = {.kind = ERROR_NONE};
    struct tape *tape = tape_from_json(HEADER "\n" BEGIN END SENT MERGE, &error);
    ck_assert_msg(tape && tape_check(tape, &error), "%s", error.message);
    ck_assert_uint_eq(tape->count, 4);
    ck_assert_int_eq(tape->records[3].actor, TAPE_SYNCER);
    ck_assert_double_eq(tape->parts[0].weight, 2.5);
    ck_assert_int_eq(tape->records[1].fragment, TAPE_WHOLE);
    tape_destroy(tape);
}
END_TEST

START_TEST(json_that_is_no_tape_is_refused_by_its_line)
{
    static const struct {
        const char *text, *what;
    } wrong[] = {
        {"", "the tape is empty"},
        {"\n\n", "the tape is empty"},
        {"[1]\n", "line 1 of the tape is no tape header of this version"},
        {BEGIN, "line 1 of the tape is no tape header"},
        {"{\"tape\":2,\"learners\":1,\"fragments\":1,\"full_tokens\":10,\"shares\":[1]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":2,\"fragments\":1,\"full_tokens\":10,\"shares\":[1]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":0,\"fragments\":1,\"full_tokens\":10,\"shares\":[]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":1,\"fragments\":-1,\"full_tokens\":10,\"shares\":[1]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":1,\"fragments\":1000001,\"full_tokens\":10,\"shares\":[1]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":1,\"fragments\":1,\"full_tokens\":\"10\",\"shares\":[1]}\n", "line 1"},
        {"{\"tape\":1,\"learners\":1,\"fragments\":1,\"full_tokens\":10,\"shares\":[\"1\"]}\n", "line 1"},
        {HEADER HEADER, "line 2 of the tape is no tape record"},
        {HEADER BEGIN "\n{\"kind\":\"step_end\"", "line 4"},
        {HEADER BEGIN "{\"kind\":\"stop\",\"time_ns\":2,\"actor\":0,\"clock\":1}", "line 3"},
        {HEADER "{\"kind\":\"reset\",\"time_ns\":2,\"clock\":1}", "line 2"},
        {HEADER "{\"kind\":\"reset\",\"time_ns\":2.5,\"actor\":0,\"clock\":1}", "line 2"},
        {HEADER "{\"kind\":\"reset\",\"time_ns\":2,\"actor\":0}", "line 2"},
        {HEADER "{\"kind\":\"reset\",\"time_ns\":2,\"actor\":4294967296,\"clock\":1}", "line 2"},
        {HEADER BEGIN "{\"kind\":\"step_end\",\"time_ns\":2,\"actor\":0,\"clock\":1,\"tokns\":5}", "line 3"},
        {HEADER BEGIN "{\"kind\":\"step_end\",\"time_ns\":2,\"actor\":0,\"clock\":1,\"tokens\":null}",
         "line 3"},
        {HEADER "{\"kind\":\"send\",\"time_ns\":2,\"actor\":0,\"clock\":1}", "line 2"},
        {HEADER "{\"kind\":\"copy\",\"time_ns\":2,\"actor\":0,\"clock\":1}", "line 2"},
        {HEADER "{\"kind\":\"mix\",\"time_ns\":2,\"actor\":0,\"clock\":1,\"peer\":1}", "line 2"},
        {HEADER "{\"kind\":\"merge\",\"time_ns\":2,\"actor\":-1,\"clock\":1,\"fragment\":0}", "line 2"},
        {HEADER "{\"kind\":\"merge\",\"time_ns\":2,\"actor\":-1,\"clock\":1,\"fragment\":0,\"parts\":[1]}",
         "line 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error = {.kind = ERROR_NONE};
        ck_assert_ptr_null(tape_from_json(wrong[i].text, &error));
        ck_assert_int_eq(error.kind, ERROR_INPUT);
        ck_assert_msg(strstr(error.message, wrong[i].what), "%zu: %s", i, error.message);
    }
}
END_TEST

/* Line NUMBER, from 1, of TEXT. */
static char *line_of(char *text, size_t number)
{
    for (; number > 1; number--)
        text = strchr(text, '\n') + 1;
    return text;
}

static void assert_refused_at(const char *text, size_t record, const char *what)
{
    struct error error = {.kind = ERROR_NONE};
    char number[40];
    struct tape *tape = tape_from_json(text, &error);
    ck_assert_msg(tape != NULL, "%s", error.message);
    ck_assert(!tape_check(tape, &error));
    snprintf(number, sizeof number, "tape record %zu (", record);
    ck_assert_msg(strstr(error.message, number) && strstr(error.message, what), "%s", error.message);
    tape_destroy(tape);
}

/* TEXT without its record NUMBER. The caller frees. */
static char *without(const char *text, size_t number)
{
    char *edited = strdup(text), *line = line_of(edited, number + 2), *next = line_of(line, 2);
    memmove(line, next, strlen(next) + 1);
    return edited;
}

/* Each record on which others depend, taken out in turn. */
START_TEST(a_tape_edited_against_causality_is_refused)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.duration = 100 * SIM_SECOND;
    struct tape *tape = simulated(&fixture, 1);
    char *text = to_json(tape);
    size_t refused = 0;
    for (size_t i = 0; i < tape->count; i++) {
        size_t merge = i;
        if (tape->records[i].kind != TAPE_SEND && tape->records[i].kind != TAPE_MERGE)
            continue;
        while (tape->records[merge].kind != TAPE_MERGE)
            merge++;
        char *edited = without(text, i);
        if (merge == i)
            assert_refused_at(edited, merge, "is not merged yet"); /* by the first that applies it */
        else
            assert_refused_at(edited, merge - 1, "sent nothing for clock");
        free(edited);
        refused++;
    }
    ck_assert_uint_eq(refused, 2 * (4 + 1));
    char *edited = strdup(text);
    memcpy(strstr(line_of(edited, 3), "\"actor\":1"), "\"actor\":7", 9);
    assert_refused_at(edited, 1, "there is no such learner; the tape has 4");
    free(edited);
    free(text);
    tape_destroy(tape);
}
END_TEST

/* Kept with its run. */

struct keeping {
    char folder[40], path[80];
    struct store *store;
    int64_t study;
};

static struct keeping keeping_open(void)
{
    struct error error = {.kind = ERROR_NONE};
    struct keeping keeping = {.folder = "/tmp/trainstorm.XXXXXX"};
    const struct study_record study = {.name = "tapes",
                                       .scenario = "name: tapes\n",
                                       .scenario_sha256 = "0",
                                       .version = "1",
                                       .command_line = "",
                                       .host = ""};
    ck_assert_ptr_nonnull(mkdtemp(keeping.folder));
    snprintf(keeping.path, sizeof keeping.path, "%s/tapes.sqlite", keeping.folder);
    keeping.store = store_open(keeping.path, &error);
    ck_assert_msg(keeping.store != NULL, "%s", error.message);
    keeping.study = store_add_study(keeping.store, &study, &error);
    return keeping;
}

static void keeping_close(struct keeping *keeping)
{
    store_close(keeping->store);
    unlink(keeping->path);
    rmdir(keeping->folder);
}

/* Adds the run with its tape, and reads the tape of it. */
static struct tape *keep(struct keeping *keeping, const struct tape *tape, const struct run_result *result)
{
    struct error error = {.kind = ERROR_NONE};
    struct encoded encoded = encode(tape), read;
    const struct run_record run = {.strategy = "it",
                                   .point = "{}",
                                   .seed = 1,
                                   .result = result,
                                   .tape = encoded.bytes,
                                   .tape_length = encoded.length};
    int64_t *ids;
    size_t count;
    void *bytes;
    ck_assert_msg(store_add_runs(keeping->store, keeping->study, &run, 1, &error), "%s", error.message);
    ck_assert(store_taped_runs(keeping->store, keeping->study, NULL, &ids, &count, &error));
    ck_assert_msg(store_read_tape(keeping->store, ids[0], &bytes, &read.length, &error), "%s", error.message);
    read.bytes = bytes;
    struct tape *kept = decode(read);
    free(ids);
    free(read.bytes);
    free(encoded.bytes);
    return kept;
}

static void assert_replays_alike(const struct replay_request *request, struct tape *tape)
{
    struct replay_request other = *request;
    other.tape = tape;
    for (int time = 0; time < 2; time++) {
        struct replayed one = replayed_whole(request), again = replayed_whole(&other);
        replayed_assert_same(&one, &again);
        replayed_free(&one);
        replayed_free(&again);
    }
    tape_destroy(tape);
}

START_TEST(a_stored_tape_is_replayed_to_the_bit)
{
    struct fixture fixture = replayed_troubled(_i);
    struct learning_config learning = replayed_transformer(LEARNING_SINGLE);
    struct learning_rule rule = replayed_rule();
    struct keeping keeping = keeping_open();
    struct run_result result;
    struct tape *tape = replayed_tape(&fixture, 2, &result);
    struct replay_request request = replayed_request(&learning, &rule, tape);
    struct tape *kept = keep(&keeping, tape, &result);
    ck_assert(tape_is_equal(tape, kept));
    assert_replays_alike(&request, through_json(kept));
    assert_replays_alike(&request, kept);
    tape_destroy(tape);
    keeping_close(&keeping);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tape");
    TCase *writing = tcase_create("writing");
    tcase_add_test(writing, records_are_sorted_by_time_and_keep_their_order);
    tcase_add_test(writing, participants_stay_with_their_merge);
    tcase_add_test(writing, many_records_are_kept);
    tcase_add_test(writing, a_writer_that_failed_says_so);
    TCase *back = tcase_create("there and back");
    tcase_add_test(back, any_tape_comes_back_to_the_bit);
    tcase_add_test(back, no_number_is_dropped_from_json);
    tcase_add_test(back, simulated_tapes_come_back_to_the_bit);
    tcase_add_test(back, an_empty_tape_comes_back);
    TCase *simulations = tcase_create("what simulations write");
    tcase_add_test(simulations, steps_go_through_the_data);
    tcase_add_test(simulations, every_round_of_diloco_ends_in_a_merge);
    TCase *bytes = tcase_create("bytes that are no tape");
    tcase_add_test(bytes, truncated_bytes_are_refused);
    tcase_add_test(bytes, bytes_behind_the_end_are_refused);
    tcase_add_test(bytes, damaged_bytes_are_refused);
    tcase_add_test(bytes, other_versions_are_refused);
    tcase_add_test(bytes, promises_are_not_believed);
    tcase_add_test(bytes, a_frame_that_promises_much_is_not_believed);
    tcase_add_test(bytes, the_content_is_as_long_as_it_says);
    tcase_add_test(bytes, forged_bytes_do_no_harm);
    TCase *json = tcase_create("JSON");
    tcase_add_test(json, a_tape_is_written_by_hand_in_json);
    tcase_add_test(json, json_that_is_no_tape_is_refused_by_its_line);
    tcase_add_test(json, a_tape_edited_against_causality_is_refused);
    suite_add_tcase(suite, writing);
    suite_add_tcase(suite, back);
    suite_add_tcase(suite, simulations);
    suite_add_tcase(suite, bytes);
    suite_add_tcase(suite, json);
    TCase *stored = tcase_create("kept with its run");
    tcase_add_loop_test(stored, a_stored_tape_is_replayed_to_the_bit, 0, STRATEGY_TRAINING_KINDS);
    suite_add_tcase(suite, stored);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
