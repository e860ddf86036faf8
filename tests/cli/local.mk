# The command line, with golden output in tests/golden: shell_tests += %D%/NAME.test, and a line in tests/golden/local.mk
shell_tests += \
	%D%/analysis.test \
	%D%/calibrate.test \
	%D%/chaos.test \
	%D%/ci.test \
	%D%/errors.test \
	%D%/explain.test \
	%D%/fit.test \
	%D%/hardware.test \
	%D%/help.test \
	%D%/import.test \
	%D%/list.test \
	%D%/manual.test \
	%D%/network.test \
	%D%/output.test \
	%D%/report.test \
	%D%/mpi.test \
	%D%/run.test \
	%D%/sensitivity.test \
	%D%/solve.test \
	%D%/sweep.test \
	%D%/trace.test \
	%D%/tune.test
EXTRA_DIST += %D%/browser.sh %D%/golden.sh
# These run simulations side by side.
threaded_tests += %D%/calibrate.test %D%/network.test %D%/report.test %D%/run.test %D%/sensitivity.test %D%/solve.test %D%/sweep.test %D%/trace.test
