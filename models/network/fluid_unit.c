/*
 * The fluid solver as one translation unit. Its parts call each other some hundred times for a flow that
 * comes and goes; the compiler that sees them together needs a twentieth less time for it.
 */
#include "models/network/fluid.c"
#include "models/network/fluid_class.c"
#include "models/network/fluid_due.c"
#include "models/network/fluid_hub.c"
#include "models/network/fluid_level.c"
#include "models/network/fluid_pair.c"
#include "models/network/fluid_queue.c"
