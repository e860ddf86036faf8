# The program: main and one file per command.
bin_PROGRAMS += trainstorm
trainstorm_SOURCES = \
	%D%/datadir.c \
	%D%/datadir.h
trainstorm_LDADD = $(all_libs)

# Once installed the program finds its own scenarios, wherever it is called from.
installcheck-local:
	cd / && env -u TRAINSTORM_DATADIR $(DESTDIR)$(bindir)/trainstorm check million-chips >/dev/null
