#include "cli/inquiry.h"

#include "cli/progress.h"
#include "cli/show.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct option_list *strategies, const char *name)
{
    bool wanted = strategies->count == 0;
    for (size_t i = 0; i < strategies->count; i++)
        wanted |= strcmp(strategies->items[i], name) == 0;
    return wanted;
}

static bool choose_strategies(struct inquiry *inquiry, const struct option_list *wanted, struct error *error)
{
    const struct scenario *base = inquiry->plan->base;
    inquiry->strategies.items = calloc(base->strategy_count + 1, sizeof *inquiry->strategies.items);
    if (!inquiry->strategies.items) {
        error_out_of_memory(error, "the strategies");
        return false;
    }
    for (size_t i = 0; i < base->strategy_count; i++)
        if (is_wanted(wanted, base->strategies[i].name))
            inquiry->strategies.items[inquiry->strategies.count++] = base->strategies[i].name;
    return true;
}

bool inquiry_open(struct inquiry *inquiry, const struct scenario_options *scenario,
                  const struct running_options *running, const char *command_line, struct error *error)
{
    *inquiry = (struct inquiry){.database = running->database, .begun = conduct_clock()};
    inquiry->plan = conduct_plan(&(struct conduct_request){.scenario = scenario}, error);
    if (!inquiry->plan || !choose_strategies(inquiry, &scenario->strategies, error))
        return false;
    inquiry->store = store_open(running->database, error);
    inquiry->request = conduct_study_request(inquiry->plan, running, command_line);
    return inquiry->store != NULL;
}

void inquiry_close(struct inquiry *inquiry)
{
    if (inquiry->store)
        store_close(inquiry->store);
    free(inquiry->strategies.items);
    plan_destroy(inquiry->plan);
}

void inquiry_end(const struct inquiry *inquiry)
{
    if (inquiry->request.runner.progress)
        progress_clear();
}

int inquiry_show(const struct inquiry *inquiry, char *text, bool json, int64_t study,
                 const struct runner_outcome *runs)
{
    struct error error = {.kind = ERROR_NONE};
    if (!text)
        error_out_of_memory(&error, "the report");
    int status = show_made_text(text, &error);
    if (status == STATUS_DONE && !json)
        conduct_name_study(study, inquiry->database, runs, conduct_clock() - inquiry->begun);
    return status;
}

int inquiry_interrupted(const struct runner_outcome *runs)
{
    show_note("interrupted; the %zu runs that were finished are kept", runs->finished);
    return STATUS_INTERRUPTED;
}
