# Figures: gnuplot templates and what fills them.
noinst_LIBRARIES += plots/libplots.a
plots_libplots_a_SOURCES = \
	%D%/axis.c \
	%D%/axis.h \
	%D%/bandwidth.c \
	%D%/bandwidth.h \
	%D%/budget.c \
	%D%/budget.h \
	%D%/caption.c \
	%D%/caption.h \
	%D%/figure.c \
	%D%/figure.h \
	%D%/gnuplot.c \
	%D%/gnuplot.h \
	%D%/goodput.c \
	%D%/goodput.h \
	%D%/heatmap.c \
	%D%/heatmap.h \
	%D%/labels.c \
	%D%/labels.h \
	%D%/links.c \
	%D%/links.h \
	%D%/loss.c \
	%D%/loss.h \
	%D%/mean_curve.c \
	%D%/mean_curve.h \
	%D%/overlap.c \
	%D%/overlap.h \
	%D%/panels.c \
	%D%/panels.h \
	%D%/place.c \
	%D%/place.h \
	%D%/quality.c \
	%D%/quality.h \
	%D%/html.c \
	%D%/html.h \
	%D%/report.c \
	%D%/report.h \
	%D%/report_tables.c \
	%D%/report_tables.h \
	%D%/script.c \
	%D%/script.h \
	%D%/sensitivity.c \
	%D%/sensitivity.h \
	%D%/spread.c \
	%D%/spread.h \
	%D%/stack.c \
	%D%/stack.h \
	%D%/timeline.c \
	%D%/timeline.h \
	%D%/waste.c \
	%D%/waste.h
nobase_dist_pkgdata_DATA += \
	%D%/bandwidth.gnuplot \
	%D%/budget.gnuplot \
	%D%/report.css \
	%D%/report.js \
	%D%/goodput.gnuplot \
	%D%/heatmap.gnuplot \
	%D%/links.gnuplot \
	%D%/loss.gnuplot \
	%D%/overlap.gnuplot \
	%D%/quality.gnuplot \
	%D%/sensitivity.gnuplot \
	%D%/timeline.gnuplot
