# The engine: clock, events, chance, sums.
noinst_LIBRARIES += sim/libsim.a
sim_libsim_a_SOURCES = \
	%D%/clock.h \
	%D%/distribution.h \
	%D%/engine.h \
	%D%/error.c \
	%D%/error.h \
	%D%/ledger.h \
	%D%/queue.h \
	%D%/stream.h \
	%D%/tally.h
