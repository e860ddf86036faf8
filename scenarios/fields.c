/*
 * The table of tables is `parts`: a new model is one line there. A law is one row in its model's table and
 * becomes a field for each of its parameters here, so that nobody else has to know of laws.
 */
#include "scenarios/fields_internal.h"

#include "models/failures/process.h"
#include "scenarios/scenario.h"
#include "scenarios/units.h"
#include <string.h>

/* Fields of the scenario as a whole. */
static const struct parameter root_rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What results call the study.",
     .offset = offsetof(struct scenario, name)},
    {.path = "description",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "What the scenario is for, in a sentence or two.",
     .offset = offsetof(struct scenario, description)},
    {.path = "notes",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "What a reader of the results should know, in paragraphs; validation pages show it in Markdown.",
     .offset = offsetof(struct scenario, notes)},
    {.path = "seed",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Seed of all chance, at most 2^63 - 1; the same seed gives the same results.",
     .source = "ours",
     .offset = offsetof(struct scenario, seed)},
    {.path = "replications",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Independent runs of every strategy at every point.",
     .source = "ours",
     .offset = offsetof(struct scenario, replications)},
    {.path = "duration",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .minimum = 0,
     .maximum = UNITS_LONGEST_SECONDS,
     .above_minimum = true,
     .sentence = "Simulated time of one run; where \"until\" fixes the work, the most that it may take.",
     .offset = offsetof(struct scenario, simulation.duration)},
    {.path = "warm_up",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = UNITS_LONGEST_SECONDS,
     .sentence = "Time at the start of a run that is left out of every share and figure.",
     .source = "ours",
     .offset = offsetof(struct scenario, simulation.warm_up)},
    {.path = "chaos_file",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "A file of faults that a run recorded (trainstorm export --chaos): they become "
                 "chaos_schedule, and are played in place of those of chaos.",
     .offset = offsetof(struct scenario, simulation.chaos.file)},
};
static const struct parameter_table root_parameters = {"", root_rows, PARAMETER_COUNT(root_rows)};

static const struct parameter point_row = {
    .path = "at",
    .type = PARAMETER_TEXT,
    .fallback = "",
    .sentence = "The point of a sweep that the expectation is about, values by path; with \"solve\", values "
                "of any fields, which it holds with.",
    .offset = offsetof(struct scenario_expectation, at)};

static const struct parameter axes_row = {
    .path = "sweep",
    .type = PARAMETER_TEXT,
    .fallback = "",
    .sentence =
        "Axes of a sweep: lists or ranges of values by the path of a field. Axes multiply; in a list of "
        "mappings, those of one mapping move together. `where` leaves points out.",
};

/* Everything a scenario file holds, in the order in which it is printed: a table, or a list. */
static const struct {
    const struct parameter_table *table;
    size_t offset; /* of the table's struct */
    const struct parameter_list *list;
    size_t items_offset, count_offset;
} parts[] = {
    {.table = &root_parameters},
    {.table = &goal_parameters, .offset = offsetof(struct scenario, simulation.until)},
    {.table = &workload_parameters, .offset = offsetof(struct scenario, simulation.workload)},
    {.table = &overlap_parameters, .offset = offsetof(struct scenario, simulation.workload.overlap)},
    {.table = &cluster_parameters, .offset = offsetof(struct scenario, simulation.cluster)},
    {.list = &cluster_groups,
     .items_offset = offsetof(struct scenario, simulation.cluster.groups.items),
     .count_offset = offsetof(struct scenario, simulation.cluster.groups.count)},
    {.list = &chip_list,
     .items_offset = offsetof(struct scenario, simulation.cluster.catalogue.items),
     .count_offset = offsetof(struct scenario, simulation.cluster.catalogue.count)},
    {.table = &reserve_parameters, .offset = offsetof(struct scenario, simulation.cluster.spares)},
    {.table = &straggler_parameters, .offset = offsetof(struct scenario, simulation.stragglers)},
    {.table = &network_parameters, .offset = offsetof(struct scenario, simulation.network)},
    {.list = &network_sites,
     .items_offset = offsetof(struct scenario, simulation.network.sites.items),
     .count_offset = offsetof(struct scenario, simulation.network.sites.count)},
    {.list = &network_links,
     .items_offset = offsetof(struct scenario, simulation.network.links.items),
     .count_offset = offsetof(struct scenario, simulation.network.links.count)},
    {.list = &network_backbones,
     .items_offset = offsetof(struct scenario, simulation.network.backbones.items),
     .count_offset = offsetof(struct scenario, simulation.network.backbones.count)},
    {.list = &network_profiles,
     .items_offset = offsetof(struct scenario, simulation.network.profiles.items),
     .count_offset = offsetof(struct scenario, simulation.network.profiles.count)},
    {.table = &failure_parameters, .offset = offsetof(struct scenario, simulation.failures)},
    {.table = &playback_parameters, .offset = offsetof(struct scenario, simulation.trace)},
    {.table = &repair_parameters, .offset = offsetof(struct scenario, simulation.failures.pipeline)},
    {.list = &failure_processes,
     .items_offset = offsetof(struct scenario, simulation.failures.processes.items),
     .count_offset = offsetof(struct scenario, simulation.failures.processes.count)},
    {.table = &checkpoint_parameters, .offset = offsetof(struct scenario, simulation.checkpoints)},
    {.list = &chaos_list,
     .items_offset = offsetof(struct scenario, simulation.chaos.entries.items),
     .count_offset = offsetof(struct scenario, simulation.chaos.entries.count)},
    {.table = &chaos_parameters, .offset = offsetof(struct scenario, simulation.chaos)},
    {.list = &chaos_schedule_list,
     .items_offset = offsetof(struct scenario, simulation.chaos.schedule.items),
     .count_offset = offsetof(struct scenario, simulation.chaos.schedule.count)},
    {.table = &learning_parameters, .offset = offsetof(struct scenario, learning)},
    {.list = &strategy_list,
     .items_offset = offsetof(struct scenario, strategies),
     .count_offset = offsetof(struct scenario, strategy_count)},
    {.list = &fields_expectations,
     .items_offset = offsetof(struct scenario, expectations),
     .count_offset = offsetof(struct scenario, expectation_count)},
};
enum { PARTS = sizeof parts / sizeof *parts };

static const struct {
    const char *name, *clause; /* "Mean of the …", before the law's own sentence */
    size_t offset;
} law_parts[LAW_PARTS] = {
    [LAW_NAME] = {"law", "Law of the", offsetof(struct sim_law_spec, law)},
    [LAW_MEAN] = {"mean", "Mean of the", offsetof(struct sim_law_spec, mean)},
    [LAW_MEDIAN] = {"median", "Median of the", offsetof(struct sim_law_spec, median)},
    [LAW_LOW] = {"low", "Least value (uniform) of the", offsetof(struct sim_law_spec, low)},
    [LAW_HIGH] = {"high", "Greatest value (uniform) of the", offsetof(struct sim_law_spec, high)},
    [LAW_DEVIATION] = {"deviation", "Standard deviation (normal) of the",
                       offsetof(struct sim_law_spec, deviation)},
    [LAW_SHAPE] = {"shape", "Shape of the law of the", offsetof(struct sim_law_spec, shape)},
    [LAW_POWER] = {"power", "Power (exponentiated-weibull) of the law of the",
                   offsetof(struct sim_law_spec, power)},
    [LAW_SIGMA] = {"sigma", "Deviation of the logarithm (log-normal) of the",
                   offsetof(struct sim_law_spec, sigma)},
    [LAW_VALUES] = {"values",
                    "Observed values (empirical), or the name of a JSON or text file beside the scenario "
                    "that has them, of the",
                    offsetof(struct sim_law_spec, values)},
};

const char *fields_law_part(const struct parameter_law *law, enum law_part part)
{
    return part == LAW_MEAN ? law->mean_name : law_parts[part].name;
}

size_t fields_law_offset(enum law_part part)
{
    return law_parts[part].offset;
}

static const char *law_default(const struct parameter_law *law, enum law_part part)
{
    const char *text = NULL;
    switch (part) {
    case LAW_NAME:
        return law->law;
    case LAW_MEAN:
        text = law->mean;
        break;
    case LAW_SHAPE:
        text = law->shape;
        break;
    case LAW_POWER:
        text = law->power;
        break;
    case LAW_SIGMA:
        text = law->sigma;
        break;
    case LAW_DEVIATION:
        text = law->deviation;
        break;
    default:
        break;
    }
    return text ? text : "";
}

static const char *join(struct scenario_memory *memory, const char *section, const char *path)
{
    return *section ? memory_format(memory, "%s.%s", section, path) : path;
}

static void add_law_part(struct scenario_memory *memory, struct scope *scope, const struct parameter *row,
                         enum law_part part)
{
    struct field *field = &scope->fields[scope->count++];
    *field = (struct field){.row = *row, .part = part, .law = row->law, .law_offset = row->offset};
    field->row.path = join(memory, row->path, fields_law_part(row->law, part));
    field->row.type = part == LAW_NAME     ? PARAMETER_CHOICE
                      : part == LAW_VALUES ? PARAMETER_REAL_LIST
                                           : PARAMETER_REAL;
    if (part == LAW_SHAPE || part == LAW_POWER || part == LAW_SIGMA || part == LAW_NAME)
        field->row.dimension = DIMENSION_NONE;
    field->row.choices = part == LAW_NAME ? sim_law_names : NULL;
    field->row.law = NULL;
    field->row.fallback = law_default(row->law, part);
    field->row.sentence = memory_format(memory, "%s %s.", law_parts[part].clause, row->sentence);
    field->row.source = *field->row.fallback ? row->source : NULL;
    field->row.offset = row->offset + law_parts[part].offset;
}

/* Every path of PATHS, blanks between, below SECTION; NULL for none. */
static const char *join_all(struct scenario_memory *memory, const char *section, const char *paths)
{
    const char *all = NULL;
    while (paths && *paths) {
        size_t length = strcspn(paths, " ");
        const char *word = memory_copy(memory, paths, length);
        const char *path = word ? join(memory, section, word) : NULL;
        all = path ? memory_format(memory, "%s%s%s", all ? all : "", all ? " " : "", path) : NULL;
        paths += length + strspn(paths + length, " ");
    }
    return all;
}

/* Adds ROW below SECTION, its struct standing at OFFSET in the scope's. */
static void add_row(struct scenario_memory *memory, struct scope *scope, const char *section,
                    const struct parameter *row, size_t offset)
{
    struct parameter placed = *row;
    placed.path = join(memory, section, row->path);
    placed.instead_of = join_all(memory, section, row->instead_of);
    placed.offset += offset;
    if (row->type == PARAMETER_LAW)
        for (int part = LAW_NAME; part < LAW_PARTS; part++)
            add_law_part(memory, scope, &placed, (enum law_part)part);
    else
        scope->fields[scope->count++] = (struct field){.row = placed};
}

static size_t room_for(const struct parameter *rows, size_t count)
{
    size_t room = count;
    for (size_t i = 0; i < count; i++)
        if (rows[i].type == PARAMETER_LAW)
            room += LAW_PARTS;
    return room;
}

/* The fields of an item of LIST, of the kind VARIANT (NULL: no kinds). */
static void fill_item(struct scenario_memory *memory, struct scope *scope, const struct parameter_list *list,
                      const struct parameter_variant *variant)
{
    size_t room = room_for(list->rows, list->count) + 1;
    if (variant)
        room += room_for(variant->rows, variant->count);
    scope->variant = variant;
    scope->fields = memory_take(memory, room, sizeof *scope->fields);
    if (!scope->fields)
        return;
    for (size_t i = 0; i < list->count; i++)
        add_row(memory, scope, "", &list->rows[i], 0);
    if (list == &fields_expectations || list == &fields_solutions)
        scope->fields[scope->count++] = (struct field){.form = FIELD_POINT, .row = point_row};
    size_t common = scope->count;
    for (size_t i = 0; variant && i < variant->count; i++)
        add_row(memory, scope, "", &variant->rows[i], 0);
    for (size_t i = common; i < scope->count; i++)
        scope->fields[i].in_options = true;
}

static const char *list_sentence(const struct parameter_list *list)
{
    if (list->sentence)
        return list->sentence;
    if (list == &strategy_list)
        return "The strategies compared; each meets the same failures.";
    if (list == &cluster_groups)
        return "Chips of different kinds in one cluster; all of one kind where left out.";
    if (list == &chip_list)
        return "Chips that are not built in, and built-in ones of which something is to be changed.";
    return "Figures that the results are held against.";
}

static void add_list(struct scenario_memory *memory, struct scope *scope, size_t part)
{
    const struct parameter_list *list = parts[part].list;
    struct field *field = &scope->fields[scope->count++];
    *field = (struct field){.form = FIELD_ITEMS,
                            .list = list,
                            .items_offset = parts[part].items_offset,
                            .count_offset = parts[part].count_offset,
                            .kind_count = list->variants ? list->variant_count : 1};
    if (list == &fields_expectations)
        field->kind_count = FIELDS_EXPECTATION_KINDS;
    field->row.path = list->section;
    field->row.fallback = list->minimum_items ? NULL : "";
    field->row.sentence = list_sentence(list);
    field->kinds = memory_take(memory, field->kind_count, sizeof *field->kinds);
    for (size_t kind = 0; field->kinds && kind < field->kind_count; kind++)
        fill_item(memory, &field->kinds[kind],
                  list == &fields_expectations && kind >= FIELDS_METRIC_KINDS ? &fields_solutions : list,
                  list->variants ? list->variants[kind] : NULL);
    if (field->kinds && list == &fields_expectations)
        fields_give_dimensions(field);
}

static void add_table(struct scenario_memory *memory, struct scope *scope, size_t part)
{
    const struct parameter_table *table = parts[part].table;
    for (size_t i = 0; i < table->count; i++)
        add_row(memory, scope, table->section, &table->rows[i], parts[part].offset);
}

const struct scope *fields_create(struct scenario_memory *memory)
{
    size_t room = PARTS + 1;
    for (size_t part = 0; part < PARTS; part++)
        if (parts[part].table)
            room += room_for(parts[part].table->rows, parts[part].table->count);
    struct scope *scope = memory_take(memory, 1, sizeof *scope);
    if (!scope || !(scope->fields = memory_take(memory, room, sizeof *scope->fields)))
        return NULL;
    for (size_t part = 0; part < PARTS; part++)
        if (parts[part].table)
            add_table(memory, scope, part);
        else
            add_list(memory, scope, part);
    scope->fields[scope->count++] = (struct field){.form = FIELD_AXES, .row = axes_row};
    return memory_failed(memory) ? NULL : scope;
}

static void give_choices(const struct scope *scope, const char *const *choices, const char *const *names)
{
    for (size_t i = 0; i < scope->count; i++) {
        struct field *field = &scope->fields[i];
        if (field->row.choices == choices)
            field->row.choices = names;
        for (size_t kind = 0; field->form == FIELD_ITEMS && kind < field->kind_count; kind++)
            give_choices(&field->kinds[kind], choices, names);
    }
}

void fields_name_chips(const struct scope *root, const char *const *names)
{
    give_choices(root, chip_names, names);
}
