# Benchmarks: bench_programs += tests/bench/NAME, tests_bench_NAME_SOURCES = %D%/NAME.c, tests_bench_NAME_LDADD = $(sim_libs)

# What the queue is compared with, in its test and in its benchmark
queue_rivals = %D%/delays.c %D%/delays.h %D%/heaps.c %D%/heaps.h

# A model on the engine, for its test and its benchmark
station = %D%/station.c %D%/station.h

bench_programs += \
	tests/bench/bench_hold \
	tests/bench/bench_mm1
tests_bench_bench_hold_SOURCES = %D%/bench_hold.c $(queue_rivals)
tests_bench_bench_hold_LDADD = $(sim_libs)
tests_bench_bench_mm1_SOURCES = %D%/bench_mm1.c $(station)
tests_bench_bench_mm1_LDADD = $(sim_libs)

# Random draws beside GSL's
bench_programs += tests/bench/bench_draws
tests_bench_bench_draws_SOURCES = %D%/bench_draws.c
tests_bench_bench_draws_LDADD = $(sim_libs)

# Whole runs of a million chips
bench_programs += tests/bench/bench_simulation
tests_bench_bench_simulation_SOURCES = %D%/bench_simulation.c
tests_bench_bench_simulation_LDADD = $(models_libs)

# A training step of the proxy transformer beside its matrix products
bench_programs += tests/bench/bench_transformer
tests_bench_bench_transformer_SOURCES = %D%/bench_transformer.c
tests_bench_bench_transformer_LDADD = $(models_libs)

# Flows that share a network beside plain progressive filling
bench_programs += tests/bench/bench_flows
tests_bench_bench_flows_SOURCES = %D%/bench_flows.c %D%/flow_workload.c %D%/flow_workload.h
tests_bench_bench_flows_LDADD = $(models_libs)

# The same flows in SimGrid, where it is installed: a script builds it, as nothing else needs that
EXTRA_DIST += %D%/flows_simgrid.c %D%/simgrid.sh

# Intervals of calibrate that hold what was planted
bench_programs += tests/bench/bench_intervals
tests_bench_bench_intervals_SOURCES = %D%/bench_intervals.c
tests_bench_bench_intervals_LDADD = $(studies_libs)

# The whole program beside AIReSim, where there is a copy of it
EXTRA_DIST += %D%/airesim.sh

# A sweep beside its runs, and a database of many: needs the program, and so is no program itself
EXTRA_DIST += %D%/bench_sweep.sh
bench_scripts = %D%/bench_sweep.sh
