# Figures: gnuplot templates and what fills them.
noinst_LIBRARIES += plots/libplots.a
plots_libplots_a_SOURCES =
