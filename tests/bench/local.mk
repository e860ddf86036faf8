# Benchmarks: bench_programs += tests/bench/NAME, tests_bench_NAME_SOURCES = %D%/NAME.c, tests_bench_NAME_LDADD = $(sim_libs)

# What the queue is compared with, in its test and in its benchmark
queue_rivals = %D%/delays.c %D%/delays.h %D%/heaps.c %D%/heaps.h

bench_programs += tests/bench/bench_hold
tests_bench_bench_hold_SOURCES = %D%/bench_hold.c $(queue_rivals)
tests_bench_bench_hold_LDADD = $(sim_libs)
