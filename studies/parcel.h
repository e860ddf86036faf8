/*
 * What a run left, as bytes for another process of the same build on a machine of the same kind.
 */
#ifndef STUDIES_PARCEL_H
#define STUDIES_PARCEL_H

#include "studies/execution.h"

/* The caller frees; NULL when out of memory. */
void *parcel_pack(const struct execution *execution, size_t *length);

/* False when the bytes are no parcel of this build, or memory is short (ERROR_SYSTEM). The caller discards
 * EXECUTION after success. */
bool parcel_open(const void *bytes, size_t length, struct execution *execution, struct error *error);

#endif
