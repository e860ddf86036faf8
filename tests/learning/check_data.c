/*
 * Languages and texts: probabilities are exact, sequences pure, shards what they say.
 */
#include "models/learning/data.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct data_config markov = {
    .source = SOURCE_MARKOV, .symbols = 4, .order = 3, .states = 3, .zipf = 1, .contrast = 2, .shards = 3};

static struct data_config with(enum learning_source source, double skew)
{
    struct data_config config = markov;
    config.source = source;
    config.skew = skew;
    return config;
}

static struct data *create(const struct data_config *config, int64_t learners, int64_t length)
{
    struct error error = {0};
    struct data *data = data_create(config, learners, length, 9, &error);
    ck_assert_msg(data != NULL, "%s", error.message);
    return data;
}

/* log p(SYMBOLS[1 … length−1] | SYMBOLS[0]) */
static double log_probability(const struct data *data, const int32_t *symbols, int64_t length)
{
    return -data_source_loss(data, symbols, length) * (double)(length - 1);
}

/* The sum of p over all ways to go on from SYMBOLS[0 … known−1] to LENGTH. */
static double all_continuations(const struct data *data, int32_t *symbols, int64_t known, int64_t length)
{
    if (known == length)
        return exp(log_probability(data, symbols, length));
    double sum = 0;
    for (int32_t x = 0; x < markov.symbols; x++) {
        symbols[known] = x;
        sum += all_continuations(data, symbols, known + 1, length);
    }
    return sum;
}

static void check_sums(struct data_config config)
{
    struct data *data = create(&config, 2, 7);
    for (int32_t first = 0; first < markov.symbols; first++) {
        int32_t symbols[7] = {first};
        ck_assert_double_eq_tol(all_continuations(data, symbols, 1, 7), 1, 1e-12);
        symbols[1] = 2, symbols[2] = 1;
        double prefix = exp(log_probability(data, symbols, 3));
        ck_assert_double_eq_tol(all_continuations(data, symbols, 3, 7) / prefix, 1, 1e-12);
    }
    data_destroy(data);
}

START_TEST(probabilities_sum_to_one)
{
    check_sums(with(SOURCE_MARKOV, 0));
    check_sums(with(SOURCE_HIDDEN_MARKOV, 0));
}
END_TEST

START_TEST(a_mixture_s_probabilities_sum_to_one)
{
    check_sums(with(SOURCE_MARKOV, 0.5));
    check_sums(with(SOURCE_HIDDEN_MARKOV, 1));
}
END_TEST

enum { TRIPLES = 4 * 4 * 4, SAMPLES = 200000 };

/* χ² of the frequencies in held-out sequences against the probabilities, within 5 standard deviations. The 64
 * cells have 60 degrees of freedom, as each first symbol's count is taken as it is. */
static void check_frequencies(struct data_config config)
{
    struct data *data = create(&config, 2, 3);
    double count[TRIPLES] = {0}, first[4] = {0}, chi_squared = 0;
    int32_t s[3];
    for (int64_t i = 0; i < SAMPLES; i++) {
        data_held_out(data, i, 3, s);
        count[(s[0] * 4 + s[1]) * 4 + s[2]]++;
        first[s[0]]++;
    }
    for (int32_t i = 0; i < TRIPLES; i++) {
        const int32_t triple[3] = {i / 16, i / 4 % 4, i % 4};
        double expected = first[i / 16] * exp(log_probability(data, triple, 3));
        chi_squared += (count[i] - expected) * (count[i] - expected) / expected;
    }
    ck_assert_double_eq_tol(chi_squared, 60, 5 * sqrt(2 * 60));
    data_destroy(data);
}

START_TEST(what_is_drawn_has_the_probability_told)
{
    check_frequencies(with(SOURCE_MARKOV, 0));
    check_frequencies(with(SOURCE_HIDDEN_MARKOV, 0));
    check_frequencies(with(SOURCE_MARKOV, 0.6));
    check_frequencies(with(SOURCE_HIDDEN_MARKOV, 1));
}
END_TEST

/* The mean −log p of long sequences is the entropy of their distribution: here that of independent symbols,
 * which Zipf's law gives in closed form. */
START_TEST(without_contrast_the_loss_is_zipf_s_entropy)
{
    struct data_config config = markov;
    config.symbols = 20;
    config.contrast = 0;
    double weight = 0, sum = 0, entropy, loss = 0;
    for (int r = 1; r <= 20; r++) {
        weight += 1.0 / r;
        sum += log(r) / r;
    }
    entropy = log(weight) + sum / weight;
    struct data *data = create(&config, 1, 1001);
    int32_t symbols[1001];
    for (int64_t i = 0; i < 100; i++) {
        data_held_out(data, i, 1001, symbols);
        loss += data_source_loss(data, symbols, 1001) / 100;
    }
    ck_assert_double_eq_tol(loss, entropy, 0.015); /* 100,000 symbols: a standard error of 0.003 */
    data_destroy(data);
}
END_TEST

enum { MANY_SYMBOLS = 64, LENGTH = 65, SEQUENCES = 40000 };

struct entropies {
    double unigram, bigram, source;
};

static double entropy_of(const double *count, size_t n, double total)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (count[i] > 0)
            sum -= count[i] * log(count[i] / total);
    return sum;
}

static struct entropies measure(const struct data *data)
{
    double *pairs = calloc(MANY_SYMBOLS * MANY_SYMBOLS, sizeof *pairs), singles[MANY_SYMBOLS] = {0};
    double before[MANY_SYMBOLS] = {0}, tokens = (double)SEQUENCES * (LENGTH - 1);
    struct entropies entropies = {0};
    int32_t s[LENGTH];
    for (int64_t i = 0; i < SEQUENCES; i++) {
        data_held_out(data, i, LENGTH, s);
        for (size_t t = 1; t < LENGTH; t++) {
            singles[s[t]]++;
            before[s[t - 1]]++;
            pairs[s[t - 1] * MANY_SYMBOLS + s[t]]++;
        }
        if (i % 10 == 0)
            entropies.source += data_source_loss(data, s, LENGTH) * 10 / SEQUENCES;
    }
    entropies.unigram = entropy_of(singles, MANY_SYMBOLS, tokens) / tokens;
    for (size_t i = 0; i < MANY_SYMBOLS; i++)
        entropies.bigram += entropy_of(pairs + i * MANY_SYMBOLS, MANY_SYMBOLS, before[i]) / tokens;
    free(pairs);
    return entropies;
}

/* With the defaults, a model that sees no or one symbol of context stays clearly above the source. */
START_TEST(context_must_be_used)
{
    struct data_config config = {
        .symbols = MANY_SYMBOLS, .order = 2, .states = 16, .zipf = 1, .contrast = 3, .shards = 8};
    for (config.source = SOURCE_MARKOV; config.source <= SOURCE_HIDDEN_MARKOV; config.source++) {
        struct data *data = create(&config, 1, LENGTH);
        struct entropies entropies = measure(data);
        ck_assert_double_gt(entropies.unigram, entropies.bigram + 0.3);
        ck_assert_double_gt(entropies.bigram,
                            entropies.source + (config.source == SOURCE_MARKOV ? 0.5 : 0.1));
        data_destroy(data);
    }
}
END_TEST

START_TEST(sequences_are_a_function_of_their_name)
{
    struct data_config config = with(SOURCE_MARKOV, 0.5);
    struct data *one = create(&config, 2, 30), *again = create(&config, 2, 30);
    int32_t a[30], b[30];
    data_training(one, 1, 7, 3, 30, a);
    data_training(one, 0, 0, 0, 30, b);
    ck_assert_mem_ne(a, b, sizeof a);
    data_training(one, 1, 8, 3, 30, b);
    ck_assert_mem_ne(a, b, sizeof a);
    data_training(one, 1, 7, 4, 30, b);
    ck_assert_mem_ne(a, b, sizeof a);
    data_training(again, 1, 7, 3, 30, b);
    ck_assert_mem_eq(a, b, sizeof a);
    data_held_out(one, 3, 30, a);
    data_held_out(again, 3, 30, b);
    ck_assert_mem_eq(a, b, sizeof a);
    data_destroy(one);
    data_destroy(again);
}
END_TEST

/* What all learners read at a position is the same set, however many they are; with skew where they divide
 * the shards. */
static void check_interleaving(double skew)
{
    struct data_config config = with(SOURCE_HIDDEN_MARKOV, skew);
    config.shards = 6;
    struct data *alone = create(&config, 1, 20), *three = create(&config, 3, 20);
    int32_t a[20], b[20];
    for (int64_t number = 0; number < 24; number++) {
        data_training(alone, 0, 5, number, 20, a);
        data_training(three, number % 3, 5, number / 3, 20, b);
        ck_assert_mem_eq(a, b, sizeof a);
    }
    data_destroy(alone);
    data_destroy(three);
}

START_TEST(learners_interleave)
{
    check_interleaving(0);
    check_interleaving(0.7);
    check_interleaving(1);
}
END_TEST

START_TEST(a_learner_owns_the_shards_of_its_number)
{
    for (int64_t index = 0; index < 20; index++) {
        ck_assert_int_eq(data_shard(8, 8, 5, index), 5);
        ck_assert_int_eq(data_shard(8, 1, 0, index), index % 8);
        ck_assert_int_eq(data_shard(8, 4, 3, index), index % 2 ? 7 : 3);
        ck_assert_int_eq(data_shard(8, 3, 2, index), index % 2 ? 5 : 2); /* 0 3 6, 1 4 7, 2 5 */
        ck_assert_int_eq(data_shard(8, 20, 17, index), 1); /* more learners than shards share them */
    }
}
END_TEST

/* Frequencies of pairs in what LEARNER reads. */
static void pairs_of(const struct data *data, int64_t learner, double pairs[16])
{
    int32_t s[30];
    memset(pairs, 0, 16 * sizeof *pairs);
    for (int64_t position = 0; position < 2000; position++) {
        data_training(data, learner, position, 0, 30, s);
        for (size_t t = 1; t < 30; t++)
            pairs[s[t - 1] * 4 + s[t]] += 1.0 / (2000 * 29);
    }
}

static double distance_between_learners(double skew)
{
    struct data_config config = with(SOURCE_MARKOV, skew);
    struct data *data = create(&config, 3, 30);
    double one[16], other[16], distance = 0;
    pairs_of(data, 0, one);
    pairs_of(data, 1, other);
    for (size_t i = 0; i < 16; i++)
        distance += fabs(one[i] - other[i]);
    data_destroy(data);
    return distance;
}

START_TEST(skew_sets_learners_apart)
{
    double none = distance_between_learners(0), half = distance_between_learners(0.5);
    double all = distance_between_learners(1);
    ck_assert_double_lt(none, 0.03);
    ck_assert_double_gt(half, 0.1);
    ck_assert_double_eq_tol(half / all, 0.5, 0.1);
}
END_TEST

START_TEST(too_large_a_language_is_refused)
{
    struct error error = {0};
    struct data_config config = {
        .symbols = 1024, .order = 8, .zipf = 1, .contrast = 1, .shards = 4096, .skew = 1};
    ck_assert_ptr_null(data_create(&config, 1, 10, 1, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "4097 languages of 1024 symbols"));
}
END_TEST

/* Text files */

static char path[] = "check_data_XXXXXX";

static void write_text(const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void make_file(void)
{
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void remove_file(void)
{
    unlink(path);
    strcpy(path, "check_data_XXXXXX");
}

static struct data_config text_config(double skew)
{
    return (struct data_config){
        .source = SOURCE_TEXT, .file = path, .held_out = 0.25, .shards = 3, .skew = skew};
}

static void check_refused(const char *text, double skew, const char *why)
{
    struct error error = {0};
    struct data_config config = text_config(skew);
    config.shards = 4;
    write_text(text, strlen(text));
    ck_assert_ptr_null(data_create(&config, 1, 5, 1, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, path) == error.message, "%s", error.message);
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
}

START_TEST(texts_too_short_are_refused_by_name)
{
    check_refused("", 0, "is empty");
    check_refused("a", 0, "too short");
    check_refused("abcdefghijkl", 0, "of its 12 bytes, learning.data.held_out: 0.25 holds out 3");
    check_refused("abcdefghijklmnopqrst", 1, "each of 4 shards has 3 bytes of it");
    check_refused("abcdefghijklmnopqrst", 1, "one sequence takes 5");
}
END_TEST

START_TEST(a_text_that_cannot_be_read_is_refused_by_name)
{
    struct error error = {0};
    struct data_config config = {.source = SOURCE_TEXT, .file = "no/such/text", .held_out = 0.1, .shards = 1};
    ck_assert_ptr_null(data_create(&config, 1, 5, 1, &error));
    ck_assert_str_eq(error.message, "no/such/text: cannot be opened: No such file or directory");
    error.kind = ERROR_NONE;
    config.file = NULL;
    ck_assert_ptr_null(data_create(&config, 1, 5, 1, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "learning.data.file is missing"));
}
END_TEST

/* A device that never ends, and a pipe into which nobody writes: neither is waited for. */
START_TEST(only_regular_files_are_texts)
{
    static const char *const others[] = {".", "/dev/zero", path};
    struct error error = {0};
    struct data_config config = text_config(0);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    config.file = (char *)others[_i];
    ck_assert_ptr_null(data_create(&config, 1, 5, 1, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, others[_i]) == error.message, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(error.message, ": is no regular file"));
}
END_TEST

/* A GiB and a byte, of which the disk holds nothing. */
START_TEST(a_text_too_large_is_refused_by_name)
{
    struct error error = {0};
    struct data_config config = text_config(0);
    ck_assert_int_eq(truncate(path, (1 << 30) + 1), 0);
    ck_assert_ptr_null(data_create(&config, 1, 5, 1, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, path) == error.message, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(error.message, "the text is too large: 1024 MiB are read at most"));
}
END_TEST

/* 0 … 7 eight times over, as letters: 48 bytes to train on, 16 held out. */
static struct data *eight_letters(double skew, int64_t learners)
{
    struct data_config config = text_config(skew);
    char text[64];
    for (size_t i = 0; i < 64; i++)
        text[i] = (char)('a' + (i < 48 ? i / 6 : i % 8));
    write_text(text, sizeof text);
    return create(&config, learners, 5);
}

START_TEST(symbols_are_the_bytes_in_order)
{
    write_text("zebra zebra zebra zebra", 23);
    struct data_config config = text_config(0);
    struct data *data = create(&config, 1, 5);
    int32_t symbols[5];
    ck_assert_int_eq(data_symbols(data), 6); /* space a b e r z */
    data_held_out(data, 0, 5, symbols);      /* "zebra", after 18 bytes */
    ck_assert_mem_eq(symbols, ((int32_t[]){5, 3, 2, 4, 1}), sizeof symbols);
    ck_assert(isnan(data_source_loss(data, symbols, 5)));
    data_destroy(data);
}
END_TEST

START_TEST(held_out_windows_follow_each_other_at_the_end)
{
    struct data *data = eight_letters(0, 1);
    for (int64_t i = 0; i < 9; i++) {
        int32_t symbols[5];
        data_held_out(data, i, 5, symbols);
        for (int32_t t = 0; t < 5; t++)
            ck_assert_int_eq(symbols[t], (4 * (int32_t)(i % 3) + t) % 8);
    }
    data_destroy(data);
}
END_TEST

START_TEST(training_never_reads_what_is_held_out)
{
    struct data *data = eight_letters(0, 1);
    bool seen[8] = {false};
    for (int64_t i = 0; i < 500; i++) {
        int32_t symbols[5];
        data_training(data, 0, i, 0, 5, symbols);
        for (int32_t t = 0; t < 5; t++) {
            seen[symbols[t]] = true;
            ck_assert_int_le(t ? symbols[t] - symbols[t - 1] : 0, 1); /* the held-out part rises by 1 each */
        }
        ck_assert_int_le(symbols[4] - symbols[0], 1);
    }
    for (int32_t x = 0; x < 8; x++)
        ck_assert(seen[x]);
    data_destroy(data);
}
END_TEST

START_TEST(shards_of_a_text_are_its_parts)
{
    struct data *data = eight_letters(1, 3);
    for (int64_t learner = 0; learner < 3; learner++)
        for (int64_t i = 0; i < 100; i++) {
            int32_t symbols[5];
            data_training(data, learner, i, 0, 5, symbols);
            for (int32_t t = 0; t < 5; t++) {
                ck_assert_int_ge(symbols[t], 16 * learner / 6);
                ck_assert_int_le(symbols[t], (16 * learner + 15) / 6);
            }
        }
    data_destroy(data);
}
END_TEST

static Suite *data_suite(void)
{
    Suite *suite = suite_create("data");
    TCase *languages = tcase_create("languages"), *texts = tcase_create("texts");
    tcase_add_test(languages, probabilities_sum_to_one);
    tcase_add_test(languages, a_mixture_s_probabilities_sum_to_one);
    tcase_add_test(languages, what_is_drawn_has_the_probability_told);
    tcase_add_test(languages, without_contrast_the_loss_is_zipf_s_entropy);
    tcase_add_test(languages, context_must_be_used);
    tcase_add_test(languages, sequences_are_a_function_of_their_name);
    tcase_add_test(languages, learners_interleave);
    tcase_add_test(languages, a_learner_owns_the_shards_of_its_number);
    tcase_add_test(languages, skew_sets_learners_apart);
    tcase_add_test(languages, too_large_a_language_is_refused);
    suite_add_tcase(suite, languages);
    tcase_add_checked_fixture(texts, make_file, remove_file);
    tcase_add_test(texts, texts_too_short_are_refused_by_name);
    tcase_add_test(texts, a_text_that_cannot_be_read_is_refused_by_name);
    tcase_add_loop_test(texts, only_regular_files_are_texts, 0, 3);
    tcase_add_test(texts, a_text_too_large_is_refused_by_name);
    tcase_add_test(texts, symbols_are_the_bytes_in_order);
    tcase_add_test(texts, held_out_windows_follow_each_other_at_the_end);
    tcase_add_test(texts, training_never_reads_what_is_held_out);
    tcase_add_test(texts, shards_of_a_text_are_its_parts);
    suite_add_tcase(suite, texts);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(data_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
