# The database: schema, store, comparison, export.
noinst_LIBRARIES += results/libresults.a
results_libresults_a_SOURCES =
