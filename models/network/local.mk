models_libmodels_a_SOURCES += \
	%D%/link.c %D%/link.h \
	%D%/network.c %D%/network.h
models_libmodels_a_SOURCES += \
	%D%/fluid.h
