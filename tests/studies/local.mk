# Tests of studies/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(studies_libs) $(CHECK_LIBS)
check_PROGRAMS += \
	tests/check_calibrate \
	tests/check_chaos \
	tests/check_determination \
	tests/check_expectations \
	tests/check_learning_study \
	tests/check_plan \
	tests/check_runner \
	tests/check_search \
	tests/check_sharing \
	tests/check_solve \
	tests/check_study \
	tests/check_tracing \
	tests/check_tune \
	tests/check_validation
threaded_tests += tests/check_calibrate tests/check_learning_study tests/check_runner tests/check_sharing tests/check_solve tests/check_study tests/check_tune

studies_fixture = \
	%D%/fixture.c \
	%D%/fixture.h

tests_check_calibrate_SOURCES = %D%/check_calibrate.c $(studies_fixture)
tests_check_calibrate_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_chaos_SOURCES = %D%/check_chaos.c $(studies_fixture)
tests_check_chaos_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_determination_SOURCES = %D%/check_determination.c
tests_check_determination_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_expectations_SOURCES = %D%/check_expectations.c $(studies_fixture)
tests_check_expectations_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_learning_study_SOURCES = %D%/check_learning_study.c $(studies_fixture)
tests_check_learning_study_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_plan_SOURCES = %D%/check_plan.c $(studies_fixture)
tests_check_plan_LDADD = $(studies_libs) $(CHECK_LIBS)
# The simulation is wrapped, so that the test can make it fail and wait.
tests_check_runner_SOURCES = %D%/check_runner.c $(studies_fixture)
tests_check_runner_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_runner_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=simulation_run_observed
tests_check_search_SOURCES = %D%/check_search.c
tests_check_search_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_sharing_SOURCES = %D%/check_sharing.c $(studies_fixture)
tests_check_sharing_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_solve_SOURCES = %D%/check_solve.c $(studies_fixture)
tests_check_solve_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_study_SOURCES = %D%/check_study.c $(studies_fixture)
tests_check_study_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_tracing_SOURCES = %D%/check_tracing.c $(studies_fixture)
tests_check_tracing_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_tune_SOURCES = %D%/check_tune.c $(studies_fixture)
tests_check_tune_LDADD = $(studies_libs) $(CHECK_LIBS)
tests_check_validation_SOURCES = %D%/check_validation.c $(studies_fixture)
tests_check_validation_LDADD = $(studies_libs) $(CHECK_LIBS)
threaded_tests += tests/check_runner
