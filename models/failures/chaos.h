/*
 * Faults on purpose: what a scenario's `chaos` lists is drawn into a schedule before the run, from (entry,
 * seed, replication) alone, so that every strategy meets the same faults; or the schedule of an earlier run
 * is given, and nothing is drawn.
 *
 * An entry strikes at given times, periodically, or by a law. Each strike is a cause of its own (fault.h) and
 * takes the units that the entry's selector names, one fault a unit. Faults that would leave less of the
 * cluster than the limits allow are spared: kept in the schedule, but not played.
 */
#ifndef MODELS_FAILURES_CHAOS_H
#define MODELS_FAILURES_CHAOS_H

#include "models/failures/fault.h"
#include "models/network/network.h"
#include "models/parameter.h"
#include "sim/error.h"
#include <stdbool.h>

enum { CHAOS_MOST = 1000000 }; /* faults of a schedule */

/* What entries call a fault. A restart is a stop whose repair takes no time. */
enum chaos_action {
    CHAOS_KILL,
    CHAOS_RESTART,
    CHAOS_HANG,
    CHAOS_SLOW,
    CHAOS_CORRUPT,
    CHAOS_PREEMPT,
    CHAOS_STALL,
    CHAOS_LOSE_PACKETS,
    CHAOS_THROTTLE,
    CHAOS_PARTITION,
    CHAOS_ACTIONS
};

/* An entry of "chaos". Of at, every and rate one is given; of the selectors at most one: without, each strike
 * takes one unit at random. */
struct chaos_entry {
    char *name;               /* NULL: its fault and target */
    struct sim_values at;     /* seconds */
    sim_time every;           /* from FROM + EVERY on; PARAMETER_UNSET */
    struct sim_law_spec rate; /* seconds from FROM, or from a strike, to the next; law PARAMETER_UNSET */
    sim_time from, until;     /* strikes lie in [FROM, UNTIL); PARAMETER_UNSET: to the end */
    int64_t action;           /* enum chaos_action */
    int64_t target;           /* enum fault_domain; PARAMETER_UNSET: the action's own */
    bool all;
    int64_t count;              /* units; PARAMETER_UNSET */
    double share;               /* of the units, rounded up; NAN */
    double up_to;               /* of the units, at most: how many is drawn, 1 at least; NAN */
    struct sim_values units;    /* by number */
    char *named;                /* sites or links by name, commas between; NULL */
    char *within;               /* only units at this site; NULL: anywhere */
    sim_time lasting;           /* "for"; PARAMETER_UNSET: by the law of repair, or the unit's own */
    double factor;              /* see struct fault; NAN */
    sim_time detection, notice; /* PARAMETER_UNSET: the kind's own */
};

/* An entry of "chaos_schedule": one fault of a schedule that was drawn before. */
struct chaos_recorded {
    sim_time at;
    char *cause;
    int64_t kind, domain; /* of fault.h */
    int64_t unit;
    sim_time lasting, detection, notice; /* PARAMETER_UNSET: not given */
    double factor;                       /* NAN */
    bool spared;
};

struct chaos_config {
    struct parameter_items entries;  /* struct chaos_entry */
    struct parameter_items schedule; /* struct chaos_recorded; any: entries draw nothing */
    char *file;                      /* always NULL: loading makes a schedule of it */
    double slices_up;                /* share of the slices that chaos leaves up */
    int64_t learners, learners_up;   /* of so many equal runs of slices, so many keep a slice */
};

extern const char *const chaos_action_names[CHAOS_ACTIONS + 1]; /* "kill", …, then NULL */
extern const struct parameter_table chaos_parameters;           /* section "chaos_limits" */
extern const struct parameter_list chaos_list, chaos_schedule_list;

static inline bool chaos_is_empty(const struct chaos_config *config)
{
    return config->entries.count == 0 && config->schedule.count == 0;
}

/* Whether the run may see faults of DOMAIN, or of kinds that strike links. */
bool chaos_may_strike(const struct chaos_config *config, enum fault_domain domain);
bool chaos_may_strike_links(const struct chaos_config *config);

/* The kind of fault of an action, the domain that an entry aims at, and whether a kind strikes links. */
enum fault_kind chaos_kind(int64_t action);
enum fault_domain chaos_target(const struct chaos_entry *entry);
bool chaos_strikes_links(enum fault_kind kind);

/* What faults may aim at, the same for all strategies. Links are numbered as CHAOS_LINK says. */
struct chaos_ground {
    const struct network_config *network;
    sim_time horizon; /* of a run; 0: not known */
    int64_t slices;
    int64_t units[FAULT_DOMAINS];
    /* The run of slices of a unit; of a part of a slice, that slice. */
    void (*slices_of)(const void *context, enum fault_domain domain, int64_t unit, int64_t *first,
                      int64_t *end);
    const void *context;
};

/* Units of FAULT_OF_LINK. With sites: the entries of network.links, then the backbones, then pairs without an
 * entry, FROM · sites + TO with FROM < TO. Without sites: each learner's link. All both ways. -1: NAME
 * ("A to B" or a backbone's) is none. */
int64_t chaos_find_link(const struct network_config *network, const char *name);

/* Of a unit of FAULT_OF_LINK with sites; the number within its kind. */
enum chaos_link { CHAOS_LINK_ENTRY, CHAOS_LINK_BACKBONE, CHAOS_LINK_BETWEEN };
enum chaos_link chaos_link_of(const struct network_config *network, int64_t unit, int64_t *number);

/* Whether there is a link UNIT, in a network with sites. */
bool chaos_has_link(const struct network_config *network, int64_t unit);

/* Checks CONFIG against GROUND; false with the entry's list (NULL: the limits), its index, field and MESSAGE.
 */
struct chaos_fault_report {
    const struct parameter_list *list;
    size_t item;
    const char *field;
    char message[300];
};
bool chaos_check(const struct chaos_config *config, const struct chaos_ground *ground,
                 struct chaos_fault_report *report);

/* One fault of a schedule; FAULT.cause is an index into the schedule's causes. */
struct chaos_fault {
    sim_time at;
    struct fault fault;
    bool spared;
    enum fault_outcome outcome; /* FAULT_IGNORED until it has struck */
};

struct chaos_schedule {
    struct chaos_fault *faults; /* by time; of one time in the order of entries, strikes and units */
    size_t count;
    struct fault_cause *causes; /* each of one strike */
    size_t cause_count;
};

/* The schedule up to HORIZON of a CONFIG that chaos_check accepts; REPAIR is how long a killed unit stays
 * away where the entry does not say. NULL with ERROR; the caller destroys it. Drawn times are whole
 * milliseconds. */
struct chaos_schedule *chaos_draw(const struct chaos_config *config, const struct chaos_ground *ground,
                                  const struct sim_law_spec *repair, uint64_t seed, uint32_t replication,
                                  sim_time horizon, struct error *error);
void chaos_destroy(struct chaos_schedule *schedule); /* NULL is allowed */

#endif
