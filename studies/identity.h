/*
 * What a run is known by, so that one that was done is found again: the SHA-256 of all that steers it but the
 * replication, which is its scenario with the seed and its own strategy alone, and its point. Names, texts,
 * expectations, axes, the number of replications and other strategies steer nothing. What a scenario learns
 * counts: a run's replays are made from the scenario of the study that ran it.
 *
 * A study's scenario is printed once for each strategy; the scenario at a point is that and the point's
 * settings.
 */
#ifndef STUDIES_IDENTITY_H
#define STUDIES_IDENTITY_H

#include "scenarios/scenario.h"

/* What steers all runs of STRATEGY on SCENARIO, a reference's without its failures (FAILURE_FREE). The caller
 * frees; NULL when out of memory. */
char *identity_text(const struct scenario *scenario, const struct strategy_config *strategy,
                    bool failure_free);

/* Of those runs at a point, whose JSON is given, too. False when out of memory. */
bool identity_digest(const char *text, const struct scenario_point *point, const char *json, char digest[65]);

#endif
