/*
 * What one simulated run leaves: its ledger, its figures and its status.
 */
#ifndef MODELS_TRAINING_RESULT_H
#define MODELS_TRAINING_RESULT_H

#include "models/metric.h"
#include "models/training/budget.h"
#include "sim/clock.h"
#include "sim/ledger.h"

enum run_status {
    RUN_DONE,
    RUN_UNFINISHED,  /* fixed work was not done when the time was up */
    RUN_STALLED,     /* not one step counted, or nobody can go on since half of the time */
    RUN_FAILED,      /* the simulation itself failed (memory) */
    RUN_INTERRUPTED, /* told to stop */
    RUN_STATUSES
};

extern const char *const run_status_names[RUN_STATUSES]; /* "done", "unfinished", … */

enum run_metric {
    METRIC_GOODPUT,             /* useful share of chip time: cluster-time goodput, arXiv 2604.21428 §3.3 */
    METRIC_UPTIME,              /* share of time in which some learner is stepping */
    METRIC_COMPUTE_UTILIZATION, /* useful / (useful + communication_wait) */
    METRIC_STEPS,               /* steps that count, averaged over the learners by their chips */
    METRIC_TOKENS,              /* tokens in steps that count */
    METRIC_TIME_TO_FINISH,      /* until the fixed work is done (goal.h); NAN: it was not, or none is fixed */
    METRIC_STEPS_LOST,          /* steps thrown away, averaged likewise */
    METRIC_MERGES,              /* outer synchronisations, fragments merged, gossip exchanges */
    METRIC_FAILURES,            /* faults that stopped, hung, corrupted or preempted a unit */
    METRIC_MTBF,                /* elapsed time over failures */
    METRIC_MTTR,                /* mean time until what has failed is back, of those that are */
    METRIC_ETTR,                /* chip time in steps that count, waits in them included, of the job's: arXiv
                                 * 2410.21680 */
    METRIC_JOB_GOODPUT,         /* share of the time that learners are in steps that count, by their chips */
    METRIC_INTERRUPTIONS,       /* times that a learner began to deal with a failure */
    METRIC_INTERRUPTIONS_PER_DAY,
    METRIC_INTERRUPTION_TIME,   /* that a learner dealt with a failure, mean; NAN without any */
    METRIC_TIME_PER_STEP,       /* elapsed time over the steps that count: with all waits and losses */
    METRIC_STEP_TIME,           /* of steps that count, with the waits for slow chips; mean by the chips */
    METRIC_STEP_TIME_DEVIATION, /* standard deviation of the same; between learners, too */
    METRIC_LOST_CHIP_HOURS,     /* in steps that were thrown away */
    METRIC_REPAIRS,             /* that have ended; these four are NAN where a repair is but a time */
    METRIC_MANUAL_REPAIRS,      /* second stages of those */
    METRIC_FAILED_REPAIRS,      /* those that nothing came of */
    METRIC_RETIRED,             /* slices */
    METRIC_SWAPS,            /* failed slices whose place a spare took; these three are NAN without spares */
    METRIC_COLD_STARTS,      /* times that cold spares were started */
    METRIC_DRAWS,            /* spares drawn from the pool */
    METRIC_RECONFIGURATIONS, /* down- and upscalings of all learners */
    METRIC_RESTARTS,         /* of all learners */
    METRIC_LEARNERS_UP,      /* learners with at least one slice present, mean over time */
    METRIC_WAN_BYTES,        /* sent by learners and to them by the syncer */
    METRIC_LINK_UTILIZATION, /* of the link that is busiest by this measure: mean rate over bandwidth */
    METRIC_LINK_PEAK,        /* greatest rate on any link, bit/s, the warm-up included */
    METRIC_PAIR_TIME,        /* of kind gpu-overlap: a product and its collective, mean */
    METRIC_PRODUCT_TIME,     /* of a product alone */
    METRIC_COLLECTIVE_TIME,  /* of a collective alone */
    METRIC_TIME_RATIO,       /* to all one after another, arXiv 2606.09200 */
    METRIC_TIME_BOUND,       /* of that: the longer of both alone */
    METRIC_TIME_RATIO_TO_BASELINE,
    METRIC_TIME_SAVED,    /* 1 less that ratio */
    METRIC_OVERLAP_RATE,  /* of the shorter of both, the share that is hidden */
    METRIC_OCCUPANCY,     /* of an SM's threads, those that a product's blocks may have */
    METRIC_BLOCKS_PER_SM, /* of a product */
    METRIC_NETWORK_COST,  /* price of those bytes */
    METRIC_COST,          /* of chips and bytes */
    METRIC_COST_PER_BILLION_TOKENS,
    METRIC_TOKENS_TRAINED, /* these four of strategies with a syncer; all since the start */
    METRIC_TOKENS_MERGED,  /* into the syncer's model, and not lost with it */
    METRIC_TOKENS_LOST,
    METRIC_TOKENS_PENDING, /* neither: with learners, or on their way */
    METRIC_ENERGY,         /* kWh; the sum of those below */
    METRIC_ENERGY_OF,      /* + enum budget_category, but for the warm-up: by what the chips were doing */
    RUN_METRICS = METRIC_ENERGY_OF + BUDGET_WARM_UP /* the last category */
};

/* Name in the database, unit ("1" for pure numbers) and meaning of each metric. */
extern const struct metric_description run_metrics[RUN_METRICS];

/* What became of the tokens trained since the start, the warm-up included, where a strategy keeps account of
 * it: trained = merged + lost + pending, exactly. In TOKEN_GRAINS · FRAGMENTS of a token. */
enum { TOKEN_GRAINS = 65536 };
struct token_counts {
    sim_amount trained, merged, lost, pending;
    int64_t fragments; /* 0: there is no account */
};

struct run_result {
    enum run_status status;
    sim_time simulated;
    uint64_t events;
    double wall_seconds;
    struct sim_ledger ledger;    /* by enum budget_category, in chip-nanoseconds */
    double metrics[RUN_METRICS]; /* NAN: has no value in this run */
    struct token_counts tokens;
};

#endif
