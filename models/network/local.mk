models_libmodels_a_SOURCES += \
	%D%/network.c \
	%D%/network.h
