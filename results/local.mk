# The database: schema, store, comparison, export.
noinst_LIBRARIES += results/libresults.a
results_libresults_a_SOURCES = \
	%D%/baseline.c \
	%D%/baseline.h \
	%D%/baseline_text.c \
	%D%/comparison.c \
	%D%/comparison.h \
	%D%/comparison_json.c \
	%D%/database.c \
	%D%/database.h \
	%D%/expectations.c \
	%D%/expectations.h \
	%D%/export.c \
	%D%/export.h \
	%D%/json.c \
	%D%/json.h \
	%D%/junit.c \
	%D%/junit.h \
	%D%/learning.c \
	%D%/learning.h \
	%D%/learning_record.c \
	%D%/links.c \
	%D%/links.h \
	%D%/markdown.c \
	%D%/markdown.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/notation.c \
	%D%/notation.h \
	%D%/outline.c \
	%D%/outline.h \
	%D%/outline_axis.c \
	%D%/outline_axis.h \
	%D%/paired.c \
	%D%/paired.h \
	%D%/paired_text.c \
	%D%/record.c \
	%D%/reuse.c \
	%D%/schema.c \
	%D%/schema.h \
	%D%/store.c \
	%D%/store.h \
	%D%/summary.c \
	%D%/table.c \
	%D%/table.h \
	%D%/timeline.c \
	%D%/timeline.h
