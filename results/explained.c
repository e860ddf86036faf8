#include "results/explained.h"

#include "results/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool explained_is_counted(size_t category)
{
    return category != BUDGET_WARM_UP && category != BUDGET_AWAY;
}

double explained_share(sim_amount part, sim_amount whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static bool read_run(const struct database *database, const struct database_value *key,
                     struct explained *explained, struct error *error)
{
    sqlite3_stmt *query = database_query(
        database,
        "select run.study, study.name, strategy, point, replication, seed, status, simulated_s,"
        " (select value from metric where metric.run = run.id and name = 'goodput' and replay is null)"
        " from run join study on study.id = run.study where run.id = ?1",
        1, key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW) {
        explained->run = key->integer;
        explained->study = database_column_integer(query, 0);
        explained->name = database_copy_text(query, 1);
        explained->strategy = database_copy_text(query, 2);
        explained->point = database_copy_text(query, 3);
        explained->replication = database_column_integer(query, 4);
        explained->seed = database_column_integer(query, 5);
        explained->status = database_copy_text(query, 6);
        explained->seconds = database_column_real(query, 7);
        explained->goodput = database_column_real(query, 8);
    } else if (step == DATABASE_END) {
        error_set(error, ERROR_INPUT, "%s: there is no run %" PRId64, database->path, key->integer);
    }
    sqlite3_finalize(query);
    if (step != DATABASE_ROW)
        return false;
    if (explained->name && explained->strategy && explained->point && explained->status)
        return true;
    error_out_of_memory(error, "an explanation");
    return false;
}

static enum budget_category read_category(sqlite3_stmt *query, int column)
{
    return budget_find((const char *)sqlite3_column_text(query, column));
}

/* Of two columns, seconds and nanoseconds. */
static sim_amount read_amount(sqlite3_stmt *query, int column)
{
    return (sim_amount)database_column_integer(query, column) * SIM_SECOND +
           database_column_integer(query, column + 1);
}

static bool read_budget(const struct database *database, const struct database_value *key,
                        struct explained *explained, struct error *error)
{
    sqlite3_stmt *query = database_query(
        database, "select category, chip_s, chip_ns from budget where run = ?1", 1, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        enum budget_category category = read_category(query, 0);
        if (category < BUDGET_CATEGORIES)
            explained->budget[category] = read_amount(query, 1);
    }
    sqlite3_finalize(query);
    sim_amount all = 0;
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        all += explained->without[i] = explained->budget[i];
        if (explained_is_counted(i))
            explained->allocated += explained->budget[i];
    }
    explained->lost = explained->allocated - explained->budget[BUDGET_USEFUL];
    if (explained->seconds > 0)
        explained->chips = (int64_t)round(sim_amount_to_seconds(all) / explained->seconds);
    return step == DATABASE_END;
}

/* Those that cost nothing come last; of others of which it is not known, in the order of their numbers. */
static const char causes_sql[] =
    "with spent as (select distinct cause from waste where run = ?1)"
    " select source, fault, domain, sum(struck), sum(ignored), 1e-9 * min(first_ns), 1e-9 * max(last_ns),"
    "  1e-9 * min(cost_since_ns), min(number) from cause where run = ?1"
    " group by source having sum(struck) > 0 or max(number in spent)"
    " order by max(number in spent) desc, min(cost_since_ns) is null, min(cost_since_ns), min(number)";

static bool is_of_links(const char *fault)
{
    static const enum fault_kind kinds[] = {FAULT_LOSS, FAULT_THROTTLE, FAULT_PARTITION};
    for (size_t i = 0; fault && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(fault, fault_kind_names[kinds[i]]) == 0)
            return true;
    return false;
}

static bool add_cause(struct explained *explained, sqlite3_stmt *query)
{
    size_t count = explained->cause_count;
    struct explained_cause *more = realloc(explained->causes, (count + 1) * sizeof *more);
    if (!more)
        return false;
    explained->causes = more;
    explained->cause_count++;
    more[count] = (struct explained_cause){.name = database_copy_text(query, 0),
                                           .fault = database_copy_text(query, 1),
                                           .domain = database_copy_text(query, 2),
                                           .struck = database_column_integer(query, 3),
                                           .ignored = database_column_integer(query, 4),
                                           .first = database_column_real(query, 5),
                                           .last = database_column_real(query, 6),
                                           .cost_since = database_column_real(query, 7)};
    more[count].strikes_links = is_of_links(more[count].fault);
    return more[count].name && more[count].fault && more[count].domain;
}

static bool read_causes(const struct database *database, const struct database_value *key,
                        struct explained *explained, struct error *error)
{
    sqlite3_stmt *query = database_query(database, causes_sql, 1, key, error);
    enum database_step step = DATABASE_FAILED;
    bool added = true;
    while (query && added && (step = database_next(database, query, error)) == DATABASE_ROW)
        added = add_cause(explained, query);
    sqlite3_finalize(query);
    if (!added)
        error_out_of_memory(error, "the causes of a run");
    return added && step == DATABASE_END;
}

static void charge(struct explained *explained, const char *source, enum budget_category category,
                   sim_amount amount)
{
    size_t i = 0;
    while (i < explained->cause_count && strcmp(explained->causes[i].name, source) != 0)
        i++;
    if (i == explained->cause_count || category == BUDGET_CATEGORIES)
        return;
    explained->causes[i].by[category] += amount;
    explained->causes[i].lost += amount;
    explained->without[category] -= amount;
}

static bool read_waste(const struct database *database, const struct database_value *key,
                       struct explained *explained, struct error *error)
{
    sqlite3_stmt *query = database_query(database,
                                         "select source, category, chip_s, chip_ns from waste join cause on"
                                         " cause.run = waste.run and cause.number = waste.cause"
                                         " where waste.run = ?1",
                                         1, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        charge(explained, (const char *)sqlite3_column_text(query, 0), read_category(query, 1),
               read_amount(query, 2));
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

bool explained_read(struct store *store, int64_t run, struct explained *explained, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(run);
    *explained = (struct explained){.run = run};
    return read_run(database, &key, explained, error) && read_budget(database, &key, explained, error) &&
           read_causes(database, &key, explained, error) && read_waste(database, &key, explained, error) &&
           stretches_read(database, run, &explained->stretches, error);
}

void explained_free(struct explained *explained)
{
    for (size_t i = 0; i < explained->cause_count; i++) {
        free(explained->causes[i].name);
        free(explained->causes[i].fault);
        free(explained->causes[i].domain);
    }
    free(explained->causes);
    free(explained->name);
    free(explained->strategy);
    free(explained->point);
    free(explained->status);
}
