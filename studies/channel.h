/*
 * Messages between the processes that mpirun started: MPI's, as far as it is needed here. Without MPI in the
 * build there is no channel. Only the thread that opened it may use it (MPI_THREAD_FUNNELED).
 */
#ifndef STUDIES_CHANNEL_H
#define STUDIES_CHANNEL_H

#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>

struct channel;

/* Whether this program is built with MPI. */
bool channel_is_built_in(void);

/* Whether mpirun, or another program that knows MPI, started this process together with others. Looks at the
 * environment alone: MPI itself is slow to start and stays out of plain runs. */
bool channel_is_launched(void);

/* Whether this process is the first of those, or alone, by the environment as well. */
bool channel_is_first(void);

/* Joins the others. NULL: no MPI in the build, or it failed (ERROR_SYSTEM). One channel a process. */
struct channel *channel_open(struct error *error);

/* Leaves the others; ORDERLY: all of them do so, or else the process must end soon after. */
void channel_close(struct channel *channel, bool orderly);

/* This process's number, from 0, and how many there are. */
size_t channel_number(const struct channel *channel);
size_t channel_count(const struct channel *channel);

/* To be called by all, each with its own *STATUS, 0 or above: that becomes the greatest of them. *SPEAKS:
 * this process is the first of those that had it. */
bool channel_agree(struct channel *channel, int *status, bool *speaks, struct error *error);

/* Sends LENGTH bytes, of the KIND that the caller chose, from 0. */
bool channel_send(struct channel *channel, size_t to, int kind, const void *bytes, size_t length,
                  struct error *error);

struct channel_message {
    size_t from;
    int kind;
    void *bytes; /* the receiver's to free; never NULL */
    size_t length;
};

/* The next message, if one has come: *COME says. */
bool channel_receive(struct channel *channel, struct channel_message *message, bool *come,
                     struct error *error);

#endif
