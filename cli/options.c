#include "cli/options.h"

#include "cli/command.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SET = 0x100, KEY_SEED, KEY_REPLICATIONS, KEY_STRATEGY, KEY_DATABASE, KEY_TAPE, KEY_FORCE };

static void *grow(void *items, size_t count, size_t size, const struct argp_state *state)
{
    void *grown = reallocarray(items, count + 1, size);
    if (!grown)
        argp_failure(state, STATUS_TROUBLE, ENOMEM, "the arguments");
    return grown;
}

void option_list_add(struct option_list *list, const char *text, const struct argp_state *state)
{
    list->items = grow(list->items, list->count, sizeof *list->items, state);
    list->items[list->count++] = text;
}

void options_add_override(struct scenario_options *options, const char *path, const char *value,
                          const char *origin, const struct argp_state *state)
{
    options->overrides = grow(options->overrides, options->override_count, sizeof *options->overrides, state);
    options->overrides[options->override_count++] = (struct scenario_override){path, value, origin};
}

/* PATH=VALUE is cut in two where it stands. */
static void add_setting(struct scenario_options *options, char *text, const struct argp_state *state)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        argp_error(state, "--set wants PATH=VALUE, not \"%s\"", text);
    *equals = '\0';
    options_add_override(options, text, equals + 1, "--set", state);
}

static error_t parse_set(int key, char *argument, struct argp_state *state)
{
    if (key != KEY_SET)
        return ARGP_ERR_UNKNOWN;
    add_setting(state->input, argument, state);
    return 0;
}

static const struct argp_option set_options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0, "Put VALUE in the place of the scenario's field PATH (repeatable)", 1},
    {0},
};

const struct argp options_set_argp = {.options = set_options, .parser = parse_set};

error_t options_parse_argument(const char **one, int key, char *argument, const struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (*one)
            argp_usage(state);
        *one = argument;
        return 0;
    case ARGP_KEY_END:
        if (!*one)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_take_scenario(struct scenario_options *options, const char *scenario,
                           const struct argp_state *state)
{
    if (options->scenario)
        argp_error(state, "one scenario at a time: %s or %s?", options->scenario, scenario);
    options->scenario = scenario;
}

static error_t parse_scenario(int key, char *argument, struct argp_state *state)
{
    struct scenario_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case KEY_SEED:
        options_add_override(options, "seed", argument, "--seed", state);
        return 0;
    case KEY_REPLICATIONS:
        options_add_override(options, "replications", argument, "--replications", state);
        return 0;
    case KEY_STRATEGY:
        option_list_add(&options->strategies, argument, state);
        return 0;
    case ARGP_KEY_ARG:
        options_take_scenario(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!options->scenario)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option scenario_options[] = {
    {"strategy", KEY_STRATEGY, "NAME", 0, "Run only the strategy called NAME (repeatable)", 2},
    {"seed", KEY_SEED, "N", 0, "Draw the failures and jitter of seed N", 2},
    {"replications", KEY_REPLICATIONS, "N", 0, "Run each strategy N times", 2},
    {0},
};

static const struct argp_child scenario_children[] = {{&options_set_argp, 0, NULL, 0}, {0}};

const struct argp options_scenario_argp = {
    .options = scenario_options, .parser = parse_scenario, .children = scenario_children};

size_t options_workers(const char *text, const struct argp_state *state)
{
    char *end;
    errno = 0;
    long workers = strtol(text, &end, 10);
    if (errno || end == text || *end || workers < 1 || workers > 4096)
        argp_error(state, "-j wants a number from 1 to 4096, not \"%s\"", text);
    return (size_t)workers;
}

double options_percent(const char *text, const char *name, bool zero, const struct argp_state *state)
{
    char *end;
    double percent = strtod(text, &end);
    end += strspn(end, " ");
    end += *end == '%';
    if (end == text || *end || !(percent >= 0 && percent <= 100) || (percent == 0 && !zero))
        argp_error(state, "%s wants a share %s up to 100 %%, not \"%s\"", name,
                   zero ? "from 0" : "above 0 and", text);
    percent = fabs(percent); /* of "-0" */
    return percent / 100;
}

static error_t parse_running(int key, char *argument, struct argp_state *state)
{
    struct running_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        options->database = OPTIONS_DATABASE;
        return 0;
    case KEY_DATABASE:
        options->database = argument;
        return 0;
    case 'j':
        options->workers = options_workers(argument, state);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_TAPE:
        options->tapes = true;
        return 0;
    case KEY_FORCE:
        options->force = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option running_options[] = {
    {"db", KEY_DATABASE, "FILE", 0, "Keep the results in FILE (default: " OPTIONS_DATABASE ")", 3},
    {"jobs", 'j', "N", 0, "Run N simulations at a time (default: one a processor)", 3},
    {"quiet", 'q', NULL, 0, "Show no progress", 3},
    {"force", KEY_FORCE, NULL, 0, "Run again what the database has already", 3},
    {"tape", KEY_TAPE, NULL, 0, "Keep the event tape of every run, for replays", 3},
    {0},
};

const struct argp options_running_argp = {.options = running_options, .parser = parse_running};

const struct argp_child options_children[] = {
    {&options_scenario_argp, 0, NULL, 0}, {&options_running_argp, 0, NULL, 0}, {0}};

int64_t options_number(const char *text, const char *what, const struct argp_state *state)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < 1)
        argp_error(state, "\"%s\" is no %s's number; they count from 1", text, what);
    return number;
}

int64_t options_study(const char *text, const struct argp_state *state)
{
    return options_number(text, "study", state);
}

void options_scenario_free(struct scenario_options *options)
{
    free(options->overrides);
    free(options->strategies.items);
}

/* Quotes what a shell would not take as it is. */
static void write_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *options_command_line(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(argv[0], out); /* two words, which need no quotes */
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        write_word(out, argv[i]);
    }
    return fclose(out) == 0 ? text : (free(text), NULL);
}
