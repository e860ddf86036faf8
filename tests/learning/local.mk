# Tests of models/learning.
check_PROGRAMS += \
	tests/check_inner

tests_check_inner_SOURCES = %D%/check_inner.c %D%/orthogonal.c %D%/orthogonal.h %D%/vectors.c %D%/vectors.h
tests_check_inner_LDADD = $(models_libs) $(CHECK_LIBS)
