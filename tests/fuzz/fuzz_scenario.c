/*
 * A fuzz target for the scenario loader, in libFuzzer's form:
 *
 *     clang -fsanitize=fuzzer,address,undefined … tests/fuzz/fuzz_scenario.c … && ./a.out tests/fuzz/corpus
 *
 * An input is a scenario file. Its lines "#set PATH=VALUE" are overrides, its lines "#axis PATH=V1,V2" axes.
 * Whatever it holds, loading ends with a scenario or with a message; a scenario prints as text that loads
 * again and prints as the same text.
 */
#include "tests/fuzz/fuzz_scenario.h"

#include "scenarios/scenario.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERRIDES = 8, LINE_BYTES = 256 };

static void demand(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

/* Overrides are "PATH=VALUE" split in LINES. */
struct settings {
    char lines[OVERRIDES][LINE_BYTES];
    struct scenario_override overrides[OVERRIDES];
    size_t count;
};

static void add_override(struct settings *settings, const char *line, size_t length)
{
    if (settings->count == OVERRIDES || length >= LINE_BYTES)
        return;
    char *copy = settings->lines[settings->count];
    memcpy(copy, line, length);
    copy[length] = '\0';
    char *equals = strchr(copy, '=');
    if (!equals)
        return;
    *equals = '\0';
    settings->overrides[settings->count++] = (struct scenario_override){copy, equals + 1, "--set"};
}

static void try_axis(const char *line, size_t length)
{
    char copy[LINE_BYTES];
    struct scenario_axes axes = {0};
    struct error error = {0};
    if (length >= sizeof copy)
        return;
    memcpy(copy, line, length);
    copy[length] = '\0';
    bool good = scenario_axes_parse(copy, &axes, &error);
    demand(good || error.kind == ERROR_INPUT, "an axis fails without a reason", copy);
    for (size_t i = 0; i < axes.count && good; i++)
        for (size_t j = 0; j < axes.items[i].count; j++) {
            struct scenario_setting setting = {axes.items[i].path, axes.items[i].values[j]};
            char *json = scenario_point_json(&(struct scenario_point){&setting, 1});
            demand(json != NULL, "a point has no JSON", copy);
            free(json);
        }
    scenario_axes_free(&axes);
}

static void read_settings(const char *bytes, struct settings *settings)
{
    for (const char *line = bytes; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "#set ", 5) == 0)
            add_override(settings, line + 5, length - 5);
        else if (strncmp(line, "#axis ", 6) == 0)
            try_axis(line + 6, length - 6);
        line += length + (line[length] == '\n');
    }
}

/* Prints SCENARIO, loads the text, prints it again. */
static void check_stable(const struct scenario *scenario)
{
    struct error error = {0};
    char *once = scenario_print(scenario);
    demand(once != NULL, "a scenario can't be printed", "");
    const struct scenario_text text = {(char[]){"printed"}, once, strlen(once)};
    struct scenario *again = scenario_create(&text, NULL, 0, &error);
    demand(again != NULL, error.message, once);
    char *twice = scenario_print(again);
    demand(twice && strcmp(once, twice) == 0, "printed again it is another text", once);
    scenario_destroy(again);
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    struct settings settings = {.count = 0};
    read_settings(bytes, &settings);
    const struct scenario_text text = {(char[]){"input"}, bytes, size};
    struct error error = {0};
    struct scenario *scenario = scenario_create(&text, settings.overrides, settings.count, &error);
    demand(scenario || (error.kind == ERROR_INPUT && *error.message), "it fails without a reason", bytes);
    if (scenario)
        check_stable(scenario);
    scenario_destroy(scenario);
    free(bytes);
    return 0;
}
