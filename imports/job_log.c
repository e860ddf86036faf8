/*
 * The rows are kept as events, from which each figure is worked out by itself.
 */
#include "imports/job_log.h"

#include "imports/date.h"
#include "scenarios/csv.h"
#include "scenarios/number.h"
#include "scenarios/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 10, FIGURES = 6 };
#define SECONDS_PER_DAY 86400.0
#define OVERLAP 0.01 /* of the log: clocks are rounded */

enum kind { STEP, FAILURE, RESTART, CHECKPOINT, MARK, UNKNOWN };

struct event {
    enum kind kind;
    double time;     /* when it was over, seconds */
    double duration; /* 0 where there is none */
    double number;   /* of a step; NAN: none */
    bool redone;     /* a step that was thrown away */
};

struct log {
    struct event *events;
    size_t count, capacity;
    bool dated;
    struct job_log_summary *summary;
    struct error *error;
};

enum column { TIME, EVENT, DURATION, NUMBER, COLUMNS };

static enum kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum kind kind;
    } kinds[] = {{"step", STEP},       {"failure", FAILURE},       {"interruption", FAILURE},
                 {"restart", RESTART}, {"checkpoint", CHECKPOINT}, {"start", MARK},
                 {"end", MARK}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return UNKNOWN;
}

/* Adds NAME to those that are unknown, once; "..." where there is no more room. */
static void note_unknown(struct job_log_summary *summary, const char *name)
{
    char *names = summary->unknown_names, quoted[80];
    size_t length = strlen(names), room = sizeof summary->unknown_names - sizeof ", ...", shown = 60;
    while (strlen(name) > shown && ((unsigned char)name[shown] & 0xc0) == 0x80)
        shown--; /* no character is cut in two */
    snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)shown, name);
    summary->unknown++;
    if (strstr(names, quoted) || strstr(names, "..."))
        return;
    const char *added = length + strlen(quoted) + 2 < room ? quoted : "...";
    snprintf(names + length, sizeof summary->unknown_names - length, "%s%s", length ? ", " : "", added);
}

static bool read_time(struct log *log, const struct csv_cell *cell, double *seconds)
{
    int64_t date;
    bool dated = date_parse(cell->text, &date);
    if (!dated && !number_parse(cell->text, seconds))
        return csv_refuse(
            cell->place, log->error,
            "time: \"%.60s\" is neither a number of seconds nor a date such as 2026-06-21 10:54:03",
            cell->text);
    if (log->count && dated != log->dated)
        return csv_refuse(cell->place, log->error, "time: dates and numbers in one log");
    log->dated = dated;
    if (dated)
        *seconds = (double)date;
    if (fabs(*seconds) > UNITS_LONGEST_SECONDS / 2)
        return csv_refuse(cell->place, log->error, "time: more than 145 years from %s", dated ? "1970" : "0");
    if (log->count && *seconds < log->events[log->count - 1].time)
        return csv_refuse(cell->place, log->error, "time: this is before the row above");
    return true;
}

static bool takes_time(enum kind kind)
{
    return kind == STEP || kind == RESTART || kind == CHECKPOINT;
}

static bool read_duration(struct log *log, const struct csv_cell *cell, struct event *event)
{
    struct error own = {.kind = ERROR_NONE};
    double duration = 0;
    if (!*cell->text && takes_time(event->kind))
        return csv_refuse(cell->place, log->error, "duration: a step, restart or checkpoint took some time");
    if (*cell->text && (!csv_number(cell, 0, &duration, &own) || duration > UNITS_LONGEST_SECONDS))
        return csv_refuse(cell->place, log->error,
                          "duration: \"%.60s\" is no number of seconds from 0 on, or is over 290 years",
                          cell->text);
    event->duration = takes_time(event->kind) ? duration : 0;
    return true;
}

static bool read_number(struct log *log, const struct csv_cell *cell, struct event *event)
{
    event->number = NAN;
    if (event->kind != STEP || !*cell->text || number_parse(cell->text, &event->number))
        return true;
    return csv_refuse(cell->place, log->error, "step: \"%.60s\" is no number", cell->text);
}

static bool add_event(struct log *log, struct event event)
{
    if (log->count == log->capacity) {
        size_t capacity = log->capacity ? 2 * log->capacity : 1024;
        struct event *events = reallocarray(log->events, capacity, sizeof *events);
        if (!events) {
            error_out_of_memory(log->error, "a log");
            return false;
        }
        log->events = events;
        log->capacity = capacity;
    }
    log->events[log->count++] = event;
    return true;
}

static bool read_row(struct log *log, const struct csv_cell *cells)
{
    struct event event = {.kind = kind_of(cells[EVENT].text), .number = NAN};
    if (!read_time(log, &cells[TIME], &event.time))
        return false;
    if (event.kind == UNKNOWN) {
        note_unknown(log->summary, cells[EVENT].text);
        event.kind = MARK;
    } else if (!read_duration(log, &cells[DURATION], &event) || !read_number(log, &cells[NUMBER], &event)) {
        return false;
    }
    return add_event(log, event);
}

static bool read_log(struct log *log, const char *path, struct scenario_memory *memory)
{
    static const char *const columns[] = {"time", "event", "duration", "step", NULL};
    struct csv csv;
    struct csv_cell cells[COLUMNS];
    struct error own = {.kind = ERROR_NONE};
    if (!csv_open_some(&csv, path, columns, NUMBER, memory, log->error))
        return false;
    log->summary->numbered = csv.position[NUMBER] != CSV_NO_COLUMN;
    while (csv_next(&csv, cells, &own))
        if (!read_row(log, cells))
            return false;
    if (own.kind != ERROR_NONE)
        error_set(log->error, own.kind, "%s", own.message);
    else if (!log->count)
        csv_refuse((struct place){&csv.source, 0}, log->error, "the log has no events");
    return own.kind == ERROR_NONE && log->count > 0;
}

/* What the log came to */

/* A step whose number is not above that of an earlier one has thrown that away, and those after it. */
static bool find_redone(struct log *log)
{
    size_t *kept = malloc((log->count + 1) * sizeof *kept), count = 0;
    if (!kept) {
        error_out_of_memory(log->error, "a log");
        return false;
    }
    for (size_t i = 0; i < log->count; i++) {
        if (log->events[i].kind != STEP || isnan(log->events[i].number))
            continue;
        while (count && log->events[kept[count - 1]].number >= log->events[i].number) {
            log->events[kept[--count]].redone = true;
            log->summary->redone++;
        }
        kept[count++] = i;
    }
    free(kept);
    return true;
}

static double begin_of(const struct log *log)
{
    return log->events[0].time - log->events[0].duration;
}

static void count_events(struct log *log)
{
    struct job_log_summary *summary = log->summary;
    for (size_t i = 0; i < log->count; i++) {
        summary->steps += log->events[i].kind == STEP;
        summary->interruptions += log->events[i].kind == FAILURE;
        summary->restarts += log->events[i].kind == RESTART;
        summary->checkpoints += log->events[i].kind == CHECKPOINT;
    }
    if (!summary->interruptions)
        summary->interruptions = summary->restarts;
    summary->elapsed = log->events[log->count - 1].time - begin_of(log);
}

/* One job does one thing at a time: else durations are in another unit, or several jobs share the log. */
static bool check_durations(const struct log *log, const char *path)
{
    double busy = 0, elapsed = log->summary->elapsed;
    for (size_t i = 0; i < log->count; i++)
        busy += log->events[i].duration;
    if (busy <= (1 + OVERLAP) * elapsed)
        return true;
    error_set(log->error, ERROR_INPUT,
              "%s: steps, restarts and checkpoints last %.6g s together, and the whole log %.6g s: durations "
              "are seconds, and the log is that of one job",
              path, busy, elapsed);
    return false;
}

/* A figure and its standard error. */
struct estimate {
    double value, error;
};

struct moments {
    size_t count;
    double mean, deviation, fourth; /* the fourth central moment */
};

static struct moments moments_of(const struct log *log, enum kind kind)
{
    struct moments moments = {0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == kind) {
            sum += log->events[i].duration;
            moments.count++;
        }
    double count = (double)moments.count;
    moments.mean = sum / count;
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == kind) {
            double apart = log->events[i].duration - moments.mean;
            squares += apart * apart;
            moments.fourth += apart * apart * apart * apart / count;
        }
    moments.deviation = moments.count > 1 ? sqrt(squares / (count - 1)) : NAN;
    return moments;
}

static struct estimate mean_of(const struct moments *moments)
{
    return (struct estimate){moments->mean, moments->count > 1
                                                ? moments->deviation / sqrt((double)moments->count)
                                                : moments->mean};
}

/* By the delta method: var s² is (µ₄ − σ⁴·(n − 3)/(n − 1)) / n, which is no 0 where there are few. */
static struct estimate deviation_of(const struct moments *moments)
{
    double square = moments->deviation * moments->deviation;
    double count = (double)moments->count;
    double variance = fmax(moments->fourth - square * square * (count - 3) / (count - 1), 0) / count;
    return (struct estimate){moments->deviation, sqrt(variance) / (2 * moments->deviation)};
}

static struct estimate rate_of(const struct job_log_summary *summary)
{
    double days = summary->elapsed / SECONDS_PER_DAY, count = (double)summary->interruptions;
    return (struct estimate){count / days, sqrt(count) / days};
}

/* Of the elapsed time in events of KIND, but for steps that were thrown away. An event belongs to the part of
 * the log in which it was over. */
static struct estimate share_of(const struct log *log, enum kind kind)
{
    double parts[PARTS] = {0}, length = log->summary->elapsed / PARTS, sum = 0, squares = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct event *event = &log->events[i];
        size_t part = (size_t)fmin((event->time - begin_of(log)) / length, PARTS - 1);
        if (event->kind == kind && !event->redone)
            parts[part] += event->duration / length;
    }
    for (size_t i = 0; i < PARTS; i++) {
        sum += parts[i];
        squares += parts[i] * parts[i];
    }
    double mean = sum / PARTS;
    return (struct estimate){mean, sqrt(fmax(squares / PARTS - mean * mean, 0) / (PARTS - 1))};
}

/* Figures that are 0 or have no value tell nothing. */
static void add_figure(struct scenario_figures *figures, const char *path, const char *strategy,
                       const char *metric, struct estimate estimate)
{
    if (!(estimate.value > 0) || !isfinite(estimate.value))
        return;
    double least = JOB_LOG_SUREST * estimate.value;
    figures->items[figures->count++] =
        (struct scenario_figure){.strategy = memory_copy(figures->memory, strategy, strlen(strategy)),
                                 .metric = metric,
                                 .value = estimate.value,
                                 .deviation = estimate.error > least ? estimate.error : least,
                                 .origin = memory_format(figures->memory, "%s", path)};
}

static void add_figures(const struct log *log, const char *path, const char *strategy,
                        struct scenario_figures *figures)
{
    const struct moments steps = moments_of(log, STEP), restarts = moments_of(log, RESTART);
    add_figure(figures, path, strategy, "step_time", mean_of(&steps));
    add_figure(figures, path, strategy, "step_time_deviation", deviation_of(&steps));
    add_figure(figures, path, strategy, "interruptions_per_day", rate_of(log->summary));
    add_figure(figures, path, strategy, "interruption_time", mean_of(&restarts));
    add_figure(figures, path, strategy, "share:checkpoint_save", share_of(log, CHECKPOINT));
    add_figure(figures, path, strategy, log->summary->numbered ? "job_goodput" : "uptime",
               share_of(log, STEP));
}

static struct scenario_figures *figures_of(struct log *log, const char *path, const char *strategy)
{
    if (!find_redone(log))
        return NULL;
    count_events(log);
    if (!check_durations(log, path))
        return NULL;
    struct scenario_figures *figures = scenario_figures_create(FIGURES, log->error);
    if (!figures)
        return NULL;
    if (log->summary->elapsed > 0)
        add_figures(log, path, strategy, figures);
    if (figures->count && !memory_failed(figures->memory))
        return figures;
    if (figures->count)
        error_out_of_memory(log->error, path);
    else
        error_set(log->error, ERROR_INPUT,
                  "%s: nothing can be made of the log: it has no steps and no restarts", path);
    scenario_figures_destroy(figures);
    return NULL;
}

struct scenario_figures *job_log_read(const char *path, const char *strategy, struct job_log_summary *summary,
                                      struct error *error)
{
    struct log log = {.summary = summary, .error = error};
    struct scenario_memory *memory = memory_create();
    *summary = (struct job_log_summary){0};
    if (!memory)
        error_out_of_memory(error, path);
    struct scenario_figures *figures =
        memory && read_log(&log, path, memory) ? figures_of(&log, path, strategy) : NULL;
    free(log.events);
    memory_destroy(memory);
    return figures;
}
