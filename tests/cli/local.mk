# The command line, with golden output in tests/golden: shell_tests += %D%/NAME.test, EXTRA_DIST += tests/golden/NAME
