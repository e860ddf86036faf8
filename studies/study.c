#include "studies/study.h"

#include <stdio.h>
#include <unistd.h>

static bool add_study(const struct study_request *request, struct store *store, int64_t *study,
                      struct error *error)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "unknown");
    struct study_record record = {.name = request->plan->base->name,
                                  .scenario = request->plan->resolved,
                                  .scenario_sha256 = request->plan->digest,
                                  .version = request->version,
                                  .command_line = request->command_line,
                                  .host = host};
    *study = store_add_study(store, &record, error);
    return *study >= 0;
}

bool study_run(const struct study_request *request, struct store *store, struct study_outcome *outcome,
               struct error *error)
{
    *outcome = (struct study_outcome){.study = -1};
    if (!add_study(request, store, &outcome->study, error) ||
        !runner_run(request->plan, store, outcome->study, &request->runner, &outcome->runs, error) ||
        !store_summarise(store, outcome->study, error))
        return false;
    return outcome->runs.interrupted ||
           expectations_judge(request->plan, store, outcome->study, &outcome->expectations, error);
}

void study_outcome_free(struct study_outcome *outcome)
{
    expectations_free(&outcome->expectations);
}
