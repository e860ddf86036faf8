/*
 * The view run_figure joins what a run measured with its budget and what its failures cost as shares, so that
 * a share is asked for like any other metric. A share's divisor is the exact total of the run.
 */
#include "results/schema.h"

#include <inttypes.h>

static const char first_migration[] =
    "create table study ("
    " id integer primary key,"
    " name text not null,"
    " scenario text not null,"
    " scenario_sha256 text not null,"
    " version text not null,"
    " command_line text not null,"
    " host text not null,"
    " started_utc text not null,"
    " strategies text not null default '[]' check (json_valid(strategies))) strict;"

    /* The seed's 64 bits are kept as a signed integer. */
    "create table run ("
    " id integer primary key,"
    " study integer not null references study,"
    " strategy text not null,"
    " point text not null check (json_valid(point)),"
    " replication integer not null,"
    " seed integer not null,"
    " status text not null,"
    " simulated_s real not null,"
    " wall_s real not null,"
    " events integer not null,"
    " unique (study, strategy, point, replication, seed)) strict;"

    "create table study_run ("
    " study integer not null references study,"
    " run integer not null references run,"
    " primary key (study, run)) strict, without rowid;"
    "create index study_run_by_run on study_run (run);"

    "create table replay ("
    " id integer primary key,"
    " run integer not null references run,"
    " learning text not null,"
    " learning_sha256 text not null,"
    " status text not null) strict;"
    "create index replay_by_run on replay (run);"

    "create table metric ("
    " run integer not null references run,"
    " replay integer references replay,"
    " name text not null,"
    " value real not null,"
    " unit text not null) strict;"
    "create unique index metric_key on metric (run, ifnull(replay, 0), name);"

    "create table budget ("
    " run integer not null references run,"
    " category text not null,"
    " chip_s integer not null,"
    " chip_ns integer not null check (chip_ns between 0 and 999999999),"
    " primary key (run, category)) strict, without rowid;"

    "create table series ("
    " run integer not null references run,"
    " replay integer references replay,"
    " name text not null,"
    " t_s real not null,"
    " step integer,"
    " tokens real,"
    " value real) strict;"
    "create index series_key on series (run, name, t_s);"

    "create table summary ("
    " study integer not null references study,"
    " strategy text not null,"
    " point text not null,"
    " replay text,"
    " metric text not null,"
    " n integer not null check (n > 0),"
    " mean real not null,"
    " sd real,"
    " ci95_low real,"
    " ci95_high real) strict;"
    "create unique index summary_key on summary (study, strategy, point, metric, ifnull(replay, ''));"

    "create table expectation ("
    " study integer not null references study,"
    " strategy text not null,"
    " point text not null,"
    " metric text not null,"
    " wanted real not null,"
    " tolerance real,"
    " got real,"
    " met integer not null check (met in (0, 1)),"
    " source text) strict;"
    "create index expectation_by_study on expectation (study);"

    "create view run_figure (run, replay, name, value) as"
    " select run, replay, name, value from metric"
    " union all"
    " select run, null, 'share:' || category,"
    "  (chip_s + 1e-9 * chip_ns) /"
    "  (select sum(chip_s) + 1e-9 * sum(chip_ns) from budget total where total.run = budget.run)"
    " from budget;";

/* What learning needs. The steps of a series may be parts of a step, and so it is made anew. The partial
 * indices serve the foreign keys of a replay that is replaced. */
static const char second_migration[] =
    "create table tape ("
    " run integer primary key references run,"
    " bytes blob not null) strict;"

    "drop index replay_by_run;"
    "create unique index replay_key on replay (run, learning_sha256);"

    "create table replay_state ("
    " run integer not null references run,"
    " learning_sha256 text not null,"
    " state blob not null,"
    " primary key (run, learning_sha256)) strict;"

    "create index metric_by_replay on metric (replay) where replay is not null;"

    "alter table series rename to old_series;"
    "drop index series_key;"
    "create table series ("
    " run integer not null references run,"
    " replay integer references replay,"
    " name text not null,"
    " t_s real not null,"
    " step real,"
    " tokens real,"
    " value real) strict;"
    "insert into series select run, replay, name, t_s, step, tokens, value from old_series order by rowid;"
    "drop table old_series;"
    "create index series_key on series (run, name, t_s);"
    "create index series_by_replay on series (replay) where replay is not null;"

    /* What summarising chose: the replays that stand for a study, and the learning variant that is shown
     * where only one can be. */
    "create table summary_replay ("
    " study integer not null references study,"
    " replay integer not null references replay on delete cascade,"
    " primary key (study, replay)) strict, without rowid;"
    "create index summary_replay_by_replay on summary_replay (replay);"
    "alter table study add column learning text;"

    "create view study_replay (study, strategy, point, run, replay, learning, status) as"
    " select summary_replay.study, run.strategy, run.point, run.id, replay.id, replay.learning, replay.status"
    " from summary_replay join replay on replay.id = summary_replay.replay join run on run.id = replay.run;";

/* Differences between strategies, and intervals. Of bounds kept before it is not known which they are. */
static const char third_migration[] =
    "alter table expectation add column against text;"
    "alter table expectation add column bound text check (bound in ('min', 'max'));"
    "alter table expectation add column low real;"
    "alter table expectation add column high real;"
    "alter table expectation add column confidence real;";

/* What the links carried. */
static const char fourth_migration[] = "create table link ("
                                       " run integer not null references run,"
                                       " name text not null,"
                                       " kind text not null,"
                                       " bytes real not null,"
                                       " mean_bit_s real not null,"
                                       " peak_bit_s real,"
                                       " capacity_bit_s real,"
                                       " price real) strict;"
                                       "create index link_by_run on link (run);";

/* Of values of fields that meet a target: METRIC is then the field's path. */
static const char fifth_migration[] = "alter table expectation add column until text;"
                                      "alter table expectation add column unit text;";

/* What a run is known by, so that it is found again: a digest of all that steers it but the replication, and
 * the program's version. Of runs kept before, it is not known. A shard is a share of a study's runs that one
 * of many processes does; merged, they are a study of so many shards and of none in particular. */
static const char sixth_migration[] = "alter table run add column identity text;"
                                      "alter table run add column version text;"
                                      "alter table run add column series_kept integer not null default 1;"
                                      "create index run_by_identity on run (identity, replication);"
                                      "alter table study add column shard integer;"
                                      "alter table study add column shards integer;";

/* A study against an earlier one, from another database. */
static const char seventh_migration[] =
    "create table baseline_change ("
    " study integer not null references study,"
    " strategy text not null,"
    " point text not null,"
    " metric text not null,"
    " baseline text not null,"
    " paired integer not null check (paired in (0, 1)),"
    " n integer not null,"
    " n_before integer not null,"
    " mean real not null,"
    " mean_before real not null,"
    " change real,"
    " ci95_low real,"
    " ci95_high real,"
    " allowed real not null,"
    " confidence real not null,"
    " verdict text not null check (verdict in ('kept', 'unclear', 'regressed'))) strict;"
    "create index baseline_change_by_study on baseline_change (study);";

/* Whom failures are charged to, and what they cost. SOURCE is what injected faults of one entry share; of
 * others it is the name. */
static const char eighth_migration[] =
    "create table cause ("
    " run integer not null references run,"
    " number integer not null,"
    " name text not null,"
    " source text not null,"
    " fault text not null,"
    " domain text not null,"
    " struck integer not null,"
    " ignored integer not null,"
    " primary key (run, number)) strict, without rowid;"

    "create table waste ("
    " run integer not null,"
    " cause integer not null,"
    " category text not null,"
    " chip_s integer not null,"
    " chip_ns integer not null check (chip_ns between 0 and 999999999),"
    " primary key (run, cause, category),"
    " foreign key (run, cause) references cause) strict, without rowid;"

    "drop view run_figure;"
    "create view run_figure (run, replay, name, value) as"
    " select run, replay, name, value from metric"
    " union all"
    " select run, null, 'share:' || category,"
    "  (chip_s + 1e-9 * chip_ns) /"
    "  (select sum(chip_s) + 1e-9 * sum(chip_ns) from budget total where total.run = budget.run)"
    " from budget"
    " union all"
    " select cause.run, null, 'waste:' || source,"
    "  ifnull(sum(chip_s) + 1e-9 * sum(chip_ns), 0) /"
    "  (select sum(chip_s) + 1e-9 * sum(chip_ns) from budget total where total.run = cause.run)"
    " from cause left join waste on waste.run = cause.run and waste.cause = cause.number"
    " group by cause.run, source;";

/* Faults on purpose, as they were drawn, and what became of them. Times that were not given are null. */
static const char ninth_migration[] = "create table chaos ("
                                      " run integer not null references run,"
                                      " at_ns integer not null,"
                                      " cause text not null,"
                                      " kind text not null,"
                                      " domain text not null,"
                                      " unit integer not null,"
                                      " for_ns integer,"
                                      " detection_ns integer,"
                                      " notice_ns integer,"
                                      " factor real,"
                                      " outcome text not null"
                                      "  check (outcome in ('struck', 'ignored', 'spared'))) strict;"
                                      "create index chaos_by_run on chaos (run);";

/* How the replications lie around their mean. */
static const char tenth_migration[] = "alter table summary add column p05 real;"
                                      "alter table summary add column median real;"
                                      "alter table summary add column p95 real;";

/* When causes struck and began to cost (null: never, or not known of runs kept before), and what learners and
 * syncer did. Lanes are learners; -1 is the syncer and -2 the network. */
static const char eleventh_migration[] = "alter table cause add column first_ns integer;"
                                         "alter table cause add column last_ns integer;"
                                         "alter table cause add column cost_since_ns integer;"

                                         "create table timeline ("
                                         " run integer primary key references run,"
                                         " learners integer not null,"
                                         " resolution_ns integer not null,"
                                         " merges integer not null) strict;"

                                         "create table span ("
                                         " run integer not null references run,"
                                         " lane integer not null,"
                                         " begin_ns integer not null,"
                                         " end_ns integer not null check (end_ns > begin_ns),"
                                         " category text not null,"
                                         " cause integer,"
                                         " primary key (run, lane, begin_ns),"
                                         " foreign key (run, cause) references cause) strict, without rowid;"

                                         "create table mark ("
                                         " run integer not null references run,"
                                         " lane integer not null,"
                                         " at_ns integer not null,"
                                         " kind text not null,"
                                         " cause integer,"
                                         " count integer not null check (count > 0),"
                                         " foreign key (run, cause) references cause) strict;"
                                         "create index mark_by_run on mark (run);";

static const char *const migrations[] = {first_migration,   second_migration,  third_migration,
                                         fourth_migration,  fifth_migration,   sixth_migration,
                                         seventh_migration, eighth_migration,  ninth_migration,
                                         tenth_migration,   eleventh_migration};

const struct schema results_schema = {
    .application_id = 0x54735374, /* "TsSt" */
    .version = sizeof migrations / sizeof migrations[0],
    .migrations = migrations,
};

struct identity {
    int64_t application_id, version, objects;
};

/* All of one moment: another process may be making the tables just now. A savepoint, since there may be a
 * transaction around it. */
static bool read_identity(const struct database *database, struct identity *identity, struct error *error)
{
    if (!database_execute(database, "savepoint identity", error))
        return false;
    bool read =
        database_read_integer(database, "pragma application_id", &identity->application_id, error) &&
        database_read_integer(database, "pragma user_version", &identity->version, error) &&
        database_read_integer(database, "select count(*) from sqlite_schema", &identity->objects, error);
    return database_execute(database, "release identity", read ? error : NULL) && read;
}

bool schema_recognise(const struct database *database, const struct schema *schema, int *version,
                      struct error *error)
{
    struct identity found = {0};
    if (!read_identity(database, &found, error))
        return false;
    *version = 0;
    if (found.application_id == 0 && found.version == 0 && found.objects == 0)
        return true;
    if (found.application_id != schema->application_id || found.version < 1) {
        error_set(error, ERROR_SYSTEM, "%s: this is a database of another program", database->path);
        return false;
    }
    if (found.version > schema->version) {
        error_set(error, ERROR_SYSTEM,
                  "%s: this database has format %" PRId64
                  ", written by a newer version; this one reads up to %d",
                  database->path, found.version, schema->version);
        return false;
    }
    *version = (int)found.version;
    return true;
}

static bool migrate(const struct database *database, const struct schema *schema, int version,
                    struct error *error)
{
    for (; version < schema->version; version++)
        if (!database_execute(database, schema->migrations[version], error))
            return false;
    char numbers[120];
    sqlite3_snprintf(sizeof numbers, numbers, "pragma application_id = %d; pragma user_version = %d",
                     schema->application_id, schema->version);
    return database_execute(database, numbers, error);
}

/* The version is read again inside the transaction: another process may have been at it meanwhile. */
bool schema_upgrade(const struct database *database, const struct schema *schema, struct error *error)
{
    int version;
    if (!schema_recognise(database, schema, &version, error))
        return false;
    if (version == schema->version)
        return true;
    if (!database_begin(database, error))
        return false;
    if (schema_recognise(database, schema, &version, error) &&
        (version == schema->version || migrate(database, schema, version, error)) &&
        database_commit(database, error))
        return true;
    database_roll_back(database);
    return false;
}
