#include "models/network/link.h"

#include <math.h>

sim_time link_transfer_time(double bits, double bandwidth)
{
    double nanoseconds = ceil(bits * 1e9 / bandwidth);
    return nanoseconds < 0x1p63 ? (sim_time)nanoseconds : SIM_NEVER;
}

sim_time link_send(struct link *link, sim_time ready, double bits)
{
    sim_time start = ready > link->free_at ? ready : link->free_at;
    link->free_at = sim_time_add(start, link_transfer_time(bits, link->bandwidth));
    link->bits += bits;
    return sim_time_add(link->free_at, link->latency);
}
