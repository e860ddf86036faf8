#include "plots/mean_curve.h"
#include "results/database.h"
#include "sim/tally.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

const char *const curve_axis_names[CURVE_AXES] = {"time", "tokens", "steps"};

struct place {
    double x, loss;
};

/* One replication's curve, x ascending. */
struct track {
    struct place *places;
    size_t count, capacity;
    bool diverged;
    double floor; /* the source's own loss; NAN: unknown */
};

struct tracks {
    struct track *tracks;
    size_t count;
    int64_t replay; /* of the last track */
};

static void tracks_free(struct tracks *tracks)
{
    for (size_t i = 0; i < tracks->count; i++)
        free(tracks->tracks[i].places);
    free(tracks->tracks);
}

static bool add_track(struct tracks *tracks, int64_t replay, bool diverged, double floor)
{
    struct track *more = realloc(tracks->tracks, (tracks->count + 1) * sizeof *more);
    if (!more)
        return false;
    tracks->tracks = more;
    more[tracks->count++] = (struct track){.diverged = diverged, .floor = floor};
    tracks->replay = replay;
    return true;
}

/* Adds a place at the end, in place of those that lie as far or farther: they were taken back. */
static bool add_place(struct track *track, struct place place)
{
    if (!isfinite(place.x) || !isfinite(place.loss))
        return true;
    while (track->count > 0 && track->places[track->count - 1].x >= place.x)
        track->count--;
    if (track->count == track->capacity) {
        size_t capacity = track->capacity ? 2 * track->capacity : 64;
        struct place *more = realloc(track->places, capacity * sizeof *more);
        if (!more)
            return false;
        track->places = more;
        track->capacity = capacity;
    }
    track->places[track->count++] = place;
    return true;
}

static const char tracks_sql[] =
    "select replayed.replay, replayed.status = 'diverged', t_s, tokens, step, value,"
    "  (select metric.value from metric where metric.replay = replayed.replay and name = 'floor_loss')"
    " from study_replay replayed join run on run.id = replayed.run"
    "  join series on series.replay = replayed.replay"
    " where replayed.study = ?1 and replayed.strategy = ?2 and replayed.point = ?3"
    "  and replayed.learning = (select learning from study where id = ?1) and series.name = 'loss'"
    " order by run.replication, run.seed, replayed.replay, series.rowid";

/* Adds a row of the query above; false when out of memory. */
static bool add_row(struct tracks *tracks, sqlite3_stmt *query, enum curve_axis axis)
{
    int64_t replay = database_column_integer(query, 0);
    if ((tracks->count == 0 || tracks->replay != replay) &&
        !add_track(tracks, replay, database_column_integer(query, 1) != 0, database_column_real(query, 6)))
        return false;
    return add_place(
        &tracks->tracks[tracks->count - 1],
        (struct place){database_column_real(query, 2 + (int)axis), database_column_real(query, 5)});
}

static bool read_tracks(struct store *store, const struct database_value key[3], enum curve_axis axis,
                        struct tracks *tracks, struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = database_query(database, tracks_sql, 3, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!add_row(tracks, query, axis)) {
            error_out_of_memory(error, "a loss curve");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* Drops tracks that KEEP is false of, if it is true of any. */
static void prefer(struct tracks *tracks, bool (*keep)(const struct track *))
{
    size_t kept = 0;
    for (size_t i = 0; i < tracks->count; i++)
        kept += keep(&tracks->tracks[i]);
    if (kept == 0)
        return;
    size_t count = tracks->count;
    tracks->count = 0;
    for (size_t i = 0; i < count; i++)
        if (keep(&tracks->tracks[i]))
            tracks->tracks[tracks->count++] = tracks->tracks[i];
        else
            free(tracks->tracks[i].places);
}

static bool has_places(const struct track *track)
{
    return track->count > 0;
}

static bool is_line(const struct track *track)
{
    return track->count > 1;
}

static bool has_converged(const struct track *track)
{
    return !track->diverged;
}

/* Shifts every track so that its source's own loss is the mean of all; that mean, NAN where one is unknown.
 */
static double level(struct tracks *tracks)
{
    double floor = 0;
    for (size_t i = 0; i < tracks->count; i++)
        floor += tracks->tracks[i].floor / (double)tracks->count;
    for (size_t i = 0; i < tracks->count && isfinite(floor); i++)
        for (size_t j = 0; j < tracks->tracks[i].count; j++)
            tracks->tracks[i].places[j].loss += floor - tracks->tracks[i].floor;
    return floor;
}

/* The track's loss at X, which it reaches; *FROM is where to look from, for an X that grows. */
static double loss_at(const struct track *track, double x, size_t *from)
{
    const struct place *places = track->places;
    while (*from + 2 < track->count && places[*from + 1].x < x)
        ++*from;
    if (*from + 1 >= track->count)
        return places[*from].loss;
    const struct place *left = &places[*from], *right = left + 1;
    double share = (x - left->x) / (right->x - left->x);
    return left->loss + fmin(1, fmax(0, share)) * (right->loss - left->loss);
}

/* Mean and interval over all tracks at point I of the grid; LOSSES and FROM have a place for each track. */
static void average(const struct tracks *tracks, struct mean_curve *curve, size_t i, double *losses,
                    size_t *from)
{
    for (size_t j = 0; j < tracks->count; j++)
        losses[j] = loss_at(&tracks->tracks[j], curve->x[i], &from[j]);
    double half = NAN;
    curve->mean[i] = gsl_stats_mean(losses, 1, tracks->count);
    if (tracks->count > 1)
        half = sim_student_half_width(tracks->count, gsl_stats_sd_m(losses, 1, tracks->count, curve->mean[i]),
                                      0.95);
    curve->low[i] = curve->mean[i] - half;
    curve->high[i] = curve->mean[i] + half;
}

/* Lays the grid over what all tracks reach. */
static void lay_grid(const struct tracks *tracks, struct mean_curve *curve)
{
    double from = -INFINITY, to = INFINITY;
    for (size_t i = 0; i < tracks->count; i++) {
        const struct track *track = &tracks->tracks[i];
        from = fmax(from, track->places[0].x);
        to = fmin(to, track->places[track->count - 1].x);
    }
    curve->count = to > from ? CURVE_GRID : 1;
    for (size_t i = 0; i < curve->count; i++)
        curve->x[i] = curve->count == 1 ? to : from + (to - from) * (double)i / (CURVE_GRID - 1);
}

static bool average_all(struct tracks *tracks, struct mean_curve *curve, struct error *error)
{
    double *losses = calloc(tracks->count, sizeof *losses);
    size_t *from = calloc(tracks->count, sizeof *from);
    bool room = losses && from;
    if (!room)
        error_out_of_memory(error, "a loss curve");
    curve->replications = tracks->count;
    curve->floor = level(tracks);
    lay_grid(tracks, curve);
    for (size_t i = 0; room && i < curve->count; i++)
        average(tracks, curve, i, losses, from);
    free(losses);
    free(from);
    return room;
}

bool mean_curve_read(struct store *store, int64_t study, const char *strategy, const char *point,
                     enum curve_axis axis, struct mean_curve *curve, struct error *error)
{
    const struct database_value key[] = {
        database_integer(study),
        database_text(strategy),
        database_text(point),
    };
    struct tracks tracks = {0};
    *curve = (struct mean_curve){.floor = NAN};
    bool read = read_tracks(store, key, axis, &tracks, error);
    prefer(&tracks, has_places);
    prefer(&tracks, has_converged);
    prefer(&tracks, is_line);
    if (read && tracks.count > 0 && has_places(&tracks.tracks[0]))
        read = average_all(&tracks, curve, error);
    tracks_free(&tracks);
    return read;
}
