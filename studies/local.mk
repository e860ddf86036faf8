# The run loop and what is built on it.
noinst_LIBRARIES += studies/libstudies.a
studies_libstudies_a_SOURCES = \
	%D%/axes.c \
	%D%/axes.h \
	%D%/expectations.c \
	%D%/expectations.h \
	%D%/identity.c \
	%D%/identity.h \
	%D%/learning.c \
	%D%/learning.h \
	%D%/learning_figures.c \
	%D%/learning_figures.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/point.c \
	%D%/point.h \
	%D%/runner.c \
	%D%/runner.h \
	%D%/search.c \
	%D%/search.h \
	%D%/solve.c \
	%D%/solve.h \
	%D%/solve_report.c \
	%D%/solve_report.h \
	%D%/solved.c \
	%D%/solved.h \
	%D%/study.c \
	%D%/study.h \
	%D%/validation.c \
	%D%/validation.h \
	%D%/validation_figures.c \
	%D%/validation_figures.h \
	%D%/validation_markdown.c \
	%D%/validation_solved.c
