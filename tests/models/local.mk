# Tests of models/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(models_libs) $(CHECK_LIBS)
check_PROGRAMS += \
	tests/check_decoupled \
	tests/check_learner \
	tests/check_strategies
threaded_tests += tests/check_strategies

models_fixture = \
	%D%/fixture.c \
	%D%/fixture.h

# Outages by a script, in place of the failure process
outage_script = \
	%D%/script.c \
	%D%/script.h
outage_script_flags = -Wl,--wrap=outages_create,--wrap=outages_destroy,--wrap=outages_count,--wrap=outages_failed

# Runs made up at random
random_run = \
	%D%/random_run.c \
	%D%/random_run.h

tests_check_decoupled_SOURCES = %D%/check_decoupled.c $(models_fixture) $(outage_script)
tests_check_decoupled_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_decoupled_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_learner_SOURCES = %D%/check_learner.c $(models_fixture) $(outage_script)
tests_check_learner_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_learner_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_strategies_SOURCES = %D%/check_strategies.c $(models_fixture) $(random_run)
tests_check_strategies_LDADD = $(models_libs) $(CHECK_LIBS)
