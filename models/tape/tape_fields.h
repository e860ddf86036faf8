/*
 * Which fields a record of a kind has beside time, kind, actor and clock: what the bytes and the JSON of a
 * tape carry. The others have the peer TAPE_SYNCER, the fragment TAPE_WHOLE, and zeros.
 */
#ifndef MODELS_TAPE_TAPE_FIELDS_H
#define MODELS_TAPE_TAPE_FIELDS_H

#include "models/tape/tape.h"

enum tape_field {
    TAPE_HAS_PEER = 1 << 0,
    TAPE_HAS_FRAGMENT = 1 << 1,
    TAPE_HAS_POSITION = 1 << 2, /* and whether it is replayed */
    TAPE_HAS_TOKENS = 1 << 3,
    TAPE_HAS_WEIGHT = 1 << 4,
    TAPE_HAS_PARTS = 1 << 5,
};

extern const unsigned tape_fields[TAPE_KINDS]; /* of enum tape_field */

#endif
