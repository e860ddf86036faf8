#include "cli/options.h"
#include "cli/show.h"
#include "imports/skyplane.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS_MOST = 1000 };

struct import_options {
    const char *kind;
    const char *files[2];
    int file_count;
    const char *output; /* NULL: standard output */
    const char *regions[REGIONS_MOST];
    struct skyplane_request request;
};

enum { KEY_REGIONS = 0x200, KEY_TIER, KEY_COSTS };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE (default: standard output)", 0},
    {"regions", KEY_REGIONS, "NAME,...", 0,
     "Take these regions alone, in this order; * and ? stand for letters, as in 'aws:us-*' (default: all "
     "with "
     "a throughput)",
     0},
    {"tier", KEY_TIER, "TIER", 0, "Network tier, of the regions that have it (default: PREMIUM)", 0},
    {"costs", KEY_COSTS, "FILE", 0, "Table of prices: src, dst, cost", 0},
    {0},
};

/* Cuts ARGUMENT at its commas. */
static void add_regions(struct import_options *import, char *argument, struct argp_state *state)
{
    char *rest = NULL;
    for (char *name = strtok_r(argument, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (import->request.region_count == REGIONS_MOST)
            argp_error(state, "more than %d regions", REGIONS_MOST);
        import->regions[import->request.region_count++] = name;
    }
    if (!import->request.region_count)
        argp_error(state, "--regions names no region");
}

static void add_argument(struct import_options *import, const char *argument, struct argp_state *state)
{
    if (!import->kind)
        import->kind = argument;
    else if (import->file_count < 2)
        import->files[import->file_count++] = argument;
    else
        argp_usage(state);
}

static void check_arguments(const struct import_options *import, struct argp_state *state)
{
    if (!import->kind)
        argp_usage(state);
    if (strcmp(import->kind, "skyplane") != 0)
        argp_error(state, "nothing is known of a \"%s\" to import; there is skyplane", import->kind);
    if (import->file_count != 2)
        argp_error(state, "skyplane takes two tables, of throughput and of latency");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct import_options *import = state->input;
    switch (key) {
    case 'o':
        import->output = argument;
        return 0;
    case KEY_REGIONS:
        add_regions(import, argument, state);
        return 0;
    case KEY_TIER:
        import->request.tier = argument;
        return 0;
    case KEY_COSTS:
        import->request.costs = argument;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(import, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(import, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "skyplane THROUGHPUT.csv LATENCY.csv",
    .doc =
        "Make a network's sites and links from measurements between cloud regions, for a scenario to take in."
        "\vA scenario takes the file in by `network: {file: FILE}', beside the scenario's own, and says "
        "there "
        "which sites have learners: `sites: [{name: aws:us-east-1, learners: 2}, ...]'.",
};

static bool write_file(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    return good;
}

static void tell(const struct skyplane_summary *summary, bool priced)
{
    show_note("%zu sites, %zu links; %zu directions are means of several measurements", summary->sites,
              summary->links, summary->averaged);
    if (summary->missing)
        show_note("%zu directions have no link, since they were not measured; the output names them",
                  summary->missing);
    if (priced && summary->without_price)
        show_note("%zu links have no price in the table", summary->without_price);
}

static int finish(const struct import_options *import, struct writer *writer,
                  const struct skyplane_summary *summary)
{
    struct error error = {.kind = ERROR_NONE};
    char *text = writer_take(writer);
    if (!text)
        error_out_of_memory(&error, "the output");
    else if (import->output)
        write_file(import->output, text, &error);
    else
        show_text(text);
    free(text);
    if (error.kind != ERROR_NONE)
        return show_error(&error);
    tell(summary, import->request.costs);
    return STATUS_DONE;
}

int command_import(int argc, char **argv)
{
    struct import_options wanted = {.request.tier = "PREMIUM"};
    struct error error = {.kind = ERROR_NONE};
    struct writer writer = {0};
    struct skyplane_summary summary;
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    wanted.request.throughput = wanted.files[0];
    wanted.request.latency = wanted.files[1];
    wanted.request.regions = wanted.regions;
    if (skyplane_import(&wanted.request, &writer, &summary, &error))
        return finish(&wanted, &writer, &summary);
    free(writer_take(&writer));
    return show_error(&error);
}
