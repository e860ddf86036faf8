# The engine: clock, events, chance, sums.
noinst_LIBRARIES += sim/libsim.a
sim_libsim_a_SOURCES = \
	%D%/clock.h \
	%D%/distribution.c \
	%D%/distribution.h \
	%D%/engine.h \
	%D%/error.c \
	%D%/error.h \
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
	%D%/queue.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/ziggurat.c \
	%D%/ziggurat_tables.h

# Prints sim/ziggurat_tables.h, which is kept in the sources.
EXTRA_PROGRAMS += sim/ziggurat_generate
sim_ziggurat_generate_SOURCES = %D%/ziggurat_generate.c
sim_ziggurat_generate_LDADD = -lm
