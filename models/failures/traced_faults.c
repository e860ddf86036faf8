#include "models/failures/traced_faults.h"

#include <stdio.h>
#include <stdlib.h>

struct traced_faults {
    struct outages *outages;
    const struct playback_config *config;
    struct playback *playback;
    int32_t first_cause;
};

static void on_outage(void *context, int64_t unit, int32_t kind, sim_time duration)
{
    const struct traced_faults *traced = context;
    const struct fault fault = {.kind = playback_fault(traced->config),
                                .domain = (enum fault_domain)traced->config->unit,
                                .unit = unit,
                                .cause = traced->first_cause + kind,
                                .duration = duration,
                                .detection = -1,
                                .notice = -1,
                                .factor = 1};
    outages_strike(traced->outages, &fault);
}

static bool add_causes(struct traced_faults *traced, struct error *error)
{
    const struct playback_config *config = traced->config;
    for (size_t i = 0; i < config->trace.kind_count; i++) {
        struct fault_cause cause = {.kind = playback_fault(config),
                                    .domain = (enum fault_domain)config->unit};
        snprintf(cause.name, sizeof cause.name, "trace %s", config->trace.kinds[i]);
        int32_t number = outages_add_cause(traced->outages, &cause, error);
        if (number == FAULT_NO_CAUSE)
            return false;
        if (i == 0)
            traced->first_cause = number;
    }
    return true;
}

struct traced_faults *traced_faults_create(struct sim_engine *engine, struct outages *outages,
                                           const struct playback_config *config, sim_time horizon,
                                           struct error *error)
{
    struct traced_faults *traced = calloc(1, sizeof *traced);
    int64_t units = units_count(outages_units(outages), (enum fault_domain)config->unit);
    if (!traced) {
        error_out_of_memory(error, "the failure trace");
        return NULL;
    }
    *traced = (struct traced_faults){.outages = outages, .config = config};
    if (add_causes(traced, error))
        traced->playback = playback_create(engine, config, units, horizon, on_outage, traced, error);
    if (traced->playback)
        return traced;
    traced_faults_destroy(traced);
    return NULL;
}

void traced_faults_destroy(struct traced_faults *traced)
{
    if (traced)
        playback_destroy(traced->playback);
    free(traced);
}
