# Tests of results/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(results_libs) $(CHECK_LIBS)
