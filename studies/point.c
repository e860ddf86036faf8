#include "studies/point.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A value as YAML, which JSON's numbers and plain words are. */
static char *value_text(const json_t *value)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
}

static bool add_settings(json_t *object, struct point_overrides *overrides)
{
    const char *path;
    json_t *value;
    json_object_foreach(object, path, value)
    {
        char *key = strdup(path), *text = value_text(value);
        overrides->texts[overrides->text_count++] = key;
        overrides->texts[overrides->text_count++] = text;
        if (!key || !text)
            return false;
        overrides->items[overrides->count++] = (struct scenario_override){key, text, "point"};
    }
    return true;
}

static bool reserve(struct point_overrides *overrides, size_t settings, size_t more)
{
    overrides->items = calloc(settings + more + 1, sizeof *overrides->items);
    overrides->texts = calloc(2 * settings + 1, sizeof *overrides->texts);
    return overrides->items && overrides->texts;
}

bool point_overrides_parse(const char *point, const struct scenario_override *more, size_t count,
                           struct point_overrides *overrides, struct error *error)
{
    *overrides = (struct point_overrides){.items = NULL};
    json_t *object = json_loads(point, 0, NULL);
    if (!json_is_object(object)) {
        json_decref(object);
        error_set(error, ERROR_INPUT, "the run's point is no JSON object: %s", point);
        return false;
    }
    bool good = reserve(overrides, json_object_size(object), count) && add_settings(object, overrides);
    json_decref(object);
    if (!good) {
        error_out_of_memory(error, "a run's point");
        point_overrides_free(overrides);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        overrides->items[overrides->count++] = more[i];
    return true;
}

void point_overrides_free(struct point_overrides *overrides)
{
    for (size_t i = 0; i < overrides->text_count; i++)
        free(overrides->texts[i]);
    free(overrides->texts);
    free(overrides->items);
}
