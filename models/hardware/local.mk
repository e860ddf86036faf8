models_libmodels_a_SOURCES += \
	%D%/availability.c \
	%D%/availability.h \
	%D%/chip.c \
	%D%/chip.h \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/pace.c \
	%D%/pace.h \
	%D%/parallel.c \
	%D%/parallel.h \
	%D%/slowest.c \
	%D%/slowest.h \
	%D%/stragglers.c \
	%D%/stragglers.h
