# The program: main and one file per command.
bin_PROGRAMS += trainstorm
trainstorm_SOURCES = \
	%D%/datadir.c \
	%D%/datadir.h
trainstorm_LDADD = $(all_libs)
