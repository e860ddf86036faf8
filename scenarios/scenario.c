/*
 * From bytes to a scenario: parse, lay the overrides over it, read the fields, then hold what was read
 * against itself and against what the simulation can do.
 */
#include "scenarios/scenario.h"

#include "scenarios/chaos.h"
#include "scenarios/chips.h"
#include "scenarios/condition.h"
#include "scenarios/expectations.h"
#include "scenarios/files.h"
#include "scenarios/loader.h"
#include "scenarios/network.h"
#include "scenarios/question.h"
#include "scenarios/sensitivity.h"
#include "scenarios/sweep.h"
#include "scenarios/traces.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads what is left of FILE, up to one byte beyond the limit. */
static bool read_all(FILE *file, struct scenario_text *text)
{
    size_t capacity = 0;
    do {
        capacity = capacity ? 2 * capacity : 16384;
        char *bytes = realloc(text->bytes, capacity + 1);
        if (!bytes)
            return false;
        text->bytes = bytes;
        text->length += fread(bytes + text->length, 1, capacity - text->length, file);
    } while (text->length == capacity && text->length <= DOCUMENT_LARGEST);
    text->bytes[text->length] = '\0';
    return true;
}

static bool read_file(FILE *file, const char *path, struct scenario_text *text, struct error *error)
{
    errno = 0;
    text->name = strdup(path);
    if (!text->name || !read_all(file, text))
        error_out_of_memory(error, "a scenario");
    else if (ferror(file))
        error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
    else if (text->length > DOCUMENT_LARGEST)
        error_set(error, ERROR_INPUT, "%s: larger than %d MiB; this is no scenario", path,
                  DOCUMENT_LARGEST >> 20);
    else
        return true;
    scenario_text_free(text);
    return false;
}

bool scenario_text_read(const char *path, struct scenario_text *text, struct error *error)
{
    *text = (struct scenario_text){0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = read_file(file, path, text, error);
    fclose(file);
    return good;
}

void scenario_text_free(struct scenario_text *text)
{
    free(text->name);
    free(text->bytes);
    *text = (struct scenario_text){0};
}

/* Whether the option is for this field alone: "--seed" for "seed". */
static bool is_own_option(const struct scenario_override *override)
{
    const char *dot = strrchr(override->path, '.'), *field = dot ? dot + 1 : override->path;
    return strncmp(override->origin, "--", 2) == 0 && strcmp(override->origin + 2, field) == 0;
}

/* The override as the user gave it; what messages call it is shortened. */
static struct source *override_source(struct loader *loader, const struct scenario_override *override)
{
    struct source *source = memory_take(loader->scratch, 1, sizeof *source);
    char *bytes = memory_format(loader->scratch, "%s=%s", override->path, override->value);
    if (!source || !bytes)
        return NULL;
    size_t length = strlen(bytes), line = strcspn(bytes, "\r\n");
    bool whole = line == length && length <= 80;
    size_t from = is_own_option(override) ? strlen(override->path) + 1 : 0;
    size_t to = whole ? length : strlen(override->path) + 1;
    source->name = memory_format(loader->scratch, "%s %.*s%s", override->origin, (int)(to - from),
                                 bytes + from, whole ? "" : "...");
    source->bytes = bytes;
    source->length = length;
    return source->name ? source : NULL;
}

/* Lays the overrides over the document that name a file to take in, or (not FILES) the others. */
static bool lay(struct loader *loader, const struct source *source, struct node **root,
                const struct scenario_override *overrides, size_t override_count, bool files)
{
    for (size_t i = 0; i < override_count; i++) {
        if ((strcmp(overrides[i].path, FILES_NETWORK) == 0) != files)
            continue;
        const struct source *laid = override_source(loader, &overrides[i]);
        if (!laid)
            return false;
        document_override(root, laid, loader->scratch, &loader->faults);
    }
    if (!loader->faults.count)
        files_expand(loader, source, *root);
    return true;
}

/* The document with all overrides, which may speak of what a file brings; NULL with faults, or when out of
 * memory. */
static struct node *parse(struct loader *loader, const struct source *source,
                          const struct scenario_override *overrides, size_t override_count)
{
    struct node *root = document_parse(source, 0, loader->scratch, &loader->faults);
    if (loader->faults.count)
        return NULL;
    if (!lay(loader, source, &root, overrides, override_count, true) ||
        !lay(loader, source, &root, overrides, override_count, false) || loader->faults.count)
        return NULL;
    if (!root || (root->kind == NODE_SCALAR && document_is_null(root)))
        faults_add(&loader->faults, (struct place){source, 0},
                   "the file is empty; a scenario has at least a name, a duration and strategies");
    else if (root->kind != NODE_MAPPING)
        faults_add(&loader->faults, root->place, "a scenario is a mapping of keys to values");
    return loader->faults.count ? NULL : root;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static void check_name(struct loader *loader, const struct reading *reading, const char *name)
{
    if (name && (!*name || strlen(name) > 200 || !is_printable(name)))
        faults_add(&loader->faults, loader_place(reading, "name"),
                   "%sname: expected one line of 1 to 200 characters", reading->path);
}

static bool is_strategy(const struct reading *reading)
{
    return reading->scope && reading->list->list == &strategy_list;
}

static const char *strategy_name(const struct reading *reading)
{
    return ((const struct strategy_config *)(const void *)reading->base)->name;
}

static void check_names(struct loader *loader, const struct reading *root, const struct scenario *scenario)
{
    check_name(loader, root, scenario->name);
    for (size_t i = 0; i < root->item_count; i++) {
        const struct reading *reading = &root->items[i];
        if (!is_strategy(reading) || !strategy_name(reading))
            continue;
        check_name(loader, reading, strategy_name(reading));
        for (size_t j = 0; j < i; j++)
            if (is_strategy(&root->items[j]) && strategy_name(&root->items[j]) &&
                strcmp(strategy_name(&root->items[j]), strategy_name(reading)) == 0) {
                faults_add(&loader->faults, loader_place(reading, "name"),
                           "strategies: a strategy before this one has the same name");
                break;
            }
    }
}

/* The item of a list that PATH leads into; NULL: none. */
static const struct reading *item_of(const struct reading *root, const char *path)
{
    for (size_t i = 0; i < root->item_count; i++) {
        const struct reading *item = &root->items[i];
        if (item->scope && strncmp(path, item->path, strlen(item->path)) == 0)
            return item;
    }
    return NULL;
}

/* A field, law or section below the strategy, or of the world, or a field of an item; a fault of the world is
 * one however many strategies meet it. */
static void refuse_combination(struct loader *loader, const struct reading *root,
                               const struct reading *strategy, const struct simulation_fault *fault)
{
    const struct field *own = fields_find(strategy->scope, fault->path);
    bool of_root =
        !own && (fields_find(root->scope, fault->path) || fields_is_section(root->scope, fault->path));
    const struct reading *item = own || of_root ? NULL : item_of(root, fault->path);
    bool given = own && strategy->nodes[own - strategy->scope->fields];
    assert(own || of_root || item);
    struct place place = given     ? loader_place(strategy, fault->path)
                         : of_root ? loader_place(root, fault->path)
                         : item    ? loader_place(item, fault->path + strlen(item->path))
                                   : loader_place(strategy, "name");
    if (own)
        faults_add(&loader->faults, place, "%s%s: %s", strategy->path, fault->path, fault->message);
    else
        faults_add(&loader->faults, place, "%s: %s", fault->path, fault->message);
}

static void check_simulation(struct loader *loader, const struct reading *root,
                             const struct scenario *scenario)
{
    for (size_t i = 0; i < root->item_count; i++) {
        const struct reading *reading = &root->items[i];
        struct simulation_fault fault;
        if (is_strategy(reading) &&
            !simulation_check(&scenario->simulation,
                              (const struct strategy_config *)(const void *)reading->base, &fault))
            refuse_combination(loader, root, reading, &fault);
    }
}

/* Nothing but a replay knows of losses, and it has one to look for. */
static void check_goal(struct loader *loader, const struct reading *root, struct scenario *scenario)
{
    double loss = scenario->simulation.until.loss, *target = &scenario->learning.target_loss;
    if (!(loss > 0))
        return;
    if (!scenario_learns(scenario))
        faults_add(&loader->faults, loader_place(root, "until.loss"),
                   "until.loss: nothing learns in this scenario (learning.model)");
    if (!isnan(*target) && *target != loss)
        faults_add(&loader->faults, loader_place(root, "until.loss"),
                   "until.loss: learning.target_loss is another one; leave it out");
    *target = loss;
}

/* False when out of memory; otherwise the loader's faults tell. ROOT is what was read, as long as the loader
 * is open. */
static bool fill(struct loader *loader, const struct source *source, struct scenario *scenario,
                 const struct scenario_override *overrides, size_t override_count, struct reading *root)
{
    const struct node *document = parse(loader, source, overrides, override_count);
    if (!document)
        return !memory_failed(loader->scratch);
    if (!chips_name(loader, document))
        return false;
    *root =
        (struct reading){.scope = loader->root, .mapping = document, .path = "", .base = (char *)scenario};
    if (!loader_fill(loader, root))
        return false;
    check_names(loader, root, scenario);
    chips_check(loader, root, cluster_chips(&scenario->simulation.cluster));
    network_complete(loader, root, scenario);
    chaos_complete(loader, root, scenario);
    if (!traces_read(loader, root, source->name, scenario) || !sweep_read_axes(loader, root, scenario))
        return false;
    expectations_check(loader, root, scenario);
    check_goal(loader, root, scenario);
    if (!loader->faults.count)
        check_simulation(loader, root, scenario);
    return !memory_failed(loader->scratch) && !memory_failed(loader->memory);
}

struct scenario *scenario_create(const struct scenario_text *text, const struct scenario_override *overrides,
                                 size_t override_count, struct error *error)
{
    const struct source source = {text->name, text->bytes, text->length, true};
    struct loader loader;
    if (!loader_open(&loader, error))
        return NULL;
    struct reading root;
    struct scenario *scenario = memory_take(loader.memory, 1, sizeof *scenario);
    bool good = scenario && fill(&loader, &source, scenario, overrides, override_count, &root);
    if (!good)
        error_out_of_memory(error, "a scenario");
    else if (loader.faults.count)
        faults_report(&loader.faults, error);
    good = good && !loader.faults.count;
    loader_close(&loader);
    if (good)
        scenario->memory = loader.memory;
    else
        memory_destroy(loader.memory);
    return good ? scenario : NULL;
}

/* One condition; *HOLDS stays as it is if that holds. False when out of memory. */
static bool check_condition(struct loader *loader, const struct reading *root,
                            const struct scenario_condition *condition, bool *holds)
{
    struct source *source = memory_take(loader->scratch, 1, sizeof *source);
    if (!source)
        return false;
    *source = (struct source){condition->origin, condition->text, strlen(condition->text), false};
    struct node node = {.kind = NODE_SCALAR, .text = condition->text, .place = {source, 0}};
    switch (condition_evaluate(loader, root, "", &node)) {
    case CONDITION_UNDECIDED:
        faults_add(&loader->faults, node.place, "a field has no value, or something is divided by zero");
        break;
    case CONDITION_FAILS:
        *holds = false;
        break;
    default:
        break;
    }
    return true;
}

/* The fields of SOURCE with the overrides, be its sections right together or not, in *ROOT and SCENARIO.
 * *READ tells whether there were no faults; false when out of memory. */
static bool read_fields(struct loader *loader, const struct source *source, struct scenario *scenario,
                        const struct scenario_override *overrides, size_t override_count,
                        struct reading *root, bool *read)
{
    const struct node *document = parse(loader, source, overrides, override_count);
    *read = false;
    if (!document)
        return !memory_failed(loader->scratch);
    *root =
        (struct reading){.scope = loader->root, .mapping = document, .path = "", .base = (char *)scenario};
    if (!chips_name(loader, document) || !loader_fill(loader, root))
        return false;
    *read = !loader->faults.count;
    return true;
}

/* False when out of memory. */
static bool admit(struct loader *loader, const struct source *source, struct scenario *scenario,
                  const struct scenario_override *overrides, size_t override_count,
                  const struct scenario_condition *conditions, size_t count, bool *admitted)
{
    struct reading root;
    bool read;
    if (!read_fields(loader, source, scenario, overrides, override_count, &root, &read))
        return false;
    *admitted = true;
    for (size_t i = 0; i < count && read && !loader->faults.count; i++)
        if (!check_condition(loader, &root, &conditions[i], admitted))
            return false;
    return !memory_failed(loader->scratch) && !memory_failed(loader->memory);
}

/* Closes LOADER, whose memory is of no more use; false with the error if not GOOD, or at faults. */
static bool end_reading(struct loader *loader, bool good, struct error *error)
{
    if (!good)
        error_out_of_memory(error, "a scenario");
    else if (loader->faults.count)
        faults_report(&loader->faults, error);
    good = good && !loader->faults.count;
    loader_close(loader);
    memory_destroy(loader->memory);
    return good;
}

bool scenario_vary(const struct scenario_text *text, const struct scenario_override *overrides, size_t count,
                   double share, struct scenario_variations *variations, struct error *error)
{
    const struct source source = {text->name, text->bytes, text->length, true};
    struct loader loader;
    struct reading root;
    *variations = (struct scenario_variations){0};
    if (!loader_open(&loader, error))
        return false;
    struct scenario *scenario = memory_take(loader.memory, 1, sizeof *scenario);
    bool good = scenario && fill(&loader, &source, scenario, overrides, count, &root);
    if (good && !loader.faults.count)
        good = sensitivity_collect(&loader, &root, share, variations);
    return end_reading(&loader, good, error);
}

bool scenario_admits(const struct scenario_text *text, const struct scenario_override *overrides,
                     size_t override_count, const struct scenario_condition *conditions, size_t count,
                     bool *admitted, struct error *error)
{
    const struct source source = {text->name, text->bytes, text->length, true};
    struct scenario scenario = {0};
    struct loader loader;
    if (!loader_open(&loader, error))
        return false;
    bool good = admit(&loader, &source, &scenario, overrides, override_count, conditions, count, admitted);
    return end_reading(&loader, good, error);
}

bool scenario_present_values(const struct scenario_text *text, const struct scenario_ranges *ranges,
                             double values[SCENARIO_RANGES_MOST], struct error *error)
{
    const struct source source = {text->name, text->bytes, text->length, true};
    struct scenario scenario = {0};
    struct loader loader;
    struct reading root;
    bool read;
    if (!loader_open(&loader, error))
        return false;
    bool good = read_fields(&loader, &source, &scenario, NULL, 0, &root, &read);
    for (size_t i = 0; i < ranges->count && good && read; i++) {
        const char *path = ranges->searches[i].path;
        const struct field *field = sweep_find_field(&loader, &root, path, (struct place){&source, 0});
        values[i] = field ? sweep_present_value(&root, field, path) : NAN;
    }
    return end_reading(&loader, good, error);
}

void scenario_destroy(struct scenario *scenario)
{
    if (scenario)
        memory_destroy(scenario->memory);
}

bool scenario_learns(const struct scenario *scenario)
{
    bool learns = scenario->learning.model != PARAMETER_UNSET;
    for (size_t i = 0; i < scenario->axis_count && !learns; i++)
        learns = strcmp(scenario->axes[i].path, "learning.model") == 0;
    return learns;
}

const struct strategy_config *scenario_strategy(const struct scenario *scenario, const char *name)
{
    for (size_t i = 0; i < scenario->strategy_count; i++)
        if (scenario->strategies[i].name && strcmp(scenario->strategies[i].name, name) == 0)
            return &scenario->strategies[i];
    return NULL;
}

void scenario_digest(const char *text, char digest[65])
{
    SHA256Data((const uint8_t *)text, strlen(text), digest);
}
