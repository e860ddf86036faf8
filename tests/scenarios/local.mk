# Tests of scenarios/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(scenarios_libs) $(CHECK_LIBS)
check_PROGRAMS += \
	tests/check_axis \
	tests/check_document \
	tests/check_fields \
	tests/check_files \
	tests/check_network \
	tests/check_question \
	tests/check_scenario \
	tests/check_scenario_sensitivity \
	tests/check_units
tests_check_axis_SOURCES = %D%/check_axis.c
tests_check_axis_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_document_SOURCES = %D%/check_document.c
tests_check_document_LDADD = $(scenarios_libs) $(CHECK_LIBS)
tests_check_files_SOURCES = %D%/check_files.c
tests_check_files_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_fields_SOURCES = %D%/check_fields.c
tests_check_fields_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_network_SOURCES = %D%/check_network.c
tests_check_network_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_question_SOURCES = %D%/check_question.c
tests_check_question_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_scenario_SOURCES = %D%/check_scenario.c
tests_check_scenario_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_scenario_sensitivity_SOURCES = %D%/check_sensitivity.c
tests_check_scenario_sensitivity_LDADD = $(scenarios_libs) $(MD_LIBS) $(CHECK_LIBS)
tests_check_units_SOURCES = %D%/check_units.c
tests_check_units_LDADD = $(scenarios_libs) $(CHECK_LIBS)

include tests/fuzz/local.mk
