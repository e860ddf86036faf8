/*
 * Causes are stacked the most expensive first, by the mean over strategies and points, so that those that are
 * shown apart are those that matter.
 */
#include "plots/waste.h"

#include "plots/stack.h"
#include "results/database.h"
#include "results/outline.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CAUSES = 1000, MOST_SHOWN = 12 };

static const char prefix[] = "waste:";

struct causes {
    size_t count;
    char *metrics[MOST_CAUSES];
    const char *names[MOST_CAUSES + 1];
};

static bool find_causes(const struct database *database, int64_t study, struct causes *causes,
                        struct error *error)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query =
        database_query(database,
                       "select metric from summary where study = ?1 and metric glob 'waste:*'"
                       " group by metric order by sum(mean) desc, metric limit 1000",
                       1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        char *metric = database_copy_text(query, 0);
        if (!metric) {
            error_out_of_memory(error, "a figure");
            step = DATABASE_FAILED;
            break;
        }
        causes->names[causes->count] = metric + strlen(prefix);
        causes->metrics[causes->count++] = metric;
    }
    sqlite3_finalize(query);
    causes->names[causes->count] = "other causes";
    return step == DATABASE_END;
}

static bool write_outline(struct store *store, const struct outline *outline, struct causes *causes,
                          struct figure_script *script, struct error *error)
{
    if (!find_causes(store_database(store), outline->study, causes, error))
        return false;
    const struct stack stack = {.subject = "Chip time lost to failures",
                                .axis = "Share of chip time lost to failures (%)",
                                .lacking = "failures that anything is charged to",
                                .count = causes->count,
                                .most_shown = MOST_SHOWN,
                                .metrics = (const char *const *)causes->metrics,
                                .names = causes->names};
    return stack_write(store, outline, &stack, script, error);
}

bool waste_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    struct causes *causes = calloc(1, sizeof *causes);
    if (outline && !causes)
        error_out_of_memory(error, "a figure");
    bool written = outline && causes && write_outline(store, outline, causes, script, error);
    for (size_t i = 0; causes && i < causes->count; i++)
        free(causes->metrics[i]);
    free(causes);
    outline_destroy(outline);
    return written;
}
