models_libmodels_a_SOURCES += \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/fault.c %D%/fault.h \
	%D%/failures.c %D%/failures.h \
	%D%/outages.c %D%/outages.h \
	%D%/repair.c %D%/repair.h %D%/repair_config.c \
	%D%/unit_table.c %D%/unit_table.h
