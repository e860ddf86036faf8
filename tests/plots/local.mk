# Tests of plots/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(plots_libs) $(CHECK_LIBS)
check_PROGRAMS += tests/check_figure
tests_check_figure_SOURCES = %D%/check_figure.c $(results_fixture)
tests_check_figure_LDADD = $(plots_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_learning_plots
tests_check_learning_plots_SOURCES = %D%/check_learning_plots.c $(results_fixture)
tests_check_learning_plots_LDADD = $(plots_libs) $(CHECK_LIBS)
