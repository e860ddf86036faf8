# Tests of results/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(results_libs) $(CHECK_LIBS)
results_fixture = %D%/fixture.c %D%/fixture.h

check_PROGRAMS += tests/check_comparison
tests_check_comparison_SOURCES = %D%/check_comparison.c $(results_fixture)
tests_check_comparison_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_export
tests_check_export_SOURCES = %D%/check_export.c $(results_fixture)
tests_check_export_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_sensitivity
tests_check_sensitivity_SOURCES = %D%/check_sensitivity.c $(results_fixture)
tests_check_sensitivity_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_inference
tests_check_inference_SOURCES = %D%/check_inference.c
tests_check_inference_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_learning
tests_check_learning_SOURCES = %D%/check_learning.c $(results_fixture)
tests_check_learning_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_causes tests/check_links
tests_check_causes_SOURCES = %D%/check_causes.c $(results_fixture)
tests_check_causes_LDADD = $(results_libs) $(CHECK_LIBS)
tests_check_links_SOURCES = %D%/check_links.c $(results_fixture)
tests_check_links_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_notation
tests_check_notation_SOURCES = %D%/check_notation.c
tests_check_notation_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_outline
tests_check_outline_SOURCES = %D%/check_outline.c $(results_fixture)
tests_check_outline_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_paired
tests_check_paired_SOURCES = %D%/check_paired.c $(results_fixture)
tests_check_paired_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_store
tests_check_store_SOURCES = %D%/check_store.c $(results_fixture)
tests_check_store_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_explanation
tests_check_explanation_SOURCES = %D%/check_explanation.c $(results_fixture)
tests_check_explanation_LDADD = $(results_libs) $(CHECK_LIBS)
check_PROGRAMS += tests/check_timeline
tests_check_timeline_SOURCES = %D%/check_timeline.c $(results_fixture)
tests_check_timeline_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_summary
tests_check_summary_SOURCES = %D%/check_summary.c $(results_fixture)
tests_check_summary_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_reuse
tests_check_reuse_SOURCES = %D%/check_reuse.c $(results_fixture)
tests_check_reuse_LDADD = $(results_libs) $(CHECK_LIBS)

check_PROGRAMS += tests/check_baseline
tests_check_baseline_SOURCES = %D%/check_baseline.c %D%/xml.c %D%/xml.h $(results_fixture)
tests_check_baseline_LDADD = $(results_libs) $(CHECK_LIBS)
