# The run loop and what is built on it.
noinst_LIBRARIES += studies/libstudies.a
studies_libstudies_a_SOURCES =
