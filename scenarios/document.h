/*
 * A YAML document as a tree of values that know their places, and overrides laid over it.
 *
 * The tree is built from libfyaml's events rather than taken from its own document, since overrides, and
 * the places of what they add, must fit in. Anchors and aliases are understood (an alias is a copy).
 * Tags, several documents in a file and keys that aren't plain words are refused, as are mappings with
 * the same key twice. Size is bounded at every turn, so that no input costs more than its length.
 */
#ifndef SCENARIOS_DOCUMENT_H
#define SCENARIOS_DOCUMENT_H

#include "scenarios/faults.h"
#include "scenarios/memory.h"
#include "scenarios/source.h"

enum {
    DOCUMENT_LARGEST = 1 << 20, /* bytes */
};

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

/* A value. Members of a mapping and items of a sequence are lists in the document's order. */
struct node {
    enum node_kind kind;
    const char *text; /* of a scalar; holds no zero */
    bool quoted;      /* a scalar in quotes or a block, which is never a number or nothing */
    struct place place;
    const char *key; /* of a mapping's member */
    struct place key_place;
    struct node *first, *last; /* members or items */
    size_t count;
    struct node *next;
};

/* Parses SOURCE from START on. NULL for a document without a value, and when there are faults. */
struct node *document_parse(const struct source *source, size_t start, struct scenario_memory *memory,
                            struct faults *faults);

/* Nothing: left empty, "null" or "~". */
bool document_is_null(const struct node *node);

/* The place of the byte OFFSET of a scalar's text, or where the scalar begins if escapes or folded lines are
 * in between. */
struct place document_place(const struct node *node, size_t offset);

/* The member of MAPPING whose key is the LENGTH bytes at KEY, or NULL. */
struct node *document_member(const struct node *mapping, const char *key, size_t length);

/* Lays SOURCE, "PATH=VALUE", over the tree whose root is *ROOT (NULL: none yet): VALUE is YAML, PATH names
 * members by key and items by name or index, or all of a list by "*". Mappings on the way are created; items
 * must exist. */
bool document_override(struct node **root, const struct source *source, struct scenario_memory *memory,
                       struct faults *faults);

#endif
