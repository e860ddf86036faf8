#include "cli/progress.h"

#include "cli/terminal.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

bool progress_is_seen(void)
{
    return isatty(STDERR_FILENO) == 1;
}

static void put_duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

/* Rates and the time left are known from finished runs, of which there may be none for long. */
void progress_show(void *context, const struct runner_progress *progress)
{
    (void)context;
    terminal_draw(CLEAR_LINE "%zu of %zu runs", progress->finished, progress->total);
    if (!isnan(progress->seconds_left)) {
        char left[32];
        put_duration(left, sizeof left, progress->seconds_left);
        terminal_draw(", %.2f million events/s, %s left", progress->events_per_second * 1e-6, left);
    }
}

void progress_show_learning(void *context, const struct learning_progress *progress)
{
    (void)context;
    terminal_draw(CLEAR_LINE "%zu of %zu replays, %.1f %%", progress->finished, progress->total,
                  100 * progress->share);
    if (!isnan(progress->seconds_left)) {
        char left[32];
        put_duration(left, sizeof left, progress->seconds_left);
        terminal_draw(", %s left", left);
    }
}

void progress_clear(void)
{
    terminal_draw("%s", CLEAR_LINE);
}
