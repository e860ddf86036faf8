models_libmodels_a_SOURCES += \
	%D%/budget.h \
	%D%/result.h \
	%D%/simulation.h \
	%D%/strategy.c \
	%D%/strategy.h \
	%D%/workload.c \
	%D%/workload.h
