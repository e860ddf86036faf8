#include "plots/timeline.h"

#include "plots/kernels.h"
#include "plots/lanes.h"

bool timeline_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                    struct error *error)
{
    bool kernels;
    if (!kernels_are_kept(store, request, &kernels, error))
        return false;
    script_set_number(script->out, "of_gpu", kernels);
    return kernels ? kernels_write(store, request, script, error)
                   : lanes_write(store, request, script, error);
}
