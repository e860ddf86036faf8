#include "models/failures/checkpoint.h"

#include "models/failures/interval.h"

static const char *const rule_names[] = {"given", "young", "daly", "exact", NULL};
static const char *const measure_names[] = {"step_time", "wall_time", NULL};
static const char *const mode_names[] = {"blocking", "asynchronous", NULL};
static const char *const bandwidth_names[] = {"job", "host", "chip", NULL};
static const char *const copies_names[] = {"none", "host", "peer", NULL};

#define AT(member) offsetof(struct checkpoint_config, member)

static const struct parameter rows[] = {
    {.path = "rule",
     .type = PARAMETER_CHOICE,
     .choices = rule_names,
     .fallback = "given",
     .sentence =
         "What says how often: the interval given; or the rules of Young or Daly, or the exact optimum "
         "for exponential failures, by the job's mean time between failures and the time that training "
         "stands still for a checkpoint.",
     .source = "ours",
     .offset = AT(rule)},
    {.path = "interval",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "10 min",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence =
         "Work between two checkpoints; 0 s keeps the state of every step, so that no restart loses work.",
     .source = "ours",
     .offset = AT(interval)},
    {.path = "measure",
     .type = PARAMETER_CHOICE,
     .choices = measure_names,
     .fallback = "step_time",
     .sentence = "What intervals are measured in: time in steps that count, or time by the clock, waits and "
                 "all, since the last checkpoint was complete or training went on after a failure.",
     .source = "ours",
     .offset = AT(measure)},
    {.path = "mode",
     .type = PARAMETER_CHOICE,
     .choices = mode_names,
     .fallback = "blocking",
     .sentence =
         "Whether training stands still for a whole write to storage, or goes on while it is written; "
         "a failure meanwhile spoils the checkpoint, and the next one waits for its end.",
     .source = "ours",
     .offset = AT(mode)},
    {.path = "write_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence =
         "Time to write a checkpoint to storage, in addition to what its bytes take at write_bandwidth.",
     .source = "ours",
     .offset = AT(write_time)},
    {.path = "blocking_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time training stands still before an asynchronous write, to take a copy.",
     .source = "none; Llama 3 405B: 0.6 s",
     .offset = AT(blocking_time)},
    {.path = "load_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time to load a checkpoint from storage, after the restart itself, in addition to what its "
                 "bytes take at read_bandwidth.",
     .source = "ours",
     .offset = AT(load_time)},
    {.path = "bytes_per_parameter",
     .type = PARAMETER_REAL,
     .fallback = "14",
     .minimum = 0,
     .maximum = 1e6,
     .sentence = "Bytes of a checkpoint per parameter of the model, the optimiser's state included.",
     .source = "arXiv 1910.02054 §3: 2 in half precision, 12 of Adam",
     .offset = AT(bytes_per_parameter)},
    {.path = "write_bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence =
         "Bandwidth at which checkpoints are written to storage; they take no time of their own where "
         "left out.",
     .offset = AT(write_bandwidth)},
    {.path = "read_bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "The same for loading them.",
     .offset = AT(read_bandwidth)},
    {.path = "bandwidth_of",
     .type = PARAMETER_CHOICE,
     .choices = bandwidth_names,
     .fallback = "job",
     .sentence = "Whose bandwidth that is: of the job as a whole, of each of its hosts, or of each chip.",
     .source = "ours",
     .offset = AT(bandwidth_of)},
    {.path = "kept",
     .type = PARAMETER_INTEGER,
     .fallback = "2",
     .minimum = 1,
     .maximum = 1e4,
     .sentence =
         "Complete checkpoints that storage keeps, beside the start of the run; older ones are deleted.",
     .source = "ours",
     .offset = AT(kept)},
    {.path = "memory.copies",
     .type = PARAMETER_CHOICE,
     .choices = copies_names,
     .fallback = "none",
     .sentence =
         "Where checkpoints are kept in memory: nowhere, on each host (any failed slice loses them), or "
         "on a peer in another slice as well (a failed slice and its peer lose them).",
     .source = "none; peers: Gemini (SOSP '23)",
     .offset = AT(memory.copies)},
    {.path = "memory.write_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time training stands still to write a checkpoint to memory.",
     .source = "ours",
     .offset = AT(memory.write_time)},
    {.path = "memory.load_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time to load one from there.",
     .source = "ours",
     .offset = AT(memory.load_time)},
    {.path = "memory.storage_every",
     .type = PARAMETER_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "How many-th checkpoint in memory goes on to storage; none where 0.",
     .source = "ours",
     .offset = AT(memory.storage_every)},
};

const struct parameter_table checkpoint_parameters = {"checkpoints", rows, PARAMETER_COUNT(rows)};

static sim_time transfer(const struct checkpoint_config *config, const struct checkpoint_job *job,
                         double bandwidth)
{
    if (!(bandwidth > 0))
        return 0;
    int64_t streams = config->bandwidth_of == BANDWIDTH_OF_CHIP   ? job->chips
                      : config->bandwidth_of == BANDWIDTH_OF_HOST ? job->hosts
                                                                  : 1;
    return sim_time_from_seconds(8 * config->bytes_per_parameter * job->parameters /
                                 (bandwidth * (double)streams));
}

sim_time checkpoint_write_time(const struct checkpoint_config *config, const struct checkpoint_job *job)
{
    return sim_time_add(config->write_time, transfer(config, job, config->write_bandwidth));
}

sim_time checkpoint_load_time(const struct checkpoint_config *config, const struct checkpoint_job *job)
{
    return sim_time_add(config->load_time, transfer(config, job, config->read_bandwidth));
}

sim_time checkpoint_blocking_time(const struct checkpoint_config *config, const struct checkpoint_job *job)
{
    return config->mode == CHECKPOINTS_ASYNCHRONOUS ? config->blocking_time
                                                    : checkpoint_write_time(config, job);
}

static double mean_blocking(const struct checkpoint_config *config, const struct checkpoint_job *job)
{
    const struct memory_checkpoints *memory = &config->memory;
    double storage = sim_time_to_seconds(checkpoint_blocking_time(config, job));
    if (memory->copies == COPIES_NONE)
        return storage;
    double share = memory->storage_every > 0 ? 1 / (double)memory->storage_every : 0;
    return sim_time_to_seconds(memory->write_time) + share * storage;
}

sim_time checkpoint_interval(const struct checkpoint_config *config, const struct checkpoint_job *job,
                             double rate)
{
    double mean = 1 / rate, write = mean_blocking(config, job);
    if (config->rule == CHECKPOINTS_GIVEN)
        return config->interval;
    if (!(rate > 0))
        return SIM_NEVER;
    switch (config->rule) {
    case CHECKPOINTS_YOUNG:
        return sim_time_from_seconds(interval_young(mean, write));
    case CHECKPOINTS_DALY:
        return sim_time_from_seconds(interval_daly(mean, write));
    default:
        return sim_time_from_seconds(interval_exact(mean, write));
    }
}

int64_t checkpoint_peer(int64_t slice, int64_t slices)
{
    int64_t ring = slices % 2 && slices > 1 ? slices - 3 : slices;
    return slice < ring ? slice ^ 1 : ring + (slice - ring + 1) % 3;
}
