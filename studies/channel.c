#include "config.h"

#include "studies/channel.h"

#include <limits.h>
#include <stdlib.h>

bool channel_is_launched(void)
{
    const char *count = getenv("OMPI_COMM_WORLD_SIZE");
    return count ? atoi(count) > 1 : getenv("PMIX_RANK") != NULL;
}

bool channel_is_first(void)
{
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    if (!number)
        number = getenv("PMIX_RANK");
    return !number || atoi(number) == 0;
}

#ifdef HAVE_MPI

#include <mpi.h>

bool channel_is_built_in(void)
{
    return true;
}

struct channel {
    int number, count;
};

static bool check(int code, const char *deed, struct error *error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    error_set(error, ERROR_SYSTEM, "MPI: %s: %s", deed, text);
    return false;
}

struct channel *channel_open(struct error *error)
{
    int provided;
    struct channel *channel = calloc(1, sizeof *channel);
    if (!channel) {
        error_out_of_memory(error, "a channel to other processes");
        return NULL;
    }
    if (check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "joining", error)) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &channel->number);
        MPI_Comm_size(MPI_COMM_WORLD, &channel->count);
        if (provided >= MPI_THREAD_FUNNELED)
            return channel;
        error_set(error, ERROR_SYSTEM, "MPI: this one does not go together with threads");
    }
    free(channel);
    return NULL;
}

void channel_close(struct channel *channel, bool orderly)
{
    if (channel && orderly)
        MPI_Finalize();
    free(channel);
}

size_t channel_number(const struct channel *channel)
{
    return (size_t)channel->number;
}

size_t channel_count(const struct channel *channel)
{
    return (size_t)channel->count;
}

bool channel_agree(struct channel *channel, int *status, bool *speaks, struct error *error)
{
    const int own[2] = {*status, channel->number}; /* MPI_MAXLOC: the greatest, and the first that has it */
    int all[2];
    if (!check(MPI_Allreduce(own, all, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD), "meeting", error))
        return false;
    *status = all[0];
    *speaks = all[1] == channel->number;
    return true;
}

bool channel_send(struct channel *channel, size_t to, int kind, const void *bytes, size_t length,
                  struct error *error)
{
    (void)channel;
    if (length > INT_MAX) {
        error_set(error, ERROR_SYSTEM, "MPI: %zu bytes are too many for a message", length);
        return false;
    }
    return check(MPI_Send(bytes, (int)length, MPI_BYTE, (int)to, kind, MPI_COMM_WORLD), "sending", error);
}

bool channel_receive(struct channel *channel, struct channel_message *message, bool *come,
                     struct error *error)
{
    int probed = 0, length = 0;
    MPI_Status status;
    (void)channel;
    *come = false;
    if (!check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed, &status), "looking", error))
        return false;
    if (!probed)
        return true;
    MPI_Get_count(&status, MPI_BYTE, &length);
    *message = (struct channel_message){.from = (size_t)status.MPI_SOURCE,
                                        .kind = status.MPI_TAG,
                                        .bytes = malloc((size_t)length + 1),
                                        .length = (size_t)length};
    if (!message->bytes) {
        error_out_of_memory(error, "a message");
        return false;
    }
    *come = check(MPI_Recv(message->bytes, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "receiving", error);
    if (!*come)
        free(message->bytes);
    return *come;
}

#else

bool channel_is_built_in(void)
{
    return false;
}

struct channel *channel_open(struct error *error)
{
    error_set(error, ERROR_SYSTEM, "this program is built without MPI");
    return NULL;
}

void channel_close(struct channel *channel, bool orderly)
{
    (void)channel;
    (void)orderly;
}

size_t channel_number(const struct channel *channel)
{
    (void)channel;
    return 0;
}

size_t channel_count(const struct channel *channel)
{
    (void)channel;
    return 1;
}

bool channel_agree(struct channel *channel, int *status, bool *speaks, struct error *error)
{
    (void)channel;
    (void)status;
    (void)speaks;
    (void)error;
    return false;
}

bool channel_send(struct channel *channel, size_t to, int kind, const void *bytes, size_t length,
                  struct error *error)
{
    (void)channel;
    (void)to;
    (void)kind;
    (void)bytes;
    (void)length;
    (void)error;
    return false;
}

bool channel_receive(struct channel *channel, struct channel_message *message, bool *come,
                     struct error *error)
{
    (void)channel;
    (void)message;
    (void)error;
    *come = false;
    return false;
}

#endif
