# Tests speak TAP: Check programs tests/check_NAME (source tests/DIRECTORY/check_NAME.c) and shell tests
# *.test. Each directory's local.mk adds to check_PROGRAMS or shell_tests. All of them run in the build root.
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	TRAINSTORM='$(abs_top_builddir)/trainstorm'; export TRAINSTORM; \
	TRAINSTORM_DATADIR='$(abs_top_srcdir)'; export TRAINSTORM_DATADIR; \
	CC='$(CC)'; export CC; \
	HEADER_CFLAGS='-D_GNU_SOURCE $(LANGUAGE_CFLAGS) $(WARNING_CFLAGS) $(GSL_CFLAGS) $(SQLITE_CFLAGS) $(FYAML_CFLAGS)'; \
	export HEADER_CFLAGS; \
	CK_TAP_LOG_FILE_NAME=-; export CK_TAP_LOG_FILE_NAME; \
	CK_TIMEOUT_MULTIPLIER=20; export CK_TIMEOUT_MULTIPLIER;

TEST_EXTENSIONS = .test
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_LOG_DRIVER = $(LOG_DRIVER)
TEST_LOG_COMPILER = $(BASH_SHELL)

# What a test program links unless its local.mk names a lower layer: tests_check_NAME_LDADD = $(sim_libs) $(CHECK_LIBS)
LDADD = $(all_libs) $(CHECK_LIBS)

shell_tests =
bench_programs =
threaded_tests =

if HAVE_CHECK
include %D%/sim/local.mk
include %D%/models/local.mk
include %D%/tape/local.mk
include %D%/learning/local.mk
include %D%/scenarios/local.mk
include %D%/results/local.mk
include %D%/studies/local.mk
include %D%/plots/local.mk
endif
include %D%/cli/local.mk
include %D%/golden/local.mk
include %D%/project/local.mk
include %D%/bench/local.mk

TESTS += $(check_PROGRAMS) $(shell_tests)
EXTRA_DIST += %D%/tap.sh $(shell_tests)
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

# The tests that run simulations side by side, for a build with the thread sanitizer.
check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(threaded_tests)'

# Benchmarks print ratios between programs of one run; nothing is timed by `make check`.
benchmarks: $(bench_programs)
bench: benchmarks trainstorm$(EXEEXT)
	@for program in $(bench_programs); do echo "== $$program"; ./$$program || exit 1; done
	@for script in $(bench_scripts); do echo "== $$script"; $(srcdir)/$$script || exit 1; done
.PHONY: bench benchmarks check-threads
