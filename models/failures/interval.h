/*
 * How much work to do between two checkpoints, by the classical rules: with failures of mean M between them
 * and checkpoints for which training stands still for δ, all in seconds.
 */
#ifndef MODELS_FAILURES_INTERVAL_H
#define MODELS_FAILURES_INTERVAL_H

/* √(2δM) (J. W. Young, Comm. ACM 17(9), 1974). */
double interval_young(double mean, double write);

/* √(2δM)·(1 + ⅓√(δ/2M) + (δ/2M)/9) − δ for δ < 2M, else M (J. T. Daly, Future Gener. Comput. Syst. 22(3),
 * 2006). */
double interval_daly(double mean, double write);

/* M·(1 + W₀(−e^(−1−δ/M))), which makes the mean time below least. */
double interval_exact(double mean, double write);

/* Mean time that a second of work takes with exponential failures, checkpoints after every INTERVAL of work
 * and restarts that take RESTART and begin again when a failure strikes meanwhile: M·e^(R/M)·(e^((τ+δ)/M) −
 * 1)/τ (Daly). */
double interval_cost(double interval, double mean, double write, double restart);

#endif
