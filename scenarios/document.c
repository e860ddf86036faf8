/*
 * The builder keeps a stack of the collections that are open. It goes on after a fault of ours, so that
 * several are found at once; after one of libfyaml's there are no more events.
 */
#include "scenarios/document.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_LIMIT = 32,
    NODE_LIMIT = 250000,
    MEMBER_LIMIT = 1000, /* keys of one mapping; they are compared with each other */
    ANCHOR_LIMIT = 1000,
    BRACKET_LIMIT = 100000, /* libfyaml holds what follows an open one until it is closed */
};

struct anchor {
    struct anchor *next;
    const char *name;
    const struct node *node;
};

struct builder {
    const struct source *source;
    size_t start;
    struct scenario_memory *memory;
    struct faults *faults;
    struct node *root;
    struct node *open[DEPTH_LIMIT];
    size_t depth;
    size_t nodes;
    bool key_pending; /* the open mapping has a key without its value */
    const char *key;
    struct place key_place;
    struct anchor *anchors;
    size_t anchor_count;
    bool stopped; /* no use going on */
};

static struct place place_at(const struct builder *builder, const struct fy_mark *mark)
{
    size_t offset = mark ? builder->start + mark->input_pos : builder->source->length;
    return (struct place){builder->source, offset};
}

static void stop(struct builder *builder, struct place place, const char *message)
{
    faults_add(builder->faults, place, "%s", message);
    builder->stopped = true;
}

static struct node *new_node(struct builder *builder, enum node_kind kind, struct place place)
{
    if (builder->nodes >= NODE_LIMIT) {
        stop(builder, place, "too many values; a scenario may have 250000");
        return NULL;
    }
    struct node *node = memory_take(builder->memory, 1, sizeof *node);
    if (!node) {
        builder->stopped = true;
        return NULL;
    }
    builder->nodes++;
    node->kind = kind;
    node->place = place;
    return node;
}

static void append(struct node *parent, struct node *node)
{
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
}

static struct node *innermost(const struct builder *builder)
{
    return builder->depth ? builder->open[builder->depth - 1] : NULL;
}

static void add_member(struct builder *builder, struct node *mapping, struct node *node)
{
    node->key = builder->key;
    node->key_place = builder->key_place;
    builder->key_pending = false;
    const struct node *earlier = document_member(mapping, node->key, strlen(node->key));
    if (earlier) {
        size_t line, column;
        char quoted[FAULTS_QUOTED];
        source_locate(earlier->key_place, &line, &column);
        faults_add(builder->faults, node->key_place, "%s is given twice; it is already in line %zu",
                   faults_quote(quoted, node->key), line);
        return;
    }
    if (mapping->count >= MEMBER_LIMIT)
        stop(builder, node->key_place, "too many keys in one mapping");
    else
        append(mapping, node);
}

/* Puts a finished or just opened value where it belongs. */
static void attach(struct builder *builder, struct node *node)
{
    struct node *parent = innermost(builder);
    if (!parent)
        builder->root = node;
    else if (parent->kind == NODE_SEQUENCE)
        append(parent, node);
    else
        add_member(builder, parent, node);
}

static bool expects_key(const struct builder *builder)
{
    const struct node *parent = innermost(builder);
    return parent && parent->kind == NODE_MAPPING && !builder->key_pending;
}

static void refuse_tag(struct builder *builder, struct fy_token *tag)
{
    if (tag)
        faults_add(builder->faults, place_at(builder, fy_token_start_mark(tag)),
                   "tags have no meaning in a scenario");
}

static void add_anchor(struct builder *builder, struct fy_token *token, const struct node *node)
{
    if (!token || !node)
        return;
    size_t length = 0;
    const char *name = fy_token_get_text(token, &length);
    struct anchor *anchor = memory_take(builder->memory, 1, sizeof *anchor);
    if (!anchor || !name)
        return;
    if (builder->anchor_count++ >= ANCHOR_LIMIT) {
        stop(builder, place_at(builder, fy_token_start_mark(token)), "too many anchors");
        return;
    }
    *anchor = (struct anchor){builder->anchors, memory_copy(builder->memory, name, length), node};
    builder->anchors = anchor;
}

static const char *scalar_text(struct builder *builder, struct fy_event *event, struct place place)
{
    size_t length = 0;
    const char *text = fy_token_get_text(event->scalar.value, &length);
    if (!text)
        length = 0;
    if (length && memchr(text, '\0', length)) {
        faults_add(builder->faults, place, "a text can't contain a zero byte");
        length = 0;
    }
    return memory_copy(builder->memory, text, length);
}

static void set_key(struct builder *builder, const char *key, struct place place)
{
    builder->key = key;
    builder->key_place = place;
    builder->key_pending = true;
}

/* An implicit, empty scalar has no place of its own: it is where its key is. */
static struct place scalar_place(const struct builder *builder, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (!mark && builder->key_pending)
        return builder->key_place;
    return place_at(builder, mark);
}

static void take_scalar(struct builder *builder, struct fy_event *event)
{
    struct place place = scalar_place(builder, event);
    refuse_tag(builder, event->scalar.tag);
    const char *text = scalar_text(builder, event, place);
    if (!text) {
        builder->stopped = true;
        return;
    }
    if (expects_key(builder)) {
        set_key(builder, text, place);
        return;
    }
    struct node *node = new_node(builder, NODE_SCALAR, place);
    if (!node)
        return;
    node->text = text;
    node->quoted = fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
    add_anchor(builder, event->scalar.anchor, node);
    attach(builder, node);
}

static void open_collection(struct builder *builder, struct fy_event *event, enum node_kind kind,
                            struct fy_token *anchor, struct fy_token *tag)
{
    struct place place = place_at(builder, fy_event_start_mark(event));
    if (builder->depth == DEPTH_LIMIT || expects_key(builder)) {
        stop(builder, place,
             builder->depth == DEPTH_LIMIT ? "nested too deeply" : "a key must be a plain word");
        return;
    }
    refuse_tag(builder, tag);
    struct node *node = new_node(builder, kind, place);
    if (!node)
        return;
    add_anchor(builder, anchor, node);
    attach(builder, node);
    builder->open[builder->depth++] = node;
    builder->key_pending = false;
}

static void close_collection(struct builder *builder)
{
    if (builder->depth)
        builder->depth--;
}

/* A deep copy, at most DEPTH levels deep. */
static struct node *copy(struct builder *builder, const struct node *original, size_t depth)
{
    if (depth >= DEPTH_LIMIT) {
        stop(builder, original->place, "nested too deeply");
        return NULL;
    }
    struct node *node = new_node(builder, original->kind, original->place);
    if (!node)
        return NULL;
    node->text = original->text;
    node->quoted = original->quoted;
    for (const struct node *child = original->first; child; child = child->next) {
        struct node *below = copy(builder, child, depth + 1);
        if (!below)
            return NULL;
        below->key = child->key;
        below->key_place = child->key_place;
        append(node, below);
    }
    return node;
}

static bool is_open(const struct builder *builder, const struct node *node)
{
    for (size_t i = 0; i < builder->depth; i++)
        if (builder->open[i] == node)
            return true;
    return false;
}

static const struct node *find_anchor(const struct builder *builder, const char *name, size_t length)
{
    for (const struct anchor *anchor = builder->anchors; anchor; anchor = anchor->next)
        if (anchor->name && strlen(anchor->name) == length && memcmp(anchor->name, name, length) == 0)
            return anchor->node;
    return NULL;
}

static void take_alias(struct builder *builder, struct fy_event *event)
{
    struct place place = place_at(builder, fy_event_start_mark(event));
    size_t length = 0;
    const char *name = fy_token_get_text(event->alias.anchor, &length);
    const struct node *original = name ? find_anchor(builder, name, length) : NULL;
    if (expects_key(builder)) {
        stop(builder, place, "a key must be a plain word");
    } else if (!original || is_open(builder, original)) {
        stop(builder, place,
             original ? "an alias inside its own anchor" : "no anchor of this name stands before its alias");
    } else {
        struct node *node = copy(builder, original, builder->depth);
        if (node)
            attach(builder, node);
    }
}

static void take_document(struct builder *builder, struct fy_event *event)
{
    if (builder->root)
        stop(builder, place_at(builder, fy_event_start_mark(event)),
             "a second document begins here; a scenario is one");
}

static void take_event(struct builder *builder, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        take_document(builder, event);
        break;
    case FYET_SCALAR:
        take_scalar(builder, event);
        break;
    case FYET_ALIAS:
        take_alias(builder, event);
        break;
    case FYET_MAPPING_START:
        open_collection(builder, event, NODE_MAPPING, event->mapping_start.anchor, event->mapping_start.tag);
        break;
    case FYET_SEQUENCE_START:
        open_collection(builder, event, NODE_SEQUENCE, event->sequence_start.anchor,
                        event->sequence_start.tag);
        break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        close_collection(builder);
        break;
    default:
        break;
    }
}

/* The offset of a line and column, counted from 1, in what was parsed. */
static size_t offset_of(const struct builder *builder, int line, int column)
{
    const struct source *source = builder->source;
    size_t offset = builder->start;
    for (; line > 1 && offset < source->length; line--) {
        while (offset < source->length && source->bytes[offset] != '\n' && source->bytes[offset] != '\r')
            offset++;
        if (source->bytes[offset] == '\r' && source->bytes[offset + 1] == '\n')
            offset++;
        offset += offset < source->length;
    }
    for (; column > 1 && offset < source->length; column--)
        do
            offset++;
        while (((unsigned char)source->bytes[offset] & 0xc0) == 0x80);
    return offset;
}

/* What is missing at the end is shown behind the last thing there is. */
static size_t before_blanks(const struct builder *builder, size_t offset)
{
    const struct source *source = builder->source;
    if (offset < source->length)
        return offset;
    while (offset > builder->start && strchr(" \t\r\n", source->bytes[offset - 1]))
        offset--;
    return offset;
}

static void take_errors(struct builder *builder, struct fy_diag *diagnostics)
{
    void *state = NULL;
    const struct fy_diag_error *error;
    while ((error = fy_diag_errors_iterate(diagnostics, &state))) {
        size_t offset = before_blanks(builder, offset_of(builder, error->line, error->column));
        struct place place = {builder->source, offset};
        faults_add(builder->faults, place, "not valid YAML: %s", error->msg);
    }
}

static void run_parser(struct builder *builder, struct fy_parser *parser, struct fy_diag *diagnostics)
{
    const char *bytes = builder->source->bytes + builder->start;
    if (fy_parser_set_string(parser, bytes, builder->source->length - builder->start) != 0) {
        stop(builder, (struct place){builder->source, builder->start}, "can't be parsed");
        return;
    }
    struct fy_event *event;
    while (!builder->stopped && (event = fy_parser_parse(parser))) {
        take_event(builder, event);
        fy_parser_event_free(parser, event);
    }
    size_t before = builder->faults->count;
    take_errors(builder, diagnostics);
    if (fy_parser_get_stream_error(parser) && builder->faults->count == before)
        stop(builder, (struct place){builder->source, builder->start}, "not valid YAML");
}

static bool parse_events(struct builder *builder)
{
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    struct fy_diag *diagnostics = fy_diag_create(&quiet);
    if (!diagnostics)
        return false;
    fy_diag_set_collect_errors(diagnostics, true);
    const struct fy_parse_cfg settings = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = diagnostics,
    };
    struct fy_parser *parser = fy_parser_create(&settings);
    if (parser)
        run_parser(builder, parser, diagnostics);
    fy_parser_destroy(parser);
    /* unref alone would leave the collected errors behind */
    fy_diag_destroy(diagnostics);
    return parser != NULL;
}

/* The first bracket too many; the length of the source if there is none. */
static size_t find_excess(const struct source *source, size_t start)
{
    size_t brackets = 0, offset = start;
    for (; offset < source->length; offset++) {
        brackets += source->bytes[offset] == '[' || source->bytes[offset] == '{';
        if (brackets > BRACKET_LIMIT)
            break;
    }
    return offset;
}

/* What is refused before libfyaml sees it. */
static bool check_bytes(const struct source *source, size_t start, struct faults *faults)
{
    const char *what;
    size_t bad = source_first_bad_byte(source, start, &what), excess = find_excess(source, start);
    size_t before = faults->count;
    if (source->length - start > DOCUMENT_LARGEST)
        faults_add(faults, (struct place){source, start}, "larger than %d MiB; this is no scenario",
                   DOCUMENT_LARGEST >> 20);
    else if (bad < source->length)
        faults_add(faults, (struct place){source, bad}, "%s, where a text is expected", what);
    else if (excess < source->length)
        faults_add(faults, (struct place){source, excess}, "more than %d brackets; this is no scenario",
                   BRACKET_LIMIT);
    return faults->count == before;
}

struct node *document_parse(const struct source *source, size_t start, struct scenario_memory *memory,
                            struct faults *faults)
{
    size_t before = faults->count;
    struct builder builder = {.source = source, .start = start, .memory = memory, .faults = faults};
    if (!check_bytes(source, start, faults))
        return NULL;
    if (!parse_events(&builder))
        faults_add(faults, (struct place){source, start}, "no memory to parse it");
    return faults->count == before ? builder.root : NULL;
}

bool document_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && !node->quoted &&
           (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

struct place document_place(const struct node *node, size_t offset)
{
    struct place place = node->place;
    size_t length = strlen(node->text), start = place.offset + node->quoted;
    if (place.source && start + length <= place.source->length &&
        memcmp(place.source->bytes + start, node->text, length) == 0)
        place.offset = start + offset;
    return place;
}

struct node *document_member(const struct node *mapping, const char *key, size_t length)
{
    for (struct node *member = mapping->first; member; member = member->next)
        if (strncmp(member->key, key, length) == 0 && !member->key[length])
            return member;
    return NULL;
}
