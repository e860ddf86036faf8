#include "models/learning/metrics.h"

#include <stddef.h>
#include <string.h>

const struct metric_description learning_metrics[LEARNING_METRICS] = {
    [LEARNING_FINAL_LOSS] = {"final_loss", "nat", "loss on held-out data at the end of the run"},
    [LEARNING_EXCESS_LOSS] = {"excess_loss", "nat", "final loss less the least that any model could have"},
    [LEARNING_FLOOR_LOSS] = {"floor_loss", "nat", "least loss that any model could have on the same data"},
    [LEARNING_LOSS_OVER_REFERENCE] =
        {"loss_over_reference", "1",
         "final loss over that of failure-free data-parallel after as many tokens, less 1"},
    [LEARNING_TIME_TO_LOSS] = {"time_to_loss", "s", "time until the loss is first down to the target"},
    [LEARNING_STATISTICAL_GOODPUT] =
        {"statistical_goodput", "1",
         "time in which failure-free data-parallel gets to the final loss, over the time it took here"},
    [LEARNING_TOKENS_TRAINED] = {"tokens_trained", "1", "tokens of all steps that were run, lost ones too"},
    [LEARNING_TOKENS_MERGED] = {"tokens_merged", "1", "tokens trained whose gradients reached the model"},
    [LEARNING_TOKENS_LOST] = {"tokens_lost", "1", "tokens trained that a failure or rollback took away"},
    [LEARNING_TOKENS_PENDING] = {"tokens_pending", "1",
                                 "tokens trained that at the end were yet to be merged"},
    [LEARNING_MERGED_SHARE] = {"merged_share", "1", "share of the tokens trained that reached the model"},
    [LEARNING_COST_TO_LOSS] = {"cost_to_loss", "1",
                               "price of chips and bytes until the loss is first down to the target"},
    [LEARNING_ENERGY_TO_LOSS] = {"energy_to_loss", "kWh",
                                 "energy until the loss is first down to the target"},
};

bool learning_has_metric(const char *metric)
{
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        if (strcmp(metric, learning_metrics[i].name) == 0)
            return true;
    return false;
}
