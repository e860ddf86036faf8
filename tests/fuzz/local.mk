# The fuzz target over its corpus, as a plain program; see fuzz_scenario.c for the fuzzer itself.
check_PROGRAMS += tests/fuzz_scenario
tests_fuzz_scenario_SOURCES = %D%/fuzz_scenario.c %D%/fuzz_scenario.h %D%/replay.c
tests_fuzz_scenario_LDADD = $(scenarios_libs) $(MD_LIBS)
EXTRA_DIST += \
	%D%/corpus/alias-key.yaml \
	%D%/corpus/alias-loop.yaml \
	%D%/corpus/aliases.yaml \
	%D%/corpus/base.yaml \
	%D%/corpus/bom.yaml \
	%D%/corpus/century.yaml \
	%D%/corpus/comment.yaml \
	%D%/corpus/control.yaml \
	%D%/corpus/cr.yaml \
	%D%/corpus/crlf.yaml \
	%D%/corpus/cut-utf8.yaml \
	%D%/corpus/deep-block.yaml \
	%D%/corpus/deep-flow.yaml \
	%D%/corpus/directive.yaml \
	%D%/corpus/dots.yaml \
	%D%/corpus/duplicate.yaml \
	%D%/corpus/empirical.yaml \
	%D%/corpus/empty.yaml \
	%D%/corpus/expect.yaml \
	%D%/corpus/full.yaml \
	%D%/corpus/invalid-utf8.yaml \
	%D%/corpus/keys.yaml \
	%D%/corpus/laws.yaml \
	%D%/corpus/list.yaml \
	%D%/corpus/many-chips.yaml \
	%D%/corpus/network.yaml \
	%D%/corpus/merge.yaml \
	%D%/corpus/names.yaml \
	%D%/corpus/nul.yaml \
	%D%/corpus/nulls.yaml \
	%D%/corpus/numbers-long.yaml \
	%D%/corpus/numbers.yaml \
	%D%/corpus/scalar.yaml \
	%D%/corpus/set-broken.yaml \
	%D%/corpus/set-replaces.yaml \
	%D%/corpus/set.yaml \
	%D%/corpus/sweep.yaml \
	%D%/corpus/tabs.yaml \
	%D%/corpus/tags.yaml \
	%D%/corpus/together.yaml \
	%D%/corpus/two-documents.yaml \
	%D%/corpus/types.yaml \
	%D%/corpus/unclosed.yaml \
	%D%/corpus/units-long.yaml \
	%D%/corpus/units.yaml \
	%D%/corpus/utf16.yaml \
	%D%/corpus/zero-escape.yaml
