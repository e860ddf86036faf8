models_libmodels_a_SOURCES += \
	%D%/chip.c \
	%D%/chip.h \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/stragglers.c \
	%D%/stragglers.h
