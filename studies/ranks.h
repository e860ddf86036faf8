/*
 * The processes that mpirun started, one of which, the first, has the plan's runs and the database; the
 * others ask it for runs and bring back what they leave (serve.h). All have made the same plan, which is
 * checked, and so a run is but a number.
 *
 * A process that isn't heard of for some time is lost, for good, and its runs are to be done again. Whether
 * the others outlive a lost one is up to MPI: with Open MPI they do after `mpirun --enable-recovery'.
 */
#ifndef STUDIES_RANKS_H
#define STUDIES_RANKS_H

#include "studies/execution.h"
#include "studies/pending.h"

struct ranks;
struct channel;

/* Kinds of messages, and what is in them. */
enum ranks_message {
    RANKS_HELLO,  /* to the first: struct ranks_hello */
    RANKS_BEAT,   /* to the first: nothing; it is still there */
    RANKS_RESULT, /* to the first: a parcel */
    RANKS_RUN,    /* from it: a size_t, the run to do */
    RANKS_STOP,   /* from it: nothing; drop what is in hand */
    RANKS_LEAVE   /* from it: struct ranks_leave; the end */
};

struct ranks_leave {
    bool orderly; /* all are there to leave in good order */
    int status;   /* for all to end with */
};

struct ranks_hello {
    size_t wanted;   /* runs to have in hand */
    char digest[65]; /* of the plan, see ranks_digest */
};

enum { RANKS_BEAT_SECONDS = 1 };

/* What two processes must agree in: the runs of PLAN, whether tapes are kept, and the VERSION of the program.
 * False when out of memory. */
bool ranks_digest(const struct plan *plan, bool tapes, const char *version, char digest[65]);

/* Of the first process of CHANNEL, which stays the caller's. A process that isn't heard of for PATIENCE
 * seconds is lost. NULL when out of memory; the caller destroys it. */
struct ranks *ranks_create(struct channel *channel, double patience, struct error *error);
void ranks_destroy(struct ranks *ranks); /* NULL is allowed */

/* From now on it is about the runs of PLAN with the digest DIGEST. */
bool ranks_attach(struct ranks *ranks, const struct plan *plan, struct error *error);
void ranks_expect(struct ranks *ranks, const char *digest);

/* Reads messages until one brings a run (*COME; EXECUTION is then the caller's to discard), or there are no
 * more. False: MPI failed, or a process has another plan (ERROR_INPUT). */
bool ranks_receive(struct ranks *ranks, struct execution *execution, bool *come, struct error *error);

/* Gives runs of PENDING to those that want some. */
void ranks_give(struct ranks *ranks, struct pending *pending);

/* Lays the runs of lost processes back into PENDING. */
void ranks_give_back_lost(struct ranks *ranks, struct pending *pending);

/* Whether runs are in hand elsewhere. */
bool ranks_are_busy(const struct ranks *ranks);

/* The others drop what they have in hand, and nothing is waited for. NULL is allowed, as below. */
void ranks_stop(struct ranks *ranks);

/* Processes besides this one, and those of them that are lost. */
size_t ranks_count(const struct ranks *ranks);
size_t ranks_lost(const struct ranks *ranks);

/* Sends the others away, to end with STATUS. Returns whether all are there to leave in good order. */
bool ranks_dismiss(struct ranks *ranks, int status);

#endif
