/*
 * The comparison for programs: the same order of points and strategies, and all of the summary.
 */
#include "results/baseline.h"
#include "results/comparison.h"
#include "results/database.h"
#include "results/expectations.h"
#include "results/json.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>

/* "runs":{"done":10,…} */
static void write_runs(const struct outline_runs *runs, FILE *out)
{
    size_t written = 0;
    fputs("\"runs\":{", out);
    for (size_t i = 0; i < RUN_STATUSES; i++) {
        if (runs->with[i] == 0)
            continue;
        json_separate(out, written++);
        json_name(out, run_status_names[i]);
        fprintf(out, "%" PRId64, runs->with[i]);
    }
    fputs("},", out);
}

/* One figure of the summary: columns metric, n and what is named here. */
static void write_mean(sqlite3_stmt *query, FILE *out)
{
    static const char *const names[] = {"mean", "sd", "ci95_low", "ci95_high", "p05", "median", "p95"};
    json_name(out, (const char *)sqlite3_column_text(query, 0));
    fprintf(out, "{\"n\":%" PRId64, database_column_integer(query, 1));
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        json_further_number(out, names[i], database_column_real(query, i + 2));
    fputc('}', out);
}

static bool write_means(struct store *store, sqlite3_stmt *query, FILE *out, struct error *error)
{
    enum database_step step = DATABASE_FAILED;
    fputs("\"metrics\":{", out);
    for (size_t i = 0; query && (step = database_next(store_database(store), query, error)) == DATABASE_ROW;
         i++) {
        json_separate(out, i);
        write_mean(query, out);
    }
    fputc('}', out);
    return step == DATABASE_END;
}

/* All figures of a strategy at a point, of a learning variant or, if that is NULL, of the simulation. */
static bool write_figures(struct store *store, const struct database_value key[3], const char *learning,
                          FILE *out, struct error *error)
{
    const struct database_value values[] = {key[0], key[1], key[2], database_text(learning)};
    sqlite3_stmt *means =
        database_query(store_database(store),
                       "select metric, n, mean, sd, ci95_low, ci95_high, p05, median, p95 from summary"
                       " where study = ?1 and strategy = ?2 and point = ?3 and replay is ?4 order by metric",
                       4, values, error);
    bool written = write_means(store, means, out, error);
    sqlite3_finalize(means);
    return written;
}

/* ,"learning":[{"learning":"small","replays":{"done":10},"metrics":{…}},…], nothing without replays. */
static bool write_learning(struct store *store, const struct database_value key[3], FILE *out,
                           struct error *error)
{
    sqlite3_stmt *variants = database_query(
        store_database(store),
        "select learning, json_group_object(status, n) from (select learning, status, count(*) n"
        "  from study_replay where study = ?1 and strategy = ?2 and point = ?3 group by 1, 2 order by 1, 2)"
        " group by 1 order by 1",
        3, key, error);
    enum database_step step = DATABASE_FAILED;
    size_t written = 0;
    while (variants && (step = database_next(store_database(store), variants, error)) == DATABASE_ROW) {
        const char *learning = (const char *)sqlite3_column_text(variants, 0);
        fputs(written++ ? "," : ",\"learning\":[", out);
        fputs("{\"learning\":", out);
        json_string(out, learning);
        fprintf(out, ",\"replays\":%s,", (const char *)sqlite3_column_text(variants, 1));
        if (!write_figures(store, key, learning, out, error)) {
            step = DATABASE_FAILED;
            break;
        }
        fputc('}', out);
    }
    fputs(written ? "]" : "", out);
    sqlite3_finalize(variants);
    return step == DATABASE_END;
}

/* RUNS may be NULL. */
static bool write_strategy(struct store *store, const struct outline *outline,
                           const struct outline_point *point, const char *strategy,
                           const struct outline_runs *runs, FILE *out, struct error *error)
{
    const struct database_value key[] = {
        database_integer(outline->study),
        database_text(strategy),
        database_text(point->json),
    };
    fputs("{\"strategy\":", out);
    json_string(out, strategy);
    fputc(',', out);
    if (runs)
        write_runs(runs, out);
    bool written = write_figures(store, key, NULL, out, error) && write_learning(store, key, out, error);
    fputc('}', out);
    return written;
}

static bool write_point(struct store *store, const struct outline *outline, const struct outline_point *point,
                        FILE *out, struct error *error)
{
    fprintf(out, "{\"point\":%s,\"chips\":", point->json);
    json_number(out, point->chips ? (double)point->chips : NAN);
    fputs(",\"simulated_s\":", out);
    json_number(out, point->seconds);
    fputs(",\"strategies\":[", out);
    for (size_t i = 0, written = 0; i < outline->strategy_count; i++) {
        if (point->runs[i].all == 0)
            continue;
        json_separate(out, written++);
        if (!write_strategy(store, outline, point, outline->strategies[i], &point->runs[i], out, error))
            return false;
    }
    fputc(']', out);
    if (outline->reference) {
        fputs(",\"reference\":", out);
        if (!write_strategy(store, outline, point, outline->reference, NULL, out, error))
            return false;
    }
    fputc('}', out);
    return true;
}

static bool write_document(struct store *store, const struct outline *outline, const void *context, FILE *out,
                           struct error *error)
{
    (void)context;
    fprintf(out, "{\"study\":{\"id\":%" PRId64 ",\"name\":", outline->study);
    json_string(out, outline->name);
    fputs(",\"started_utc\":", out);
    json_string(out, outline->started_utc);
    fprintf(out, ",\"replications\":%" PRId64 "},\"points\":[", outline->replications);
    for (size_t i = 0; i < outline->point_count; i++) {
        json_separate(out, i);
        if (!write_point(store, outline, &outline->points[i], out, error))
            return false;
    }
    fputs("],\"expectations\":", out);
    bool written = expectations_write_json(store, outline->study, out, error);
    fputs(",\"baseline\":", out);
    written = written && baseline_write_json(store, outline->study, out, error);
    fputs("}\n", out);
    return written;
}

char *comparison_json(struct store *store, int64_t study, struct error *error)
{
    return outline_text(store, study, write_document, NULL, "a comparison", error);
}
