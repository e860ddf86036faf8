#include "studies/solve.h"

#include "scenarios/question.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One value that a question wants tried. */
struct wanted {
    size_t question;
    double position;
    struct scenario_point settings;
    char *json;
};

/* One round of all questions. */
struct round {
    const struct trial_request *request;
    const struct solve_question *questions;
    struct solve_results *results;
    const struct scenario_text *text; /* of the scenario without axes and expectations */
    bool learns;
    struct wanted *wanted;
    size_t wanted_count;
    struct plan_choice *choices; /* what has to run */
    size_t choice_count;
};

/* The fields set beside the one that is searched, and that one unless VALUE is NAN. */
static bool make_settings(const struct solve_question *question, double value, struct scenario_point *point)
{
    return trial_point(question->at, question->search, isnan(value) ? 0U : 1U, &value, point);
}

char *solve_point_json(const struct solve_question *question, double value)
{
    struct scenario_point settings;
    if (!make_settings(question, value, &settings))
        return NULL;
    char *json = scenario_point_json(&settings);
    scenario_point_free(&settings);
    return json;
}

static bool is_chosen(const struct round *round, const char *strategy, const struct scenario_point *settings)
{
    for (size_t i = 0; i < round->choice_count; i++) {
        const struct scenario_point *chosen = round->choices[i].settings;
        bool same = strcmp(round->choices[i].strategy, strategy) == 0 && chosen->count == settings->count;
        for (size_t j = 0; j < settings->count && same; j++)
            same = strcmp(chosen->settings[j].path, settings->settings[j].path) == 0 &&
                   strcmp(chosen->settings[j].value, settings->settings[j].value) == 0;
        if (same)
            return true;
    }
    return false;
}

static void choose(struct round *round, const char *strategy, const struct wanted *wanted)
{
    if (!trial_has_run(round->request, strategy, wanted->json) &&
        !is_chosen(round, strategy, &wanted->settings))
        round->choices[round->choice_count++] = (struct plan_choice){&wanted->settings, strategy, false};
}

/* Notes what QUESTION wants tried next. */
static bool want(struct round *round, size_t question)
{
    const struct search_state *state = &round->results->answers[question].state;
    for (size_t i = 0; i < state->next_count && state->status == SEARCH_GOES_ON; i++) {
        struct wanted *wanted = &round->wanted[round->wanted_count++];
        *wanted = (struct wanted){.question = question, .position = state->next[i]};
        const struct solve_question *asked = &round->questions[question];
        if (!make_settings(asked, search_value(asked->search, wanted->position), &wanted->settings))
            return false;
        wanted->json = scenario_point_json(&wanted->settings);
        if (!wanted->json)
            return false;
        choose(round, asked->strategy, wanted);
        if (round->learns)
            choose(round, SCENARIO_REFERENCE, wanted);
    }
    return true;
}

static bool open_round(struct round *round, struct error *error)
{
    size_t count = round->results->count;
    round->wanted = calloc(2 * count + 1, sizeof *round->wanted);
    round->choices = calloc(4 * count + 1, sizeof *round->choices);
    bool good = round->wanted && round->choices;
    for (size_t i = 0; i < count && good; i++)
        good = want(round, i);
    if (!good)
        error_out_of_memory(error, "what to try next");
    return good;
}

static void close_round(struct round *round)
{
    for (size_t i = 0; i < round->wanted_count; i++) {
        scenario_point_free(&round->wanted[i].settings);
        free(round->wanted[i].json);
    }
    free(round->wanted);
    free(round->choices);
    round->wanted = NULL;
    round->choices = NULL;
    round->wanted_count = round->choice_count = 0;
}

static bool run(struct round *round, struct error *error)
{
    return !round->choice_count || trial_run(round->request, round->text, round->choices, round->choice_count,
                                             &round->results->runs, &round->results->interrupted, error);
}

/* What the metric came to at what was tried. */
static bool learn(struct round *round, struct error *error)
{
    for (size_t i = 0; i < round->wanted_count; i++) {
        const struct wanted *wanted = &round->wanted[i];
        const struct solve_question *question = &round->questions[wanted->question];
        struct store_mean mean;
        if (!store_mean(round->request->store, round->request->study, question->strategy, wanted->json,
                        question->target->metric, &mean))
            mean = (struct store_mean){.mean = NAN, .low = NAN, .high = NAN};
        const struct search_try attempt = {wanted->position, mean.mean, mean.low, mean.high};
        if (!search_add(&round->results->answers[wanted->question].tries, &attempt)) {
            error_out_of_memory(error, "what was tried");
            return false;
        }
    }
    return true;
}

static bool step_all(struct round *round)
{
    bool go_on = false;
    for (size_t i = 0; i < round->results->count; i++) {
        struct solve_answer *answer = &round->results->answers[i];
        const struct solve_question *question = &round->questions[i];
        answer->state = search_step(question->search, question->target, question->tolerance, &answer->tries);
        go_on |= answer->state.status == SEARCH_GOES_ON;
    }
    return go_on;
}

static bool solve_rounds(struct round *round, struct error *error)
{
    while (step_all(round) && !round->results->interrupted) {
        bool done = open_round(round, error) && run(round, error) &&
                    (round->results->interrupted || learn(round, error));
        close_round(round);
        if (!done)
            return false;
    }
    return true;
}

/* The text of ROUND is the caller's to free, also when false is returned. */
static bool begin(struct round *round, struct scenario_text *text, const struct trial_request *request,
                  const struct solve_question *questions, size_t count, struct solve_results *results,
                  struct error *error)
{
    const struct scenario *base = request->plan->base;
    *results = (struct solve_results){.answers = calloc(count + 1, sizeof *results->answers), .count = count};
    *round = (struct round){.request = request,
                            .questions = questions,
                            .results = results,
                            .text = text,
                            .learns = scenario_learns(base)};
    if (results->answers)
        return trial_text(base, text, error);
    error_out_of_memory(error, "the questions");
    return false;
}

bool solve_all(const struct trial_request *request, const struct solve_question *questions, size_t count,
               struct solve_results *results, struct error *error)
{
    struct round round;
    struct scenario_text text = {0};
    bool done =
        begin(&round, &text, request, questions, count, results, error) && solve_rounds(&round, error);
    free(text.bytes);
    return done;
}

bool solve_check(const struct plan *plan, const struct solve_question *questions, size_t count,
                 struct error *error)
{
    const struct trial_request request = {.plan = plan};
    struct solve_results results;
    struct round round;
    struct scenario_text text = {0};
    bool good = begin(&round, &text, &request, questions, count, &results, error);
    if (good) {
        step_all(&round);
        good = open_round(&round, error) && trial_check(&text, round.choices, round.choice_count, error);
        close_round(&round);
    }
    solve_free(&results);
    free(text.bytes);
    return good;
}

void solve_free(struct solve_results *results)
{
    for (size_t i = 0; results->answers && i < results->count; i++)
        search_free(&results->answers[i].tries);
    free(results->answers);
    *results = (struct solve_results){0};
}
