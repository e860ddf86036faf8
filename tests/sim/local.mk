# Tests of sim/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(sim_libs) $(CHECK_LIBS)

# Chance, tallies and the ledger
check_PROGRAMS += \
	tests/check_stream \
	tests/check_distribution \
	tests/check_fit \
	tests/check_tally \
	tests/check_ledger
tests_check_stream_SOURCES = %D%/check_stream.c %D%/statistics.c %D%/statistics.h
tests_check_stream_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_distribution_SOURCES = %D%/check_distribution.c %D%/statistics.c %D%/statistics.h
tests_check_distribution_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_fit_SOURCES = %D%/check_fit.c %D%/statistics.c %D%/statistics.h
tests_check_fit_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_tally_SOURCES = %D%/check_tally.c %D%/statistics.c %D%/statistics.h
tests_check_tally_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_ledger_SOURCES = %D%/check_ledger.c
tests_check_ledger_LDADD = $(sim_libs) $(CHECK_LIBS)

# Time and events
check_PROGRAMS += \
	tests/check_queue \
	tests/check_engine \
	tests/check_wall
threaded_tests += tests/check_engine
tests_check_queue_SOURCES = %D%/check_queue.c $(queue_rivals)
tests_check_queue_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_engine_SOURCES = %D%/check_engine.c $(station)
tests_check_engine_LDADD = $(sim_libs) $(CHECK_LIBS)
tests_check_wall_SOURCES = %D%/check_wall.c
tests_check_wall_LDADD = $(sim_libs) $(CHECK_LIBS)
