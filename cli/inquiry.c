#include "cli/inquiry.h"

#include "cli/progress.h"
#include "cli/show.h"
#include "sim/wall.h"

#include <stdlib.h>
#include <string.h>

error_t inquiry_parse(struct inquiry_options *options, int key, char *argument, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->scenario;
        state->child_inputs[1] = &options->running;
        return 0;
    case INQUIRY_JSON:
        options->json = true;
        return 0;
    case INQUIRY_VARY:
        option_list_add(&options->vary, argument, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void inquiry_options_free(struct inquiry_options *options)
{
    options_scenario_free(&options->scenario);
    free(options->vary.items);
}

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

bool inquiry_open(struct inquiry *inquiry, const struct inquiry_options *options, const char *command_line,
                  struct error *error)
{
    *inquiry = (struct inquiry){.database = options->running.database, .begun = sim_wall_seconds()};
    inquiry->plan = conduct_plan(&(struct conduct_request){.scenario = &options->scenario}, error);
    if (!inquiry->plan || !choose_strategies(inquiry, &options->scenario.strategies, error))
        return false;
    inquiry->store = store_open(inquiry->database, error);
    inquiry->request = conduct_study_request(inquiry->plan, &options->running, command_line);
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
        conduct_name_study(study, inquiry->database, runs, sim_wall_seconds() - inquiry->begun);
    return status;
}

int inquiry_interrupted(const struct runner_outcome *runs)
{
    show_note("interrupted; the %zu runs that were finished are kept", runs->finished);
    return STATUS_INTERRUPTED;
}
