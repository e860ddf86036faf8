# Tests of results/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(results_libs) $(CHECK_LIBS)
check_PROGRAMS += tests/check_store
tests_check_store_SOURCES = %D%/check_store.c %D%/fixture.c %D%/fixture.h
tests_check_store_LDADD = $(results_libs) $(CHECK_LIBS)
