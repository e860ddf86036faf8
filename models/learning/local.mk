# What learns, and from what. What computes on parameters is built twice, in single and in double precision, and
# with flags that let compilers make vector code of its loops (no -ffast-math: what is not a number is seen).
# These libraries stand before libmodels.a on a link line, which holds what doesn't depend on the precision.
models_libmodels_a_SOURCES += \
	%D%/batch.c %D%/batch.h \
	%D%/blas.c %D%/blas.h \
	%D%/categorical.c %D%/categorical.h \
	%D%/config.c %D%/config.h \
	%D%/data.c %D%/data.h %D%/data_source.h \
	%D%/data_hidden_markov.c \
	%D%/data_markov.c \
	%D%/data_text.c \
	%D%/language.c %D%/language.h \
	%D%/metrics.c %D%/metrics.h

noinst_LIBRARIES += models/liblearning_single.a models/liblearning_double.a
learning_sources =
models_liblearning_single_a_SOURCES = $(learning_sources)
models_liblearning_single_a_CFLAGS = $(AM_CFLAGS) $(LEARNING_CFLAGS)
models_liblearning_double_a_SOURCES = $(learning_sources)
models_liblearning_double_a_CFLAGS = $(AM_CFLAGS) $(LEARNING_CFLAGS)
models_liblearning_double_a_CPPFLAGS = $(AM_CPPFLAGS) -DLEARNING_DOUBLE

# Models
learning_sources += \
	%D%/exponential.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/kernels_plain.c \
	%D%/kernels_v3.c \
	%D%/linear.h \
	%D%/model.c %D%/model.h %D%/model_kind.h \
	%D%/quadratic.c %D%/quadratic.h \
	%D%/real.h \
	%D%/tile.h \
	%D%/transformer.c %D%/transformer.h \
	%D%/transformer_layout.c %D%/transformer_layout.h \
	%D%/transformer_pass.c %D%/transformer_pass.h

# Included by each build of the kernels
EXTRA_DIST += \
	%D%/attention.c \
	%D%/cross_entropy.c \
	%D%/gelu.c \
	%D%/kernels_build.c \
	%D%/norm.c

# Optimisers, merges, compression, gossip
learning_sources += \
	%D%/compress.c \
	%D%/fragment.c \
	%D%/inner.c %D%/inner.h %D%/inner_method.h \
	%D%/inner_adamw.c \
	%D%/inner_muon.c \
	%D%/inner_sgd.c \
	%D%/merge.c \
	%D%/mixing.c %D%/mixing.h %D%/mixing_method.h \
	%D%/mixing_ad_psgd.c \
	%D%/mixing_d_psgd.c \
	%D%/mixing_gasloc.c \
	%D%/mixing_noloco.c \
	%D%/outer.c %D%/outer.h %D%/outer_method.h \
	%D%/outer_adam.c \
	%D%/outer_average.c \
	%D%/outer_delayed_nesterov.c \
	%D%/outer_nesterov.c \
	%D%/vector_length.c %D%/vector_length.h

# Replay
learning_sources += \
	%D%/replay_curve.c %D%/replay_curve.h \
	%D%/replay_engine.c %D%/replay_engine.h \
	%D%/replay_play.c %D%/replay_play.h \
	%D%/replay_state.c %D%/replay_state.h \
	%D%/replica.c %D%/replica.h \
	%D%/syncer.c %D%/syncer.h
models_liblearning_single_a_SOURCES += %D%/replay.c %D%/replay.h
