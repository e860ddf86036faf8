# Tests of models/tape.
tape_fixture = \
	%D%/tapes.c \
	%D%/tapes.h

check_PROGRAMS += \
	tests/check_causality \
	tests/check_tape
tests_check_causality_SOURCES = %D%/check_causality.c $(tape_fixture)
tests_check_causality_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_tape_SOURCES = %D%/check_tape.c $(replayed_fixture)
tests_check_tape_LDADD = $(results_libs) $(CHECK_LIBS)
tests_check_tape_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
