# What the commands print, to the letter; tests/cli compares. UPDATE_GOLDEN=1 in the environment writes them anew.
EXTRA_DIST += \
	%D%/check-layout \
	%D%/compare \
	%D%/explain \
	%D%/fit \
	%D%/help \
	%D%/help-calibrate \
	%D%/help-check \
	%D%/help-compare \
	%D%/help-explain \
	%D%/help-export \
	%D%/help-fit \
	%D%/help-import \
	%D%/help-list \
	%D%/help-merge \
	%D%/help-plot \
	%D%/help-run \
	%D%/help-solve \
	%D%/help-sweep \
	%D%/help-tune \
	%D%/help-validate \
	%D%/list-chips \
	%D%/list-distributions \
	%D%/list-figures \
	%D%/list-metrics \
	%D%/list-strategies \
	%D%/run \
	%D%/solve \
	%D%/sweep \
	%D%/sweep-dry-run \
	%D%/sweep-together \
	%D%/validate \
	%D%/validate-markdown \
	%D%/validate-solve
