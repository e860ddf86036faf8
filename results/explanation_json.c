/*
 * The explanation for programs. Amounts are whole chip-seconds and the remaining chip-nanoseconds, so that
 * they add up exactly.
 */
#include "results/explained.h"
#include "results/explanation.h"
#include "results/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void write_text(FILE *out, const char *name, const char *text)
{
    json_name(out, name);
    json_string(out, text);
    fputc(',', out);
}

static void write_number(FILE *out, const char *name, double number)
{
    json_name(out, name);
    json_number(out, number);
    fputc(',', out);
}

static void write_integer(FILE *out, const char *name, int64_t number)
{
    json_name(out, name);
    fprintf(out, "%" PRId64 ",", number);
}

/* "chip_s":…,"chip_ns":… */
static void write_amount(FILE *out, sim_amount amount)
{
    struct sim_unit_seconds split = sim_amount_split(amount);
    fprintf(out, "\"chip_s\":%" PRId64 ",\"chip_ns\":%" PRId64, split.seconds, split.nanoseconds);
}

static void write_named_amount(FILE *out, const char *name, sim_amount amount)
{
    json_name(out, name);
    fputc('{', out);
    write_amount(out, amount);
    fputs("},", out);
}

/* "NAME":[…] of the categories that are not 0, and of COUNTED or all others. */
static void write_categories(FILE *out, const char *name, const sim_amount *amounts, bool counted)
{
    size_t written = 0;
    json_name(out, name);
    fputc('[', out);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        if (amounts[i] == 0 || i == BUDGET_USEFUL || explained_is_counted(i) != counted)
            continue;
        json_separate(out, written++);
        fputc('{', out);
        write_text(out, "category", budget_names[i]);
        write_amount(out, amounts[i]);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_cause(const struct explained *explained, const struct explained_cause *cause, FILE *out)
{
    fputc('{', out);
    write_text(out, "name", cause->name);
    write_text(out, "fault", cause->fault);
    write_text(out, "domain", cause->domain);
    write_integer(out, "struck", cause->struck);
    write_integer(out, "ignored", cause->ignored);
    write_number(out, "cost_since_s", cause->cost_since);
    write_number(out, "first_s", cause->first);
    write_number(out, "last_s", cause->last);
    write_number(out, "share_of_lost", explained_share(cause->lost, explained->lost));
    write_number(out, "share", explained_share(cause->lost, explained->allocated));
    write_amount(out, cause->lost);
    fputc(',', out);
    write_categories(out, "categories", cause->by, true);
    fputc('}', out);
}

static void write_causes(const struct explained *explained, FILE *out)
{
    json_name(out, "causes");
    fputc('[', out);
    for (size_t i = 0; i < explained->cause_count; i++) {
        json_separate(out, i);
        write_cause(explained, &explained->causes[i], out);
    }
    fputs("],", out);
}

static void write_stretch(const struct stretch *stretch, FILE *out)
{
    size_t written = 0;
    fputs("{\"learners\":[", out);
    for (size_t i = 0; i < stretch->learner_count; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", stretch->learners[i]);
    fputs("],", out);
    write_text(out, "cause", stretch->name);
    write_number(out, "begin_s", stretch->begin);
    write_number(out, "end_s", stretch->end);
    json_name(out, "seconds");
    fputc('{', out);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        if (stretch->by[i] == 0)
            continue;
        json_separate(out, written++);
        json_name(out, budget_names[i]);
        json_number(out, stretch->by[i]);
    }
    fputs("}}", out);
}

/* null where nothing is known of them. */
static void write_stretches(const struct stretches *stretches, FILE *out)
{
    json_name(out, "longest_stretches");
    if (!stretches->kept) {
        fputs("null", out);
        return;
    }
    fputc('[', out);
    for (size_t i = 0; i < stretches->count; i++) {
        json_separate(out, i);
        write_stretch(&stretches->longest[i], out);
    }
    fputc(']', out);
}

static void write_all(const struct explained *explained, FILE *out)
{
    fputc('{', out);
    write_integer(out, "run", explained->run);
    write_integer(out, "study", explained->study);
    write_text(out, "name", explained->name);
    write_text(out, "strategy", explained->strategy);
    json_name(out, "point");
    fprintf(out, "%s,", explained->point);
    write_integer(out, "replication", explained->replication);
    json_name(out, "seed");
    fprintf(out, "%" PRIu64 ",", (uint64_t)explained->seed);
    write_text(out, "status", explained->status);
    write_number(out, "simulated_s", explained->seconds);
    write_integer(out, "chips", explained->chips);
    write_number(out, "goodput", explained->goodput);
    write_named_amount(out, "allocated", explained->allocated);
    write_named_amount(out, "useful", explained->budget[BUDGET_USEFUL]);
    write_named_amount(out, "lost", explained->lost);
    write_causes(explained, out);
    write_categories(out, "without_cause", explained->without, true);
    fputc(',', out);
    write_categories(out, "not_counted", explained->budget, false);
    fputc(',', out);
    write_stretches(&explained->stretches, out);
    fputs("}\n", out);
}

char *explanation_json(struct store *store, int64_t run, struct error *error)
{
    struct explained explained;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool read = explained_read(store, run, &explained, error);
    if (read && out)
        write_all(&explained, out);
    explained_free(&explained);
    if (out && fclose(out) == 0 && read)
        return text;
    if (read)
        error_out_of_memory(error, "an explanation");
    free(text);
    return NULL;
}
