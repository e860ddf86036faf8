/*
 * A signal handler can reach only what is static: the two mutable objects of the program that are.
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* timeout(1), a terminal and a batch system may each send one signal to the program and one to its process
 * group: what comes so soon after the first is part of it. */
#define ONE_INTERRUPTION INT64_C(500000000) /* ns */

static atomic_bool interrupted;
static _Atomic int64_t interrupted_at; /* ns of a clock that doesn't begin at 0 */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void interrupt(int number)
{
    int64_t first = 0, time = now();
    if (atomic_compare_exchange_strong(&interrupted_at, &first, time)) {
        atomic_store(&interrupted, true);
    } else if (time - first >= ONE_INTERRUPTION) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* What the caller has the program ignore, as nohup(1) does, stays ignored. */
static void catch (int number)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

const atomic_bool *interrupt_catch(void)
{
    catch (SIGINT);
    catch (SIGTERM);
    catch (SIGHUP);
    return &interrupted;
}
