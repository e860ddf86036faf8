# The program: main and one file per command.
bin_PROGRAMS += trainstorm
trainstorm_SOURCES = \
	%D%/assembly.c \
	%D%/assembly.h \
	%D%/calibrate.c \
	%D%/check.c \
	%D%/command.h \
	%D%/compare.c \
	%D%/conduct.c \
	%D%/conduct.h \
	%D%/datadir.c \
	%D%/datadir.h \
	%D%/explain.c \
	%D%/export.c \
	%D%/fit.c \
	%D%/import.c \
	%D%/inquiry.c \
	%D%/inquiry.h \
	%D%/interrupt.c \
	%D%/interrupt.h \
	%D%/list.c \
	%D%/main.c \
	%D%/merge.c \
	%D%/options.c \
	%D%/options.h \
	%D%/output_file.c \
	%D%/output_file.h \
	%D%/plot.c \
	%D%/pool.c \
	%D%/pool.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/replay.c \
	%D%/report.c \
	%D%/run.c \
	%D%/shipped.c \
	%D%/shipped.h \
	%D%/show.c \
	%D%/show.h \
	%D%/solve.c \
	%D%/step_notes.c \
	%D%/step_notes.h \
	%D%/study.c \
	%D%/study.h \
	%D%/sweep.c \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/trace_file.c \
	%D%/trace_file.h \
	%D%/trace_notes.c \
	%D%/trace_notes.h \
	%D%/tune.c \
	%D%/validate.c
trainstorm_LDADD = $(all_libs)
