/*
 * A model that learns: a flat vector of parameters, cut into named tensors, with a loss and its gradient.
 *
 * Each kind of model is one file and one line in the table of model.c. A model object holds the work space of
 * one thread and no state of learning: parameters, gradients and optimiser states are its caller's.
 */
#ifndef MODELS_LEARNING_MODEL_H
#define MODELS_LEARNING_MODEL_H

#include "models/learning/config.h"
#include "models/learning/data.h"
#include "models/learning/real.h"
#include "sim/error.h"

enum tensor_role {
    TENSOR_MATRIX,    /* rows × columns, row-major; Muon orthogonalises it */
    TENSOR_VECTOR,    /* biases, norms */
    TENSOR_EMBEDDING, /* token and position embeddings; merged by the plain mean, never by Muon */
};

struct tensor {
    const char *name;
    enum tensor_role role;
    size_t offset, rows, columns; /* columns 1 for a vector */
};

/* A batch: COUNT >= 1 sequences at POSITION of LEARNER's shard. */
struct batch {
    int64_t learner, position, count;
};

struct model;

#define model_create REAL(model_create)
#define model_destroy REAL(model_destroy)
#define model_size REAL(model_size)
#define model_tensors REAL(model_tensors)
#define model_initialise REAL(model_initialise)
#define model_gradient REAL(model_gradient)
#define model_held_out_loss REAL(model_held_out_loss)
#define model_floor_loss REAL(model_floor_loss)

/* The symbols of one training sequence, which is the LENGTH to give to data_create: the transformer's
 * context and the symbol after it. */
#define model_sequence_length REAL(model_sequence_length)
int64_t model_sequence_length(const struct learning_config *config);

/* DATA is not owned, and may be NULL for the quadratic. NULL with ERROR_INPUT where the configuration makes
 * no model. The caller destroys it. Pins the linked BLAS to one thread, for the whole process: simulations
 * run side by side already. */
struct model *model_create(const struct learning_config *config, const struct data *data, int64_t learners,
                           uint64_t seed, struct error *error);
void model_destroy(struct model *model);

size_t model_size(const struct model *model); /* parameters */

/* The tensors, which cover the parameters without gap, in the order of their offsets. */
const struct tensor *model_tensors(const struct model *model, size_t *count);

/* Starting values, a function of the model's seed alone. */
void model_initialise(const struct model *model, real *parameters);

/* Mean loss of the batch at PARAMETERS (nats per symbol) and its gradient (overwritten). Not a number or
 * infinite where it diverged. */
double model_gradient(struct model *model, const real *parameters, struct batch batch, real *gradient);

/* Mean loss over the first SEQUENCES held-out sequences, and the least that any model can have on them (the
 * source's own loss; NAN where unknown). */
double model_held_out_loss(struct model *model, const real *parameters, int64_t sequences);
double model_floor_loss(const struct model *model, int64_t sequences);

#endif
