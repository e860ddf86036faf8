# What holds for the tree as a whole.
shell_tests += \
	%D%/headers.test \
	%D%/installed.test \
	%D%/listed.test \
	%D%/modules.test \
	%D%/version.test
