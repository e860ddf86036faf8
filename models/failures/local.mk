models_libmodels_a_SOURCES += \
	%D%/checkpoint.c \
	%D%/checkpoint.h \
	%D%/failures.c \
	%D%/failures.h
