/*
 * Writing what runs leave. Each function is one transaction.
 */
#include "results/database.h"
#include "results/store.h"

#include <math.h>
#include <string.h>

int64_t store_latest_study(struct store *store, struct error *error)
{
    const struct database *database = store_database(store);
    int64_t id = -1;
    if (database_read_integer(database, "select ifnull(max(id), -1) from study", &id, error) && id < 0)
        error_set(error, ERROR_INPUT, "%s: the database holds no study yet", database->path);
    return id;
}

int64_t store_add_study(struct store *store, const struct study_record *study, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value values[] = {
        database_text(study->name),
        database_text(study->scenario),
        database_text(study->scenario_sha256),
        database_text(study->version),
        database_text(study->command_line),
        database_text(study->host),
        database_text(study->strategies),
        database_integer(study->shard),
        database_integer(study->shards),
    };
    if (!database_run(database,
                      "insert into study (name, scenario, scenario_sha256, version, command_line, host,"
                      " strategies, started_utc, shard, shards) values (?1, ?2, ?3, ?4, ?5, ?6,"
                      " ifnull(?7, '[]'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), nullif(?8, 0),"
                      " nullif(?9, 0))",
                      9, values, error))
        return -1;
    return sqlite3_last_insert_rowid(database->connection);
}

bool store_add_expectation(struct store *store, int64_t study, const struct expectation_record *expectation,
                           struct error *error)
{
    static const char *const bounds[] = {
        [EXPECTATION_FIGURE] = NULL, [EXPECTATION_MINIMUM] = "min", [EXPECTATION_MAXIMUM] = "max"};
    const struct database_value values[] = {
        database_integer(study),
        database_text(expectation->strategy),
        database_text(expectation->point),
        database_text(expectation->metric),
        database_real(expectation->wanted),
        database_real(expectation->tolerance),
        database_real(expectation->got),
        database_integer(expectation->met),
        database_text(expectation->source),
        database_text(expectation->against),
        database_text(bounds[expectation->bound]),
        database_real(expectation->low),
        database_real(expectation->high),
        database_real(expectation->confidence),
        database_text(expectation->until),
        database_text(expectation->unit),
    };
    return database_run(
        store_database(store),
        "insert into expectation (study, strategy, point, metric, wanted, tolerance, got, met, source,"
        " against, bound, low, high, confidence, until, unit)"
        " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        16, values, error);
}

/* The statements that add a run. */
enum writer {
    WRITE_RUN,
    WRITE_STUDY_RUN,
    WRITE_METRIC,
    WRITE_BUDGET,
    WRITE_LINK,
    WRITE_CAUSE,
    WRITE_WASTE,
    WRITE_SERIES,
    WRITE_SPAN,
    WRITE_CHAOS,
    WRITE_TIMELINE,
    WRITE_ACTIVITY,
    WRITE_MARK,
    WRITE_TAPE,
    WRITERS
};

static const char *const writer_sql[WRITERS] = {
    [WRITE_RUN] =
        "insert into run (study, strategy, point, replication, seed, status, simulated_s, wall_s, events,"
        " identity, version, series_kept) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [WRITE_STUDY_RUN] = "insert into study_run (study, run) values (?1, ?2)",
    [WRITE_METRIC] = "insert into metric (run, replay, name, value, unit) values (?1, null, ?2, ?3, ?4)",
    [WRITE_BUDGET] = "insert into budget (run, category, chip_s, chip_ns) values (?1, ?2, ?3, ?4)",
    [WRITE_LINK] = "insert into link (run, name, kind, bytes, mean_bit_s, peak_bit_s, capacity_bit_s, price)"
                   " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [WRITE_CAUSE] = "insert into cause (run, number, name, source, fault, domain, struck, ignored,"
                    " first_ns, last_ns, cost_since_ns)"
                    " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [WRITE_WASTE] = "insert into waste (run, cause, category, chip_s, chip_ns) values (?1, ?2, ?3, ?4, ?5)",
    [WRITE_SERIES] = "insert into series (run, replay, name, t_s, step, tokens, value)"
                     " values (?1, null, ?2, ?3, null, null, ?4)",
    [WRITE_SPAN] = "insert into series (run, replay, name, t_s, step, tokens, value)"
                   " values (?1, null, ?2, ?3, ?4, null, ?5)",
    [WRITE_CHAOS] =
        "insert into chaos (run, at_ns, cause, kind, domain, unit, for_ns, detection_ns, notice_ns,"
        " factor, outcome) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [WRITE_TIMELINE] = "insert into timeline (run, learners, resolution_ns, merges) values (?1, ?2, ?3, ?4)",
    [WRITE_ACTIVITY] = "insert into span (run, lane, begin_ns, end_ns, category, cause)"
                       " values (?1, ?2, ?3, ?4, ?5, ?6)",
    [WRITE_MARK] = "insert into mark (run, lane, at_ns, kind, cause, count) values (?1, ?2, ?3, ?4, ?5, ?6)",
    [WRITE_TAPE] = "insert into tape (run, bytes) values (?1, ?2)",
};

struct run_writer {
    const struct database *database;
    sqlite3_stmt *statements[WRITERS];
};

static void close_writer(struct run_writer *writer)
{
    for (size_t i = 0; i < WRITERS; i++)
        sqlite3_finalize(writer->statements[i]);
}

static bool open_writer(struct run_writer *writer, const struct database *database, struct error *error)
{
    *writer = (struct run_writer){.database = database};
    for (size_t i = 0; i < WRITERS; i++) {
        writer->statements[i] = database_query(database, writer_sql[i], 0, NULL, error);
        if (writer->statements[i])
            continue;
        close_writer(writer);
        return false;
    }
    return true;
}

static bool write_row(const struct run_writer *writer, enum writer which, size_t count,
                      const struct database_value *values, struct error *error)
{
    return database_write(writer->database, writer->statements[which], count, values, error);
}

static bool write_metrics(const struct run_writer *writer, int64_t run, const struct run_result *result,
                          struct error *error)
{
    for (size_t i = 0; i < RUN_METRICS; i++) {
        if (!isfinite(result->metrics[i]))
            continue;
        const struct database_value values[] = {
            database_integer(run),
            database_text(run_metrics[i].name),
            database_real(result->metrics[i]),
            database_text(run_metrics[i].unit),
        };
        if (!write_row(writer, WRITE_METRIC, 4, values, error))
            return false;
    }
    return true;
}

static bool write_budget(const struct run_writer *writer, int64_t run, const struct run_result *result,
                         struct error *error)
{
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        struct sim_unit_seconds amount = sim_amount_split(result->ledger.amount[i]);
        const struct database_value values[] = {
            database_integer(run),
            database_text(budget_names[i]),
            database_integer(amount.seconds),
            database_integer(amount.nanoseconds),
        };
        if (!write_row(writer, WRITE_BUDGET, 4, values, error))
            return false;
    }
    return true;
}

static bool write_links(const struct run_writer *writer, int64_t run, const struct observation *observation,
                        struct error *error)
{
    for (size_t i = 0; observation && i < observation->link_count; i++) {
        const struct observed_link *link = &observation->links[i];
        const struct database_value values[] = {
            database_integer(run),         database_text(link->name),  database_text(link->kind),
            database_real(link->bytes),    database_real(link->mean),  database_real(link->peak),
            database_real(link->capacity), database_real(link->price),
        };
        if (!write_row(writer, WRITE_LINK, 8, values, error))
            return false;
    }
    return true;
}

static struct database_value given(sim_time time)
{
    return time < 0 ? database_text(NULL) : database_integer(time);
}

/* What the cost of injected faults is added up by: the entry's name. */
static void name_source(const struct fault_cause *cause, char source[sizeof cause->name])
{
    memcpy(source, cause->name, sizeof cause->name);
    char *number = cause->numbered ? strrchr(source, ' ') : NULL;
    if (number)
        *number = '\0';
}

static bool write_waste(const struct run_writer *writer, int64_t run, size_t number,
                        const struct observed_cause *cause, struct error *error)
{
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        struct sim_unit_seconds amount = sim_amount_split(cause->waste[i]);
        const struct database_value values[] = {
            database_integer(run),
            database_integer((int64_t)number),
            database_text(budget_names[i]),
            database_integer(amount.seconds),
            database_integer(amount.nanoseconds),
        };
        if (cause->waste[i] > 0 && !write_row(writer, WRITE_WASTE, 5, values, error))
            return false;
    }
    return true;
}

static bool write_causes(const struct run_writer *writer, int64_t run, const struct observation *observation,
                         struct error *error)
{
    for (size_t i = 0; observation && i < observation->cause_count; i++) {
        const struct observed_cause *cause = &observation->causes[i];
        char source[sizeof cause->cause.name];
        name_source(&cause->cause, source);
        const struct database_value values[] = {
            database_integer(run),
            database_integer((int64_t)i),
            database_text(cause->cause.name),
            database_text(source),
            database_text(fault_kind_names[cause->cause.kind]),
            database_text(fault_domain_names[cause->cause.domain]),
            database_integer((int64_t)cause->struck),
            database_integer((int64_t)cause->ignored),
            given(cause->struck ? cause->first : -1),
            given(cause->struck ? cause->last : -1),
            given(cause->cost_since),
        };
        if (!write_row(writer, WRITE_CAUSE, 11, values, error) || !write_waste(writer, run, i, cause, error))
            return false;
    }
    return true;
}

static bool write_one_series(const struct run_writer *writer, int64_t run,
                             const struct observation *observation, size_t number, struct error *error)
{
    const struct observed_series *series = &observation->series[number];
    for (size_t i = 0; i < observation->interval_count; i++) {
        const struct database_value values[] = {
            database_integer(run),
            database_text(series->name),
            database_real(sim_time_to_seconds(observation->ends[i])),
            database_real(series->values[i]),
        };
        if (!write_row(writer, WRITE_SERIES, 4, values, error))
            return false;
    }
    return true;
}

static bool write_spans(const struct run_writer *writer, int64_t run, const struct observation *observation,
                        struct error *error)
{
    for (size_t i = 0; i < observation->span_count; i++) {
        const struct observed_span *span = &observation->spans[i];
        const struct database_value values[] = {
            database_integer(run),
            database_text(span->name),
            database_real(sim_time_to_seconds(span->begin)),
            database_real((double)span->number),
            database_real(sim_time_to_seconds(span->end - span->begin)),
        };
        if (!write_row(writer, WRITE_SPAN, 5, values, error))
            return false;
    }
    return true;
}

static bool write_series(const struct run_writer *writer, int64_t id, const struct run_record *run,
                         struct error *error)
{
    for (size_t i = 0; run->series && run->observation && i < run->observation->series_count; i++)
        if (!write_one_series(writer, id, run->observation, i, error))
            return false;
    return !run->series || !run->observation || write_spans(writer, id, run->observation, error);
}

static bool has_factor(enum fault_kind kind)
{
    return kind == FAULT_SLOW || kind == FAULT_LOSS || kind == FAULT_THROTTLE;
}

static bool write_fault(const struct run_writer *writer, int64_t run, const struct chaos_schedule *schedule,
                        const struct chaos_fault *injected, struct error *error)
{
    const struct fault *fault = &injected->fault;
    const struct database_value values[] = {
        database_integer(run),
        database_integer(injected->at),
        database_text(schedule->causes[fault->cause].name),
        database_text(fault_kind_names[fault->kind]),
        database_text(fault_domain_names[fault->domain]),
        database_integer(fault->unit),
        given(fault->duration),
        given(fault->detection),
        given(fault->notice),
        has_factor(fault->kind) ? database_real(fault->factor) : database_text(NULL),
        database_text(injected->spared                    ? "spared"
                      : injected->outcome == FAULT_STRUCK ? "struck"
                                                          : "ignored"),
    };
    return write_row(writer, WRITE_CHAOS, 11, values, error);
}

static bool write_chaos(const struct run_writer *writer, int64_t run, const struct observation *observation,
                        struct error *error)
{
    const struct chaos_schedule *schedule = observation ? observation->chaos : NULL;
    for (size_t i = 0; schedule && i < schedule->count; i++)
        if (!write_fault(writer, run, schedule, &schedule->faults[i], error))
            return false;
    return true;
}

static struct database_value cause_number(int32_t cause)
{
    return cause == FAULT_NO_CAUSE ? database_text(NULL) : database_integer(cause);
}

static bool write_activity_spans(const struct run_writer *writer, int64_t run,
                                 const struct activity *activity, struct error *error)
{
    for (size_t i = 0; i < activity->span_count; i++) {
        const struct activity_span *span = &activity->spans[i];
        const struct database_value values[] = {
            database_integer(run),
            database_integer(span->lane),
            database_integer(span->begin),
            database_integer(span->end),
            database_text(budget_names[span->category]),
            cause_number(span->cause),
        };
        if (!write_row(writer, WRITE_ACTIVITY, 6, values, error))
            return false;
    }
    return true;
}

static bool write_mark(const struct run_writer *writer, int64_t run, const struct activity_mark *mark,
                       const char *kind, struct error *error)
{
    const struct database_value values[] = {
        database_integer(run), database_integer(mark->lane), database_integer(mark->at),
        database_text(kind),   cause_number(mark->cause),    database_integer(mark->count),
    };
    return write_row(writer, WRITE_MARK, 6, values, error);
}

static bool write_marks(const struct run_writer *writer, int64_t run, const struct activity *activity,
                        struct error *error)
{
    for (size_t i = 0; i < activity->mark_count; i++)
        if (!write_mark(writer, run, &activity->marks[i], fault_kind_names[activity->marks[i].kind], error))
            return false;
    for (size_t i = 0; i < activity->merge_count; i++) {
        const struct activity_mark merge = {
            .lane = ACTIVITY_SYNCER, .at = activity->merges[i], .cause = FAULT_NO_CAUSE, .count = 1};
        if (!write_mark(writer, run, &merge, "merge", error))
            return false;
    }
    return true;
}

/* What learners and syncer did. */
static bool write_timeline(const struct run_writer *writer, int64_t id, const struct run_record *run,
                           struct error *error)
{
    const struct activity *activity = run->observation ? &run->observation->activity : NULL;
    if (!run->timeline || !activity || activity->learners == 0)
        return true;
    const struct database_value values[] = {database_integer(id), database_integer(activity->learners),
                                            database_integer(activity->resolution),
                                            database_integer((int64_t)activity->all_merges)};
    return write_row(writer, WRITE_TIMELINE, 4, values, error) &&
           write_activity_spans(writer, id, activity, error) && write_marks(writer, id, activity, error);
}

static bool write_tape(const struct run_writer *writer, int64_t id, const struct run_record *run,
                       struct error *error)
{
    const struct database_value values[] = {database_integer(id), database_blob(run->tape, run->tape_length)};
    return !run->tape || write_row(writer, WRITE_TAPE, 2, values, error);
}

static bool write_run(const struct run_writer *writer, int64_t study, const struct run_record *run,
                      struct error *error)
{
    const struct run_result *result = run->result;
    const struct database_value values[] = {
        database_integer(study),
        database_text(run->strategy),
        database_text(run->point),
        database_integer(run->replication),
        database_integer((int64_t)run->seed),
        database_text(run_status_names[result->status]),
        database_real(sim_time_to_seconds(result->simulated)),
        database_real(result->wall_seconds),
        database_integer((int64_t)result->events),
        database_text(run->identity),
        database_text(run->version),
        database_integer(run->timeline ? 2 : run->series),
    };
    if (!write_row(writer, WRITE_RUN, 12, values, error))
        return false;
    int64_t id = sqlite3_last_insert_rowid(writer->database->connection);
    const struct database_value used[] = {database_integer(study), database_integer(id)};
    return write_row(writer, WRITE_STUDY_RUN, 2, used, error) && write_metrics(writer, id, result, error) &&
           write_budget(writer, id, result, error) && write_links(writer, id, run->observation, error) &&
           write_causes(writer, id, run->observation, error) &&
           write_chaos(writer, id, run->observation, error) && write_series(writer, id, run, error) &&
           write_timeline(writer, id, run, error) && write_tape(writer, id, run, error);
}

static bool write_runs(const struct run_writer *writer, int64_t study, const struct run_record *runs,
                       size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!write_run(writer, study, &runs[i], error))
            return false;
    return true;
}

bool store_add_runs(struct store *store, int64_t study, const struct run_record *runs, size_t count,
                    struct error *error)
{
    const struct database *database = store_database(store);
    struct run_writer writer;
    if (!open_writer(&writer, database, error))
        return false;
    bool added = database_begin(database, error) && write_runs(&writer, study, runs, count, error) &&
                 database_commit(database, error);
    close_writer(&writer);
    if (!added)
        database_roll_back(database);
    return added;
}
