/*
 * A law is judged as a whole, by building it: which parameters belong together is its own business. The
 * message starts with the parameter at fault, which leads back to a field.
 */
#include "scenarios/laws.h"

#include "scenarios/value.h"

#include <assert.h>
#include <string.h>

/* The law whose first part is field FIRST of a reading; its parts are neighbours in the table. */
struct law {
    struct loader *loader;
    const struct reading *reading;
    const struct field *fields; /* by enum law_part, from LAW_NAME on */
    const enum field_state *states;
    struct sim_law_spec *spec;
};

static const struct field *part_of(const struct law *law, enum law_part part)
{
    return &law->fields[part - LAW_NAME];
}

static bool is_given(const struct law *law, enum law_part part)
{
    return law->states[part - LAW_NAME] == FIELD_GIVEN;
}

static bool is_faulty(const struct law *law)
{
    for (int part = LAW_NAME; part < LAW_PARTS; part++)
        if (law->states[part - LAW_NAME] == FIELD_FAULTY)
            return true;
    return false;
}

static bool is_left_out(const struct law *law)
{
    bool given = !law->fields->law->optional;
    for (int part = LAW_NAME; part < LAW_PARTS && !given; part++)
        given = is_given(law, (enum law_part)part);
    return !given;
}

static void take_default(const struct law *law, enum law_part part)
{
    const struct field *field = part_of(law, part);
    void *target = loader_target(law->reading, field);
    struct value_fault fault;
    if (is_given(law, part) || !*field->row.fallback)
        return;
    bool good = value_read_text(law->loader->units, law->loader->memory, &field->row, field->row.fallback,
                                target, &fault);
    assert(good || memory_failed(law->loader->memory));
    (void)good;
}

/* An empirical law has its mean from its values; a uniform one from its ends. */
static bool needs_mean(const struct law *law)
{
    return law->spec->law != SIM_LAW_UNIFORM && law->spec->law != SIM_LAW_EMPIRICAL &&
           !is_given(law, LAW_MEDIAN) && !is_given(law, LAW_LOW) && !is_given(law, LAW_HIGH);
}

static void take_defaults(const struct law *law)
{
    int64_t chosen = law->spec->law;
    bool given = is_given(law, LAW_NAME);
    take_default(law, LAW_NAME);
    if (!given || strcmp(sim_law_names[chosen], part_of(law, LAW_NAME)->row.fallback) == 0) {
        take_default(law, LAW_SHAPE);
        take_default(law, LAW_POWER);
        take_default(law, LAW_SIGMA);
        take_default(law, LAW_DEVIATION);
    }
    if (needs_mean(law))
        take_default(law, LAW_MEAN);
}

/* Messages on laws begin with the parameter's name and a colon. */
static enum law_part part_at_fault(const char *message)
{
    size_t length = strcspn(message, ":");
    for (int part = LAW_NAME; part < LAW_PARTS; part++) {
        const char *name = fields_law_part(&(struct parameter_law){.mean_name = "mean"}, (enum law_part)part);
        if (strlen(name) == length && strncmp(message, name, length) == 0)
            return (enum law_part)part;
    }
    return LAW_NAME;
}

static void refuse(const struct law *law, const char *message)
{
    enum law_part part = part_at_fault(message);
    const struct field *field = part_of(law, part);
    const char *path = is_given(law, part) ? field->row.path : part_of(law, LAW_NAME)->row.path;
    const char *reason = strchr(message, ':');
    faults_add(&law->loader->faults, loader_place(law->reading, path), "%s%s%s", law->reading->path,
               field->row.path, reason ? reason : message);
}

static bool complete(const struct law *law)
{
    if (is_faulty(law) || is_left_out(law))
        return true;
    take_defaults(law);
    struct error error = {0};
    struct sim_distribution *distribution = sim_distribution_create(law->spec, &error);
    if (!distribution && error.kind == ERROR_SYSTEM)
        return false;
    if (!distribution)
        refuse(law, error.message);
    sim_distribution_destroy(distribution);
    return true;
}

bool laws_complete(struct loader *loader, const struct reading *reading)
{
    for (size_t i = 0; i < reading->scope->count; i++) {
        const struct field *field = &reading->scope->fields[i];
        if (field->part != LAW_NAME)
            continue;
        char *base = field->in_options ? reading->options : reading->base;
        struct law law = {loader, reading, field, reading->states + i,
                          (struct sim_law_spec *)(void *)(base + field->law_offset)};
        if (!complete(&law))
            return false;
    }
    return true;
}
