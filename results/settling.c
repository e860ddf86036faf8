/*
 * One pass over the study's series, point by point; what lies in the warm-up is not read at all.
 */
#include "results/settling.h"

#include "results/database.h"
#include "results/inference.h"

#include <stdlib.h>
#include <string.h>

/* The warm-up of a run is its share of the chip time. */
static const char means_sql[] =
    "with used as materialized (select run.id, run.point,"
    "  run.simulated_s * (select total(chip_s) from budget where run = run.id and category = 'warm_up') /"
    "  (select total(chip_s) from budget where run = run.id) warm_up"
    "  from study_run join run on run.id = study_run.run"
    "  where study_run.study = ?1 and run.strategy = ?2 and run.status in ('done', 'unfinished', 'stalled'))"
    " select used.point, series.t_s, avg(series.value) from used join series on series.run = used.id"
    " where series.name = 'learners_up' and series.replay is null and series.t_s > ifnull(used.warm_up, 0)"
    " group by 1, 2 order by 1, 2";

/* The series of one point. */
struct course {
    char *point;
    double *times, *values;
    size_t count, capacity;
};

static bool widen(double **values, size_t capacity)
{
    double *more = reallocarray(*values, capacity, sizeof **values);
    if (more)
        *values = more;
    return more != NULL;
}

static bool add(struct course *course, double time, double value)
{
    if (course->count == course->capacity) {
        size_t capacity = course->capacity ? 2 * course->capacity : 256;
        if (!widen(&course->times, capacity) || !widen(&course->values, capacity))
            return false;
        course->capacity = capacity;
    }
    course->times[course->count] = time;
    course->values[course->count++] = value;
    return true;
}

/* The course is over; the next one is of POINT. */
static bool turn(struct course *course, const char *point, double *seconds)
{
    size_t unsettled = inference_unsettled(course->values, course->count);
    if (unsettled && course->times[unsettled - 1] > *seconds)
        *seconds = course->times[unsettled - 1];
    free(course->point);
    course->point = point ? strdup(point) : NULL;
    course->count = 0;
    return course->point || !point;
}

static bool read_courses(const struct database *database, sqlite3_stmt *query, struct course *course,
                         double *seconds, struct error *error)
{
    enum database_step step;
    while ((step = database_next(database, query, error)) == DATABASE_ROW) {
        const char *point = (const char *)sqlite3_column_text(query, 0);
        bool same = course->point && strcmp(course->point, point) == 0;
        if ((!same && !turn(course, point, seconds)) ||
            !add(course, sqlite3_column_double(query, 1), sqlite3_column_double(query, 2))) {
            error_out_of_memory(error, "how learners went over time");
            return false;
        }
    }
    return step == DATABASE_END && turn(course, NULL, seconds);
}

bool settling_read(struct store *store, int64_t study, const char *strategy, double *seconds,
                   struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(study), database_text(strategy)};
    sqlite3_stmt *query = database_query(database, means_sql, 2, key, error);
    struct course course = {0};
    *seconds = 0;
    bool read = query && read_courses(database, query, &course, seconds, error);
    sqlite3_finalize(query);
    free(course.point);
    free(course.times);
    free(course.values);
    return read;
}
