#include "plots/budget.h"

#include "plots/stack.h"
#include "results/notation.h"
#include "results/outline.h"

bool budget_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                  struct error *error)
{
    char names[BUDGET_CATEGORIES][NOTATION_LENGTH];
    const char *name[BUDGET_CATEGORIES + 1] = {[BUDGET_CATEGORIES] = "others under 0.5 %"};
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        notation_metric(names[i], budget_metrics[i]);
        name[i] = names[i];
    }
    const struct stack stack = {.subject = "Chip time",
                                .axis = "Share of chip time (%)",
                                .lacking = "summary of its budget",
                                .whole = true,
                                .count = BUDGET_CATEGORIES,
                                .most_shown = BUDGET_CATEGORIES,
                                .metrics = budget_metrics,
                                .names = name};
    struct outline *outline = outline_create(store, request->study, error);
    bool written = outline && stack_write(store, outline, &stack, script, error);
    outline_destroy(outline);
    return written;
}
