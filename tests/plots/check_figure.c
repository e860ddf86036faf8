/*
 * Figures from made-up studies, drawn by the real gnuplot. Skipped where there is none.
 */
#include "models/training/budget.h"
#include "plots/caption.h"
#include "plots/figure.h"
#include "plots/heatmap.h"
#include "plots/overlap.h"
#include "plots/script.h"
#include "plots/sensitivity.h"
#include "plots/timeline.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;
static char output[192];

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "made-up");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

static bool have_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* Runs at a point for each strategy name, so that they differ. */
static void add_runs(const char *point, const char *const *strategies, size_t count, int64_t replications)
{
    for (size_t i = 0; i < count; i++)
        for (int64_t j = 0; j < replications; j++) {
            const struct fixture_run run = {.strategy = strategies[i],
                                            .point = point,
                                            .replication = j,
                                            .chips = 1200000,
                                            .seconds = 86400,
                                            .goodput = 0.25 + 0.1 * (double)i + 0.02 * (double)j,
                                            .uptime = 1,
                                            .steps = 5000,
                                            .failures = 10,
                                            .loss = i % 2 ? BUDGET_RECONFIGURATION : BUDGET_RESTART};
            fixture_add_runs(store, study, &run, 1);
        }
}

static void summarise(void)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
}

/* Replays of the runs above, with curves that end apart. */
static void add_replays(const char *point, const char *const *strategies, size_t count, int64_t replications)
{
    for (size_t i = 0; i < count; i++)
        for (int64_t j = 0; j < replications; j++)
            fixture_add_replay(store,
                               &(struct fixture_replay){.strategy = strategies[i],
                                                        .point = point,
                                                        .replication = j,
                                                        .start = 4.2,
                                                        .final = 2.4 + 0.1 * (double)i + 0.01 * (double)j,
                                                        .floor = 2.25,
                                                        .points = 40});
}

static const char *const three[] = {"plain", "elastic", "decoupled"};

static void add_sweep(void)
{
    add_runs("{\"cluster.chips\":150000}", three, 3, 3);
    add_runs("{\"cluster.chips\":1200000}", three, 3, 3);
    add_runs("{\"cluster.chips\":2400000}", three, 3, 3);
    summarise();
}

static struct figure_request request_of(const char *figure, const char *name)
{
    const char *source = getenv("top_srcdir");
    static char folder[256];
    snprintf(folder, sizeof folder, "%s/plots", source ? source : ".");
    snprintf(output, sizeof output, "%s/%s", fixture.folder, name);
    return (struct figure_request){
        .figure = figure, .output = output, .template_folder = folder, .study = -1};
}

static void draw(const struct figure_request *request)
{
    struct error error = {0};
    ck_assert_msg(figure_draw(store, request, &error), "%s", error.message);
}

/* A file as text; the caller frees. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    static char chunk[4096];
    char *text = NULL;
    size_t length = 0;
    FILE *copy = open_memstream(&text, &length);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        fwrite(chunk, 1, got, copy);
    fclose(file);
    fclose(copy);
    if (size)
        *size = length;
    return text;
}

static char *read_output(size_t *size)
{
    return read_file(output, size);
}

/* The name at TEXT ends here. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == ':' || text[length] == '_' ||
           text[length] == '-')
        length++;
    return length;
}

struct element {
    char name[24];
};

/* The end of the tag at TEXT, past quoted attributes. */
static const char *tag_end(const char *text)
{
    for (char quote = 0; *text; text++) {
        if (quote)
            quote = *text == quote ? 0 : quote;
        else if (*text == '"' || *text == '\'')
            quote = *text;
        else if (*text == '>')
            return text;
    }
    return NULL;
}

/* Every element that is opened is closed, in the right order; comments and declarations are passed over. */
static void assert_well_formed(const char *text)
{
    static struct element open[64];
    size_t depth = 0, elements = 0;
    for (const char *at = text; (at = strchr(at, '<')); at++) {
        if (strncmp(at, "<!--", 4) == 0 || strncmp(at, "<![CDATA[", 9) == 0) {
            at = strstr(at, at[2] == '-' ? "-->" : "]]>");
            ck_assert_ptr_nonnull(at);
            continue;
        }
        const char *end = tag_end(at);
        ck_assert_ptr_nonnull(end);
        if (at[1] == '/') {
            ck_assert_uint_gt(depth, 0);
            depth--;
            ck_assert_int_eq(strncmp(open[depth].name, at + 2, name_length(at + 2)), 0);
        } else if (at[1] != '?' && at[1] != '!' && end[-1] != '/') {
            ck_assert_uint_lt(depth, 64);
            snprintf(open[depth++].name, sizeof open->name, "%.*s", (int)name_length(at + 1), at + 1);
        }
        elements++;
        at = end;
    }
    ck_assert_uint_eq(depth, 0);
    ck_assert_uint_gt(elements, 20);
}

/* Draws an svg, checks it, and that each of TEXTS is written in it as it is. */
static void assert_texts(const struct figure_request *request, const char *const *texts, size_t count)
{
    draw(request);
    char *svg = read_output(NULL);
    assert_well_formed(svg);
    for (size_t i = 0; i < count; i++) {
        char element[200];
        snprintf(element, sizeof element, "<text>%s</text>", texts[i]);
        ck_assert_msg(strstr(svg, element) != NULL, "no %s", element);
    }
    free(svg);
}

#define ASSERT_TEXTS(REQUEST, ...)                                                                           \
    assert_texts(REQUEST, (const char *const[]){__VA_ARGS__},                                                \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Drawing fails as KIND, with WORDS in the message; a figure that was there stays, and nothing lies beside
 * it. */
static void assert_fails(const struct figure_request *request, enum error_kind kind, const char *words)
{
    struct error error = {0};
    ck_assert(!figure_draw(store, request, &error));
    ck_assert_int_eq(error.kind, kind);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    DIR *folder = opendir(fixture.folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        ck_assert_msg(strstr(entry->d_name, ".part") == NULL, "%s", entry->d_name);
    closedir(folder);
}

START_TEST(bars_without_an_axis)
{
    add_runs("{}", three, 3, 3);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "Goodput of made-up: 1.2M chips, 1 d simulated",
                 "study 1: means of 3 replications with 95 % intervals", "plain", "elastic", "decoupled",
                 "27.0 ± 5.0", "37.0 ± 5.0", "47.0 ± 5.0", "Goodput (% of chip time)", "100");
}
END_TEST

START_TEST(curves_over_an_axis)
{
    add_sweep();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "plain", "elastic", "decoupled", "150k", "1.2M", "2.4M", "Chips",
                 "Goodput (% of chip time)");
}
END_TEST

START_TEST(another_metric)
{
    add_sweep();
    struct figure_request request = request_of("goodput", "a.svg");
    request.metric = "tokens";
    ASSERT_TEXTS(&request, "Tokens", "25G", "150k");
    request.metric = "share:restart";
    ASSERT_TEXTS(&request, "Restart (% of chip time)");
}
END_TEST

START_TEST(panels_for_a_second_axis)
{
    static const char *const points[] = {"{\"cluster.chips\":1024,\"failures.chip.mtbi\":\"5 d\"}",
                                         "{\"cluster.chips\":2048,\"failures.chip.mtbi\":\"5 d\"}",
                                         "{\"cluster.chips\":4096,\"failures.chip.mtbi\":\"5 d\"}",
                                         "{\"cluster.chips\":1024,\"failures.chip.mtbi\":\"48 h\"}"};
    for (size_t i = 0; i < 4; i++)
        add_runs(points[i], three, 3, 1);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "MTBI of a chip 5 d", "MTBI of a chip 2 d", "1,024", "2,048", "4,096",
                 "study 1: one replication");
    request = request_of("budget", "a.svg");
    ASSERT_TEXTS(&request, "1,024 chips, MTBI of a chip 2 d", "4,096 chips, MTBI of a chip 5 d");
}
END_TEST

/* One curve over both; a panel for each value of the other would hold one point. */
START_TEST(no_panels_for_an_axis_that_moves_along)
{
    static const char *const points[] = {"{\"cluster.chips\":1024,\"failures.chip.mtbi\":\"5 d\"}",
                                         "{\"cluster.chips\":2048,\"failures.chip.mtbi\":\"4 d\"}",
                                         "{\"cluster.chips\":4096,\"failures.chip.mtbi\":\"7 d\"}"};
    for (size_t i = 0; i < 3; i++)
        add_runs(points[i], three, 3, 1);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    draw(&request);
    char *svg = read_output(NULL);
    ck_assert(strstr(svg, "1,024") && strstr(svg, "4,096") && !strstr(svg, "MTBI"));
    free(svg);
}
END_TEST

/* In the unit of the axis, unless that says it badly. */
START_TEST(values_are_read_with_ease)
{
    static const char *const points[] = {"{\"a.b\":\"5 min\",\"c.d\":\"20 min\"}",
                                         "{\"a.b\":\"30 min\",\"c.d\":\"20 min\"}",
                                         "{\"a.b\":\"2 h\",\"c.d\":\"2 h\"}"};
    for (size_t i = 0; i < 3; i++)
        add_runs(points[i], three, 3, 1);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    request.metric = "share:restart";
    ASSERT_TEXTS(&request, "A b (h)", "5 min", "0.5", "2", "c d 20 min", "c d 2 h",
                 "Restart time of made-up: 1.2M chips, 1 d simulated");
}
END_TEST

START_TEST(small_values_keep_their_unit)
{
    for (int i = 0; i < 6; i++) {
        char point[80];
        snprintf(point, sizeof point, "{\"a.b\":%d,\"c.d\":\"%s\"}", i / 2, i % 2 ? "2 Gbit/s" : "1 Tbit/s");
        add_runs(point, three, 3, 1);
    }
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "c d 2 Gbit/s", "c d 1 Tbit/s");
}
END_TEST

START_TEST(one_strategy_has_a_curve_per_value)
{
    for (int i = 0; i < 6; i++) {
        char point[80];
        snprintf(point, sizeof point, "{\"a.b\":%d,\"c.d\":\"%d Gbit/s\"}", i % 2, 10 * (i / 2));
        add_runs(point, three, 1, 2);
    }
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "a b 0", "a b 1", "C d (Gbit/s)", "20");
}
END_TEST

START_TEST(words_along_the_axis)
{
    add_runs("{\"cluster.chip\":\"tpu-v6e\"}", three, 2, 2);
    add_runs("{\"cluster.chip\":\"tpu-v5p\"}", three, 2, 2);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    ASSERT_TEXTS(&request, "tpu-v6e", "tpu-v5p", "Chip type", "plain");
}
END_TEST

START_TEST(the_budget_names_what_it_shows)
{
    add_runs("{}", three, 2, 3);
    summarise();
    struct figure_request request = request_of("budget", "a.svg");
    ASSERT_TEXTS(&request, "useful", "restart", "reconfiguration", "27.0", "73.0", "63.0", "plain", "elastic",
                 "Share of chip time (%)", "study 1: means of 3 replications",
                 "Chip time of made-up: 1.2M chips, 1 d simulated");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "idle spare"));
    free(svg);
}
END_TEST

START_TEST(a_budget_of_many_points_shows_a_dozen)
{
    for (int i = 0; i < 30; i++) {
        char point[40];
        snprintf(point, sizeof point, "{\"x\":%d}", i);
        add_runs(point, three, 1, 1);
    }
    summarise();
    struct figure_request request = request_of("budget", "a.svg");
    ASSERT_TEXTS(&request, "x 0", "x 29", "study 1: one replication; 12 of 30 points");
}
END_TEST

/* What no bar could show is left out of the legend, or joined where it adds up to something. */
START_TEST(small_categories_are_joined)
{
    static const struct fixture_run shares[] = {
        {.strategy = "plain",
         .point = "{}",
         .chips = 1,
         .seconds = 1000,
         .goodput = 0.996,
         .loss = BUDGET_RESTART},
        {.strategy = "other",
         .point = "{}",
         .chips = 1,
         .seconds = 1000,
         .goodput = 0.9,
         .loss = BUDGET_DOWN},
    };
    fixture_add_runs(store, study, shares, 2);
    summarise();
    struct figure_request request = request_of("budget", "a.svg");
    ASSERT_TEXTS(&request, "useful", "down", "99.6", "90.0");
    char *svg = read_output(NULL);
    ck_assert(!strstr(svg, "restart") && !strstr(svg, "others"));
    free(svg);
    sqlite3_exec(store_connection(store),
                 "update budget set chip_s = 4 where run = 1 and category in ('restore', 'redone');"
                 "update budget set chip_s = 988, chip_ns = 0 where run = 1 and category = 'useful'",
                 NULL, NULL, NULL);
    summarise();
    ASSERT_TEXTS(&request, "useful", "down", "98.8", "others under 0.5 %");
    svg = read_output(NULL);
    ck_assert(!strstr(svg, "restart") && !strstr(svg, "redone"));
    free(svg);
}
END_TEST

/* Of every run: a chip's failures cost 4 % and 1 %, the second of two floods 10 %, a third process nothing.
 */
static void add_waste(void)
{
    ck_assert_int_eq(sqlite3_exec(store_connection(store),
                                  "insert into cause (run, number, name, source, fault, domain, struck, "
                                  "ignored) select id, 0, 'chip', 'chip', 'stop', 'chip', 7, 1 from run;"
                                  "insert into cause (run, number, name, source, fault, domain, struck, "
                                  "ignored) select id, 1, 'flood 1', 'flood', 'stop', 'site', 1, 0 from run;"
                                  "insert into cause (run, number, name, source, fault, domain, struck, "
                                  "ignored) select id, 2, 'flood 2', 'flood', 'stop', 'site', 1, 0 from run;"
                                  "insert into cause (run, number, name, source, fault, domain, struck, "
                                  "ignored) select id, 3, 'hail', 'hail', 'stop', 'rack', 0, 0 from run;"
                                  "insert into waste select id, 0, 'down', 4 * time / 100, 0 from"
                                  " (select run id, sum(chip_s) time from budget group by run);"
                                  "insert into waste select id, 0, 'restart', time / 100, 0 from"
                                  " (select run id, sum(chip_s) time from budget group by run);"
                                  "insert into waste select id, 2, 'down', time / 10, 0 from"
                                  " (select run id, sum(chip_s) time from budget group by run)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    summarise();
}

/* Injected faults of one entry are one part. */
START_TEST(waste_is_by_source)
{
    struct figure_request request = request_of("waste", "a.svg");
    add_runs("{}", three, 2, 2);
    summarise();
    struct error error = {0};
    ck_assert(!figure_draw(store, &request, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    add_waste();
    ASSERT_TEXTS(&request, "Chip time lost to failures of made-up: 1.2M chips, 1 d simulated", "flood",
                 "chip", "10.0", "5.0", "Share of chip time lost to failures (%)");
    char *svg = read_output(NULL);
    ck_assert(!strstr(svg, "hail") && !strstr(svg, "flood 2") && !strstr(svg, "other causes"));
    free(svg);
    add_runs("{\"cluster.chips\":150000}", three, 2,
             1); /* a point at which nothing could fail has no panel */
    summarise();
    ASSERT_TEXTS(&request, "flood", "chip", "study 1: means of 2 replications; 1 of 2 points");
}
END_TEST

static const char *const four[] = {"plain", "elastic", "decoupled", "reference"};

static void add_learning(void)
{
    add_runs("{}", four, 4, 3);
    add_replays("{}", four, 4, 3);
    summarise();
}

START_TEST(loss_over_time_tokens_or_steps)
{
    add_learning();
    struct figure_request request = request_of("loss", "a.svg");
    ASSERT_TEXTS(&request, "Held-out loss of made-up: 1.2M chips, 1 d simulated",
                 "study 1: means of 3 replications with 95 % intervals of the excess loss", "plain",
                 "elastic", "decoupled", "reference (no failures)", "the source's own loss",
                 "Held-out loss (nats)", "Simulated time (h)", "0", "12", "24");
    request.metric = "tokens";
    ASSERT_TEXTS(&request, "Tokens", "10G", "20G");
    request.metric = "steps";
    ASSERT_TEXTS(&request, "Steps at full strength", "1000", "5000");
}
END_TEST

START_TEST(loss_without_reference_floor_or_replications)
{
    add_runs("{}", three, 1, 1);
    fixture_add_replay(store, &(struct fixture_replay){.strategy = "plain", .start = 1e4, .final = 0.5});
    summarise();
    struct figure_request request = request_of("loss", "a.svg");
    ASSERT_TEXTS(&request, "plain", "study 1: one replication", "1000");
    char *svg = read_output(NULL);
    ck_assert(!strstr(svg, "reference") && !strstr(svg, "own loss"));
    free(svg);
}
END_TEST

START_TEST(learning_at_several_points_has_panels)
{
    add_runs("{\"cluster.chips\":1024}", four, 4, 2);
    add_runs("{\"cluster.chips\":2048}", four, 4, 2);
    add_runs("{\"cluster.chips\":4096}", four, 4, 2);
    add_replays("{\"cluster.chips\":2048}", four, 4, 2);
    add_replays("{\"cluster.chips\":4096}", four, 3, 2);
    summarise();
    static const char *const names[] = {"loss", "quality"};
    for (size_t i = 0; i < 2; i++) {
        struct figure_request request = request_of(names[i], "a.svg");
        ASSERT_TEXTS(&request, "2,048 chips", "4,096 chips", "decoupled", "reference (no failures)");
        char *svg = read_output(NULL);
        ck_assert_ptr_null(strstr(svg, "1,024 chips"));
        free(svg);
    }
}
END_TEST

/* One of three replays diverged early: the mean is over the others, and the note tells. */
START_TEST(diverged_replays_are_told)
{
    add_runs("{}", three, 2, 3);
    add_replays("{}", three, 2, 3);
    fixture_add_replay(
        store, &(struct fixture_replay){.strategy = "plain", .replication = 1, .start = 4, .diverged = true});
    summarise();
    struct figure_request request = request_of("loss", "a.svg");
    ASSERT_TEXTS(
        &request,
        "study 1: means of 3 replications with 95 % intervals of the excess loss; 1 of 6 replays diverged");
    request = request_of("quality", "a.svg");
    ASSERT_TEXTS(
        &request,
        "study 1: means of 3 replications with 95 % intervals (of the excess loss); 1 of 6 replays diverged",
        "plain");
}
END_TEST

START_TEST(quality_names_its_marks)
{
    add_learning();
    struct figure_request request = request_of("quality", "a.svg");
    ASSERT_TEXTS(&request, "plain", "elastic", "decoupled", "reference (no failures)", "Final loss (nats)",
                 "Goodput (% of chip time)");
}
END_TEST

/* A run at a point on a network: its busiest link carries SHARE of 1 Gbit/s in the first half. */
static void add_traffic(const char *point, const char *strategy, int64_t replication, const char *link,
                        double share)
{
    const struct fixture_run run = {.strategy = strategy,
                                    .point = point,
                                    .replication = replication,
                                    .chips = 1024,
                                    .seconds = 36000,
                                    .goodput = 0.5};
    struct observation *observation = fixture_observation(link, 36000, share);
    fixture_add_observed(store, study, &run, observation);
    observation_destroy(observation);
}

START_TEST(traffic_over_time)
{
    add_traffic("{}", "plain", 0, "uplink of a", 0.8);
    add_traffic("{}", "plain", 1, "uplink of a", 0.3);
    add_traffic("{}", "other", 0, "uplink of b", 0.5);
    summarise();
    struct figure_request request = request_of("links", "a.svg");
    ASSERT_TEXTS(&request, "Traffic of made-up: 1,024 chips, 10 h simulated",
                 "study 1: means of 3 min of one replication; dashed: bandwidth", "plain", "other",
                 "uplink of a, 1 Gbit/s", "uplink of b, 1 Gbit/s", "uplink of z, 10 Gbit/s",
                 "backbone x, without a limit", "mean 400 M, peak 800 M", "mean 250 M, peak 500 M",
                 "no traffic", "Traffic (bit/s)", "Simulated time (h)", "1G", "9");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "mean 150 M"));
    free(svg);
}
END_TEST

/* What is out of sight is not explained. */
START_TEST(traffic_far_below_the_bandwidth)
{
    add_traffic("{}", "plain", 0, "uplink of a", 0.01);
    summarise();
    struct figure_request request = request_of("links", "a.svg");
    ASSERT_TEXTS(&request, "study 1: means of 3 min of one replication", "uplink of a, 1 Gbit/s");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "dashed"));
    free(svg);
}
END_TEST

/* Ticks that printf would write with an exponent. */
START_TEST(traffic_above_ten_gigabits)
{
    add_traffic("{}", "plain", 0, "uplink of a", 30);
    summarise();
    struct figure_request request = request_of("links", "a.svg");
    ASSERT_TEXTS(&request, "0", "20G", "40G");
}
END_TEST

/* The busiest six links of the first eight strategies, at the first point that has any. */
START_TEST(traffic_of_many_links)
{
    add_runs("{\"x\":1}", three, 1, 1);
    for (int i = 0; i < 9; i++) {
        char strategy[16], link[16];
        snprintf(strategy, sizeof strategy, "s%d", i);
        snprintf(link, sizeof link, "link %d", i);
        add_traffic("{\"x\":2}", strategy, 0, link, 0.1 * i + 0.1);
    }
    add_traffic("{\"x\":3}", "s0", 0, "another link", 1);
    summarise();
    struct figure_request request = request_of("links", "a.svg");
    ASSERT_TEXTS(&request,
                 "study 1: means of 3 min of one replication at x 2; 8 of 9 strategies; the 6 busiest links; "
                 "dashed: bandwidth",
                 "link 7, 1 Gbit/s", "link 2, 1 Gbit/s", "s7");
    char *svg = read_output(NULL);
    ck_assert(!strstr(svg, "link 8") && !strstr(svg, "another link") && !strstr(svg, "link 1,"));
    free(svg);
}
END_TEST

/* Modes at a point: one after another, without controls, and with both. */
static void add_kernels(const char *point, double both)
{
    fixture_add_kernels(store, study, "sequential", point, 1, 0.6, -0.1);
    fixture_add_kernels(store, study, "baseline", point, 0.9, 0.6, 0);
    fixture_add_kernels(store, study, "both", point, both, 0.65, 1 - both / 0.9);
}

#define AT_GRID(GPU, GRID) "{\"workload.overlap.gpu\":\"" GPU "\",\"workload.overlap.grid\":" #GRID "}"

START_TEST(time_of_kernels_by_gpu_and_mode)
{
    add_kernels(AT_GRID("a40", 2), 0.9);
    add_kernels(AT_GRID("a40", 64), 0.7);
    add_kernels(AT_GRID("h100", 2), 0.9);
    add_kernels(AT_GRID("h100", 64), 0.8);
    summarise();
    struct figure_request request = request_of("overlap", "a.svg");
    ASSERT_TEXTS(&request, "Time ratio of made-up: 4 chips, 10 s simulated",
                 "study 1: one replication; time ratio: over one kernel after another", "sequential",
                 "baseline", "both", "ideal bound", "a40", "h100", "Time ratio (%)",
                 "Blocks along a side of the product's grid", "100");
    request.metric = "pair_time";
    ASSERT_TEXTS(&request, "Pair time (s)", "both");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "ideal bound"));
    free(svg);
}
END_TEST

/* Rows by what else differs, no more than eight. */
START_TEST(time_of_kernels_by_what_else_differs)
{
    for (int pairs = 1; pairs <= 9; pairs++) {
        char point[200];
        for (int grid = 2; grid <= 4; grid += 2) {
            snprintf(point, sizeof point,
                     "{\"workload.overlap.grid\":%d,\"workload.overlap.pairs\":%d,\"workload.overlap.tile\":"
                     "\"64x64x32\"}",
                     grid, pairs);
            add_kernels(point, 0.8);
        }
    }
    summarise();
    struct figure_request request = request_of("overlap", "a.svg");
    ASSERT_TEXTS(&request, "study 1: one replication; 8 of 9 rows", "Overlap pairs 8, 64x64x32");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "pairs 9"));
    free(svg);
}
END_TEST

/* The point at which most is saved. */
START_TEST(multiprocessors_over_time)
{
    add_kernels("{\"workload.overlap.grid\":2}", 0.9);
    add_kernels("{\"workload.overlap.grid\":64}", 0.7);
    add_kernels("{\"workload.overlap.grid\":128}", 0.8);
    summarise();
    struct figure_request request = request_of("timeline", "a.svg");
    ASSERT_TEXTS(&request, "Streaming multiprocessors at work of made-up: 4 chips, 10 s simulated",
                 "study 1 at overlap grid 64",
                 "sequential: 100.0 % of the time one after another, at best 60.0 %; overlap rate 0 %",
                 "both: 70.0 % of the time one after another, at best 65.0 %; overlap rate 86 %", "product",
                 "collective", "Time (ms)", "Streaming multiprocessors");
}
END_TEST

/* Of the point at which it was kept; a study of learners has no multiprocessors to show. */
START_TEST(learners_over_time)
{
    fixture_add_activity(store, study, "decoupled", "{\"cluster.chips\":64}", 4, 7200);
    fixture_add_activity(store, study, "many", "{\"cluster.chips\":64}", 100, 7200);
    summarise();
    struct figure_request request = request_of("timeline", "a.svg");
    ASSERT_TEXTS(&request, "Learners over time of made-up: 64 chips, 2 h simulated",
                 "study 1: one replication at 64 chips; learners that lost most time",
                 "decoupled: goodput 75.0 %, 1 fault, 2 merges",
                 "many: goodput 75.0 %, 1 fault, 2 merges; 32 of 100 learners", "syncer", "Learner",
                 "Simulated time (h)", "in steps", "failure", "fault of a link");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "ultiprocessors"));
    free(svg);
}
END_TEST

/* Runs over a bandwidth: utilisation grows with it, faster by strategy. */
static void add_bandwidths(const char *format, const double *bandwidths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < 2; j++) {
            char point[120];
            snprintf(point, sizeof point, format, bandwidths[i]);
            const struct fixture_run run = {
                .strategy = three[j], .point = point, .chips = 8, .seconds = 3600};
            struct run_result result = fixture_result(&run);
            result.metrics[METRIC_COMPUTE_UTILIZATION] = bandwidths[i] / (bandwidths[i] + 1 + (double)j);
            const struct run_record record = {.strategy = run.strategy, .point = point, .result = &result};
            struct error error = {0};
            ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
        }
    summarise();
}

static void publish(const char *strategy, const char *point, const char *until, double wanted)
{
    const struct expectation_record record = {.strategy = strategy,
                                              .point = point,
                                              .metric = "network.wan.bandwidth",
                                              .until = until,
                                              .unit = "Gbit/s",
                                              .wanted = wanted,
                                              .tolerance = NAN,
                                              .got = NAN,
                                              .low = NAN,
                                              .high = NAN,
                                              .confidence = NAN};
    struct error error = {0};
    ck_assert_msg(store_add_expectation(store, study, &record, &error), "%s", error.message);
}

START_TEST(utilisation_over_a_bandwidth)
{
    static const double bandwidths[] = {200, 2000, 20000};
    add_bandwidths("{\"network.wan.bandwidth\":\"%g Mbit/s\",\"x\":1}", bandwidths, 3);
    add_bandwidths("{\"network.wan.bandwidth\":\"%g Mbit/s\",\"x\":2,\"workload.layers\":8}", bandwidths, 2);
    struct figure_request request = request_of("bandwidth", "a.svg");
    ASSERT_TEXTS(&request, "Compute utilisation of made-up: 8 chips, 1 h simulated",
                 "study 1: one replication", "plain", "elastic", "x 1", "layers 8, x 2",
                 "WAN bandwidth (Gbit/s)", "Compute utilisation (%)", "1", "10", "100");
    char *svg = read_output(NULL);
    ck_assert(!strstr(svg, "published") && !strstr(svg, "1000"));
    free(svg);
    request.metric = "tokens";
    ASSERT_TEXTS(&request, "Tokens", "WAN bandwidth (Gbit/s)");
}
END_TEST

/* What gnuplot is to draw is seen by a template that prints it. */
static char *printed(const char *figure, const char *block)
{
    char template[192];
    snprintf(template, sizeof template, "%s/t.gnuplot", fixture.folder);
    FILE *file = fopen(template, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "set print '%s/printed'\nprint %s\nset print\nplot x\n", fixture.folder, block);
    fclose(file);
    struct figure_request request = request_of(figure, "a.svg");
    request.template_file = template;
    draw(&request);
    request_of(figure, "printed");
    return read_output(NULL);
}

/* Those of this metric and axis, where strategy and other fields are the runs'. */
START_TEST(published_figures_lie_on_their_targets)
{
    static const double bandwidths[] = {0.5, 5, 50};
    add_bandwidths("{\"network.wan.bandwidth\":\"%g Gbit/s\",\"x\":1}", bandwidths, 3);
    add_bandwidths("{\"network.wan.bandwidth\":\"%g Gbit/s\",\"x\":2}", bandwidths, 3);
    publish("elastic", "{\"x\":2}", "compute_utilization>=0.9", 17);
    publish("plain", "{\"x\":1}", "compute_utilization >= 0.5", 1.25);
    publish("plain", "{\"x\":1}", "goodput>=0.5", 3);
    publish("plain", "{\"x\":3}", "compute_utilization>=0.5", 4);
    publish("other", "{\"x\":1}", "compute_utilization>=0.5", 5);
    char *text = printed("bandwidth", "$published");
    ck_assert_str_eq(text, "NaN NaN NaN\n1 1.25 50\n\n\nNaN NaN NaN\n2 17 90\n\n\n\n");
    free(text);
    text = printed("bandwidth", "$curves");
    ck_assert_ptr_nonnull(strstr(text, "0.5 33.33333333 NaN NaN\n5 83.33333333 NaN NaN\n50 "));
    free(text);
    struct figure_request request = request_of("bandwidth", "a.svg");
    ASSERT_TEXTS(&request, "published");
}
END_TEST

static void assert_printed(const char *block, const char *wanted)
{
    char *text = printed("bandwidth", block);
    ck_assert_str_eq(text, wanted);
    free(text);
}

/* How long runs last and what is set for one strategy alone: until it matters. */
/* Points of chips and MTBI, at one of INNER_STEPS; the one of many chips that fail often is not there. */
static void add_plane(const char *inner_steps)
{
    static const int chips[] = {1024, 4096, 16384};
    static const char *const lasts[] = {"5 d", "50 d"};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            char point[200];
            snprintf(point, sizeof point, "{\"cluster.chips\":%d,\"failures.chip.mtbi\":\"%s\"%s}", chips[i],
                     lasts[j], inner_steps);
            if (i < 2 || j == 1)
                add_runs(point, three, 3, 2);
        }
}

START_TEST(a_map_over_two_axes)
{
    add_plane("");
    summarise();
    struct figure_request request = request_of("heatmap", "a.svg");
    ASSERT_TEXTS(&request, "plain", "elastic", "decoupled", "Chips", "MTBI of a chip (d)", "1,024", "16,384",
                 "5", "50", "26.0", "36.0", "46.0", "Goodput (% of chip time)",
                 "study 1: means of 2 replications; hatched: no value");
    request.x = "failures.chip.mtbi";
    request.metric = "tokens";
    ASSERT_TEXTS(&request, "Chips", "MTBI of a chip (d)", "Tokens");
}
END_TEST

START_TEST(a_map_of_more_axes_is_at_the_first_value)
{
    add_plane(",\"strategies.plain.inner_steps\":10");
    add_plane(",\"strategies.plain.inner_steps\":20");
    summarise();
    struct figure_request request = request_of("heatmap", "a.svg");
    ASSERT_TEXTS(&request, "study 1: means of 2 replications; only at inner steps of plain 10, the first "
                           "value; hatched: no value");
    request.y = "strategies.plain.inner_steps";
    ASSERT_TEXTS(
        &request, "Inner steps of plain",
        "study 1: means of 2 replications; only at MTBI of a chip 5 d, the first value; hatched: no value");
}
END_TEST

/* What moves along with an axis is no other one, and may take its place. */
START_TEST(axes_of_a_map_move_on_their_own)
{
    static const char *const points[] = {"{\"cluster.chips\":1024,\"failures.chip.mtbi\":\"5 d\"}",
                                         "{\"cluster.chips\":2048,\"failures.chip.mtbi\":\"4 d\"}"};
    for (size_t i = 0; i < 2; i++)
        add_runs(points[i], three, 3, 1);
    summarise();
    struct figure_request request = request_of("heatmap", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has one axis, cluster.chips");
    request.x = "failures.chip.mtbi";
    request.y = "cluster.chips";
    assert_fails(&request, ERROR_INPUT, "cluster.chips moves with failures.chip.mtbi");
    request.x = "cluster.chips";
    assert_fails(
        &request, ERROR_INPUT,
        "--x and --y are both cluster.chips; a heatmap wants two axes, and study 1 (made-up) has no other");
}
END_TEST

static void add_run(const char *strategy, const char *point, double goodput)
{
    for (int64_t i = 0; i < 2; i++) {
        const struct fixture_run run = {.strategy = strategy,
                                        .point = point,
                                        .replication = i,
                                        .chips = 1024,
                                        .seconds = 86400,
                                        .goodput = goodput + 0.1 * (double)i,
                                        .uptime = 1,
                                        .steps = 5000,
                                        .failures = 10};
        fixture_add_runs(store, study, &run, 1);
    }
}

/* Of 20 numbers that are felt and 2 that are not. */
static void add_sensitivity(void)
{
    sqlite3_exec(store_connection(store),
                 "update study set scenario = 'cluster: {chips: 1024}\nfailures: {chip: {mtbi: 10 d}}'", NULL,
                 NULL, NULL);
    add_run("plain", "{}", 0.4);
    add_run("plain", "{\"cluster.chips\":922}", 0.48);
    add_run("plain", "{\"cluster.chips\":1126}", 0.35);
    add_run("plain", "{\"failures.chip.mtbi\":\"9 d\"}", 0.38);
    add_run("plain", "{\"strategies.plain.inner_steps\":9}", 0.41);
    for (int i = 0; i < 19; i++) {
        char point[80];
        snprintf(point, sizeof point, "{\"workload.number_%c\":%d}", 'a' + i, i + 1);
        add_run("plain", point, i < 17 ? 0.4 + 0.0001 * (i + 1) : 0.4);
    }
    add_run("idle", "{}", 0.3);
    add_run("idle", "{\"cluster.chips\":922}", 0.3);
    summarise();
}

START_TEST(a_tornado_of_what_is_felt)
{
    add_sensitivity();
    struct figure_request request = request_of("sensitivity", "a.svg");
    ASSERT_TEXTS(&request, "Sensitivity of the goodput of made-up: 1,024 chips, 1 d simulated",
                 "plain: 45.00 %; 5 more change less, 2 nothing beyond the noise",
                 "idle: 35.00 %; nothing changes it beyond the noise", "chips: 1024", "922", "1126",
                 "MTBI of a chip: 10 d", "9 d", "inner steps", "number q", "number f",
                 "Goodput (% of chip time)", "lower value", "higher value",
                 "study 1: means of 2 pairs of replications with 95 % intervals of the difference");
    char *svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "<text>number e</text>")); /* the 16th */
    free(svg);
    request.strategy = "idle";
    draw(&request);
    svg = read_output(NULL);
    ck_assert_ptr_null(strstr(svg, "plain: "));
    free(svg);
    request.strategy = "none";
    assert_fails(&request, ERROR_INPUT, "has no strategy \"none\"; it has plain, idle");
}
END_TEST

START_TEST(how_runs_are_made_makes_no_panels)
{
    static const double bandwidths[] = {1, 10};
    add_bandwidths("{\"b\":\"%g Gbit/s\",\"duration\":\"30 s\",\"x\":1}", bandwidths, 2);
    add_runs("{\"b\":\"4 Gbit/s\",\"strategies.plain.fragments\":3,\"x\":1}", three, 1, 1);
    add_bandwidths("{\"b\":\"%g Gbit/s\",\"x\":2}", bandwidths, 2);
    assert_printed("|panel|, panel[1]", "2 x 2\n");
    add_bandwidths("{\"b\":\"%g Gbit/s\",\"duration\":\"40 s\",\"x\":1}", bandwidths, 1);
    assert_printed("|panel|", "4\n");
}
END_TEST

START_TEST(long_captions_are_shortened)
{
    static const double bandwidths[] = {1, 10};
    add_bandwidths("{\"b\":\"%g Gbit/s\"}", bandwidths, 2);
    add_bandwidths("{\"b\":\"%g Gbit/s\",\"a_long_name\":1,\"another_long_name\":2,\"a_third_name\":3}",
                   bandwidths, 2);
    assert_printed("panel[1], panel[2]", "as in the scenario a long name 1, a third name 3, …\n");
}
END_TEST

START_TEST(names_are_cut_between_characters)
{
    ck_assert_int_eq(caption_cut("", 3), 0);
    ck_assert_int_eq(caption_cut("abc", 3), 3);
    ck_assert_int_eq(caption_cut("abcd", 3), 3);
    ck_assert_int_eq(caption_cut("a\u00e9\u20acd", 3), 6);
    ck_assert_int_eq(caption_cut("a\u00e9\u20ac", 2), 3);
}
END_TEST

/* Names that gnuplot, a shell or XML might take for more than names. */
START_TEST(names_are_only_names)
{
    static const char *const names[] = {"a_{2}^b & <c>", "`touch pwned`", "'quoted' \"twice\"", "@x \\n %s",
                                        "system('x')"};
    static const char *const written[] = {"a_{2}^b &amp; &lt;c>", "`touch pwned`", "system('x')"};
    ck_assert_int_eq(chdir(fixture.folder), 0);
    add_runs("{}", names, 5, 2);
    add_runs("{\"x\":\"`touch pwned`\"}", names, 5, 2);
    add_runs("{\"x\":\"it's\"}", names, 5, 2);
    summarise();
    struct figure_request request = request_of("goodput", "a.svg");
    const char *source = getenv("top_srcdir");
    if (!source || source[0] != '/')
        return;
    assert_texts(&request, written, 3);
    request = request_of("budget", "b.svg");
    assert_texts(&request, written, 3);
    add_replays("{\"x\":\"it's\"}", names, 5, 2);
    add_replays("{\"x\":\"`touch pwned`\"}", names, 5, 2);
    summarise();
    request = request_of("loss", "c.svg");
    assert_texts(&request, written, 3);
    request = request_of("quality", "d.svg");
    assert_texts(&request, written, 3);
    add_runs("{\"b\":\"1 Gbit/s\",\"x\":\"`touch pwned`\"}", names, 5, 2);
    add_runs("{\"b\":\"9 Gbit/s\",\"x\":\"`touch pwned`\"}", names, 5, 2);
    summarise();
    request = request_of("bandwidth", "f.svg");
    request.metric = "goodput";
    assert_texts(&request, written, 3);
    for (size_t i = 0; i < 5; i++)
        add_traffic("{}", names[i], 9, names[4 - i], 0.5);
    sqlite3_exec(store_connection(store),
                 "insert into series (run, name, t_s, value) select run, 'link:' || name,"
                 " 36000, 1 from link",
                 NULL, NULL, NULL);
    request = request_of("links", "e.svg");
    assert_texts(&request, written, 3);
    for (size_t i = 0; i < 5; i++)
        for (int grid = 2; grid <= 4; grid += 2) {
            char point[120];
            snprintf(point, sizeof point, "{\"x\":\"`touch pwned`\",\"workload.overlap.grid\":%d}", grid);
            fixture_add_kernels(store, study, names[i], point, 0.8, 0.7, 0.1);
        }
    summarise();
    request = request_of("heatmap", "h.svg");
    request.x = "x";
    request.y = "b";
    assert_texts(&request, written, 3);
    request = request_of("overlap", "g.svg");
    assert_texts(&request, written, 3);
    request = request_of("timeline", "h.svg");
    draw(&request);
    ck_assert_int_ne(access("pwned", F_OK), 0);
}
END_TEST

/* For each figure. */
START_TEST(png_and_pdf_are_what_they_say)
{
    add_sweep();
    add_replays("{\"cluster.chips\":150000}", three, 3, 3);
    add_traffic("{\"cluster.chips\":150000}", "traffic", 0, "uplink of a", 0.8);
    add_bandwidths("{\"a\":\"%g Gbit/s\"}", (const double[]){0.5, 5}, 2);
    add_waste();
    if (figures[_i].write == overlap_write || figures[_i].write == timeline_write) {
        add_kernels(AT_GRID("a40", 2), 0.9);
        add_kernels(AT_GRID("a40", 64), 0.7);
        summarise();
    }
    if (figures[_i].write == heatmap_write) {
        add_plane("");
        summarise();
    }
    if (figures[_i].write == sensitivity_write) {
        study = fixture_add_study(store, "another");
        add_sensitivity();
    }
    size_t size;
    struct figure_request request = request_of(figures[_i].name, "a.png");
    request.x = "cluster.chips";
    request.y = "failures.chip.mtbi";
    draw(&request);
    char *bytes = read_output(&size);
    ck_assert_uint_gt(size, 10000);
    ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n", 8);
    free(bytes);
    request = request_of(figures[_i].name, "a.PDF");
    request.x = "cluster.chips";
    request.y = "failures.chip.mtbi";
    draw(&request);
    bytes = read_output(&size);
    ck_assert_uint_gt(size, 5000);
    ck_assert_mem_eq(bytes, "%PDF-", 5);
    ck_assert_mem_eq(bytes + size - 6, "%%EOF\n", 6);
    free(bytes);
}
END_TEST

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(a_failing_template_leaves_the_old_figure)
{
    add_sweep();
    char path[192];
    snprintf(path, sizeof path, "%s/t.gnuplot", fixture.folder);
    struct figure_request request = request_of("goodput", "a.svg");
    write_text(output, "old");
    request.template_file = path;
    assert_fails(&request, ERROR_INPUT, path);
    write_text(path, "plot $curves index 0\nplot nonsense\n");
    assert_fails(&request, ERROR_INPUT, "t.gnuplot: gnuplot failed: line 2: undefined variable: nonsense");
    write_text(path, "plot 'nowhere'\n");
    assert_fails(&request, ERROR_INPUT,
                 "t.gnuplot: gnuplot failed: line 1: No data in plot, after line 1: warning: ");
    write_text(path, "exit status 3\n");
    assert_fails(&request, ERROR_INPUT, "t.gnuplot: gnuplot failed with status 3");
    write_text(path, "set multiplot\nplot $curves index 0\nplot nonsense\n");
    assert_fails(&request, ERROR_INPUT, "nonsense");
    char *kept = read_output(NULL);
    ck_assert_str_eq(kept, "old");
    free(kept);
    write_text(path, "plot $curves index 0 title curve[1]\n");
    ASSERT_TEXTS(&request, "plain");
}
END_TEST

/* A file that may not grow any more stands for the disk that is full: gnuplot notices neither. */
START_TEST(a_figure_without_its_end_is_none)
{
    static const char *const names[] = {"a.svg", "a.png", "a.pdf"};
    add_sweep();
    struct figure_request request = request_of("goodput", names[_i]);
    write_text(output, "old");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 8192;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_fails(&request, ERROR_SYSTEM, "");
    char *kept = read_output(NULL);
    ck_assert_str_eq(kept, "old");
    free(kept);
}
END_TEST

/* On a full disk gnuplot draws nothing and says nothing. */
START_TEST(room_for_no_figure_is_told)
{
    add_sweep();
    char path[192];
    snprintf(path, sizeof path, "%s/t.gnuplot", fixture.folder);
    write_text(path, "x = 1\n");
    struct figure_request request = request_of("goodput", "a.svg");
    request.template_file = path;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 60000; /* data and template are shorter */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_fails(&request, ERROR_SYSTEM, "a.svg: the figure can not be written: File too large");
}
END_TEST

/* Whatever a path may hold. */
START_TEST(paths_are_as_they_are_given)
{
    static const char *const names[] = {"a\nb.svg", "a\tb.png", "|x.svg", "a'b\"c.pdf", "\033[31m.svg"};
    add_sweep();
    struct figure_request request = request_of("budget", names[_i]);
    draw(&request);
    ck_assert_int_eq(access(output, R_OK), 0);
    DIR *folder = opendir(fixture.folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        ck_assert(entry->d_name[0] == '.' || strcmp(entry->d_name, names[_i]) == 0 ||
                  strncmp(entry->d_name, "a.sqlite", 8) == 0);
    closedir(folder);
}
END_TEST

START_TEST(a_template_that_draws_nothing_is_told)
{
    add_sweep();
    char path[192];
    snprintf(path, sizeof path, "%s/t.gnuplot", fixture.folder);
    write_text(path, "print 'x = 1'\n");
    struct figure_request request = request_of("goodput", "a.png");
    request.template_file = path;
    assert_fails(&request, ERROR_INPUT, "t.gnuplot: gnuplot drew nothing into ");
    assert_fails(&request, ERROR_INPUT,
                 "a.png; a template has a plot command, and sets no terminal or output");
    write_text(path, "set terminal svg\nplot sin(x)\n");
    assert_fails(&request, ERROR_SYSTEM, "t.gnuplot set a terminal?");
    request.template_file = fixture.folder;
    assert_fails(&request, ERROR_INPUT, "the template can not be read: Is a directory");
}
END_TEST

START_TEST(wrong_requests_are_told)
{
    struct figure_request request = request_of("goodput", "a.svg");
    assert_fails(&request, ERROR_INPUT, "no summary of \"goodput\"");
    request = request_of("budget", "a.svg");
    assert_fails(&request, ERROR_INPUT, "no summary");
    add_sweep();
    request = request_of("goodpud", "a.svg");
    assert_fails(
        &request, ERROR_INPUT,
        "goodput, budget, loss, bandwidth, heatmap, links, overlap, sensitivity, timeline, waste, quality");
    request = request_of("loss", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has no replays");
    request.metric = "epochs";
    assert_fails(&request, ERROR_INPUT, "over time, tokens or steps, not over \"epochs\"");
    request = request_of("quality", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has no replays");
    request = request_of("bandwidth", "a.svg");
    assert_fails(&request, ERROR_INPUT, "varies no bandwidth");
    request = request_of("links", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has no traffic over time");
    request = request_of("overlap", "a.svg");
    assert_fails(&request, ERROR_INPUT, "varies no grid of a GPU's blocks");
    request = request_of("timeline", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has no timeline, which");
    request = request_of("heatmap", "a.svg");
    assert_fails(&request, ERROR_INPUT, "has one axis, cluster.chips; a heatmap wants two");
    request.y = "failures.chip.mtbi";
    assert_fails(&request, ERROR_INPUT,
                 "--y: study 1 (made-up) has no axis \"failures.chip.mtbi\" of several");
    request = request_of("sensitivity", "a.svg");
    assert_fails(&request, ERROR_INPUT,
                 "is no sensitivity analysis, which `trainstorm sweep --sensitivity 10%' makes");
    request = request_of("goodput", "a.jpeg");
    assert_fails(&request, ERROR_INPUT, ".svg, .png or .pdf");
    request = request_of("goodput", "svg");
    assert_fails(&request, ERROR_INPUT, ".svg, .png or .pdf");
    request = request_of("goodput", "none/a.svg");
    assert_fails(&request, ERROR_SYSTEM, output);
    request = request_of("goodput", "a.svg");
    request.metric = "loss";
    assert_fails(&request, ERROR_INPUT, "no summary of \"loss\"");
    request.study = 99;
    assert_fails(&request, ERROR_INPUT, "no study 99");
    request = request_of("goodput", "a.svg");
    request.template_folder = fixture.folder;
    assert_fails(&request, ERROR_SYSTEM, "goodput.gnuplot");
}
END_TEST

START_TEST(without_gnuplot_it_says_so)
{
    add_sweep();
    ck_assert_int_eq(setenv("PATH", fixture.folder, 1), 0);
    struct figure_request request = request_of("goodput", "a.svg");
    assert_fails(&request, ERROR_SYSTEM, "gnuplot-nox");
}
END_TEST

/* A pipe is what gnuplot would make of such a name. */
START_TEST(a_path_is_only_a_path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    script_path(out, "|touch it's");
    script_string(out, "a\nb'`@$µ");
    fclose(out);
    ck_assert_str_eq(text, "\"./\\174touch it\\047s\"\"a b\\047\\140\\100\\044µ\"");
    free(text);
}
END_TEST

START_TEST(figures_have_names_and_sentences)
{
    ck_assert_uint_eq(figure_count, 11);
    for (size_t i = 0; i < figure_count; i++)
        ck_assert(strlen(figures[i].name) > 0 && strlen(figures[i].sentence) > 20 && figures[i].write);
}
END_TEST

/* The numbers of an array of a template, "array NAME[n] = [0x0072B2, …]"; how many. */
static size_t read_array(const char *template, const char *name, long numbers[BUDGET_CATEGORIES])
{
    char head[32];
    snprintf(head, sizeof head, "array %s[", name);
    const char *at = strstr(template, head);
    ck_assert_ptr_nonnull(at);
    at = strchr(at, '=');
    size_t count = 0;
    for (const char *end = strchr(at, ']'); at < end; at += strcspn(at, ",]") + 1) {
        at += strcspn(at, "0123456789");
        ck_assert_uint_lt(count, BUDGET_CATEGORIES);
        numbers[count++] = strtol(at, NULL, 0);
    }
    return count;
}

static double grey_of(long colour)
{
    return 0.299 * (double)(colour >> 16) + 0.587 * (double)(colour >> 8 & 255) +
           0.114 * (double)(colour & 255);
}

/* Every category of a budget has a style of its own, and differs from its neighbours when printed in grey. */
START_TEST(parts_of_a_budget_differ_in_grey)
{
    long colours[BUDGET_CATEGORIES], patterns[BUDGET_CATEGORIES], texts[BUDGET_CATEGORIES];
    struct figure_request request = request_of("budget", "a.svg");
    char path[300];
    snprintf(path, sizeof path, "%s/budget.gnuplot", request.template_folder);
    char *template = read_file(path, NULL);
    ck_assert_uint_eq(read_array(template, "colour", colours), BUDGET_CATEGORIES);
    ck_assert_uint_eq(read_array(template, "pattern", patterns), BUDGET_CATEGORIES);
    ck_assert_uint_eq(read_array(template, "text", texts), BUDGET_CATEGORIES);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        for (size_t j = 0; j < i; j++) {
            ck_assert_msg(colours[i] != colours[j] || patterns[i] != patterns[j], "%zu and %zu", i, j);
            ck_assert_msg(j + 1 < i || patterns[i] != patterns[j] ||
                              fabs(grey_of(colours[i]) - grey_of(colours[j])) > 30,
                          "%zu and %zu in grey", i, j);
        }
    free(template);
}
END_TEST

static Suite *figure_suite(void)
{
    Suite *suite = suite_create("figure");
    TCase *plain = tcase_create("without gnuplot");
    tcase_add_checked_fixture(plain, set_up, tear_down);
    tcase_add_test(plain, wrong_requests_are_told);
    tcase_add_test(plain, without_gnuplot_it_says_so);
    tcase_add_test(plain, a_path_is_only_a_path);
    tcase_add_test(plain, figures_have_names_and_sentences);
    tcase_add_test(plain, parts_of_a_budget_differ_in_grey);
    suite_add_tcase(suite, plain);
    if (!have_gnuplot())
        return suite;
    TCase *drawn = tcase_create("drawn");
    tcase_set_timeout(drawn, 30); /* gnuplot on a busy machine */
    tcase_add_checked_fixture(drawn, set_up, tear_down);
    tcase_add_test(drawn, bars_without_an_axis);
    tcase_add_test(drawn, curves_over_an_axis);
    tcase_add_test(drawn, another_metric);
    tcase_add_test(drawn, panels_for_a_second_axis);
    tcase_add_test(drawn, no_panels_for_an_axis_that_moves_along);
    tcase_add_test(drawn, values_are_read_with_ease);
    tcase_add_test(drawn, small_values_keep_their_unit);
    tcase_add_test(drawn, one_strategy_has_a_curve_per_value);
    tcase_add_test(drawn, words_along_the_axis);
    tcase_add_test(drawn, the_budget_names_what_it_shows);
    tcase_add_test(drawn, small_categories_are_joined);
    tcase_add_test(drawn, waste_is_by_source);
    tcase_add_test(drawn, a_budget_of_many_points_shows_a_dozen);
    tcase_add_test(drawn, loss_over_time_tokens_or_steps);
    tcase_add_test(drawn, loss_without_reference_floor_or_replications);
    tcase_add_test(drawn, learning_at_several_points_has_panels);
    tcase_add_test(drawn, diverged_replays_are_told);
    tcase_add_test(drawn, quality_names_its_marks);
    tcase_add_test(drawn, utilisation_over_a_bandwidth);
    tcase_add_test(drawn, published_figures_lie_on_their_targets);
    tcase_add_test(drawn, how_runs_are_made_makes_no_panels);
    tcase_add_test(drawn, a_tornado_of_what_is_felt);
    tcase_add_test(drawn, a_map_over_two_axes);
    tcase_add_test(drawn, a_map_of_more_axes_is_at_the_first_value);
    tcase_add_test(drawn, axes_of_a_map_move_on_their_own);
    tcase_add_test(drawn, long_captions_are_shortened);
    tcase_add_test(drawn, names_are_cut_between_characters);
    tcase_add_test(drawn, traffic_over_time);
    tcase_add_test(drawn, traffic_far_below_the_bandwidth);
    tcase_add_test(drawn, traffic_above_ten_gigabits);
    tcase_add_test(drawn, traffic_of_many_links);
    tcase_add_test(drawn, time_of_kernels_by_gpu_and_mode);
    tcase_add_test(drawn, time_of_kernels_by_what_else_differs);
    tcase_add_test(drawn, multiprocessors_over_time);
    tcase_add_test(drawn, learners_over_time);
    tcase_add_test(drawn, names_are_only_names);
    tcase_add_loop_test(drawn, png_and_pdf_are_what_they_say, 0, (int)figure_count);
    tcase_add_test(drawn, a_failing_template_leaves_the_old_figure);
    tcase_add_loop_test(drawn, a_figure_without_its_end_is_none, 0, 3);
    tcase_add_loop_test(drawn, paths_are_as_they_are_given, 0, 5);
    tcase_add_test(drawn, a_template_that_draws_nothing_is_told);
    tcase_add_test(drawn, room_for_no_figure_is_told);
    suite_add_tcase(suite, drawn);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(figure_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
