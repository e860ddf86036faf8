# Tests of scenarios/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(scenarios_libs) $(CHECK_LIBS)
