/*
 * Which learning variant stands for a study where only one can be shown: the one with most replays, or else
 * the newest. As a subquery, so that all who ask agree.
 */
#ifndef RESULTS_VARIANT_H
#define RESULTS_VARIANT_H

/* Its name, of study ?1; null when nothing was replayed. */
#define VARIANT_SHOWN                                                                                        \
    "(select shown.learning from study_replay shown where shown.study = ?1 group by 1"                       \
    " order by count(*) desc, max(shown.replay) desc limit 1)"

#endif
