# Scenario files and what loads them, and the scenarios that are shipped.
noinst_LIBRARIES += scenarios/libscenarios.a
scenarios_libscenarios_a_SOURCES =
