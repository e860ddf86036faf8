/*
 * The field table as a page in Markdown: what doc/scenario.md holds.
 */
#include "models/learning/metrics.h"
#include "scenarios/describe.h"
#include "scenarios/loader.h"
#include "scenarios/scenario.h"
#include "scenarios/value.h"

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# Scenario files\n"
    "\n"
    "A scenario says what to simulate. It is a YAML 1.2 file; `trainstorm check FILE` reads it, says what "
    "is\n"
    "wrong with it, and prints it with every default filled in. This page is made from the same table that\n"
    "loading uses: `trainstorm check --reference` prints it, and `trainstorm check --schema` prints a JSON\n"
    "Schema for editors.\n"
    "\n"
    "```yaml\n"
    "name: example\n"
    "duration: 1 d\n"
    "replications: 10\n"
    "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 6.5 s}\n"
    "cluster: {chips: 1200000, chip: tpu-v5p, chips_per_slice: 64}\n"
    "failures:\n"
    "  chip: {mtbi: 365 d}\n"
    "strategies:\n"
    "  - {name: elastic, kind: all-reduce, elastic: true}\n"
    "  - {name: decoupled, kind: decoupled-diloco, learners: 8, quorum: 1}\n"
    "sweep:\n"
    "  cluster.chips: [300000, 600000, 1200000]\n"
    "expect:\n"
    "  - {strategy: decoupled, metric: goodput, at: {cluster.chips: 1200000}, min: 0.75}\n"
    "  - {strategy: decoupled, against: elastic, metric: goodput, min: 0, confidence: 0.95}\n"
    "```\n"
    "\n"
    "## Values\n"
    "\n"
    "- A quantity carries its unit: `30 ms`, `1.5 h`, `365 d`, `26 GB`, `2 Gbit/s`. Times are in `ns`, "
    "`us`,\n"
    "  `ms`, `s`, `min`, `h`, `d`, `week`, `year` (365 d). Data are in `bit` or `b`, `byte` or `B`, with "
    "`k`,\n"
    "  `M`, `G`, `T`, `P` for powers of 1000 and `Ki`, `Mi`, `Gi`, `Ti`, `Pi` for powers of 1024. Rates are "
    "data\n"
    "  over time: `Gbit/s`, `MB/s`, `Gbps`, `MBps`. Power is in `W`, energy in `Wh` or `J`: `700 W`, `500 "
    "MWh`.\n"
    "- A pure number has no unit, but may be in percent: `0.05`, `5 %`. Whole numbers may be written as "
    "`1.2e6`.\n"
    "- A default in the tables below holds where a field is left out. A field with a dash there may be left "
    "out\n"
    "  and then has no value; one marked *required* must be given.\n"
    "- Anchors and aliases work; tags, and several documents in one file, do not.\n"
    "\n"
    "Any field can be changed from the command line by its path: `--set cluster.chips=4096`. An item of a "
    "list is\n"
    "named by its name or its index, counted from 0: `--set strategies.decoupled.quorum=2`;\n"
    "`*` is every item: `--set 'network.sites.*.uplink=5 Gbit/s'`.\n"
    "\n"
    "## Sweeps\n"
    "\n"
    "`trainstorm sweep` runs a scenario at every point that the axes under `sweep` span. An axis is the path "
    "of "
    "a\n"
    "field with a list of values. An item of the list may be a range of numbers instead, and so may all of "
    "it:\n"
    "\n"
    "| range | values |\n"
    "|---|---|\n"
    "| `1..16 step 5` | 1, 6, 11, 16: from the lower end on as far as the upper one |\n"
    "| `0..1, 11 points` | evenly from end to end: 0, 0.1, …, 1 |\n"
    "| `log 1e3..1e6, 4 points` | by equal factors from end to end, rounded to six digits |\n"
    "| `2..10 Gbit/s step 2` | the upper end's unit holds for a number without one |\n"
    "\n"
    "Whole numbers are rounded, and those that become the same are taken once. Between braces a range with a "
    "comma\n"
    "needs quotes. `grid` of an expectation has the same grammar.\n"
    "\n"
    "Axes multiply. In a list of mappings the axes of one mapping move together, value by value, and the "
    "mappings\n"
    "multiply. `where` leaves out the points at which a condition is not true, or one of a list:\n"
    "\n"
    "```yaml\n"
    "sweep:\n"
    "  - cluster.chips: [1024, 8192, 65536]\n"
    "    workload.parameters: [1e9, 8e9, 64e9]\n"
    "  - strategies.decoupled.learners: 4..64 step 4\n"
    "  - where: strategies.decoupled.learners <= cluster.chips / 64\n"
    "```\n"
    "\n"
    "A condition compares two sums by `<`, `<=`, `>`, `>=`, `==` or `!=`. They are made of numbers with "
    "their "
    "units\n"
    "and paths of numbers, with `+`, `-`, `*`, `/` and parentheses; a minus behind a path has blanks around "
    "it. A\n"
    "field that is not swept has the scenario's value.\n"
    "\n"
    "On the command line: `--axis 'cluster.chips=1024..4096 step 1024, 16384'`, axes that move together "
    "as\n"
    "`--axis 'cluster.chips=1024,8192+workload.parameters=1e9,8e9'`, and `--where CONDITION`. An axis takes "
    "the "
    "place\n"
    "of the scenario's of the same path.\n"
    "\n"
    "## Laws\n"
    "\n"
    "A field whose value is a *law* is a mapping of the law's name, `law`, and its parameters. All but the "
    "shapes\n"
    "are in the unit of the quantity. The parameters of the default law do not hold for another one, except "
    "the\n"
    "mean, where that law needs a mean and no median is given.\n"
    "\n"
    "| law | what it is |\n"
    "|---|---|\n";

struct page {
    const struct loader *loader;
    struct writer writer;
};

/* A cell of a table: bars would end it. TEXT is NULL when memory ran out. */
static void add_cell(struct page *page, const char *text)
{
    if (!text) {
        page->writer.failed = true;
        return;
    }
    writer_add(&page->writer, "| ");
    for (; *text; text++)
        writer_add(&page->writer, "%s%c", *text == '|' ? "\\" : "", *text);
    writer_add(&page->writer, " ");
}

static void add_default(struct page *page, const struct field *field)
{
    if (!field->row.fallback)
        add_cell(page, "*required*");
    else if (!*field->row.fallback)
        add_cell(page, "–");
    else
        writer_add(&page->writer, "| `%s` ", field->row.fallback);
}

static void add_meaning(struct page *page, const char *sentence, const char *source)
{
    struct writer meaning = {0};
    writer_add(&meaning, "%s", sentence);
    if (source)
        writer_add(&meaning, " Default: %s.", source);
    char *text = writer_take(&meaning);
    add_cell(page, text);
    free(text);
    writer_add(&page->writer, "|\n");
}

static void add_value_field(struct page *page, const struct field *field)
{
    struct writer value = {0};
    writer_add(&page->writer, "| `%s` ", field->row.path);
    describe_value(page->loader->units, field, &value);
    char *text = writer_take(&value);
    add_cell(page, text);
    free(text);
    add_default(page, field);
    add_meaning(page, field->row.sentence, field->row.source);
}

/* One row for all parts of a law: the first of them is FIELD, the others follow it. */
static void add_law(struct page *page, const struct field *field)
{
    const char *first = field->row.sentence + strlen("Law of the ");
    size_t length = strlen(field->row.path) - strlen(".law");
    writer_add(&page->writer, "| `%.*s` | law%s%s%s ", (int)length, field->row.path,
               field[1].row.dimension == DIMENSION_TIME ? " of a time" : " of a factor",
               strcmp(field->law->mean_name, "mean") ? "; its mean is called " : "",
               strcmp(field->law->mean_name, "mean") ? field->law->mean_name : "");
    writer_add(&page->writer, "| `{");
    for (int part = 0; part < LAW_PARTS - LAW_NAME; part++)
        if (*field[part].row.fallback)
            writer_add(&page->writer, "%s%s: %s", part ? ", " : "",
                       fields_law_part(field->law, field[part].part), field[part].row.fallback);
    writer_add(&page->writer, "}` ");
    struct writer sentence = {0};
    writer_add(&sentence, "%c%s", *first & ~0x20, first + 1);
    char *text = writer_take(&sentence);
    page->writer.failed |= !text;
    add_meaning(page, text ? text : "", field->row.source);
    free(text);
}

static void add_row(struct page *page, const struct field *field)
{
    if (field->part == LAW_NONE)
        add_value_field(page, field);
    else if (field->part == LAW_NAME)
        add_law(page, field);
}

static const char table_head[] = "\n| field | value | default | meaning |\n|---|---|---|---|\n";

/* The fields of an item that is about the value of a field. */
static void add_solved(struct page *page, const struct field *list)
{
    const struct scope *scope = fields_solved(list, DIMENSION_NONE, false);
    writer_add(
        &page->writer,
        "\n#### with `%s`\n\nAn item with `%s` is about the value of a field that meets a target, not "
        "about a metric. `trainstorm validate`\nalone looks for it; `run` and `sweep` leave such items "
        "aside.\n%s",
        fields_solver(list), fields_solver(list), table_head);
    for (size_t i = 0; i < scope->count; i++)
        add_row(page, &scope->fields[i]);
}

/* The fields of a list's items: those of all kinds, then each kind's own. */
static void add_list(struct page *page, const struct field *list)
{
    const struct scope *first = &list->kinds[0];
    writer_add(&page->writer, "\n### `%s[]`\n\n%s%s\n%s", list->row.path, list->row.sentence,
               list->list->minimum_items ? " At least one." : "", table_head);
    for (size_t i = 0; i < first->count; i++)
        if (!first->fields[i].in_options)
            add_row(page, &first->fields[i]);
    if (fields_solver(list))
        add_solved(page, list);
    for (size_t kind = 0; kind < list->kind_count && first->variant; kind++) {
        const struct scope *scope = &list->kinds[kind];
        writer_add(&page->writer, "\n#### kind `%s`\n\n%c%s.\n%s", scope->variant->name,
                   *scope->variant->sentence & ~0x20, scope->variant->sentence + 1, table_head);
        for (size_t i = 0; i < scope->count; i++)
            if (scope->fields[i].in_options)
                add_row(page, &scope->fields[i]);
    }
}

static bool is_top(const struct field *field)
{
    return field->form != FIELD_ITEMS && !strchr(field->row.path, '.');
}

/* The fields of the section that the field at INDEX opens. */
static void add_section(struct page *page, const struct scope *scope, size_t index, size_t length)
{
    const char *path = scope->fields[index].row.path;
    writer_add(&page->writer, "\n### `%.*s`\n%s", (int)length, path, table_head);
    for (size_t i = index; i < scope->count; i++)
        if (strncmp(scope->fields[i].row.path, path, length + 1) == 0 && scope->fields[i].form == FIELD_VALUE)
            add_row(page, &scope->fields[i]);
}

static void add_fields(struct page *page, const struct scope *scope)
{
    size_t length;
    writer_add(&page->writer, "\n## Fields\n%s", table_head);
    for (size_t i = 0; i < scope->count; i++)
        if (is_top(&scope->fields[i]))
            add_row(page, &scope->fields[i]);
    for (size_t i = 0; i < scope->count; i++) {
        const struct field *field = &scope->fields[i];
        if (field->form == FIELD_ITEMS)
            add_list(page, field);
        else if (!is_top(field) && describe_segment(scope, i, "", &length))
            add_section(page, scope, i, length);
    }
}

static void add_metric_rows(struct page *page, const struct metric_description *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++)
        writer_add(&page->writer, "| `%s` | %s | %s |\n", metrics[i].name, metrics[i].unit,
                   metrics[i].sentence);
}

static void add_metrics(struct page *page)
{
    writer_add(&page->writer,
               "\n### Metrics\n\nWhat `metric` may name, beside `share:` and a budget category "
               "(`%s`, …).\n\n| metric | unit | what it is |\n|---|---|---|\n",
               budget_metrics[0]);
    add_metric_rows(page, run_metrics, RUN_METRICS);
    writer_add(&page->writer,
               "\nIn a scenario that learns there are these too. Its reference is a data-parallel run "
               "without failures, which\n`strategy` and `against` may name "
               "`" SCENARIO_REFERENCE "`.\n"
               "\n| metric | unit | what it is |\n|---|---|---|\n");
    add_metric_rows(page, learning_metrics, LEARNING_METRICS);
}

char *scenario_reference(void)
{
    struct loader loader;
    if (!loader_open(&loader, NULL))
        return NULL;
    struct page page = {.loader = &loader};
    writer_add(&page.writer, "%s", introduction);
    for (int law = 0; law < SIM_LAW_COUNT; law++) {
        writer_add(&page.writer, "| `%s` ", sim_law_names[law]);
        add_cell(&page, sim_law_description((enum sim_law)law));
        writer_add(&page.writer, "|\n");
    }
    add_fields(&page, loader.root);
    add_metrics(&page);
    loader_close(&loader);
    memory_destroy(loader.memory);
    return writer_take(&page.writer);
}
