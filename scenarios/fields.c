/*
 * The table of tables is `parts`: a new model is one line there. A law is one row in its model's table and
 * becomes a field for each of its parameters here, so that nobody else has to know of laws.
 */
#include "scenarios/fields.h"

#include "models/failures/process.h"
#include "models/learning/metrics.h"
#include "scenarios/scenario.h"
#include "scenarios/spelling.h"
#include "scenarios/units.h"

#include <stdlib.h>
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

/* Fields of an entry of "expect"; what has no unit here takes that of the metric. */
static const struct parameter expectation_rows[] = {
    {.path = "strategy",
     .type = PARAMETER_TEXT,
     .sentence = "Name of the strategy that the expectation is about.",
     .offset = offsetof(struct scenario_expectation, strategy)},
    {.path = "against",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Name of a second strategy, or \"reference\" in a scenario that learns: the figures are then of the "
         "mean difference, strategy less this one over the same replications, as a share of this one's mean.",
     .offset = offsetof(struct scenario_expectation, against)},
    {.path = "metric",
     .type = PARAMETER_TEXT,
     .sentence =
         "The figure expected: a metric of the results, \"share:\" and a budget category, or \"waste:\" and "
         "the name of what fails.",
     .offset = offsetof(struct scenario_expectation, metric)},
    {.path = "value",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the mean over replications should be, in the metric's unit.",
     .offset = offsetof(struct scenario_expectation, value)},
    {.path = "tolerance",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "How far the mean may be from the value; 0 where neither this nor \"relative\" or "
                 "\"confidence\" is given.",
     .offset = offsetof(struct scenario_expectation, tolerance)},
    {.path = "relative",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "How far the mean may be from the value, as a share of the value.",
     .offset = offsetof(struct scenario_expectation, relative)},
    {.path = "confidence",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 0.9999,
     .above_minimum = true,
     .sentence =
         "With a bound, the whole interval of the mean at this confidence has to meet it. With a value, the "
         "value has to lie in the interval, which is wide enough to hold at this confidence for all such "
         "values of the study together (Sidak).",
     .offset = offsetof(struct scenario_expectation, confidence)},
    {.path = "min",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the mean should at least be; instead of a value.",
     .offset = offsetof(struct scenario_expectation, minimum)},
    {.path = "max",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the mean should at most be; instead of a value.",
     .offset = offsetof(struct scenario_expectation, maximum)},
    {.path = "source",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Where the expected figure comes from.",
     .offset = offsetof(struct scenario_expectation, source)},
};
static const struct parameter_list expectation_list = {.section = "expect",
                                                       .rows = expectation_rows,
                                                       .count = PARAMETER_COUNT(expectation_rows),
                                                       .item_size = sizeof(struct scenario_expectation)};
/* Fields of an entry that is about the value of a field; what has no unit here takes that of the field. */
static const struct parameter solved_rows[] = {
    {.path = "strategy",
     .type = PARAMETER_TEXT,
     .sentence = "Name of the strategy that the expectation is about.",
     .offset = offsetof(struct scenario_expectation, strategy)},
    {.path = "solve",
     .type = PARAMETER_TEXT,
     .sentence =
         "Path of the field, a number, whose value is looked for: the least one that meets \"until\", or "
         "the greatest where the metric moves away from it as the field grows.",
     .offset = offsetof(struct scenario_expectation, solve)},
    {.path = "until",
     .type = PARAMETER_TEXT,
     .sentence = "What the mean over replications has to come to: METRIC>=VALUE or METRIC<=VALUE.",
     .offset = offsetof(struct scenario_expectation, until)},
    {.path = "grid",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "The values that are tried, as in 'log 0.1..1000 Gbit/s, 50 points' (without \"log\": in even "
         "steps). The figure got is then the value before the first that meets the target.",
     .offset = offsetof(struct scenario_expectation, grid)},
    {.path = "range",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "Between which values to look, LO..HI, instead of a grid; where both are left out, a factor of 10⁴ "
         "either side of the value that the field has, within its bounds.",
     .offset = offsetof(struct scenario_expectation, range)},
    {.path = "value",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the field's value should be.",
     .offset = offsetof(struct scenario_expectation, value)},
    {.path = "tolerance",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "How far the field's value may be from it; 0 where neither this nor \"relative\" is given.",
     .offset = offsetof(struct scenario_expectation, tolerance)},
    {.path = "relative",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "How far it may be, as a share of the value.",
     .offset = offsetof(struct scenario_expectation, relative)},
    {.path = "min",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the field's value should at least be; instead of a value.",
     .offset = offsetof(struct scenario_expectation, minimum)},
    {.path = "max",
     .type = PARAMETER_REAL,
     .fallback = "",
     .sentence = "What the field's value should at most be; instead of a value.",
     .offset = offsetof(struct scenario_expectation, maximum)},
    {.path = "source",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Where the expected figure comes from.",
     .offset = offsetof(struct scenario_expectation, source)},
};
static const struct parameter_list solved_list = {.section = "expect",
                                                  .rows = solved_rows,
                                                  .count = PARAMETER_COUNT(solved_rows),
                                                  .item_size = sizeof(struct scenario_expectation)};

/* Expectations about metrics come by the metric's dimension, then those about fields by the field's. */
enum { METRIC_KINDS = DIMENSION_DATA + 1, EXPECTATION_KINDS = METRIC_KINDS + DIMENSION_POWER + 1 };

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
    {.list = &expectation_list,
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

bool fields_is_figure(const struct scope *scope, const struct field *field)
{
    bool expected = fields_find(scope, "metric") || fields_find(scope, "solve");
    return expected && field->row.type == PARAMETER_REAL && strcmp(field->row.path, "relative") != 0 &&
           strcmp(field->row.path, "confidence") != 0;
}

/* An expectation's figures have the dimension of its metric. */
static void give_dimension(struct scope *scope, enum parameter_dimension dimension)
{
    for (size_t i = 0; i < scope->count; i++)
        if (fields_is_figure(scope, &scope->fields[i]))
            scope->fields[i].row.dimension = dimension;
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
    if (list == &expectation_list || list == &solved_list)
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

/* Of the figures of an expectation of KIND. */
static enum parameter_dimension dimension_of(size_t kind)
{
    return (enum parameter_dimension)(kind < METRIC_KINDS ? kind : kind - METRIC_KINDS);
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
    if (list == &expectation_list)
        field->kind_count = EXPECTATION_KINDS;
    field->row.path = list->section;
    field->row.fallback = list->minimum_items ? NULL : "";
    field->row.sentence = list_sentence(list);
    field->kinds = memory_take(memory, field->kind_count, sizeof *field->kinds);
    for (size_t kind = 0; field->kinds && kind < field->kind_count; kind++)
        fill_item(memory, &field->kinds[kind],
                  list == &expectation_list && kind >= METRIC_KINDS ? &solved_list : list,
                  list->variants ? list->variants[kind] : NULL);
    for (size_t kind = 0; field->kinds && list == &expectation_list && kind < field->kind_count; kind++)
        give_dimension(&field->kinds[kind], dimension_of(kind));
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

const struct field *fields_find(const struct scope *scope, const char *path)
{
    for (size_t i = 0; i < scope->count; i++)
        if (strcmp(scope->fields[i].row.path, path) == 0)
            return &scope->fields[i];
    return NULL;
}

bool fields_is_directly_below(const struct field *field, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(field->row.path, prefix, length) == 0 && !strchr(field->row.path + length, '.');
}

/* Whether PATH is the LENGTH bytes at WORD, or below that. */
static bool is_at_or_below(const char *path, const char *word, size_t length)
{
    return strncmp(path, word, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

bool fields_excludes(const struct field *field, const struct field *other)
{
    const char *word = field->row.instead_of;
    while (word && *word) {
        size_t length = strcspn(word, " ");
        if (is_at_or_below(other->row.path, word, length))
            return true;
        word += length + strspn(word + length, " ");
    }
    return false;
}

bool fields_is_section(const struct scope *scope, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < scope->count; i++)
        if (strncmp(scope->fields[i].row.path, path, length) == 0 && scope->fields[i].row.path[length] == '.')
            return true;
    return false;
}

const char *fields_decider(const struct field *list)
{
    if (list->list == &expectation_list)
        return "metric";
    return list->list->variants ? "kind" : NULL;
}

const char *fields_comparator(const struct field *list)
{
    return list->list == &expectation_list ? "against" : NULL;
}

const char *fields_solver(const struct field *list)
{
    return list->list == &expectation_list ? "solve" : NULL;
}

const struct scope *fields_solved(const struct field *list, enum parameter_dimension dimension)
{
    return list->list == &expectation_list ? &list->kinds[METRIC_KINDS + dimension] : NULL;
}

/* Metrics are in seconds, bytes, or pure numbers. */
enum parameter_dimension fields_metric_dimension(const char *unit)
{
    if (strcmp(unit, "s") == 0)
        return DIMENSION_TIME;
    return strcmp(unit, "B") == 0 ? DIMENSION_DATA : DIMENSION_NONE;
}

/* Of an expectation. */
static size_t metric_kind(const struct field *list, const char *word, bool compared)
{
    const char *unit;
    if (!fields_metric_unit(word, &unit))
        return list->kind_count;
    return compared ? DIMENSION_NONE : fields_metric_dimension(unit);
}

size_t fields_kind(const struct field *list, const char *word, bool compared)
{
    if (list->list == &expectation_list)
        return metric_kind(list, word, compared);
    size_t kind = 0;
    while (list->list->variants && kind < list->kind_count &&
           strcmp(list->list->variants[kind]->name, word) != 0)
        kind++;
    return kind;
}

static const struct field *find_in_kinds(const struct field *list, const char *path)
{
    for (size_t kind = 0; kind < list->kind_count; kind++) {
        const struct field *field = fields_find(&list->kinds[kind], path);
        if (field)
            return field;
    }
    return NULL;
}

static bool is_below(const char *path, const char *section)
{
    size_t length = strlen(section);
    return strncmp(path, section, length) == 0 && path[length] == '.';
}

/* PATH names an item of LIST and a field of it. An item's name may contain dots: the field is what follows
 * the first dot that makes it one. */
static const struct field *resolve_item(const struct field *list, const char *path)
{
    const char *item = path + strlen(list->row.path) + 1;
    for (const char *dot = strchr(item, '.'); dot; dot = strchr(dot + 1, '.')) {
        const struct field *field = find_in_kinds(list, dot + 1);
        if (field)
            return field;
    }
    return NULL;
}

static void suggest_item(const struct field *list, const char *path, const char **near,
                         struct scenario_memory *memory)
{
    const char *dot = strrchr(path, '.');
    const char *best = NULL;
    size_t distance = 0;
    for (size_t kind = 0; kind < list->kind_count; kind++)
        for (size_t i = 0; i < list->kinds[kind].count; i++)
            spelling_consider(dot + 1, list->kinds[kind].fields[i].row.path, &best, &distance);
    if (best)
        *near = memory_format(memory, "%.*s%s", (int)(dot + 1 - path), path, best);
}

/* PATH ends in ".mean", of a law whose mean has a name of its own: the path with that. */
static const char *suggest_mean(const struct scope *root, const char *path, struct scenario_memory *memory)
{
    const char *dot = strrchr(path, '.');
    const char *prefix = dot ? memory_copy(memory, path, (size_t)(dot + 1 - path)) : NULL;
    if (!prefix || strcmp(dot, ".mean") != 0)
        return NULL;
    for (size_t i = 0; i < root->count; i++)
        if (root->fields[i].part == LAW_MEAN && fields_is_directly_below(&root->fields[i], prefix))
            return root->fields[i].row.path;
    return NULL;
}

/* The path nearest to PATH, which is no field's. */
static const char *suggest(const struct scope *root, const char *path, struct scenario_memory *memory)
{
    const char *near = suggest_mean(root, path, memory);
    size_t distance = 0;
    for (size_t i = 0; i < root->count; i++) {
        const struct field *field = &root->fields[i];
        if (field->form == FIELD_ITEMS && is_below(path, field->row.path)) {
            suggest_item(field, path, &near, memory);
            return near;
        }
        spelling_consider(path, field->row.path, &near, &distance);
    }
    return near;
}

const struct field *fields_resolve(const struct scope *root, const char *path, const char **near,
                                   struct scenario_memory *memory)
{
    const struct field *found = NULL;
    for (size_t i = 0; i < root->count && !found; i++) {
        const struct field *field = &root->fields[i];
        if (field->form == FIELD_ITEMS && is_below(path, field->row.path))
            found = resolve_item(field, path);
        else if (strcmp(field->row.path, path) == 0)
            found = field;
    }
    *near = found ? NULL : suggest(root, path, memory);
    return found;
}

static bool find_unit(const struct metric_description *metrics, size_t count, const char *metric,
                      const char **unit)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(metric, metrics[i].name) == 0) {
            *unit = metrics[i].unit;
            return true;
        }
    return false;
}

bool fields_metric_unit(const char *metric, const char **unit)
{
    if (find_unit(run_metrics, RUN_METRICS, metric, unit) ||
        find_unit(learning_metrics, LEARNING_METRICS, metric, unit))
        return true;
    *unit = "1";
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        if (strcmp(metric, budget_metrics[i]) == 0)
            return true;
    return strncmp(metric, "waste:", 6) == 0 && metric[6] != '\0';
}
