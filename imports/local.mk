# What others have measured, as parts of scenarios.
noinst_LIBRARIES += imports/libimports.a
imports_libimports_a_SOURCES = \
	%D%/date.c \
	%D%/date.h \
	%D%/failures.h \
	%D%/intervals.c \
	%D%/intervals.h \
	%D%/job_log.c \
	%D%/job_log.h \
	%D%/lanl.c \
	%D%/skyplane.c \
	%D%/skyplane.h \
	%D%/spot.c \
	%D%/table.c
