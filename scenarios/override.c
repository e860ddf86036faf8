/*
 * "PATH=VALUE" laid over a document. The path is walked as far as it exists; what is missing becomes
 * mappings whose keys have their places in the override, so that a later fault points there. The segment "*"
 * is every item of a list.
 */
#include "scenarios/document.h"

#include <stdlib.h>
#include <string.h>

/* A walk along the path of an override. */
struct walk {
    const struct source *source;
    size_t offset; /* of what is left of the path */
    size_t end;    /* of the path: where '=' stands */
    struct scenario_memory *memory;
    struct faults *faults;
};

static const char *rest(const struct walk *walk)
{
    return walk->source->bytes + walk->offset;
}

static struct place here(const struct walk *walk)
{
    return (struct place){walk->source, walk->offset};
}

/* Whether what is left starts with WORD as a whole segment, or several of them. */
static bool starts_with(const struct walk *walk, const char *word)
{
    size_t length = strlen(word), left = walk->end - walk->offset;
    return length > 0 && length <= left && strncmp(rest(walk), word, length) == 0 &&
           (length == left || rest(walk)[length] == '.');
}

static size_t segment_length(const struct walk *walk)
{
    size_t length = 0;
    while (walk->offset + length < walk->end && rest(walk)[length] != '.')
        length++;
    return length;
}

/* Steps over LENGTH bytes and the dot behind them. */
static void advance(struct walk *walk, size_t length)
{
    walk->offset += length;
    if (walk->offset < walk->end)
        walk->offset++;
}

static const char *item_name(const struct node *item)
{
    const struct node *name = item->kind == NODE_MAPPING ? document_member(item, "name", 4) : NULL;
    return name && name->kind == NODE_SCALAR ? name->text : "";
}

static struct node *item_at(const struct node *sequence, const char *digits, size_t length)
{
    size_t index = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9' || index > sequence->count)
            return NULL;
        index = 10 * index + (size_t)(digits[i] - '0');
    }
    struct node *item = length ? sequence->first : NULL;
    while (item && index-- > 0)
        item = item->next;
    return item;
}

static void refuse_item(struct walk *walk, const struct node *sequence, size_t length)
{
    char quoted[FAULTS_QUOTED];
    const char *names = "", *wanted = memory_copy(walk->memory, rest(walk), length);
    size_t shown = 0;
    for (const struct node *item = sequence->first; item && names && shown < 10; item = item->next)
        if (*item_name(item))
            names = memory_format(walk->memory, "%s%s\"%.40s\"", names, shown++ ? ", " : "", item_name(item));
    if (!wanted || !names)
        return;
    faults_quote(quoted, wanted);
    if (shown)
        faults_add(walk->faults, here(walk), "no item of the list is called %s; there are %s%s", quoted,
                   names, shown < sequence->count ? ", ..." : "");
    else
        faults_add(walk->faults, here(walk), "the list has no item %s, but %zu of them", quoted,
                   sequence->count);
}

/* The longest name wins, since names may contain dots. */
static struct node *item_of(struct walk *walk, const struct node *sequence)
{
    struct node *found = NULL;
    size_t length = 0;
    for (struct node *item = sequence->first; item; item = item->next) {
        const char *name = item_name(item);
        if (starts_with(walk, name) && strlen(name) > length) {
            found = item;
            length = strlen(name);
        }
    }
    if (!found) {
        length = segment_length(walk);
        found = item_at(sequence, rest(walk), length);
    }
    if (found)
        advance(walk, length);
    else
        refuse_item(walk, sequence, length);
    return found;
}

static struct node *add_member(struct walk *walk, struct node *mapping, const char *key)
{
    struct node *member = memory_take(walk->memory, 1, sizeof *member);
    if (!member)
        return NULL;
    *member = (struct node){.kind = NODE_SCALAR, .text = "", .place = here(walk), .key = key};
    if (mapping->last)
        mapping->last->next = member;
    else
        mapping->first = member;
    mapping->last = member;
    mapping->count++;
    return member;
}

/* Keys may contain dots too (those of "sweep"). */
static struct node *member_of(struct walk *walk, struct node *mapping)
{
    struct node *found = NULL;
    for (struct node *member = mapping->first; member; member = member->next)
        if (starts_with(walk, member->key) && (!found || strlen(member->key) > strlen(found->key)))
            found = member;
    size_t length = found ? strlen(found->key) : segment_length(walk);
    if (length == 0) {
        faults_add(walk->faults, here(walk), "a path is names with dots between them");
        return NULL;
    }
    struct place place = here(walk);
    if (!found) {
        const char *key = memory_copy(walk->memory, rest(walk), length);
        found = key ? add_member(walk, mapping, key) : NULL;
    }
    if (found)
        found->key_place = place;
    advance(walk, length);
    return found;
}

/* Whether what is left begins with the segment that stands for every item. */
static bool means_all(const struct walk *walk)
{
    return segment_length(walk) == 1 && *rest(walk) == '*';
}

static struct node *step(struct walk *walk, struct node *node)
{
    if (node->kind == NODE_SEQUENCE)
        return item_of(walk, node);
    if (document_is_null(node)) {
        node->kind = NODE_MAPPING;
        node->text = NULL;
    }
    if (node->kind == NODE_MAPPING)
        return member_of(walk, node);
    char quoted[FAULTS_QUOTED];
    faults_add(walk->faults, here(walk), "%s stands there, which has no parts",
               faults_quote(quoted, node->text));
    return NULL;
}

/* VALUE takes the place of what NODE was, under the same key. */
static void replace(struct node *node, const struct node *value)
{
    struct node old = *node;
    *node = *value;
    node->key = old.key;
    node->key_place = old.key_place;
    node->next = old.next;
}

static struct node *parse_value(struct walk *walk)
{
    size_t before = walk->faults->count;
    struct node *value = document_parse(walk->source, walk->end + 1, walk->memory, walk->faults);
    if (value || walk->faults->count > before)
        return value;
    value = memory_take(walk->memory, 1, sizeof *value);
    if (value)
        *value =
            (struct node){.kind = NODE_SCALAR, .text = "", .place = {walk->source, walk->source->length}};
    return value;
}

/* Puts the value where what is left of the path leads from NODE; a value of its own in every item, since what
 * is laid later may change one of them. */
static bool put(struct walk walk, struct node *node)
{
    while (node && walk.offset < walk.end) {
        if (node->kind == NODE_SEQUENCE && means_all(&walk)) {
            bool good = node->count > 0;
            if (!good)
                faults_add(walk.faults, here(&walk), "the list is empty");
            advance(&walk, 1);
            for (struct node *item = node->first; item && good; item = item->next)
                good = put(walk, item);
            return good;
        }
        node = step(&walk, node);
    }
    const struct node *value = node ? parse_value(&walk) : NULL;
    if (value)
        replace(node, value);
    return value != NULL;
}

bool document_override(struct node **root, const struct source *source, struct scenario_memory *memory,
                       struct faults *faults)
{
    const char *equals = strchr(source->bytes, '=');
    if (!equals || equals == source->bytes || equals[-1] == '.') {
        faults_add(faults, (struct place){source, 0}, "expected PATH=VALUE");
        return false;
    }
    struct walk walk = {source, 0, (size_t)(equals - source->bytes), memory, faults};
    if (!parse_value(&walk))
        return false; /* before the path, of which nothing is then changed */
    if (!*root)
        *root = memory_take(memory, 1, sizeof **root);
    if (!*root)
        return false;
    if (!(*root)->kind && !(*root)->text)
        **root = (struct node){.kind = NODE_MAPPING, .place = {source, 0}};
    return put(walk, *root);
}
