/*
 * Networks become a part of a scenario, failures a trace; a kind of file is a row of the table below.
 */
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/show.h"
#include "cli/trace_notes.h"
#include "imports/date.h"
#include "imports/failures.h"
#include "imports/skyplane.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS_MOST = 1000, NAMES_MOST = 4 };

struct import_kind;

struct import_options {
    const struct import_kind *kind;
    const char *files[2];
    int file_count;
    const char *output; /* NULL: standard output */
    const char *regions[REGIONS_MOST];
    struct skyplane_request request;
    const char *system;                /* of LANL's; NULL: all */
    const char *names[NAMES_MOST + 1]; /* of columns, NULL at the end */
    double time_unit;                  /* seconds */
};

struct import_kind {
    const char *name;
    int files;
    const char *wanted; /* what it takes, where the number of files is wrong */
    int (*run)(const struct import_options *);
    bool (*import)(const struct import_options *, struct trace *, struct failures_summary *, struct error *);
};

static int import_network(const struct import_options *import);
static int import_trace(const struct import_options *import);

static bool import_lanl(const struct import_options *import, struct trace *trace,
                        struct failures_summary *summary, struct error *error)
{
    return lanl_import(trace, import->files[0], import->system, summary, error);
}

static bool import_spot(const struct import_options *import, struct trace *trace,
                        struct failures_summary *summary, struct error *error)
{
    return spot_import(trace, import->files[0], summary, error);
}

static bool import_table(const struct import_options *import, struct trace *trace,
                         struct failures_summary *summary, struct error *error)
{
    return table_import(trace, import->files[0], import->names, import->time_unit, summary, error);
}

static const struct import_kind kinds[] = {
    {"skyplane", 2, "two tables, of throughput and of latency", import_network, NULL},
    {"lanl", 1, "one table, of failures", import_trace, import_lanl},
    {"spot", 1, "one table, of instances added and removed", import_trace, import_spot},
    {"csv", 1, "one table, of outages", import_trace, import_table},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

enum { KEY_REGIONS = 0x200, KEY_TIER, KEY_COSTS, KEY_SYSTEM, KEY_COLUMNS, KEY_TIME_UNIT };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE (default: standard output)", 0},
    {0, 0, 0, 0, "skyplane:", 1},
    {"regions", KEY_REGIONS, "NAME,...", 0,
     "Take these regions alone, in this order; * and ? stand for letters, as in 'aws:us-*' (default: all "
     "with "
     "a throughput)",
     0},
    {"tier", KEY_TIER, "TIER", 0, "Network tier, of the regions that have it (default: PREMIUM)", 0},
    {"costs", KEY_COSTS, "FILE", 0, "Table of prices: src, dst, cost", 0},
    {0, 0, 0, 0, "lanl:", 2},
    {"system", KEY_SYSTEM, "N", 0, "Take this system alone (default: all)", 0},
    {0, 0, 0, 0, "csv:", 3},
    {"columns", KEY_COLUMNS, "UNIT,FROM,UNTIL[,KIND]", 0,
     "The columns' names: of what failed, since when and until when, and why (default: unit,from,until,kind)",
     0},
    {"time-unit", KEY_TIME_UNIT, "s|ms|min|h|d", 0,
     "What FROM and UNTIL count where they are numbers, not dates (default: s)", 0},
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

/* Cuts ARGUMENT at its commas into names of columns. */
static void set_columns(struct import_options *import, char *argument, struct argp_state *state)
{
    char *rest = NULL;
    size_t count = 0;
    for (char *name = strtok_r(argument, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (count == NAMES_MOST)
            argp_error(state, "--columns names more than %d columns", NAMES_MOST);
        import->names[count++] = name;
    }
    if (count < NAMES_MOST - 1)
        argp_error(state, "--columns names a column of units, one of beginnings and one of ends");
    import->names[count] = NULL;
}

static void set_time_unit(struct import_options *import, const char *argument, struct argp_state *state)
{
    static const struct {
        const char *name;
        double seconds;
    } list[] = {{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(argument, list[i].name) == 0) {
            import->time_unit = list[i].seconds;
            return;
        }
    argp_error(state, "\"%s\" is none of s, ms, min, h and d", argument);
}

static void set_kind(struct import_options *import, const char *name, struct argp_state *state)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i].name) == 0)
            import->kind = &kinds[i];
    if (!import->kind)
        argp_error(state, "nothing is known of a \"%s\" to import; there are skyplane, lanl, spot and csv",
                   name);
}

static void add_argument(struct import_options *import, const char *argument, struct argp_state *state)
{
    if (!import->kind)
        set_kind(import, argument, state);
    else if (import->file_count < 2)
        import->files[import->file_count++] = argument;
    else
        argp_usage(state);
}

static void check_arguments(const struct import_options *import, struct argp_state *state)
{
    if (!import->kind)
        argp_usage(state);
    else if (import->file_count != import->kind->files)
        argp_error(state, "%s takes %s", import->kind->name, import->kind->wanted);
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
    case KEY_SYSTEM:
        import->system = argument;
        return 0;
    case KEY_COLUMNS:
        set_columns(import, argument, state);
        return 0;
    case KEY_TIME_UNIT:
        set_time_unit(import, argument, state);
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
    .args_doc = "skyplane THROUGHPUT.csv LATENCY.csv\nlanl FAILURES.csv\nspot INSTANCES.csv\ncsv OUTAGES.csv",
    .doc =
        "Make what a scenario takes in from what others have measured: a network's sites and links from "
        "Skyplane's measurements between cloud regions, or a trace of failures from the records of Los "
        "Alamos "
        "National Laboratory, from spot instances that came and went (MILLISECONDS,add|remove,NODE), or from "
        "any "
        "table of outages."
        "\vA scenario takes a network in by `network: {file: FILE}', beside the scenario's own, and says "
        "there "
        "which sites have learners: `sites: [{name: aws:us-east-1, learners: 2}, ...]'. A trace has the "
        "columns "
        "unit, from, until (seconds from its beginning; no end: never) and kind; `trainstorm fit' finds its "
        "laws.",
};

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

/* Writes TEXT where it is wanted, and frees it. The status. */
static int put(const struct import_options *import, struct writer *writer)
{
    struct error error = {.kind = ERROR_NONE};
    char *text = writer_take(writer);
    if (!text)
        error_out_of_memory(&error, "the output");
    else if (import->output)
        output_file_write(import->output, "output", text, &error);
    else
        show_text(text);
    free(text);
    return error.kind == ERROR_NONE ? STATUS_DONE : show_error(&error);
}

static int import_network(const struct import_options *import)
{
    struct skyplane_request request = import->request;
    struct error error = {.kind = ERROR_NONE};
    struct writer writer = {0};
    struct skyplane_summary summary;
    request.throughput = import->files[0];
    request.latency = import->files[1];
    request.regions = import->regions;
    if (!skyplane_import(&request, &writer, &summary, &error)) {
        free(writer_take(&writer));
        return show_error(&error);
    }
    int status = put(import, &writer);
    if (status == STATUS_DONE)
        tell(&summary, request.costs);
    return status;
}

static void write_trace(const struct import_options *import, const struct trace *trace,
                        const struct failures_summary *summary, struct writer *writer)
{
    const char *slash = strrchr(trace->name, '/');
    char date[DATE_BYTES];
    writer_add(writer, "# A trace of failures, from %s by `trainstorm import %s'. Seconds",
               slash ? slash + 1 : trace->name, import->kind->name);
    if (summary->dated)
        writer_add(writer, " from %s", date_print(summary->begin, date));
    writer_add(writer, ".\n");
    trace_write(trace, writer);
}

static void tell_failures(const struct trace *trace, const struct failures_summary *summary)
{
    size_t outages = 0;
    for (size_t i = 0; i < trace->unit_count; i++)
        outages += trace->units[i].count - trace->units[i].window_count;
    show_note("%zu outages of %zu units in %.6g d", outages, trace->unit_count,
              sim_time_to_seconds(trace->end - trace->begin) / 86400);
    if (summary->never_failed)
        show_note("%zu of them never failed", summary->never_failed);
    if (summary->unnamed)
        show_note("%zu records name no node; they are the whole system's", summary->unnamed);
    if (summary->beyond)
        show_note("%zu records name a node whose number is not below its system's nodes; they were kept",
                  summary->beyond);
    show_trace_notes(trace);
}

static int import_into(const struct import_options *import, struct scenario_memory *memory)
{
    struct error error = {.kind = ERROR_NONE};
    struct trace trace = {.memory = memory, .name = import->files[0]};
    struct failures_summary summary;
    struct writer writer = {0};
    if (!import->kind->import(import, &trace, &summary, &error))
        return show_error(&error);
    write_trace(import, &trace, &summary, &writer);
    int status = put(import, &writer);
    if (status == STATUS_DONE)
        tell_failures(&trace, &summary);
    return status;
}

static int import_trace(const struct import_options *import)
{
    struct scenario_memory *memory = memory_create();
    if (!memory) {
        struct error error = {.kind = ERROR_NONE};
        error_out_of_memory(&error, "a trace");
        return show_error(&error);
    }
    int status = import_into(import, memory);
    memory_destroy(memory);
    return status;
}

int command_import(int argc, char **argv)
{
    struct import_options wanted = {
        .request.tier = "PREMIUM", .names = {"unit", "from", "until", "kind"}, .time_unit = 1};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    return wanted.kind->run(&wanted);
}
