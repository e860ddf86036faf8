models_libmodels_a_SOURCES += \
	%D%/availability.c \
	%D%/availability.h \
	%D%/chip.c \
	%D%/chip.h \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/gpu.c \
	%D%/gpu.h \
	%D%/gpu_device.c \
	%D%/gpu_device.h \
	%D%/gpu_kernel.c \
	%D%/gpu_kernel.h \
	%D%/gpu_pairs.c \
	%D%/gpu_pairs.h \
	%D%/gpu_sms.c \
	%D%/gpu_sms.h \
	%D%/pace.c \
	%D%/pace.h \
	%D%/parallel.c \
	%D%/parallel.h \
	%D%/slow_units.c \
	%D%/slow_units.h \
	%D%/reserve.c %D%/reserve.h \
	%D%/slowest.c \
	%D%/slowest.h \
	%D%/stragglers.c \
	%D%/stragglers.h
