# Tests of models/learning, each in single and in double precision: the same source built twice.
learning_single_libs = models/liblearning_single.a $(models_libs) $(CHECK_LIBS)
learning_double_libs = models/liblearning_double.a $(models_libs) $(CHECK_LIBS)
learning_double_flags = $(AM_CPPFLAGS) -DLEARNING_DOUBLE
learning_vectors = %D%/vectors.c %D%/vectors.h

# Optimisers, merges, compression, gossip
check_PROGRAMS += \
	tests/check_compress tests/check_compress_double \
	tests/check_fragment tests/check_fragment_double \
	tests/check_inner tests/check_inner_double \
	tests/check_merge tests/check_merge_double \
	tests/check_mixing tests/check_mixing_double \
	tests/check_outer tests/check_outer_double
tests_check_compress_SOURCES = %D%/check_compress.c $(learning_vectors)
tests_check_compress_LDADD = $(learning_single_libs)
tests_check_compress_double_SOURCES = $(tests_check_compress_SOURCES)
tests_check_compress_double_CPPFLAGS = $(learning_double_flags)
tests_check_compress_double_LDADD = $(learning_double_libs)
tests_check_fragment_SOURCES = %D%/check_fragment.c
tests_check_fragment_LDADD = $(learning_single_libs)
tests_check_fragment_double_SOURCES = $(tests_check_fragment_SOURCES)
tests_check_fragment_double_CPPFLAGS = $(learning_double_flags)
tests_check_fragment_double_LDADD = $(learning_double_libs)
tests_check_inner_SOURCES = %D%/check_inner.c %D%/orthogonal.c %D%/orthogonal.h $(learning_vectors)
tests_check_inner_LDADD = $(learning_single_libs)
tests_check_inner_double_SOURCES = $(tests_check_inner_SOURCES)
tests_check_inner_double_CPPFLAGS = $(learning_double_flags)
tests_check_inner_double_LDADD = $(learning_double_libs)
tests_check_merge_SOURCES = %D%/check_merge.c $(learning_vectors)
tests_check_merge_LDADD = $(learning_single_libs)
tests_check_merge_double_SOURCES = $(tests_check_merge_SOURCES)
tests_check_merge_double_CPPFLAGS = $(learning_double_flags)
tests_check_merge_double_LDADD = $(learning_double_libs)
tests_check_mixing_SOURCES = %D%/check_mixing.c $(learning_vectors)
tests_check_mixing_LDADD = $(learning_single_libs)
tests_check_mixing_double_SOURCES = $(tests_check_mixing_SOURCES)
tests_check_mixing_double_CPPFLAGS = $(learning_double_flags)
tests_check_mixing_double_LDADD = $(learning_double_libs)
tests_check_outer_SOURCES = %D%/check_outer.c $(learning_vectors)
tests_check_outer_LDADD = $(learning_single_libs)
tests_check_outer_double_SOURCES = $(tests_check_outer_SOURCES)
tests_check_outer_double_CPPFLAGS = $(learning_double_flags)
tests_check_outer_double_LDADD = $(learning_double_libs)

# Data and models
check_PROGRAMS += \
	tests/check_data \
	tests/check_gradient \
	tests/check_kernels tests/check_kernels_double \
	tests/check_quadratic \
	tests/check_transformer tests/check_transformer_double
learning_fixture = %D%/language_fixture.c %D%/language_fixture.h
tests_check_data_SOURCES = %D%/check_data.c
tests_check_data_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_gradient_SOURCES = %D%/check_gradient.c $(learning_fixture)
tests_check_gradient_CPPFLAGS = $(learning_double_flags)
tests_check_gradient_LDADD = $(learning_double_libs)
tests_check_kernels_SOURCES = %D%/check_kernels.c
tests_check_kernels_LDADD = $(learning_single_libs)
tests_check_kernels_double_SOURCES = $(tests_check_kernels_SOURCES)
tests_check_kernels_double_CPPFLAGS = $(learning_double_flags)
tests_check_kernels_double_LDADD = $(learning_double_libs)
tests_check_quadratic_SOURCES = %D%/check_quadratic.c
tests_check_quadratic_CPPFLAGS = $(learning_double_flags)
tests_check_quadratic_LDADD = $(learning_double_libs)
tests_check_transformer_SOURCES = %D%/check_transformer.c %D%/reference.c %D%/reference.h $(learning_fixture)
tests_check_transformer_LDADD = $(learning_single_libs)
tests_check_transformer_double_SOURCES = $(tests_check_transformer_SOURCES)
tests_check_transformer_double_CPPFLAGS = $(learning_double_flags)
tests_check_transformer_double_LDADD = $(learning_double_libs)
threaded_tests += tests/check_transformer

# Replays
check_PROGRAMS += \
	tests/check_batch \
	tests/check_identities \
	tests/check_replay
replayed_fixture = %D%/replayed.c %D%/replayed.h $(models_fixture) $(random_run) $(tape_fixture)
tests_check_batch_SOURCES = %D%/check_batch.c
tests_check_batch_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_identities_SOURCES = %D%/check_identities.c $(replayed_fixture)
tests_check_identities_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_replay_SOURCES = %D%/check_replay.c $(replayed_fixture)
tests_check_replay_LDADD = $(models_libs) $(CHECK_LIBS)
