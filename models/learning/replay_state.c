/*
 * A replay's memory as bytes: saving and loading walk the same blocks in the same order. The bytes are for
 * the same program on the same machine.
 */
#include "models/learning/replay_state.h"

#include <stdlib.h>
#include <string.h>

enum { STATE_VERSION = 1 }; /* of the blocks: one more with every change of them */

struct blocks {
    uint8_t *bytes; /* NULL: only counts */
    size_t at, length;
    bool loading;
};

static bool block(struct blocks *blocks, void *data, size_t size)
{
    if (blocks->bytes && blocks->at + size > blocks->length)
        return false;
    if (blocks->bytes && blocks->loading && size > 0)
        memcpy(data, blocks->bytes + blocks->at, size);
    else if (blocks->bytes && size > 0)
        memcpy(blocks->bytes + blocks->at, data, size);
    blocks->at += size;
    return true;
}

static bool replica_block(struct replay_engine *engine, struct blocks *blocks, struct replica *replica)
{
    return block(blocks, replica->parameters, replica_reals(&engine->shape) * sizeof(real)) &&
           block(blocks, replica->unsent, engine->shape.fragments * sizeof *replica->unsent) &&
           block(blocks, &replica->steps, sizeof replica->steps) &&
           block(blocks, &replica->age, sizeof replica->age) &&
           block(blocks, &replica->batch, sizeof replica->batch) &&
           block(blocks, &replica->count, sizeof replica->count) &&
           block(blocks, &replica->gradient_is_made, sizeof replica->gradient_is_made) &&
           block(blocks, &replica->lost, sizeof replica->lost) &&
           block(blocks, &replica->in_round, sizeof replica->in_round) &&
           block(blocks, &replica->has_met, sizeof replica->has_met);
}

static bool curve_block(struct replay_engine *engine, struct blocks *blocks)
{
    struct curve *curve = &engine->curve;
    struct curve_point *points = curve->points;
    size_t capacity = curve->capacity;
    if (!block(blocks, curve, sizeof *curve))
        return false;
    if (blocks->bytes && blocks->loading) {
        curve->points = points;
        if (curve->count > (blocks->length - blocks->at) / sizeof *points) {
            curve->count = 0;
            curve->capacity = capacity;
            return false;
        }
        points = realloc(points, (curve->count + 1) * sizeof *points);
        if (!points)
            return false;
        curve->points = points;
        curve->capacity = curve->count + 1;
    }
    return block(blocks, curve->points, curve->count * sizeof *curve->points);
}

/* What a state must fit; it stands first. */
struct fit {
    uint64_t version, real, parameters, learners, records;
};

static struct fit fit_of(const struct replay_engine *engine)
{
    return (struct fit){.version = STATE_VERSION,
                        .real = sizeof(real),
                        .parameters = engine->shape.parameters,
                        .learners = (uint64_t)engine->tape->learners,
                        .records = engine->tape->count};
}

static bool fit_block(const struct replay_engine *engine, struct blocks *blocks)
{
    struct fit mine = fit_of(engine), saved = mine;
    return block(blocks, &saved, sizeof saved) && memcmp(&mine, &saved, sizeof mine) == 0;
}

/* Without the syncer's memory, whose size its messages make. */
static bool all_blocks(struct replay_engine *engine, struct blocks *blocks)
{
    bool good = fit_block(engine, blocks) && block(blocks, &engine->next, sizeof engine->next) &&
                block(blocks, &engine->finished, sizeof engine->finished) &&
                block(blocks, &engine->next_evaluation, sizeof engine->next_evaluation) &&
                block(blocks, &engine->merged_at_snapshot, sizeof engine->merged_at_snapshot) &&
                curve_block(engine, blocks);
    for (int32_t m = 0; good && m < engine->tape->learners; m++) {
        good = replica_block(engine, blocks, engine->replicas[m]);
        for (uint32_t slot = 0; good && slot < engine->plan.slots; slot++)
            good = replica_block(engine, blocks, *snapshot_at(engine, m, slot));
    }
    return good;
}

/* A syncer's memory behind its size; 0: there is none. */
static void save_syncer(const struct syncer *syncer, struct blocks *blocks)
{
    size_t size = syncer ? syncer_saved_size(syncer) : 0;
    block(blocks, &size, sizeof size);
    if (syncer && blocks->bytes)
        syncer_save(syncer, blocks->bytes + blocks->at);
    blocks->at += size;
}

static void save_blocks(struct replay_engine *engine, struct blocks *blocks)
{
    all_blocks(engine, blocks);
    save_syncer(engine->syncer, blocks);
    save_syncer(engine->syncer_snapshot, blocks);
}

bool replay_state_save(const struct replay_engine *engine, void **bytes, size_t *length, struct error *error)
{
    struct replay_engine *unchanged = (struct replay_engine *)engine;
    struct blocks blocks = {0};
    save_blocks(unchanged, &blocks);
    blocks.length = blocks.at;
    blocks.at = 0;
    blocks.bytes = malloc(blocks.length);
    if (!blocks.bytes) {
        error_out_of_memory(error, "saving a replay");
        return false;
    }
    save_blocks(unchanged, &blocks);
    *bytes = blocks.bytes;
    *length = blocks.length;
    return true;
}

static bool load_syncer(struct syncer *syncer, struct blocks *blocks)
{
    size_t size = 0;
    if (!block(blocks, &size, sizeof size) || size > blocks->length - blocks->at ||
        (size > 0) != (syncer != NULL))
        return false;
    bool good = !syncer || syncer_load(syncer, blocks->bytes + blocks->at, size);
    blocks->at += size;
    return good;
}

static bool load_syncer_snapshot(struct replay_engine *engine, struct blocks *blocks)
{
    size_t size = 0;
    if (blocks->length - blocks->at < sizeof size)
        return false;
    memcpy(&size, blocks->bytes + blocks->at, sizeof size);
    if (size == 0) {
        syncer_destroy(engine->syncer_snapshot);
        engine->syncer_snapshot = NULL;
    } else if (!engine->syncer || !syncer_keep(engine->syncer, &engine->syncer_snapshot)) {
        return false;
    }
    return load_syncer(engine->syncer_snapshot, blocks);
}

bool replay_state_load(struct replay_engine *engine, const void *bytes, size_t length, struct error *error)
{
    struct blocks blocks = {.bytes = (uint8_t *)bytes, .length = length, .loading = true};
    bool good = all_blocks(engine, &blocks) && engine->next <= engine->tape->count &&
                load_syncer(engine->syncer, &blocks) && load_syncer_snapshot(engine, &blocks) &&
                blocks.at == length;
    if (!good)
        error_set(error, ERROR_INPUT, "the saved state is not of this replay");
    return good;
}
