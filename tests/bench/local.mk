# Benchmarks: bench_programs += tests/bench/NAME, tests_bench_NAME_SOURCES = %D%/NAME.c, tests_bench_NAME_LDADD = $(sim_libs)
