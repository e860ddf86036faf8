/*
 * The standard normal law by its cumulative hazard; shared by the normal and the log-normal law.
 * Private to sim/.
 */
#ifndef SIM_LAW_GAUSSIAN_H
#define SIM_LAW_GAUSSIAN_H

/* −ln P(Z > z); infinite where that probability is below SIM_LAW_LEAST_SURVIVAL. */
double sim_law_gaussian_hazard(double z);

/* Its inverse, for 0 < hazard; beyond SIM_LAW_GREATEST_HAZARD as there. */
double sim_law_gaussian_at_hazard(double hazard);

#endif
