/*
 * Brent's method is run anew at every step: what it asks for has been tried, but for the last value, which is
 * what to try next. That costs nothing beside a simulation, and the search needs no state.
 */
#include "studies/search.h"

#include "results/notation.h"
#include "scenarios/question.h"
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 200, DIGITS = 6 };
#define WIDE 10 /* from this factor on a range is searched by its logarithm */

static bool is_discrete(const struct scenario_search *search)
{
    return search->points > 0 || search->type == PARAMETER_INTEGER;
}

bool search_is_wide(const struct scenario_search *search)
{
    return search->low > 0 && search->high > WIDE * search->low;
}

static double rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", DIGITS, value);
    return strtod(text, NULL);
}

double search_value(const struct scenario_search *search, double position)
{
    if (search->points > 0)
        return scenario_search_point(search, llround(position));
    if (search->type == PARAMETER_INTEGER)
        return position;
    double value = rounded(search_is_wide(search) ? exp(position) : position);
    return fmin(fmax(value, search->low), search->high);
}

double search_value_at_share(const struct scenario_search *search, double share)
{
    double value = search_is_wide(search) ? search->low * pow(search->high / search->low, share)
                                          : search->low + share * (search->high - search->low);
    value = search->type == PARAMETER_INTEGER ? nearbyint(value) : rounded(value);
    return fmin(fmax(value, search->low), search->high);
}

double search_share_of_value(const struct scenario_search *search, double value)
{
    return search_is_wide(search) ? log(value / search->low) / log(search->high / search->low)
                                  : (value - search->low) / (search->high - search->low);
}

double search_slope_at_value(const struct scenario_search *search, double value)
{
    return search_is_wide(search) ? value * log(search->high / search->low) : search->high - search->low;
}

static double first_position(const struct scenario_search *search)
{
    if (search->points > 0)
        return 0;
    return !is_discrete(search) && search_is_wide(search) ? log(search->low) : search->low;
}

static double last_position(const struct scenario_search *search)
{
    if (search->points > 0)
        return (double)(search->points - 1);
    return !is_discrete(search) && search_is_wide(search) ? log(search->high) : search->high;
}

bool search_meets(const struct scenario_target *target, double metric)
{
    return target->at_least ? metric >= target->value : metric <= target->value;
}

bool search_add(struct search_tries *tries, const struct search_try *attempt)
{
    struct search_try *grown = reallocarray(tries->items, tries->count + 1, sizeof *grown);
    if (!grown)
        return false;
    tries->items = grown;
    size_t place = tries->count++;
    for (; place > 0 && grown[place - 1].position > attempt->position; place--)
        grown[place] = grown[place - 1];
    grown[place] = *attempt;
    return true;
}

void search_free(struct search_tries *tries)
{
    free(tries->items);
    *tries = (struct search_tries){0};
}

static const struct search_try *find(const struct search_tries *tries, double position)
{
    for (size_t i = 0; i < tries->count; i++)
        if (tries->items[i].position == position)
            return &tries->items[i];
    return NULL;
}

static void ask(struct search_state *state, double position)
{
    state->next[state->next_count++] = position;
}

/* The two neighbours between which the metric crosses the target: those of the least value that meets it, or
 * of the greatest where it falls. */
static void find_crossing(const struct search_tries *tries, const struct scenario_target *target,
                          struct search_state *state)
{
    for (size_t i = 0; i + 1 < tries->count; i++) {
        size_t at = state->falling ? tries->count - 2 - i : i;
        const struct search_try *left = &tries->items[at], *right = left + 1;
        if (search_meets(target, left->metric) == state->falling &&
            search_meets(target, right->metric) != state->falling) {
            state->meets = state->falling ? left : right;
            state->misses = state->falling ? right : left;
            return;
        }
    }
}

static bool is_near(const struct scenario_search *search, double tolerance, double a, double b)
{
    if (is_discrete(search))
        return fabs(a - b) <= 1;
    if (search_is_wide(search))
        return fabs(a - b) <= log1p(tolerance);
    double least = 1e-9 * (search->high - search->low);
    return fabs(a - b) <= fmax(least, tolerance * fmax(fabs(a), fabs(b)));
}

/* Brent's method over what has been tried. */
struct brent {
    const struct search_tries *tries;
    const struct scenario_target *target;
    double missing; /* the value it asked for that has not; NAN: none */
};

/* Shares saturate towards 0 and 1; their log-odds go on in nearly a straight line over the logarithm of a
 * bandwidth, say, which Brent's method follows in fewer steps. */
static double straightened(const struct scenario_target *target, double metric)
{
    const double edge = 1e-6;
    if (!notation_is_share(target->metric))
        return metric;
    double share = fmin(fmax(metric, edge), 1 - edge);
    return log(share / (1 - share));
}

static double excess(double position, void *context)
{
    struct brent *brent = context;
    const struct scenario_target *target = brent->target;
    const struct search_try *found = find(brent->tries, position);
    if (!found) {
        brent->missing = position;
        return 0;
    }
    bool meets = search_meets(target, found->metric);
    double apart = fabs(straightened(target, found->metric) - straightened(target, target->value));
    if (isnan(apart))
        apart = fabs(target->value) + 1;
    apart = fmax(apart, 1e-300); /* just meets: the root is where it begins to */
    return meets ? apart : -apart;
}

/* What Brent's method wants next; NAN when it wants nothing. */
static double ask_brent(const struct search_tries *tries, const struct scenario_target *target,
                        const struct search_state *state)
{
    struct brent brent = {tries, target, NAN};
    gsl_function function = {excess, &brent};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver)
        return NAN;
    int status = gsl_root_fsolver_set(solver, &function, state->low->position, state->high->position);
    for (int i = 0; i < MOST_STEPS && !status && isnan(brent.missing); i++)
        status = gsl_root_fsolver_iterate(solver);
    gsl_root_fsolver_free(solver);
    return brent.missing;
}

/* Brent's method comes to the root from one side. Once it moves by less than the tolerance, the other side is
 * tried at a tolerance's distance; and if that has been, the middle. */
static double next_real(const struct scenario_search *search, const struct scenario_target *target,
                        double tolerance, const struct search_tries *tries, const struct search_state *state)
{
    const double left = fmin(state->meets->position, state->misses->position);
    const double right = fmax(state->meets->position, state->misses->position);
    double next = ask_brent(tries, target, state);
    if (next > left && next < right && !is_near(search, tolerance / 2, next, left) &&
        !is_near(search, tolerance / 2, next, right))
        return next;
    double step = search_is_wide(search) ? log1p(tolerance) : tolerance * fmax(fabs(left), fabs(right));
    if (is_near(search, tolerance, next, left) && next >= left && left + 0.9 * step < right)
        return left + 0.9 * step;
    if (is_near(search, tolerance, next, right) && next <= right && right - 0.9 * step > left)
        return right - 0.9 * step;
    return (left + right) / 2;
}

static double middle(const struct search_state *state)
{
    return floor((state->meets->position + state->misses->position) / 2);
}

/* The end of the interval of ATTEMPT that is nearer to meeting the target, or farther from it. */
static double end_of(const struct search_try *attempt, const struct scenario_target *target, bool hopeful)
{
    return target->at_least == hopeful ? attempt->high : attempt->low;
}

/* Goes from try FROM outwards by STEP to the first whose end of the interval is on the other side of the
 * target, as it is to be there (MEETS), and back to where the line to the try before it crosses the target.
 */
static double cross(const struct search_tries *tries, const struct scenario_target *target, size_t from,
                    int step, bool meets)
{
    for (size_t i = from; i < tries->count; i += (size_t)step) { /* below 0 is beyond, too */
        double far = end_of(&tries->items[i], target, !meets);
        if (isnan(far) || search_meets(target, far) != meets)
            continue;
        size_t before = i - (size_t)step;
        if (before >= tries->count)
            return NAN;
        double near = end_of(&tries->items[before], target, !meets);
        double share = (target->value - near) / (far - near);
        double position = tries->items[before].position;
        return isnan(share) || share < 0 || share > 1
                   ? tries->items[i].position
                   : position + share * (tries->items[i].position - position);
    }
    return NAN;
}

/* Outwards from the answer: to where even the worse ends of intervals meet the target, and to where even the
 * better ones miss it. The answer is of it, too, where intervals are narrower than the tolerance. */
static void find_band(const struct scenario_search *search, const struct search_tries *tries,
                      const struct scenario_target *target, struct search_state *state)
{
    size_t meets = (size_t)(state->meets - tries->items), misses = (size_t)(state->misses - tries->items);
    double worse = cross(tries, target, meets, state->falling ? -1 : 1, true);
    double better = cross(tries, target, misses, state->falling ? 1 : -1, false);
    if (state->falling ? worse > state->meets->position : worse < state->meets->position)
        worse = state->meets->position;
    state->between[0] = state->falling ? worse : better;
    state->between[1] = state->falling ? better : worse;
    if (is_discrete(search)) {
        state->between[0] = floor(state->between[0]);
        state->between[1] = ceil(state->between[1]);
    }
    if (isnan(worse) || isnan(better))
        state->between[0] = state->between[1] = NAN;
}

/* Whether all tries beyond the answer are as they should be. */
static void judge_tries(const struct search_tries *tries, const struct scenario_target *target,
                        struct search_state *state)
{
    state->monotone = true;
    for (size_t i = 0; i < tries->count; i++) {
        const struct search_try *attempt = &tries->items[i];
        bool beyond = state->falling ? attempt <= state->meets : attempt >= state->meets;
        state->monotone = state->monotone && search_meets(target, attempt->metric) == beyond;
    }
}

static void look_at_ends(const struct scenario_search *search, const struct search_tries *tries,
                         struct search_state *state)
{
    state->low = find(tries, first_position(search));
    state->high = find(tries, last_position(search));
    if (!state->low)
        ask(state, first_position(search));
    if (!state->high)
        ask(state, last_position(search));
}

struct search_state search_step(const struct scenario_search *search, const struct scenario_target *target,
                                double tolerance, const struct search_tries *tries)
{
    struct search_state state = {.status = SEARCH_GOES_ON, .between = {NAN, NAN}};
    look_at_ends(search, tries, &state);
    if (state.next_count)
        return state;
    state.falling = search_meets(target, state.low->metric);
    if (search_meets(target, state.high->metric) == state.falling) {
        state.status = state.falling ? SEARCH_ALL_MEET : SEARCH_NONE_MEETS;
        return state;
    }
    find_crossing(tries, target, &state);
    if (is_near(search, tolerance, state.meets->position, state.misses->position)) {
        state.status = SEARCH_FOUND;
        judge_tries(tries, target, &state);
        find_band(search, tries, target, &state);
    } else {
        ask(&state,
            is_discrete(search) ? middle(&state) : next_real(search, target, tolerance, tries, &state));
    }
    return state;
}
