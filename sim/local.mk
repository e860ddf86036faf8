# The engine: clock, events, chance, sums.
noinst_LIBRARIES += sim/libsim.a
sim_libsim_a_SOURCES = \
	%D%/clock.h \
	%D%/clock.c \
	%D%/distribution.c \
	%D%/distribution.h \
	%D%/engine.c \
	%D%/engine.h \
	%D%/error.c \
	%D%/error.h \
	%D%/fit.c \
	%D%/fit.h \
	%D%/law.h \
	%D%/law_constant.c \
	%D%/law_empirical.c \
	%D%/law_exponential.c \
	%D%/law_exponentiated_weibull.c \
	%D%/law_gamma.c \
	%D%/law_gaussian.c \
	%D%/law_gaussian.h \
	%D%/law_log_normal.c \
	%D%/law_moments.c \
	%D%/law_normal.c \
	%D%/law_uniform.c \
	%D%/law_weibull.c \
	%D%/ledger.c \
	%D%/ledger.h \
	%D%/philox.c \
	%D%/philox.h \
	%D%/queue.c \
	%D%/queue.h \
	%D%/queue_chunk.c \
	%D%/queue_chunk.h \
	%D%/queue_internal.h \
	%D%/queue_key.h \
	%D%/queue_ladder.c \
	%D%/queue_ladder.h \
	%D%/queue_near.c \
	%D%/queue_near.h \
	%D%/queue_numbers.c \
	%D%/queue_numbers.h \
	%D%/queue_rung.c \
	%D%/queue_rung.h \
	%D%/queue_sort.c \
	%D%/queue_sort.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/wall.c \
	%D%/wall.h \
	%D%/ziggurat.c \
	%D%/ziggurat_tables.h

# Prints sim/ziggurat_tables.h, which is kept in the sources.
EXTRA_PROGRAMS += sim/ziggurat_generate
sim_ziggurat_generate_SOURCES = %D%/ziggurat_generate.c
sim_ziggurat_generate_LDADD = -lm
CLEANFILES += sim/ziggurat_generate
