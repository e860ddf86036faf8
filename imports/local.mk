# What others have measured, as parts of scenarios.
noinst_LIBRARIES += imports/libimports.a
imports_libimports_a_SOURCES = \
	%D%/csv.c \
	%D%/csv.h \
	%D%/skyplane.c \
	%D%/skyplane.h
