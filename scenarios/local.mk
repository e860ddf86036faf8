# Scenario files and what loads them, and the scenarios that are shipped.
noinst_LIBRARIES += scenarios/libscenarios.a
scenarios_libscenarios_a_SOURCES = \
	%D%/axis.c \
	%D%/axis.h \
	%D%/chaos.c \
	%D%/chaos.h \
	%D%/chips.c \
	%D%/chips.h \
	%D%/condition.c \
	%D%/condition.h \
	%D%/csv.c \
	%D%/csv.h \
	%D%/describe.c \
	%D%/describe.h \
	%D%/document.c \
	%D%/document.h \
	%D%/expectations.c \
	%D%/expectations.h \
	%D%/faults.c \
	%D%/faults.h \
	%D%/fields.c \
	%D%/fields.h \
	%D%/fields_expectations.c \
	%D%/fields_internal.h \
	%D%/fields_paths.c \
	%D%/figures.c \
	%D%/figures.h \
	%D%/files.c \
	%D%/files.h \
	%D%/files_chaos.c \
	%D%/files_chips.c \
	%D%/files_network.c \
	%D%/files_table.c \
	%D%/files_values.c \
	%D%/laws.c \
	%D%/laws.h \
	%D%/loader.c \
	%D%/loader.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/metrics.c \
	%D%/metrics.h \
	%D%/network.c \
	%D%/network.h \
	%D%/number.c \
	%D%/number.h \
	%D%/override.c \
	%D%/print.c \
	%D%/range.c \
	%D%/range.h \
	%D%/reference.c \
	%D%/scenario.c \
	%D%/scenario.h \
	%D%/schema.c \
	%D%/source.c \
	%D%/source.h \
	%D%/spelling.c \
	%D%/spelling.h \
	%D%/question.h \
	%D%/sensitivity.c \
	%D%/sensitivity.h \
	%D%/solve.c \
	%D%/solve.h \
	%D%/sweep.c \
	%D%/sweep.h \
	%D%/trace.c \
	%D%/trace.h \
	%D%/traces.c \
	%D%/traces.h \
	%D%/units.c \
	%D%/units.h \
	%D%/value.c \
	%D%/value.h \
	%D%/writer.c \
	%D%/writer.h

# Shipped scenarios and the studies of trainstorm validate
nobase_dist_pkgdata_DATA += \
	%D%/airesim-default.yaml \
	%D%/chaos-day.yaml \
	%D%/compression.yaml \
	%D%/correlated.yaml \
	%D%/failure-map.yaml \
	%D%/four-regions.yaml \
	%D%/gossip-topologies.yaml \
	%D%/halos.yaml \
	%D%/learn-long.yaml \
	%D%/learn-million.yaml \
	%D%/learn-smoke.yaml \
	%D%/hundred-thousand.yaml \
	%D%/lemons.yaml \
	%D%/llama3-405b.yaml \
	%D%/merge-ablation.yaml \
	%D%/million-chips.yaml \
	%D%/mixed-generations.yaml \
	%D%/old-chips.yaml \
	%D%/overlap.yaml \
	%D%/overlap-growth.yaml \
	%D%/quorum-grace.yaml \
	%D%/scavenge.yaml \
	%D%/rsc1.yaml \
	%D%/silent-corruption.yaml \
	%D%/spot.yaml \
	%D%/tpu-v4-pod.yaml \
	%D%/smoke.yaml \
	%D%/syncer-loss.yaml \
	%D%/trillion.yaml \
	%D%/unstable-internet.yaml \
	%D%/world.yaml \
	%D%/validation/daly.yaml \
	%D%/validation/overlap-a40.yaml \
	%D%/validation/table1.yaml \
	%D%/validation/table13-bandwidth.yaml \
	%D%/validation/table4-streaming.yaml \
	%D%/validation/table5-goodput.yaml

# The page on scenario files is made from the field table; a test compares them.
nobase_dist_doc_DATA += doc/scenario.md
reference: trainstorm$(EXEEXT)
	$(AM_V_GEN)./trainstorm$(EXEEXT) check --reference >'$(srcdir)/doc/scenario.md'
	$(AM_V_GEN)'$(srcdir)/doc/manual.sh' ./trainstorm$(EXEEXT) >'$(srcdir)/doc/trainstorm.1'
.PHONY: reference
