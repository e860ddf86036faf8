# What is simulated; each model adds its own sources.
noinst_LIBRARIES += models/libmodels.a
models_libmodels_a_SOURCES = \
	%D%/metric.h %D%/parameter.h %D%/priority.h %D%/purpose.h
include %D%/failures/local.mk
include %D%/hardware/local.mk
include %D%/network/local.mk
include %D%/tape/local.mk
include %D%/training/local.mk
include %D%/learning/local.mk
