models_libmodels_a_SOURCES += \
	%D%/capacity.c %D%/capacity.h \
	%D%/link.c %D%/link.h \
	%D%/network.c %D%/network.h \
	%D%/route.c %D%/route.h \
	%D%/sites.c %D%/sites.h
models_libmodels_a_SOURCES += \
	%D%/fluid.h
