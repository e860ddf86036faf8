/*
 * Read and worked out in one go, by a function for each level of the grammar, which leaves the place behind
 * what it read. After a fault all levels return at once.
 */
#include "scenarios/condition.h"

#include "scenarios/number.h"
#include "scenarios/sweep.h"

#include <math.h>
#include <string.h>

enum { KINDS = 4, DEEPEST = 50 };

/* Two sums this near to each other, as a share of them, are equal but for rounding. */
#define SLACK 1e-12

/* A quantity: NAN if it has no value; its dimension is time, data, operations and power to these powers. */
struct amount {
    double value;
    int powers[KINDS];
};

struct parser {
    struct loader *loader;
    const struct reading *root;
    const char *label;
    const struct node *node;
    const char *at;
    int depth; /* of parentheses and signs */
    bool failed;
};

static void refuse(struct parser *parser, const char *at, const char *message)
{
    if (!parser->failed)
        faults_add(&parser->loader->faults, document_place(parser->node, (size_t)(at - parser->node->text)),
                   "%s%s", parser->label, message);
    parser->failed = true;
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " ");
}

/* Whether SIGN comes next; it is passed over. */
static bool take(struct parser *parser, const char *sign)
{
    skip_blanks(parser);
    size_t length = strlen(sign);
    if (strncmp(parser->at, sign, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool is_letter(char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static struct amount amount_of(double value, enum parameter_dimension dimension)
{
    static const int powers[][KINDS] = {
        [DIMENSION_NONE] = {0, 0, 0, 0},       [DIMENSION_TIME] = {1, 0, 0, 0},
        [DIMENSION_DATA] = {0, 1, 0, 0},       [DIMENSION_DATA_RATE] = {-1, 1, 0, 0},
        [DIMENSION_FLOP_RATE] = {-1, 0, 1, 0}, [DIMENSION_POWER] = {0, 0, 0, 1},
        [DIMENSION_ENERGY] = {1, 0, 0, 1},
    };
    struct amount amount = {.value = value};
    memcpy(amount.powers, powers[dimension], sizeof amount.powers);
    return amount;
}

/* Bytes of a unit at TEXT, such as "%" or "Gbit/s". What divides is a unit, too, unless it is a path. */
static size_t unit_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || text[length] == '%' || (text[length] & 0x80))
        length++;
    if (!length || text[length] != '/' || !is_letter(text[length + 1]))
        return length;
    size_t end = length + 1;
    while (is_letter(text[end]))
        end++;
    return is_digit(text[end]) || (text[end] && strchr("._-", text[end])) ? length : end;
}

static struct amount read_number(struct parser *parser)
{
    const char *start = parser->at;
    parser->at += number_length(start);
    const char *end = parser->at;
    skip_blanks(parser);
    size_t unit = unit_length(parser->at);
    parser->at = unit ? parser->at + unit : end;
    const char *text = memory_copy(parser->loader->scratch, start, (size_t)(parser->at - start));
    struct units_fault fault;
    double value;
    for (int i = DIMENSION_NONE; text && i < PARAMETER_DIMENSIONS; i++)
        if (units_parse(parser->loader->units, text, (enum parameter_dimension)i, &value, &fault))
            return amount_of(value, (enum parameter_dimension)i);
    refuse(parser, start, "this is no number with a unit that is known");
    return amount_of(NAN, DIMENSION_NONE);
}

/* Bytes of a path at TEXT. A minus within a word belongs to it. */
static size_t path_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || is_digit(text[length]) ||
           (text[length] && strchr("._", text[length])) ||
           (text[length] == '-' && (is_letter(text[length + 1]) || is_digit(text[length + 1]))))
        length++;
    return length;
}

static struct amount read_path(struct parser *parser)
{
    const char *start = parser->at;
    size_t length = path_length(start), before = parser->loader->faults.count;
    parser->at += length;
    if (length && start[length - 1] == '.' && *parser->at == '*')
        refuse(parser, parser->at, "name one item of the list; a star is a product here");
    const char *path = memory_copy(parser->loader->scratch, start, length);
    if (!path || parser->failed)
        return amount_of(NAN, DIMENSION_NONE);
    struct place place = document_place(parser->node, (size_t)(start - parser->node->text));
    const struct field *field = sweep_find_field(parser->loader, parser->root, path, place);
    parser->failed |= parser->loader->faults.count > before || !field;
    if (field && field->row.type != PARAMETER_REAL && field->row.type != PARAMETER_INTEGER &&
        field->row.type != PARAMETER_TIME)
        refuse(parser, start, "this field is no number");
    if (parser->failed)
        return amount_of(NAN, DIMENSION_NONE);
    return amount_of(sweep_present_value(parser->root, field, path), field->row.dimension);
}

static struct amount read_sum(struct parser *parser);

static struct amount read_inner(struct parser *parser)
{
    struct amount amount = read_sum(parser);
    if (!take(parser, ")"))
        refuse(parser, parser->at, "expected a closing parenthesis");
    return amount;
}

static struct amount read_factor(struct parser *parser)
{
    struct amount amount = amount_of(NAN, DIMENSION_NONE);
    skip_blanks(parser);
    const char *start = parser->at;
    if (++parser->depth > DEEPEST)
        refuse(parser, start, "this is nested too deeply");
    if (parser->failed)
        return amount;
    if (take(parser, "(")) {
        amount = read_inner(parser);
    } else if (take(parser, "-")) {
        amount = read_factor(parser);
        amount.value = -amount.value;
    } else if (is_letter(*start)) {
        amount = read_path(parser);
    } else if (number_length(start)) {
        amount = read_number(parser);
    } else {
        refuse(parser, start, "expected a number with its unit, or the path of a field");
    }
    parser->depth--;
    return amount;
}

static struct amount read_product(struct parser *parser)
{
    struct amount product = read_factor(parser);
    while (!parser->failed) {
        bool times = take(parser, "*");
        if (!times && !take(parser, "/"))
            break;
        struct amount factor = read_factor(parser);
        product.value = times ? product.value * factor.value : product.value / factor.value;
        for (int i = 0; i < KINDS; i++)
            product.powers[i] += times ? factor.powers[i] : -factor.powers[i];
    }
    if (isinf(product.value))
        product.value = NAN;
    return product;
}

/* What is added or compared must be of one kind. */
static void match(struct parser *parser, const struct amount *a, const struct amount *b, const char *at)
{
    if (memcmp(a->powers, b->powers, sizeof a->powers) != 0)
        refuse(parser, at, "the two sides are not of one kind, as a time and a pure number are not");
}

static struct amount read_sum(struct parser *parser)
{
    struct amount sum = read_product(parser);
    while (!parser->failed) {
        skip_blanks(parser);
        const char *sign = parser->at;
        bool plus = take(parser, "+");
        if (!plus && !take(parser, "-"))
            break;
        struct amount term = read_product(parser);
        match(parser, &sum, &term, sign);
        sum.value += plus ? term.value : -term.value;
    }
    return sum;
}

enum comparison { AT_MOST, AT_LEAST, EQUAL, UNEQUAL, BELOW, ABOVE, COMPARISONS };

static enum comparison read_comparison(struct parser *parser)
{
    static const char *const signs[] = {
        [AT_MOST] = "<=", [AT_LEAST] = ">=", [EQUAL] = "==", [UNEQUAL] = "!=", [BELOW] = "<", [ABOVE] = ">"};
    for (int i = 0; i < COMPARISONS; i++)
        if (take(parser, signs[i]))
            return (enum comparison)i;
    refuse(parser, parser->at, "expected a comparison: <, <=, >, >=, == or !=");
    return EQUAL;
}

static bool compare(double left, double right, enum comparison comparison)
{
    double slack = SLACK * fmax(fabs(left), fabs(right));
    bool equal = fabs(left - right) <= slack;
    switch (comparison) {
    case AT_MOST:
        return equal || left < right;
    case AT_LEAST:
        return equal || left > right;
    case EQUAL:
        return equal;
    case UNEQUAL:
        return !equal;
    case BELOW:
        return !equal && left < right;
    default:
        return !equal && left > right;
    }
}

enum condition condition_evaluate(struct loader *loader, const struct reading *root, const char *label,
                                  const struct node *node)
{
    struct parser parser = {.loader = loader, .root = root, .label = label, .node = node, .at = node->text};
    struct amount left = read_sum(&parser);
    skip_blanks(&parser);
    const char *sign = parser.at;
    enum comparison comparison = parser.failed ? EQUAL : read_comparison(&parser);
    struct amount right = read_sum(&parser);
    if (!parser.failed)
        match(&parser, &left, &right, sign);
    skip_blanks(&parser);
    if (*parser.at)
        refuse(&parser, parser.at, "expected the end of the condition");
    if (parser.failed)
        return CONDITION_FAULTY;
    if (isnan(left.value) || isnan(right.value))
        return CONDITION_UNDECIDED;
    return compare(left.value, right.value, comparison) ? CONDITION_HOLDS : CONDITION_FAILS;
}
