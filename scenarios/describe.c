#include "scenarios/describe.h"

#include "scenarios/value.h"

#include <string.h>

static const char *quantity_name(enum parameter_dimension dimension)
{
    static const char *const names[] = {[DIMENSION_NONE] = "number",
                                        [DIMENSION_TIME] = "time",
                                        [DIMENSION_DATA] = "amount of data",
                                        [DIMENSION_DATA_RATE] = "data rate",
                                        [DIMENSION_FLOP_RATE] = "computing rate",
                                        [DIMENSION_POWER] = "power",
                                        [DIMENSION_ENERGY] = "energy"};
    return names[dimension];
}

static const char *type_name(const struct field *field)
{
    switch (field->form) {
    case FIELD_ITEMS:
        return "list of mappings";
    case FIELD_AXES:
        return "mapping of paths to lists of values, or list of such mappings";
    case FIELD_POINT:
        return "mapping of paths to values";
    default:
        break;
    }
    switch (field->row.type) {
    case PARAMETER_INTEGER:
        return "whole number";
    case PARAMETER_BOOLEAN:
        return "true or false";
    case PARAMETER_TEXT:
        return "text";
    default:
        return quantity_name(field->row.dimension);
    }
}

void describe_value(const struct units *units, const struct field *field, struct writer *writer)
{
    char range[VALUE_RANGE_BYTES];
    if (field->form == FIELD_VALUE && field->row.type == PARAMETER_CHOICE) {
        writer_add(writer, "one of ");
        value_write_choices(&field->row, writer);
        return;
    }
    bool list = field->form == FIELD_VALUE && field->row.type == PARAMETER_REAL_LIST;
    value_range(units, &field->row, range);
    writer_add(writer, "%s%s%s%s", list ? "list, each a " : "", type_name(field), *range ? ", " : "", range);
}

const char *describe_segment(const struct scope *scope, size_t index, const char *prefix, size_t *length)
{
    const char *path = scope->fields[index].row.path;
    size_t start = strlen(prefix);
    if (strncmp(path, prefix, start) != 0)
        return NULL;
    *length = strcspn(path + start, ".");
    for (size_t i = 0; i < index; i++) {
        const char *earlier = scope->fields[i].row.path;
        if (strncmp(earlier, path, start + *length) == 0 &&
            (earlier[start + *length] == '.' || !earlier[start + *length]))
            return NULL;
    }
    return path + start;
}
