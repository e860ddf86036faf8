/*
 * A signal handler can reach only what is static: the one mutable object of the program that is.
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdbool.h>

static atomic_bool interrupted;

static void interrupt(int number)
{
    (void)number;
    atomic_store(&interrupted, true);
}

const atomic_bool *interrupt_catch(void)
{
    /* SA_RESETHAND: the next one finds the default action, which kills */
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    return &interrupted;
}
